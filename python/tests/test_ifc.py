"""Models of buildings: a house that the test writes itself by IfcOpenShell, against what it was told to be."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import planwave as pw
import pytest

ifcopenshell = pytest.importorskip("ifcopenshell")
import ifcopenshell.api.aggregate  # noqa: E402
import ifcopenshell.api.context  # noqa: E402
import ifcopenshell.api.feature  # noqa: E402
import ifcopenshell.api.geometry  # noqa: E402
import ifcopenshell.api.georeference  # noqa: E402
import ifcopenshell.api.material  # noqa: E402
import ifcopenshell.api.project  # noqa: E402
import ifcopenshell.api.pset  # noqa: E402
import ifcopenshell.api.root  # noqa: E402
import ifcopenshell.api.spatial  # noqa: E402
import ifcopenshell.api.unit  # noqa: E402
from planwave.ifc import sections  # noqa: E402

LAYERS = [("Klinker rot", 0.115), ("Mineralwolle WLG 035", 0.14), ("Kalksandstein", 0.175), ("Gipsputz", 0.015)]
THICK = sum(thickness for _, thickness in LAYERS)
WIDE, DEEP, TALL = 8.0, 6.0, 2.75


class House:
    """Four walls of four layers, a wall of one material, a window, a door, slabs; two storeys; millimetres."""

    def __init__(self, turn: float = 0.0) -> None:
        api, self.turn = ifcopenshell.api, math.radians(turn)
        self.file = api.project.create_file()
        project = api.root.create_entity(self.file, ifc_class="IfcProject", name="Test")
        api.unit.assign_unit(self.file, length={"is_metric": True, "raw": "MILLIMETERS"})
        model = api.context.add_context(self.file, context_type="Model")
        self.body = api.context.add_context(
            self.file, context_type="Model", context_identifier="Body", target_view="MODEL_VIEW", parent=model
        )
        api.georeference.add_georeferencing(self.file)
        api.georeference.edit_georeferencing(
            self.file,
            projected_crs={"Name": "EPSG:25832"},
            coordinate_operation={"Eastings": 691000.0 * 1000, "Northings": 5334000.0 * 1000},
        )
        building = api.root.create_entity(self.file, ifc_class="IfcBuilding", name="A house")
        api.aggregate.assign_object(self.file, products=[building], relating_object=project)
        self.storeys = [api.root.create_entity(self.file, ifc_class="IfcBuildingStorey", name=name) for name in ("Ground", "Upper")]
        api.aggregate.assign_object(self.file, products=self.storeys, relating_object=building)
        for storey, level in zip(self.storeys, (0.0, TALL + 0.25)):
            storey.Elevation = 1000.0 * level
            self.place(storey, 0.0, 0.0, level)
        self.materials: dict[str, Any] = {}

    def place(self, element: Any, x: float, y: float, z: float, degrees: float = 0.0) -> None:
        a, t = math.radians(degrees) + self.turn, self.turn
        matrix = np.eye(4)
        matrix[:2, :2] = [[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]
        matrix[:3, 3] = [math.cos(t) * x - math.sin(t) * y, math.sin(t) * x + math.cos(t) * y, z]
        ifcopenshell.api.geometry.edit_object_placement(self.file, product=element, matrix=matrix)

    def material(self, name: str) -> Any:
        if name not in self.materials:
            self.materials[name] = ifcopenshell.api.material.add_material(self.file, name=name)
        return self.materials[name]

    def box(self, kind: str, name: str, size: tuple[float, float, float], storey: int, material: str | None) -> Any:
        """A box from its own origin along x, y and z."""
        api = ifcopenshell.api
        made = api.root.create_entity(self.file, ifc_class=kind, name=name)
        shape = api.geometry.add_wall_representation(self.file, context=self.body, length=size[0], height=size[2], thickness=size[1])
        api.geometry.assign_representation(self.file, product=made, representation=shape)
        if storey >= 0:
            api.spatial.assign_container(self.file, products=[made], relating_structure=self.storeys[storey])
        if material is not None:
            api.material.assign_material(self.file, products=[made], type="IfcMaterial", material=self.material(material))
        return made

    def layered(self, length: float, storey: int, name: str) -> Any:
        api = ifcopenshell.api
        wall = self.box("IfcWall", name, (length, THICK, TALL), storey, None)
        layers = api.material.add_material_set(self.file, name="Outer wall", set_type="IfcMaterialLayerSet")
        for material, thickness in LAYERS:
            layer = api.material.add_layer(self.file, layer_set=layers, material=self.material(material))
            api.material.edit_layer(self.file, layer=layer, attributes={"LayerThickness": 1000.0 * thickness})
        used = self.file.create_entity("IfcMaterialLayerSetUsage", layers, "AXIS2", "POSITIVE", 0.0)
        api.material.assign_material(self.file, products=[wall], type="IfcMaterialLayerSet", material=layers)
        for relation in wall.HasAssociations:
            relation.RelatingMaterial = used
        return wall

    def filled(
        self, wall: Any, kind: str, name: str, size: tuple[float, float, float], at: tuple[float, float, float], material: str
    ) -> Any:
        """A window or a door in an opening through the whole wall, at (x, y, z) of the building."""
        api = ifcopenshell.api
        hole = self.box("IfcOpeningElement", name, (size[0], 2.0, size[2]), -1, None)
        self.place(hole, at[0], at[1] - 1.0, at[2])
        api.feature.add_feature(self.file, feature=hole, element=wall)
        made = self.box(kind, name, size, 0, material)
        self.place(made, *at)
        api.feature.add_filling(self.file, opening=hole, element=made)
        return made

    def write(self, path: Path) -> Path:
        self.file.write(str(path))
        return path


def house(path: Path, turn: float = 0.0) -> Path:
    made = House(turn)
    for storey, level in enumerate((0.0, TALL + 0.25)):
        for name, length, x, y, degrees in (
            ("south", WIDE, 0.0, 0.0, 0.0),
            ("east", DEEP, WIDE, 0.0, 90.0),
            ("north", WIDE, WIDE, DEEP, 180.0),
            ("west", DEEP, 0.0, DEEP, 270.0),
        ):
            inner = length - 2.0 * THICK if name in ("east", "west") else length
            dx, dy = {"east": (0.0, THICK), "west": (0.0, -THICK)}.get(name, (0.0, 0.0))
            wall = made.layered(inner, storey, f"{name} {storey}")
            made.place(wall, x + dx, y + dy, level, degrees)
            if storey == 0 and name == "south":
                made.filled(wall, "IfcWindow", "window", (1.5, 0.1, 1.2), (1.0, 0.2, 0.9), "Glas")
                made.filled(wall, "IfcDoor", "door", (1.0, 0.04, 2.1), (4.0, 0.3, 0.0), "Eiche")
        slab = made.box("IfcSlab", f"slab {storey}", (WIDE, DEEP, 0.25), storey, "Stahlbeton C25/30")
        made.place(slab, 0.0, 0.0, level - 0.25)
    inside = made.box("IfcWall", "inside", (DEEP - 2.0 * THICK, 0.1, TALL), 0, "Unobtanium")
    made.place(inside, 3.2, THICK, 0.0, 90.0)
    quantities = ifcopenshell.api.pset.add_qto(made.file, product=inside, name="Qto_WallBaseQuantities")
    ifcopenshell.api.pset.edit_qto(made.file, qto=quantities, properties={"Width": 100.0})
    return made.write(path)


# Areas of the plan at 1.2 m by hand: walls without the window's 1.5 m and the door's 1 m, layer by layer.
RUN = 2.0 * WIDE + 2.0 * (DEEP - 2.0 * THICK) - 2.5
AREAS = {
    "brick": RUN * (0.115 + 0.175) + (DEEP - 2.0 * THICK) * 0.1,
    "plasterboard": RUN * 0.015,
    "wood": 1.0 * 0.04,
    "glass": 1.5 * 2 * 0.004,
}


@pytest.mark.parametrize("turn", [0.0, 23.0])
def test_a_cut_has_the_layers_and_areas_of_the_model(tmp_path: Path, turn: float) -> None:
    model = pw.import_ifc(house(tmp_path / "house.ifc", turn), tmp_path / "house.yaml")
    assert model.turn == pytest.approx(-turn, abs=1e-3)
    for name, area in AREAS.items():
        assert model.areas[name] == pytest.approx(area, rel=0.01), name
    drawn = pw.Scenario(tmp_path / "house.yaml").floor_plan("1 cm").areas
    for name in ("brick", "plasterboard", "wood"):
        assert drawn[name] == pytest.approx(AREAS[name], rel=0.03), name
    south = next(one for one in model.elements if one.name == "south 0")
    assert [(layer.name, round(layer.thickness, 4)) for layer in south.layers] == LAYERS
    assert [layer.substance for layer in south.layers] == ["brick", "air", "brick", "plasterboard"]
    assert (south.thickness, south.thickness_from, south.storey) == (pytest.approx(THICK), "layers", "Ground")
    inside = next(one for one in model.elements if one.name == "inside")
    assert inside.guessed and (inside.thickness, inside.thickness_from) == (pytest.approx(0.1), "quantity")
    assert "Unobtanium: brick, 1 times (a guess" in model.told and "Klinker rot: brick" in model.told
    assert model.georeference["crs"] == "EPSG:25832" and model.georeference["eastings"] == pytest.approx(691000.0)


def test_the_layers_lie_on_their_side_of_the_wall(tmp_path: Path) -> None:
    """The south wall's first layer is the outer one, at y = 0 of the building: bricks, and not plaster."""
    model = pw.import_ifc(house(tmp_path / "house.ifc"))
    plan = model.scenario.floor_plan("5 mm")
    column = np.argmin(abs(plan.x - (5.5 - model.origin[0])))
    names = [plan.materials[n] for n in plan.values[:, column]]
    y = plan.y + model.origin[1]
    at = {depth: names[int(np.argmin(abs(y - depth)))] for depth in (-0.1, 0.05, 0.18, 0.3, 0.4375, 0.6)}
    assert at == {-0.1: "air", 0.05: "brick", 0.18: "air", 0.3: "brick", 0.4375: "plasterboard", 0.6: "air"}


