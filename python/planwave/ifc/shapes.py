"""Elements of a model -> shapes of a plan: walls with their layers, polygons, panes; at one height, or with heights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .materials import Materials, Substance
from .reading import Element, Model
from .sections import area, band, is_rectangle, levels, section

Floats = npt.NDArray[np.float64]
PANE_MOST = 0.03  # m: thicker glass is the room that a drawing leaves for a window
GAP = 0.016  # m between panes
STEP = 0.1  # m: height of steps of what slopes


@dataclass
class Shape:
    """A wall (line and layers, the first on the left) or an outline of one substance; heights [m] where it has them.

    Examples
    --------
    >>> scenario.shapes[0].thickness
    0.12
    """

    kind: str  # of the element
    outline: Floats
    substance: Substance
    layers: list[tuple[Substance, float]] = field(default_factory=list)  # of a wall
    z: tuple[float, float] | None = None

    def same(self, other: Shape) -> bool:
        """Whether two differ in height alone."""
        return (
            self.outline.shape == other.outline.shape
            and self.substance == other.substance
            and self.layers == other.layers
            and bool(np.allclose(self.outline, other.outline, atol=1e-4))
        )


@dataclass
class Wishes:
    """What a user says: of windows and doors a material or "open", and the table of materials."""

    table: Materials
    windows: str | None = None
    doors: str | None = None
    notes: dict[str, int] = field(default_factory=dict)

    def note(self, text: str) -> None:
        self.notes[text] = self.notes.get(text, 0) + 1


def turned(model: Model, degrees: float) -> None:
    """Turns everything counterclockwise."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    for one in (*model.elements, *model.spaces):
        one.points = one.points @ turn.T
        one.axes = np.vstack([turn @ one.axes[:3], one.axes[3:]])


def main_direction(model: Model) -> float:
    """Degrees, -45 to 45, that most of the length of walls is turned by against the axes."""
    angles, weights = [], []
    for one in model.elements:
        if one.kind == "IfcWall":
            along = one.axes[:2, 0]
            angles.append(4.0 * np.arctan2(along[1], along[0]))
            weights.append(float(np.ptp(one.points[:, :2] @ along)))
    if not weights:
        return 0.0
    best = max(
        set(np.round(angles, 3)),
        key=lambda angle: sum(w for a, w in zip(angles, weights) if abs(np.angle(np.exp(1j * (a - angle)))) < 0.02),
    )
    near = [(a, w) for a, w in zip(angles, weights) if abs(np.angle(np.exp(1j * (a - best)))) < 0.02]
    degrees = float(np.degrees(np.angle(sum(w * np.exp(1j * a) for a, w in near))) / 4.0)
    return 0.0 if abs(degrees) < 0.01 else degrees


