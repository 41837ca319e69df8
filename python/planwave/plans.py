"""Plans from other programs, and for them."""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union, overload

import numpy as np

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import address, call, captured, decoded, encoded, library, path_of, texts
from ._words import in_python
from .options import Quantity, corners_of, finite_pair, length
from .options import frequency as parse_frequency
from .scenario import PathLike, Scenario, _from_text, in_words
from .scenes.editing import absolute

if TYPE_CHECKING:
    from typing_extensions import Unpack


def export_formats() -> dict[str, str]:
    """Endings of files that `Scenario.export` writes, with a clause on each.

    Examples
    --------
    >>> ".csv" in "".join(pw.export_formats())
    True
    """
    found: dict[str, str] = {}
    while (format := library.pw_plan_export_describe(len(found))).name:
        found[decoded(format.ending)] = decoded(format.description)
    return found


def transmitters_of(given: Any) -> list[dict[str, Any]]:
    """Transmitters as a scenario has them, from a point, a dict with ``at``, a point of shapely, or a list of these."""
    if given is None:
        return []
    if isinstance(given, Mapping) or hasattr(given, "geom_type") or np.isscalar(given[0]):
        given = list(given.geoms) if getattr(given, "geom_type", "") == "MultiPoint" else [given]
    made = []
    for one in given:
        if isinstance(one, Mapping) and "at" not in one:
            raise errors.refused("transmitter", one, "a place under 'at', as in {'at': (7, 7), 'name': 'west'}")
        known = dict(one) if isinstance(one, Mapping) else {}
        made.append({**known, "at": list(finite_pair(one["at"] if isinstance(one, Mapping) else one, "transmitter"))})
    return made


def _is_geometry(drawing: Any) -> bool:
    return hasattr(drawing, "geom_type") or isinstance(drawing, Mapping)


def _simple(polygon: Any) -> list[Any]:
    """Polygons without holes, which together are the polygon: it is cut through its holes."""
    if not polygon.interiors:
        return [polygon]
    from shapely.geometry import box

    west, south, east, north = polygon.bounds
    middle = polygon.interiors[0].centroid.x
    halves = [polygon.intersection(box(west, south, middle, north)), polygon.intersection(box(middle, south, east, north))]
    return [part for half in halves for one in getattr(half, "geoms", [half]) if one.geom_type == "Polygon" for part in _simple(one)]


def _drawn(
    drawing: Any, wall: str | None, thickness: Quantity, stations: list[dict[str, Any]], band: float, margin: float = 1.0
) -> Scenario:
    """A scenario of geometries: areas become polygons, lines become walls. Stations are in the same coordinates."""
    groups = dict(drawing) if isinstance(drawing, Mapping) else {wall or "brick": drawing}
    shapes: dict[str, list[dict[str, Any]]] = {"polygons": [], "walls": []}
    lists = {name: [given] if hasattr(given, "geom_type") else list(given) for name, given in groups.items()}
    for name, geometries in lists.items():
        if any(not hasattr(one, "geom_type") for one in geometries):
            raise errors.refused(f"drawing[{name!r}]", groups[name], "geometries of shapely, or a list of them")
    bounds = np.array([one.bounds for geometries in lists.values() for one in geometries if not one.is_empty])
    if len(bounds) == 0:
        raise errors.BadInput("there is nothing in the drawing", what="drawing", value=drawing)
    low, high = bounds[:, :2].min(axis=0) - margin, bounds[:, 2:].max(axis=0) + margin
    for name, geometries in lists.items():
        for one in [part for geometry in geometries for part in getattr(geometry, "geoms", [geometry])]:
            if one.geom_type == "Polygon":
                outlines = [np.array(part.exterior.coords)[:-1, :2] - low for part in _simple(one)]
                shapes["polygons"] += [{"points": outline.round(6).tolist(), "material": name} for outline in outlines]
            elif one.geom_type in ("LineString", "LinearRing"):
                ends = (np.array(one.coords)[:, :2] - low).round(6).tolist()
                shapes["walls"] += [
                    {"from": a, "to": b, "thickness": length(thickness), "material": name} for a, b in zip(ends[:-1], ends[1:])
                ]
            else:
                raise errors.refused(f"drawing[{name!r}]", one.geom_type, "areas and lines")
    placed = [{**one, "at": [float(v) for v in np.array(one["at"]) - low]} for one in stations]
    middle = [{"name": "tx1", "at": [float(v) for v in 0.5 * (high - low)]}]
    made = Scenario(
        {"plan": {"size": (high - low).tolist(), **shapes}, "band": {"centre": band or 2.45e9}, "transmitters": placed or middle}
    )
    made.told = f"{len(shapes['polygons'])} areas and {len(shapes['walls'])} pieces of wall"
    made.told += f"; the plan's lower left corner is ({low[0]:g}, {low[1]:g}) m of the drawing"
    if not placed:
        made.told += "; transmitter tx1 in the middle is a guess"
    return made


