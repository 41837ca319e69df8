"""ifc_walls.py MODEL.ifc...: every wall of models of buildings against the plan that planwave makes of them.

What the model says is read here from its material layer sets alone, and where a wall stands from sections of the shapes that
IfcOpenShell makes, put together by shapely. The plan is looked at where it is drawn: along lines across every wall, in steps of 2 mm (of
plans over 25 m, 4 mm). Lines count where the model's own section is whole, and not cut away by a window or another wall. A wall holds when
half of them or more (others meet walls that lie over it) cross what the model says, in its order, each layer within 5 mm. The area of all
walls, columns, slabs and members of a cut is compared with the union of their sections.

Prints a table. Needs ifcopenshell and shapely; PYTHONPATH and PLANWAVE_LIBRARY say which planwave.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/support"))
from needs import need  # noqa: E402

need("ifcopenshell", "numpy", "planwave", "shapely")
import ifcopenshell
import ifcopenshell.geom
import ifcopenshell.util.element
import ifcopenshell.util.unit
import numpy as np
import planwave as pw
from planwave.ifc.materials import Materials
from shapely import LineString, Polygon, affinity, minimum_rotated_rectangle, unary_union
from shapely.ops import polygonize

HEIGHT = 1.2  # m over the storey's floor
SOLID = ["IfcSlab", "IfcRoof", "IfcCovering", "IfcWall", "IfcCurtainWall", "IfcPlate", "IfcMember", "IfcColumn", "IfcBeam", "IfcStair"]
SOLID += ["IfcStairFlight"]


def section(shape, z):
    """The plane figure in which the plane at z cuts a mesh."""
    points = np.array(shape.geometry.verts).reshape(-1, 3)
    lines = []
    for corners in points[np.array(shape.geometry.faces).reshape(-1, 3)]:
        high = corners[:, 2] > z
        if high.all() or not high.any():
            continue
        ends = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            if high[a] != high[b]:
                part = (z - corners[a, 2]) / (corners[b, 2] - corners[a, 2])
                ends.append(tuple(np.round(corners[a, :2] + part * (corners[b, :2] - corners[a, :2]), 6)))
        if len(ends) == 2 and ends[0] != ends[1]:
            lines.append(ends)
    rings = list(polygonize(unary_union([LineString(one) for one in lines]))) if lines else []
    figure = Polygon()
    for ring in sorted(rings, key=lambda one: -one.area):  # rings in rings are holes
        figure = figure.symmetric_difference(ring) if figure.contains(ring.representative_point()) else figure.union(ring)
    return figure


def layers_said(wall, unit, table):
    """[(substance, m)] of the model's layer set, equal neighbours as one; [] where it has none or one material."""
    material = ifcopenshell.util.element.get_material(wall, should_skip_usage=True)
    if material is None or not material.is_a("IfcMaterialLayerSet"):
        name = material.Name if material is not None and material.is_a("IfcMaterial") else ""
        return [(str(table.of(name) or "brick"), 0.0)]
    made = []
    for layer in material.MaterialLayers:
        meaning = table.of(layer.Material.Name if layer.Material else "")
        thick = layer.LayerThickness * unit
        if thick < 1e-5:
            continue
        substance = "brick" if meaning is None else str(meaning)
        if made and made[-1][0] == substance:
            made[-1] = (substance, made[-1][1] + thick)
        else:
            made.append((substance, thick))
    return made


def runs(names, step):
    """[(name, m)] of what a line meets."""
    made = []
    for name in names:
        if made and made[-1][0] == name:
            made[-1] = (name, made[-1][1] + step)
        else:
            made.append((name, step))
    return made


def without_air(layers):
    while layers and layers[0][0] == "air":
        layers = layers[1:]
    while layers and layers[-1][0] == "air":
        layers = layers[:-1]
    return layers


def same(found, said, step):
    return len(found) == len(said) and all(a[0] == b[0] and abs(a[1] - b[1]) <= 0.003 + step for a, b in zip(found, said))