def _frames(element: Element, outline: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Axes to look at an outline in, with its corners there: the placement's, then that of its longest edge."""
    origin = element.axes[:2, 3]
    axes = element.axes[:2, :2] / np.maximum(np.linalg.norm(element.axes[:2, :2], axis=0), 1e-9)
    if abs(np.linalg.det(axes)) > 0.99:
        yield axes, (outline - origin) @ axes
    edges = np.roll(outline, -1, axis=0) - outline
    x = edges[np.argmax(np.hypot(*edges.T))]
    x = x / np.hypot(*x)
    other = np.column_stack([x, [-x[1], x[0]]])
    yield other, (outline - origin) @ other


def _layered(element: Element, low: float, high: float) -> list[tuple[Substance, float, float]]:
    """Layers with their ends along y, which are those of the section; thicknesses follow where the model's differ."""
    told = sum(layer.thickness for layer in element.layers)
    if len(element.layers) == 1 or told <= 0:
        return [(element.layers[0].substance, low, high)]
    begin = element.offset if np.isfinite(element.offset) and abs(element.offset - low) < 0.5 * told else low
    ends = begin + np.concatenate([[0.0], np.cumsum([layer.thickness for layer in element.layers])])
    ends[0], ends[-1] = low, high
    return [
        (layer.substance, max(a, low), min(b, high))
        for layer, a, b in zip(element.layers, ends[:-1], ends[1:])
        if min(b, high) - max(a, low) > 1e-4
    ]


def _wall(element: Element, outline: Floats, wishes: Wishes) -> list[Shape]:
    told = sum(layer.thickness for layer in element.layers)
    for axes, local in _frames(element, outline):
        if not is_rectangle(local):
            continue
        low, high = local.min(axis=0), local.max(axis=0)
        if high[1] - low[1] > high[0] - low[0] and told > 0 and abs(high[0] - low[0] - told) < abs(high[1] - low[1] - told):
            continue  # a stub that is thicker along its axis: its layers would lie across it
        if element.thickness == 0.0:
            element.thickness, element.thickness_from = float(min(high - low)), "geometry"
        if told > 0 and abs(high[1] - low[1] - told) > 0.1 * told:
            wishes.note("walls whose shape is more than 10 % thicker or thinner than their layers; the shape counts")
        bands = _layered(element, low[1], high[1])
        middle = 0.5 * (low[1] + high[1])
        line = np.array([[low[0], middle], [high[0], middle]]) @ axes.T + element.axes[:2, 3]
        layers = [(substance, b - a) for substance, a, b in reversed(bands)]
        return [Shape(element.kind, line, layers[0][0], layers)]
    axes, local = next(iter(_frames(element, outline)))
    bands = _layered(element, local[:, 1].min(), local[:, 1].max())
    if len(bands) == 1 or not np.isfinite(element.offset):
        return [Shape(element.kind, outline, max(element.layers, key=lambda layer: layer.thickness).substance)]
    begin, made = element.offset, []
    for substance, a, b in [
        (
            layer.substance,
            begin + sum(one.thickness for one in element.layers[:n]),
            begin + sum(one.thickness for one in element.layers[: n + 1]),
        )
        for n, layer in enumerate(element.layers)
    ]:
        part = band(local, a, b)
        if len(part) >= 3 and abs(area(part)) > 1e-6:
            made.append(Shape(element.kind, part @ axes.T + element.axes[:2, 3], substance))
    return made or [Shape(element.kind, outline, element.layers[0].substance)]


def _panes(element: Element, outlines: list[Floats], substance: Substance) -> list[Shape]:
    """Panes in the middle of the room that a window takes."""
    corners = np.vstack(outlines)
    axes, local = next(iter(_frames(element, corners)))
    low, high = local.min(axis=0), local.max(axis=0)
    if high[1] - low[1] > high[0] - low[0]:
        axes, local = np.column_stack([axes[:, 1], -axes[:, 0]]), np.column_stack([local[:, 1], -local[:, 0]])
        low, high = local.min(axis=0), local.max(axis=0)
    count, thick = element.panes
    layers: list[tuple[Substance, float]] = [(substance, thick)]
    for _ in range(count - 1):
        layers += [("air", GAP), (substance, thick)]
    middle = 0.5 * (low[1] + high[1])
    line = np.array([[low[0], middle], [high[0], middle]]) @ axes.T + element.axes[:2, 3]
    return [Shape(element.kind, line, substance, layers)]


def _is_glass(substance: Substance | None) -> bool:
    return isinstance(substance, str) and "glass" in substance


def _filling(element: Element, z: float, wishes: Wishes) -> list[Shape]:
    """A window or a door, by the parts of its mesh where they have names that are known."""
    asked = wishes.windows if element.kind == "IfcWindow" else wishes.doors
    if asked == "open":
        return []
    whole, _ = section(element.points, element.faces, z)
    if not whole:
        return []
    if asked is None and len(set(element.parts.tolist())) > 1:
        made: list[Shape] = []
        for part in sorted(set(element.parts.tolist())):
            name = element.part_names[part] if 0 <= part < len(element.part_names) else ""
            substance = wishes.table.of(name) if name else None
            outlines, torn = section(element.points, element.faces[element.parts == part], z)
            if torn:
                made = []
                break
            for outline in outlines:
                thin = float(min(np.ptp(next(iter(_frames(element, outline)))[1], axis=0)))
                if element.kind == "IfcWindow" and substance is None and thin <= PANE_MOST:
                    substance = "glass"
                if _is_glass(substance) and thin > PANE_MOST:
                    made += _panes(element, [outline], substance or "glass")
                else:
                    made.append(Shape(element.kind, outline, substance or element.layers[0].substance))
        if made:
            return made
    substance = asked or element.layers[0].substance
    if element.kind == "IfcWindow" and (asked is not None or _is_glass(substance) or element.guessed):
        return _panes(element, whole, substance if asked is not None or _is_glass(substance) else "glass")
    return [Shape(element.kind, outline, substance) for outline in whole]


def at_height(element: Element, z: float, wishes: Wishes) -> list[Shape]:
    """Shapes of an element in the plane at height z [m] of the model."""
    if not element.points[:, 2].min() < z < element.points[:, 2].max():
        return []
    if element.kind in ("IfcWindow", "IfcDoor"):
        return _filling(element, z, wishes)
    outlines, torn = section(element.points, element.faces, z)
    if torn:
        wishes.note("elements whose surface is not closed, so that a part of them is missing")
    made = []
    for outline in sorted(outlines, key=lambda one: -abs(area(one))):
        if area(outline) < 0:
            made.append(Shape(element.kind, outline, "air"))
        elif element.kind == "IfcWall":
            made += _wall(element, outline, wishes)
        else:
            made.append(Shape(element.kind, outline, _upright_layer(element, z)))
    return made


def _upright_layer(element: Element, z: float) -> Substance:
    """Of a slab the layer at a height."""
    told = sum(layer.thickness for layer in element.layers)
    if len(element.layers) == 1 or told <= 0:
        return element.layers[0].substance
    up = (z - element.points[:, 2].min()) / np.ptp(element.points[:, 2]) * told
    ends = np.cumsum([layer.thickness for layer in element.layers])
    return element.layers[min(int(np.searchsorted(ends, up)), len(ends) - 1)].substance


def with_heights(element: Element, low: float, high: float, wishes: Wishes) -> list[Shape]:
    """Shapes of an element between two heights of the model, each with its own; z counts from `low`."""
    ends = levels(element.points, element.faces, STEP)
    if element.kind == "IfcSlab" and len(element.layers) > 1 and sum(layer.thickness for layer in element.layers) > 0:
        bottom, tall = element.points[:, 2].min(), np.ptp(element.points[:, 2])
        told = np.cumsum([layer.thickness for layer in element.layers])
        ends = np.unique(np.round(np.concatenate([ends, bottom + tall * told / told[-1]]), 4))
    made: list[Shape] = []
    last: list[Shape] = []
    for a, b in zip(ends[:-1], ends[1:]):
        a, b = max(float(a), low), min(float(b), high)
        if b - a < 1e-3:
            continue
        now = at_height(element, 0.5 * (a + b), wishes)
        joined = (
            len(now) == len(last)
            and len(now) > 0
            and all(one.same(before) and before.z is not None and abs(before.z[1] - (a - low)) < 1e-6 for one, before in zip(now, last))
        )
        for one, before in zip(now, last if joined else now):
            if joined and before.z is not None:
                before.z = (before.z[0], b - low)
            else:
                one.z = (a - low, b - low)
        if not joined:
            made += now
            last = now
    return made


def facts(shapes: list[Shape]) -> dict[str, Any]:
    """Area of what is drawn, by substance [m²]."""
    found: dict[str, float] = {}
    for one in shapes:
        if one.layers:
            long = float(np.hypot(*(one.outline[1] - one.outline[0])))
            for substance, thick in one.layers:
                found[str(substance)] = found.get(str(substance), 0.0) + long * thick
        else:
            found[str(one.substance)] = found.get(str(one.substance), 0.0) + area(one.outline)
    return {name: float(area) for name, area in found.items()}