class ImportOptions(TypedDict, total=False):
    """The keywords of `import_drawing`."""

    frequency: Quantity
    transmitter: Any
    windows: Union[str, None]
    doors: Union[str, None]
    classes: Union[Mapping[str, str], None]
    wall: Union[str, None]
    thickness: Quantity
    page: Union[str, None]
    unit: Quantity
    scale: Union[Sequence[Any], None]
    turn: float
    region: Any
    picture: Union[Mapping[str, Any], None]
    overlay: Union[PathLike, None]


@overload
def import_drawing(drawing: Any, yaml: PathLike, **options: Unpack[ImportOptions]) -> str: ...


@overload
def import_drawing(drawing: Any, yaml: None = None, **options: Unpack[ImportOptions]) -> Scenario: ...


def import_drawing(
    drawing: Any,
    yaml: PathLike | None = None,
    *,
    frequency: Quantity = 0.0,
    transmitter: Any = None,
    windows: str | None = None,
    doors: str | None = None,
    classes: Mapping[str, str] | None = None,
    wall: str | None = None,
    thickness: Quantity = 0.1,
    page: str | None = None,
    unit: Quantity = 0.0,
    scale: Sequence[Any] | None = None,
    turn: float = 0.0,
    region: Any = None,
    picture: Mapping[str, Any] | None = None,
    overlay: PathLike | None = None,
) -> str | Scenario:
    """Reads a drawing or a picture of another program: a scenario in words that can be changed.

    Parameters
    ----------
    drawing : path, geometry of shapely, or dict of geometries
        A file of a format of ``choices("drawing_formats")``: DXF, SVG, PDF, GeoJSON, PNG, ...; models in IFC: `import_ifc`. Or
        geometries in metres by their material, ``{"brick": [polygon, line, ...], "glass": [...]}``; transmitters are then in the same
        coordinates, and a metre of air is laid around all of them.
    yaml : path, optional
        The scenario that is written; ``Scenario(yaml)`` reads it. Without it nothing stays on the disk.
    frequency : float or str
        The band's centre [Hz]; default: 2.45 GHz, which is written down as a guess.
    transmitter : (x, y), a dict, a point of shapely, or a list of them, optional
        Where access points stand [m], from the lower left corner of the plan. A dict has this under ``at``, and other keys of a
        scenario's transmitters: ``{"at": ("7 m", "7 m"), "name": "west", "power": "17 dBm"}``.
    windows, doors : str, optional
        What they are: ``"double glazing"``, ``"open"`` or a material; default: panes of glass, and doors open where they are
        drawn with their arc.
    classes : dict, optional
        What layers, colours or types of wall stand for: ``{"A-WALL*": "brick", "TEXT": "ignored"}``; the first that fits decides.
    wall : str, optional
        Material of walls of which nothing is known; default: brick.
    thickness : float or str
        Of walls that are lines of shapely [m].
    page : str, optional
        Of a file with several floors, this one.
    unit : float or str
        [m] of a unit of the drawing; of a picture, of a pixel. 0: as the file says.
    scale : (x0, y0, x1, y1, length), optional
        In place of `unit`: two points of the drawing, and how far they are apart, as in ``(10, 20, 410, 20, "8.4 m")``.
    turn : float
        Degrees, counterclockwise.
    region : (x0, y0, x1, y1) or a geometry of shapely, optional
        In units of the drawing, after the turn.
    picture : dict, optional
        Keys of ``drawing.picture``, such as ``{"scan": "on", "tolerance": 24}``.
    overlay : path, optional
        A picture of what was understood, over what was drawn.

    Returns
    -------
    str
        Areas, guesses, and what was not taken over; where nothing is written, a `Scenario` that has it as `Scenario.told`.

    Raises
    ------
    BadInput
        A file that is damaged or of no known format, a unit that nobody says, nothing that is a wall.

    Examples
    --------
    >>> stations = [(2, 1.5), {"at": ("3 m", 1), "name": "hall"}]
    >>> flat = pw.import_drawing("room.svg", unit="1 mm", classes={"*": "concrete"}, transmitter=stations)
    >>> list(flat.transmitters)
    ['tx1', 'hall']
    """
    kinds, kind_count = texts([f"{name}={meaning}" for name, meaning in (classes or {}).items()])
    keys, key_count = texts([f"{name}={in_words(value)}" for name, value in (picture or {}).items()])
    corners = None if region is None else np.array(corners_of(region, "region"))
    stations = transmitters_of(transmitter)
    at = np.array([one["at"] for one in stations]) if stations else None
    words, _ = texts([",".join(f"{key}={in_words(value)}" for key, value in one.items() if key != "at") for one in stations])
    if _is_geometry(drawing):
        made = _drawn(drawing, wall, thickness, stations, parse_frequency(frequency))
        if yaml is not None:
            made.write(yaml)
        return made.told if yaml is not None else made
    options = _abi.pw_import_options(
        page=encoded(page),
        unit=_unit_of(unit, scale),
        turn=turn,
        region=address(corners),
        classes=ctypes.cast(kinds, ctypes.c_void_p) if kinds else None,
        class_count=kind_count,
        pictures=ctypes.cast(keys, ctypes.c_void_p) if keys else None,
        picture_count=key_count,
        wall=encoded(wall),
        frequency=parse_frequency(frequency),
        transmitters=address(at),
        transmitter_count=len(stations),
        transmitter_words=ctypes.cast(words, ctypes.c_void_p) if words else None,
        windows=encoded(windows),
        doors=encoded(doors),
    )
    with tempfile.TemporaryDirectory(prefix="planwave-") as folder:
        target = os.path.join(folder, "plan.yaml") if yaml is None else yaml
        with captured() as (stream, text):
            call("pw_import", path_of(drawing), ctypes.byref(options), path_of(target), encoded(overlay), stream)
            told = in_python(text())
        if yaml is not None:
            return told
        if stations:
            with Scenario(target) as read:
                made = _from_text(absolute(read.text), None)
        else:
            made, told = _with_a_guess(target, told)
        made.told = told
        return made


