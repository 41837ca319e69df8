"""Models of buildings (IFC) become scenarios, in two dimensions by a cut at a height, or in three.

```sh
python -m planwave.ifc house.ifc -o house.yaml --storey "Ground floor"
planwave run house.yaml
```

`planwave.import_ifc` is the same for programs. Needs IfcOpenShell: ``pip install ifcopenshell``.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .. import errors
from .._library import Watch
from ..options import Quantity, length
from ..options import frequency as parse_frequency
from ..plans import middle_of_air, transmitters_of
from ..scenario import Scenario
from .materials import Materials, Substance, read_table
from .reading import Element, Model, ModelStorey, read
from .shapes import Shape, Wishes, at_height, facts, main_direction, turned, with_heights
from .writing import scenario_text

if TYPE_CHECKING:
    from ..result import ProgressOfWork
    from ..scenario import PathLike

__all__ = ["Element", "ImportedModel", "import_ifc", "read_table"]

Table = Union[Mapping[str, Substance], "PathLike", None]


@dataclass(frozen=True, eq=False)
class ImportedModel:
    """A model of a building as a scenario. Made by `planwave.import_ifc`.

    Attributes
    ----------
    scenario : Scenario
    text : str
        The same as YAML, with remarks.
    told : str
        Storeys, elements, which name stands for which material and which of that was guessed, and what was not taken over.
    elements : list of Element
        Walls, slabs, doors, windows, ... with their layers, thickness [m] and what says it.
    georeference : dict
        Where the model stands on the Earth, as it says: latitude, longitude, eastings, northings, crs, rotation [degrees].
    turn : float
        Degrees, counterclockwise, by which the model was turned so that walls run along the axes.
    origin : tuple of float
        x, y, z [m] of the model, after the turn, at the plan's lower left corner and its height 0.
    areas : dict of float
        [m²] of what is drawn in the plane of the cut, by material; of three dimensions empty.

    Examples
    --------
    >>> model = pw.import_ifc("house.ifc")  # doctest: +SKIP
    >>> print(model.told, model.georeference)  # doctest: +SKIP
    """

    scenario: Scenario
    text: str = field(repr=False)
    told: str = field(repr=False)
    elements: list[Element] = field(repr=False)
    georeference: dict[str, Any]
    turn: float
    origin: tuple[float, float, float]
    areas: dict[str, float]


def _storeys_with_walls(model: Model) -> list[ModelStorey]:
    """Those in whose height walls begin; the whole model where it names none."""
    if not model.storeys:
        low = min(float(one.points[:, 2].min()) for one in model.elements if one.kind != "IfcSlab")
        return [ModelStorey("storey", low)]
    ends = [storey.elevation for storey in model.storeys] + [math.inf]
    walls = [
        (float(one.points[:, 2].min()), float(one.points[:, 2].max()))
        for one in model.elements
        if one.kind in ("IfcWall", "IfcCurtainWall", "IfcPlate")
    ]
    return [
        storey
        for storey, after in zip(model.storeys, ends[1:])
        if any(min(high, after) - max(low, storey.elevation) > 1.0 for low, high in walls)
    ] or model.storeys[:1]


def _chosen(model: Model, storeys: list[ModelStorey], name: str | None) -> ModelStorey:
    if name is None:
        return min(storeys, key=lambda one: (one.elevation < -0.5, one.elevation))  # the lowest that is not a cellar
    for one in model.storeys or storeys:
        if one.name.casefold() == name.casefold():
            return one
    names = ", ".join(repr(one.name) for one in model.storeys or storeys)
    raise errors.BadInput(f"'{model.file}' has no storey {name!r}; there are {names}", what="storey", value=name, allowed=names)


def _names(names: Sequence[str]) -> list[str]:
    """Names that a scenario may have, each once."""
    made: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_. -]+", "-", name).strip(" .-")[:50] or "storey"
        made.append(plain if plain not in made else f"{plain} {len(made) + 1}")
    return made


def _ordered(elements: Sequence[Element]) -> list[Element]:
    from .reading import KINDS

    order = list(KINDS)
    return sorted(elements, key=lambda one: order.index(one.kind))


def _ground(model: Model, base: float) -> tuple[dict[str, Any], list[Element]]:
    """The slab under the lowest floor, as a storey has it, and the elements that it is made of."""
    slabs = [one for one in model.elements if one.kind == "IfcSlab" and abs(float(one.points[:, 2].max()) - base) < 0.05]
    if not slabs:
        return {}, []
    thick = max(float(np.ptp(one.points[:, 2])) for one in slabs)
    largest = max(slabs, key=lambda one: float(np.prod(np.ptp(one.points[:, :2], axis=0))))
    layer = max(largest.layers, key=lambda one: one.thickness)
    corners = np.vstack([one.points[:, :2] for one in slabs])
    return {"material": layer.substance, "thickness": thick, "from": corners.min(axis=0), "to": corners.max(axis=0)}, slabs


def _space(model: Model, storeys: list[ModelStorey], wishes: Wishes) -> tuple[list[Shape], list[dict[str, Any]], float]:
    """Shapes with heights, storeys, and the height of the model where the lowest floor is."""
    base, top = storeys[0].elevation, max(float(one.points[:, 2].max()) for one in model.elements)
    ground, used = _ground(model, base)
    shapes = [shape for one in _ordered(model.elements) if one not in used for shape in with_heights(one, base, top, wishes)]
    ends = [storey.elevation for storey in storeys[1:]] + [top]
    made: list[dict[str, Any]] = [{"height": round(end - storey.elevation, 4)} for storey, end in zip(storeys, ends)]
    for level, name in zip(made, _names([storey.name for storey in storeys])):
        level["name"] = name
    if ground:
        made[0]["floor"] = ground
    return shapes, made, base


def _told(model: Model, wishes: Wishes, used: Sequence[Element], turn: float) -> str:
    lines = [f"{model.file}: {model.title}; lengths in units of {model.unit:g} m"]
    lines += [f"storey {one.name}: {one.elevation:.2f} m" for one in model.storeys]
    kinds: dict[str, int] = {}
    names: dict[tuple[str, str, bool], int] = {}
    for one in used:
        kinds[one.kind] = kinds.get(one.kind, 0) + 1
        for layer in one.layers:
            key = (
                layer.name or f"({one.kind[3:].lower()} without a material)",
                str(layer.substance),
                wishes.table.of(layer.name) is None if layer.name else True,
            )
            names[key] = names.get(key, 0) + 1
    lines.append("elements: " + ", ".join(f"{count} {kind[3:].lower()}{'s' if count > 1 else ''}" for kind, count in kinds.items()))
    for (name, meaning, guess), count in sorted(names.items()):
        lines.append(f"{name}: {meaning}, {count} times" + (" (a guess; name it in `materials`)" if guess else ""))
    if abs(turn) > 0.0:
        lines.append(f"turned by {turn:.3f} degrees, so that most walls run along the axes")
    lines += [f"{count} {note}" for note, count in wishes.notes.items()]
    lines += [f"not taken over: {count} {kind}" for kind, count in model.skipped.items()]
    if model.georeference:
        lines.append("on the Earth: " + ", ".join(f"{key} {value}" for key, value in model.georeference.items()))
    return "\n".join(lines)


def import_ifc(
    path: PathLike,
    yaml: PathLike | None = None,
    *,
    dimensions: int = 2,
    storey: str | None = None,
    height: Quantity = 1.2,
    frequency: Quantity = 2.45e9,
    transmitter: Any = None,
    materials: Table = None,
    wall: str = "brick",
    windows: str | None = None,
    doors: str | None = None,
    turn: float | None = None,
    margin: Quantity = 1.0,
    progress: ProgressOfWork | None = None,
) -> ImportedModel:
    """Reads a model of a building in IFC: walls with their layers, slabs, doors, windows, curtain walls, columns.

    Parameters
    ----------
    path : path
    yaml : path, optional
        Writes the scenario as well.
    dimensions : {2, 3}
        2: one storey, cut at `height`. 3: all storeys, or `storey` alone.
    storey : str, optional
        By its name; default: in two dimensions the lowest one that is not a cellar.
    height : float or str
        Of the cut over the storey's floor [m].
    frequency : float or str
        The band's centre [Hz].
    transmitter : (x, y), a dict, a point of shapely or a list of them, optional
        As of `planwave.import_drawing`; default: in the middle of the largest free room, which is a guess.
    materials : dict or path, optional
        What names of the model stand for, before the table of planwave: ``{"Kalksandstein*": "brick", "XPS": {"relative_permittivity":
        1.05, "conductivity": 0}}``; or a CSV of lines ``name,material``.
    wall : str
        Material of walls of which nothing is known.
    windows, doors : str, optional
        In place of what the model says: a material, or "open".
    turn : float, optional
        Degrees, counterclockwise; default: so that most walls run along the axes.
    margin : float or str
        Of air around the building [m].
    progress : callable or bool, optional
        Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

    Returns
    -------
    ImportedModel

    Raises
    ------
    NoResource
        IfcOpenShell is not installed.
    BadInput
        A file that is no IFC or has no walls, a storey that is not there, a material that is not known.

    Examples
    --------
    >>> model = pw.import_ifc("house.ifc", materials={"My brick*": "brick"}, doors="open")  # doctest: +SKIP
    >>> model.scenario.run("house.h5")  # doctest: +SKIP
    """
    if dimensions not in (2, 3):
        raise errors.refused("dimensions", dimensions, "2 or 3")
    own = read_table(materials) if isinstance(materials, (str, os.PathLike)) else dict(materials or {})
    wishes = Wishes(Materials(own), windows, doors)
    watch = Watch(progress)
    with watch.checked():
        model = read(path, wishes.table, wall, watch.tell)
    degrees = -main_direction(model) if turn is None else float(turn)
    if degrees != 0.0:
        turned(model, degrees)
    storeys = _storeys_with_walls(model)
    if dimensions == 3:
        if storey is not None:
            storeys, model = _one_storey(model, storeys, storey)
        shapes, levels, base = _space(model, storeys, wishes)
    else:
        chosen = _chosen(model, storeys, storey)
        base, levels = chosen.elevation + length(height), []
        shapes = [shape for one in _ordered(model.elements) for shape in at_height(one, base + 1e-4, wishes)]
    if not shapes:
        raise errors.BadInput(
            f"nothing of '{model.file}' is cut at {base:.2f} m: choose another storey or height", what="height", value=height
        )
    air = length(margin)
    corners = np.vstack([one.outline for one in shapes])
    low = corners.min(axis=0) - air - _half_thickness(shapes)
    size = corners.max(axis=0) + air + _half_thickness(shapes) - low
    for one in shapes:
        one.outline = one.outline - low
    for level in levels:
        if "floor" in level:
            level["floor"] = {
                "material": level["floor"]["material"],
                "thickness": f"{level['floor']['thickness']:.4g} m",
                "from": [round(float(v), 4) for v in np.maximum(level["floor"]["from"] - low, 0.0)],
                "to": [round(float(v), 4) for v in np.minimum(level["floor"]["to"] - low, size)],
            }
    told = _told(model, wishes, model.elements, degrees)
    band = f"{parse_frequency(frequency) * 1e-9:.9g} GHz"
    heading = [f"Made by planwave from the model {os.path.basename(model.file)}. Change what you like."]
    heading += [f"georeference: {key} {value}" for key, value in model.georeference.items()]
    heading.append(f"origin: the lower left corner is ({low[0]:.3f}, {low[1]:.3f}) m of the model, turned by {degrees:.3f} degrees")
    stations = transmitters_of(transmitter)
    if not stations:
        place = _free_place(model.title, (float(size[0]), float(size[1])), shapes, levels, band)
        stations, told = (
            [{"name": "tx1", "at": place}],
            told + f"\ntransmitter tx1 at ({place[0]:.2f}, {place[1]:.2f}) m is a guess: say where in `transmitter`",
        )
    if levels and len(levels) > 1:
        stations = [one if len(one["at"]) == 3 or "storey" in one else {**one, "storey": levels[0]["name"]} for one in stations]
    text = scenario_text(model.title, heading, (float(size[0]), float(size[1])), shapes, levels, band, stations)
    scenario = Scenario(text)
    if yaml is not None:
        with open(yaml, "w", encoding="utf-8") as file:
            file.write(text)
    areas = {} if levels else facts(shapes)
    return ImportedModel(scenario, text, told, model.elements, model.georeference, degrees, (float(low[0]), float(low[1]), base), areas)


def _half_thickness(shapes: Sequence[Shape]) -> float:
    return 0.5 * max((sum(thick for _, thick in one.layers) for one in shapes if one.layers), default=0.0)


def _one_storey(model: Model, storeys: list[ModelStorey], name: str) -> tuple[list[ModelStorey], Model]:
    """The part of a model between the floor of a storey and that of the next."""
    chosen = _chosen(model, storeys, name)
    above = [one.elevation for one in model.storeys if one.elevation > chosen.elevation + 0.5]
    top = min(above, default=math.inf)
    for one in model.elements:
        one.points[:, 2] = np.minimum(one.points[:, 2], top)
    model.elements = [
        one for one in model.elements if float(one.points[:, 2].max()) > chosen.elevation - 0.05 and np.ptp(one.points[:, 2]) > 1e-3
    ]
    return [chosen], model


def _free_place(
    title: str, size: tuple[float, float], shapes: Sequence[Shape], levels: Sequence[Mapping[str, Any]], band: str
) -> list[float]:
    """Where a transmitter may stand when nobody says: in the middle of air, at 1.2 m."""
    flat = [
        Shape(one.kind, one.outline, one.substance, one.layers)
        for one in shapes
        if not levels or (one.z is not None and one.z[0] < 1.2 < one.z[1])
    ]
    text = scenario_text(title, [], size, flat, [], band, [{"at": [0.5 * size[0], 0.5 * size[1]]}])
    step = max(0.05, max(size) / 400.0)
    with Scenario(text) as plain:
        x, y = middle_of_air(plain.floor_plan(step).values > 0, step)
    return [round(min(x, size[0] - 0.01), 3), round(min(y, size[1] - 0.01), 3)]