def test_curtain_walls_are_their_plates_and_members(tmp_path: Path) -> None:
    made = House()
    made.storeys[0].Name = "EG/Küche"  # no name that a scenario may have
    wall = made.box("IfcWall", "wall", (4.0, 0.2, TALL), 0, "Beton")
    made.place(wall, 0.0, 0.0, 0.0)
    curtain = ifcopenshell.api.root.create_entity(made.file, ifc_class="IfcCurtainWall", name="facade")
    ifcopenshell.api.spatial.assign_container(made.file, products=[curtain], relating_structure=made.storeys[0])
    pane = made.box("IfcPlate", "pane", (2.0, 0.024, TALL), -1, "ESG Floatglas")
    mullion = made.box("IfcMember", "mullion", (0.06, 0.1, TALL), -1, "Aluminium eloxiert")
    ifcopenshell.api.aggregate.assign_object(made.file, products=[pane, mullion], relating_object=curtain)
    made.place(pane, 0.0, 3.0, 0.0)
    made.place(mullion, 2.0, 3.0, 0.0)
    model = pw.import_ifc(made.write(tmp_path / "facade.ifc"))
    assert model.areas == pytest.approx({"concrete": 0.8, "glass": 2.0 * 0.024, "metal": 0.006}, rel=0.01)
    space = pw.import_ifc(tmp_path / "facade.ifc", dimensions=3)
    assert [storey.name for storey in space.scenario.storeys] == ["EG-K-che"]