def _with_a_guess(path: PathLike, told: str) -> tuple[Scenario, str]:
    """A scenario that lacks a transmitter, with one in the middle of air."""
    with Scenario(path, {"transmitters": [{"name": "tx1", "at": [0.5, 0.5]}]}) as read:
        step = max(0.05, max(read.floor_plan(1.0).values.shape) / 400.0)
        x, y = middle_of_air(read.floor_plan(step).values > 0, step)
        made = _from_text(absolute(read.with_transmitter_at("tx1", (round(x, 3), round(y, 3))).text), None)
    return made, f"{told}transmitter tx1 at ({x:.2f}, {y:.2f}) m is a guess: say where in `transmitter`\n"


def _unit_of(unit: Quantity, scale: Sequence[Any] | None) -> float:
    if scale is None:
        return length(unit)
    if len(scale) != 5:
        raise errors.refused("scale", scale, 'x0, y0, x1, y1 of the drawing and their distance, as in (10, 20, 410, 20, "8.4 m")')
    x0, y0, x1, y1 = (float(number) for number in scale[:4])
    apart = float(np.hypot(x1 - x0, y1 - y0))
    if not apart > 0.0:
        raise errors.refused("scale", scale, "two points that differ, and their distance")
    return length(scale[4]) / apart


def middle_of_air(solid: Any, step: float) -> tuple[float, float]:
    """The place that is farthest from walls, with walls on all four sides where there is one; `solid` (row, column)."""
    wall = np.asarray(solid, dtype=bool)
    inside = ~wall
    for axis in (0, 1):
        inside &= (np.cumsum(wall, axis=axis) > 0) & (np.flip(np.cumsum(np.flip(wall, axis), axis=axis), axis) > 0)
    left = inside if inside.any() else ~wall
    last = left
    while left.any():
        last = left
        grown = np.pad(~left, 1, constant_values=True)
        left = left & ~(grown[:-2, 1:-1] | grown[2:, 1:-1] | grown[1:-1, :-2] | grown[1:-1, 2:])
    rows, columns = np.nonzero(last)
    n = len(rows) // 2
    return (columns[n] + 0.5) * step, (rows[n] + 0.5) * step