def wall_holds(figure, said, look, step):
    """Whether lines across a wall meet what is said, in either direction."""
    box = np.array(minimum_rotated_rectangle(figure).exterior.coords)[:4]
    sides = box[1] - box[0], box[2] - box[1]
    long, thick = (sides[0], sides[1]) if np.hypot(*sides[0]) >= np.hypot(*sides[1]) else (sides[1], sides[0])
    width, start = np.hypot(*thick), box.mean(axis=0) - 0.5 * long
    across = thick / width
    hits, whole, last = 0, 0, []
    said = [(name, width if size == 0 else size) for name, size in said] if len(said) == 1 else said
    for part in (np.arange(31) + 0.5) / 31:
        middle = start + part * long
        line = LineString([middle - 0.5 * thick, middle + 0.5 * thick])
        if figure.intersection(line).length < width - 0.002:
            continue
        whole += 1
        offsets = np.arange(-0.5 * width + 0.5 * step, 0.5 * width, step)
        found = without_air(runs([look(*(middle + one * across)) for one in offsets], step))
        good = same(found, without_air(said), step) or same(found[::-1], without_air(said), step)
        hits += good
        last = last if good else found
    return whole, 2 * hits >= whole, last


def check_storey(path, unit, shapes, name, table):
    try:
        model = pw.import_ifc(path, storey=name, height=HEIGHT)
    except pw.errors.BadInput:  # a roof, which ends below the cut
        return
    z = model.origin[2] + 1e-4
    step = 0.002 if max(model.scenario.floor_plan(0.1).values.shape) < 250 else 0.004
    plan = model.scenario.floor_plan(step)
    names = plan.materials

    def look(x, y):
        i, j = int((x - model.origin[0]) / step), int((y - model.origin[1]) / step)
        inside = 0 <= j < plan.values.shape[0] and 0 <= i < plan.values.shape[1]
        return names[int(plan.values[j, i])] if inside else "air"

    good, total, cut, bad = 0, 0, 0, []
    figures = []
    for product, shape in shapes:
        figure = affinity.rotate(section(shape, z), model.turn, origin=(0, 0))
        if figure.area < 1e-4:
            continue
        if any(product.is_a(kind) for kind in SOLID):
            figures.append(figure)
        if not product.is_a("IfcWall"):
            continue
        said = layers_said(product, unit, table)
        whole, holds, found = wall_holds(figure, said, look, step)
        if whole == 0:
            cut += 1
            continue
        total += 1
        good += holds
        if not holds:
            said, found = ([(name, round(thick, 3)) for name, thick in one] for one in (said, found))
            bad.append(f"  {product.Name}: said {said}, found {found}")
    plain = pw.import_ifc(path, storey=name, height=HEIGHT, materials={"*": "brick"}, windows="open", doors="open")
    area = plain.scenario.floor_plan(0.005).areas["brick"]
    said = unary_union(figures).area
    print(f"| {path.rsplit('/', 1)[-1]} | {name} | {total} | {good} | {cut} | {said:.3f} | {area:.3f} | {100 * (area / said - 1):+.2f} % |", flush=True)
    for line in bad:
        print(line)


def check(path):
    file = ifcopenshell.open(path)
    unit = ifcopenshell.util.unit.calculate_unit_scale(file)
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    settings.set("weld-vertices", True)
    wanted = [one for kind in SOLID for one in file.by_type(kind) if one.Representation is not None]
    iterator = ifcopenshell.geom.iterator(settings, file, 1, include=wanted)
    shapes, table = {}, Materials({})
    if iterator.initialize():
        while True:
            shape = iterator.get()
            shapes[shape.id] = (file.by_id(shape.id), shape)
            if not iterator.next():
                break
    for storey in file.by_type("IfcBuildingStorey"):
        walls = [one for one in file.by_type("IfcWall") if ifcopenshell.util.element.get_container(one) == storey]
        if walls:
            check_storey(path, unit, list(shapes.values()), storey.Name, table)


print("| model | storey | walls | as the model says | nowhere whole | m2 of the model | m2 of the plan | |")
print("| --- | --- | --- | --- | --- | --- | --- | --- |")
for one in sys.argv[1:]:
    check(one)