def test_users_name_materials_and_what_fills_openings(tmp_path: Path) -> None:
    path = house(tmp_path / "house.ifc")
    (tmp_path / "table.csv").write_text("name,material\nUnobt*,metal\nGlas,low-e glass\n")
    model = pw.import_ifc(path, materials=tmp_path / "table.csv", doors="open", transmitter=[(3, 3), {"at": ("7 m", 3), "name": "east"}])
    assert model.areas["metal"] == pytest.approx((DEEP - 2 * THICK) * 0.1, rel=0.01) and "wood" not in model.areas
    assert model.areas["low-e glass"] == pytest.approx(AREAS["glass"], rel=0.01)
    assert list(model.scenario.transmitters) == ["tx1", "east"] and "a guess" not in model.told
    custom = pw.import_ifc(path, materials={"Unobtanium": {"relative_permittivity": 2.0, "conductivity": 0.01}})
    assert any(shape.relative_permittivity == 2.0 for shape in custom.scenario.shapes)


def test_three_dimensions_have_the_volumes_of_the_model(tmp_path: Path) -> None:
    model = pw.import_ifc(house(tmp_path / "house.ifc"), tmp_path / "house.yaml", dimensions=3)
    scenario = pw.Scenario(tmp_path / "house.yaml", {"grid.cell": "5 cm", "grid.scheme": "yee", "band": "500 MHz"})
    assert [(one.name, one.floor, one.height) for one in scenario.storeys] == [("Ground", 0.0, 3.0), ("Upper", 3.0, 2.75)]
    walls = [shape for shape in scenario.shapes if shape.kind == "wall" and shape.storey == -1]
    volume = sum(math.hypot(s.line[2] - s.line[0], s.line[3] - s.line[1]) * s.thickness * (s.high - s.low) for s in walls)
    run = 2.0 * WIDE + 2.0 * (DEEP - 2.0 * THICK)
    layers = 2 * run * THICK * TALL - THICK * (1.5 * 1.2 + 1.0 * 2.1) + (DEEP - 2.0 * THICK) * 0.1 * TALL
    panes = 1.5 * 1.2 * (2 * 0.004 + 0.016)
    assert volume == pytest.approx(layers + panes, rel=0.01)
    slab = [shape for shape in scenario.shapes if shape.material == "concrete" and shape.low == pytest.approx(2.75)]
    assert len(slab) == 1 and slab[0].high == pytest.approx(3.0)
    with scenario.setup() as setup:
        assert setup.facts.dimensions == 3
    one = pw.import_ifc(tmp_path / "house.ifc", dimensions=3, storey="upper")
    assert [storey.name for storey in one.scenario.storeys] == ["Upper"]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    path = house(tmp_path / "house.ifc")
    with pytest.raises(pw.BadInput, match="'Ground', 'Upper'"):
        pw.import_ifc(path, storey="attic")
    with pytest.raises(pw.BadInput, match="nothing of"):
        pw.import_ifc(path, height=90.0)
    (tmp_path / "broken.ifc").write_text("ISO-10303-21;\nnonsense")
    with pytest.raises(pw.BadInput):
        pw.import_ifc(tmp_path / "broken.ifc")
    with pytest.raises(pw.BadInput, match="missing"):
        pw.import_ifc(tmp_path / "missing.ifc")
    with pytest.raises(pw.BadInput, match="brik"):
        pw.import_ifc(path, wall="brik")
    with pytest.raises(pw.BadInput, match="python -m planwave.ifc"):
        pw.import_drawing(path)
    with pytest.raises(pw.Interrupted):
        pw.import_ifc(path, progress=lambda done: False)


def test_the_command(tmp_path: Path) -> None:
    house(tmp_path / "house.ifc")
    command = [sys.executable, "-m", "planwave.ifc", "house.ifc", "--tx", "3,3,name=hall", "--material", "Unobt*=metal"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "Unobtanium: metal" in done.stdout, done.stderr
    assert "hall" in (tmp_path / "house.yaml").read_text()
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 3


def test_lines_that_end_in_the_middle_of_others_close() -> None:
    """Two rectangles that are one surface, without the piece of a side that they share: 2 m2 and 1 m2."""
    corners = [[(0, 0), (2, 0)], [(2, 0), (2, 1)], [(2, 1), (0, 1)], [(0, 1), (0, 0)], [(1, 1), (1, 2)], [(1, 2), (0, 2)], [(0, 2), (0, 1)]]
    noded = sections._noded(np.array(corners, dtype=np.float64))
    assert noded is not None
    outlines, left_open = noded
    assert [round(sections.area(one), 9) for one in outlines] == [3.0] and left_open == 0
