"""What a scenario holds, and scenarios with something changed: walls, materials, transmitters, the band."""

from __future__ import annotations

import ctypes
import math
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import address, as_dict, call, decoded, encoded, freed_text, library, path_of
from ..facts import taken
from ..options import Quantity, corners_of, db, dbm, finite_pair, frequency, length, numbers, real, whole
from .described import KINDS, FloorPlan, ParameterRange, ScenarioFacts, Shape, Station, Storey

if TYPE_CHECKING:
    from ..scenario import PathLike, Scenario


_FILE_KEY = re.compile(r'\b(image|file|measured|pattern): "((?:[^"\\]|\\.)+)"')


def absolute(text: str) -> str:
    """A scenario whose files are named from the root, so that it means the same in every folder."""

    def named(found: re.Match[str]) -> str:
        path = found.group(2)
        return f'{found.group(1)}: "{os.path.abspath(path)}"' if os.path.exists(path) else found.group(0)

    return _FILE_KEY.sub(named, text)


class Editing:
    """The part of `Scenario` that looks into it and changes it. Nothing is changed in place: each method returns a new scenario."""

    # ---- looking ----

    @property
    def facts(self) -> ScenarioFacts:
        """What it asks for: band, counts, dimensions.

        Examples
        --------
        >>> scenario.facts.band_width
        400000000.0
        """
        made: ScenarioFacts = taken(ScenarioFacts, library.pw_scenario_describe(self._own_handle))
        return made

    @property
    def _own_handle(self) -> int:
        return cast("Scenario", self)._handle

    @property
    def transmitters(self) -> dict[str, Station]:
        """Transmitters by name.

        Examples
        --------
        >>> scenario.transmitters["west"].power
        20.0
        """
        found = [library.pw_scenario_describe_transmitter(self._own_handle, n) for n in range(self.facts.transmitter_count)]
        return {decoded(one.name): Station(decoded(one.name), one.x, one.y, one.height, one.power) for one in found}

    @property
    def receivers(self) -> dict[str, Station]:
        """Receivers that are recorded at every step, by name.

        Examples
        --------
        >>> scenario.receivers["near"].y
        1.5
        """
        found = [library.pw_scenario_describe_receiver(self._own_handle, n) for n in range(self.facts.receiver_count)]
        return {decoded(one.name): Station(decoded(one.name), one.x, one.y, one.height) for one in found}

    @property
    def storeys(self) -> list[Storey]:
        """Storeys from below; empty of a plan without heights.

        Examples
        --------
        >>> scenario.storeys
        []
        """
        count = library.pw_scenario_describe_plan(self._own_handle).storey_count
        return [taken(Storey, library.pw_scenario_describe_storey(self._own_handle, n)) for n in range(count)]

    @property
    def shapes(self) -> list[Shape]:
        """Shapes of the plan as they are written; a picture's pixels are none.

        Raises
        ------
        BadInput
            A shape without extent, or of an unknown material.

        Examples
        --------
        >>> [(shape.kind, shape.material) for shape in scenario.shapes]
        [('wall', 'brick')]
        """
        made, one = [], _abi.pw_shape()
        for n in range(library.pw_scenario_describe_plan(self._own_handle).shape_count):
            call("pw_scenario_describe_shape", self._own_handle, n, ctypes.byref(one))
            values = as_dict(one)
            start = ctypes.cast(one.corners, ctypes.POINTER(ctypes.c_double))
            corners = np.ctypeslib.as_array(start, (one.corner_count, 2)).copy() if one.corner_count else np.empty((0, 2))
            library.pw_shape_free(ctypes.byref(one))
            names = [name for name in Shape.__annotations__ if name not in ("kind", "corners")]
            made.append(Shape(kind=KINDS[values["kind"]], corners=corners, **{name: values[name] for name in names}))
        return made

    def floor_plan(self, step: Quantity = 0.05) -> FloorPlan:
        """What stands where, in squares of side `step` [m], and the area of every material; nothing is set up for it.

        Raises
        ------
        BadInput
            A picture that cannot be read, or with colours that the legend does not know.

        Examples
        --------
        >>> round(scenario.floor_plan().areas["brick"], 3)
        0.264
        """
        side, handle = length(step), ctypes.c_void_p()
        if not side > 0.0:
            raise errors.refused("step", step, "a length over 0")
        call("pw_floorplan_create", cast("Scenario", self)._text_plan(), ctypes.byref(handle))
        try:
            facts = library.pw_floorplan_describe(handle)
            columns, rows = math.ceil(facts.width / side - 1e-9), math.ceil(facts.height / side - 1e-9)
            values, areas = np.empty((rows, columns), dtype=np.uint16), np.empty(facts.material_count)
            call("pw_floorplan_pixels", handle, side, 1, columns, rows, address(values))
            call("pw_floorplan_areas", handle, min(side, 0.02), address(areas))
            described = [library.pw_floorplan_describe_material(handle, n) for n in range(facts.material_count)]
            names = [decoded(one.name) for one in described]
            colours = [f"#{one.colour & 0xFFFFFF:06x}" for one in described]
        finally:
            library.pw_floorplan_free(handle)
        x, y = side * (0.5 + np.arange(columns)), side * (0.5 + np.arange(rows))
        return FloorPlan(values, names, colours, {name: float(area) for name, area in zip(names, areas) if area > 0.0}, x, y)

    def parameter(self, name: str) -> ParameterRange:
        """What a parameter is here: "brick:permittivity", "brick:thickness", "walls[3]:conductivity", "coating:resistance", "ap:x".

        Examples
        --------
        >>> scenario.parameter("brick:permittivity").low
        3.91
        """
        one, found = _parameter(name), _abi.pw_parameter_range()
        call("pw_parameter_look", self._own_handle, ctypes.byref(one), ctypes.byref(found))
        return ParameterRange(found.low, found.high, found.places, decoded(library.pw_parameter_unit(one.kind)))

    def walls(self, kind: str = "permittivity") -> list[str]:
        """Names of all walls that have a permittivity, a conductivity or a thickness that could change, one by one.

        Examples
        --------
        >>> scenario.parameter(scenario.walls()[0] + ":permittivity").places
        1
        """
        one, handle = _parameter(f"walls:{kind}"), self._own_handle
        count = library.pw_parameter_walls(handle, one.kind, None, 0)
        names = ((ctypes.c_char * _abi.PW_NAME_SIZE) * max(1, count))()
        library.pw_parameter_walls(handle, one.kind, names, count)
        return [decoded(name.value) for name in names[:count]]

    # ---- changing ----

    def _changed(self, change: Callable[[int], None]) -> Scenario:
        from ..scenario import Scenario

        mine = cast("Scenario", self)
        with Scenario(_written(mine._handle), plan=mine.array_plan) as copy:
            change(copy._handle)
            made = Scenario(_written(copy._handle), plan=mine.array_plan)
            made._files = mine._files
            return made

    def _number(self, transmitter: str) -> int:
        number = int(library.pw_scenario_find_transmitter(self._own_handle, encoded(transmitter)))
        if number < 0:
            names = ", ".join(self.transmitters)
            raise errors.BadInput(
                f"there is no transmitter {transmitter!r}; there are {names}", what="transmitter", value=transmitter, allowed=names
            )
        return number

    def with_wall(self, start: Any, end: Any, thickness: Quantity, material: str) -> Scenario:
        """With a wall from `start` to `end`, both (x, y) [m], the ends of its centre line; "air" makes a door.

        Raises
        ------
        BadInput
            No such material, or ends that are not apart.

        Examples
        --------
        >>> scenario.with_wall((1, 1), (1, "2 m"), "10 cm", "glass").shapes[-1].material
        'glass'
        """
        line = (ctypes.c_double * 4)(*finite_pair(start, "start"), *finite_pair(end, "end"))
        wide = length(thickness)
        return self._changed(lambda handle: call("pw_scenario_add_wall", handle, line, wide, encoded(material)))

    def with_circle(self, centre: Any, radius: Quantity, material: str, z: tuple[Quantity, Quantity] | None = None) -> Scenario:
        """With a circle around (x, y) [m], of a material as a scenario says it; with `z` a cylinder between two heights.

        Raises
        ------
        BadInput
            No such material, an opening of the plan there, or heights in a plan without storeys.

        Examples
        --------
        >>> scenario.with_circle((1, 1), "15 cm", "{relative_permittivity: 52.7, conductivity: 1.74 S/m}").shapes[0].kind
        'circle'
        """
        x, y = finite_pair(centre, "centre")
        wide = length(radius)
        if z is not None:
            low, high = (length(height) for height in z)
            return self._changed(lambda handle: call("pw_scenario_add_cylinder", handle, x, y, wide, low, high, encoded(material)))
        return self._changed(lambda handle: call("pw_scenario_add_circle", handle, x, y, wide, encoded(material)))

    def without_shape(self, at: Any) -> Scenario:
        """Without the uppermost shape at (x, y) [m]; of a picture without the straight piece of wall there.

        Examples
        --------
        >>> scenario.without_shape((2, 1.5)).shapes
        []
        """
        return self._changed_at(at, "pw_scenario_erase")

    def with_wall_of(self, at: Any, material: str) -> Scenario:
        """With what stands at (x, y) [m] of another material: a shape, or of a net of walls the straight piece there.

        Examples
        --------
        >>> scenario.with_wall_of((2, 1.5), "concrete").shapes[0].material
        'concrete'
        """
        return self._changed_at(at, "pw_scenario_set_wall", encoded(material))

    def with_opening(self, at: Any, width: Quantity, thickness: Quantity = 0.01, material: str = "glass") -> Scenario:
        """With a window or a door in the wall at (x, y) [m]: an opening so wide, and in its middle a pane or a leaf, of "air" none.

        Examples
        --------
        >>> [shape.material for shape in scenario.with_opening((2, 1.5), 1.2).shapes]
        ['brick', 'air', 'glass']
        """
        return self._changed_at(at, "pw_scenario_put_opening", length(width), length(thickness), encoded(material))

    def scaled(self, factor: float) -> Scenario:
        """With all lengths on the floor so many times as large, places of transmitters and receivers too.

        Examples
        --------
        >>> scenario.scaled(2).transmitters["west"].x / scenario.transmitters["west"].x
        2.0
        """
        return self._changed(lambda handle: call("pw_scenario_scale_plan", handle, real("factor", factor)))

    def _changed_at(self, at: Any, function: str, *values: Any) -> Scenario:
        x, y = finite_pair(at, "at")

        def change(handle: int) -> None:
            plan = ctypes.c_void_p()
            call("pw_floorplan_create", handle, ctypes.byref(plan))
            try:
                call(function, handle, plan, x, y, *values)
            finally:
                library.pw_floorplan_free(plan)

        return self._changed(change)

    def with_material(self, material: str, relative_permittivity: float, conductivity: float) -> Scenario:
        """With these values of a material of the plan at all frequencies; conductivity in S/m.

        Examples
        --------
        >>> scenario.with_material("brick", 4.5, 0.02).shapes[0].relative_permittivity
        4.5
        """
        values = real("relative_permittivity", relative_permittivity), real("conductivity", conductivity)
        return self._changed(lambda handle: call("pw_scenario_set_material", handle, encoded(material), *values))

    def with_factor(self, parameter: str, factor: float) -> Scenario:
        """With "brick:permittivity", "brick:conductivity" or "brick:thickness" multiplied.

        Examples
        --------
        >>> round(scenario.with_factor("brick:thickness", 2).parameter("brick:thickness").low, 3)
        0.24
        """
        one, times = _parameter(parameter), real("factor", factor)
        return self._changed(lambda handle: call("pw_parameter_scale", handle, ctypes.byref(one), times))

    def with_transmitter(self, name: str, at: Any, *, like: str | None = None, power: Quantity | None = None) -> Scenario:
        """With another transmitter at (x, y) [m], a copy of `like` (default: of the first), with its own `power` [dBm, EIRP].

        Examples
        --------
        >>> scenario.with_transmitter("hall", ("1 m", 2), power="17 dBm").transmitters["hall"].power
        17.0
        """
        x, y = finite_pair(at, "at")
        model = 0 if like is None else self._number(like)
        level = None if power is None else dbm("power", power)

        def add(handle: int) -> None:
            call("pw_scenario_add_transmitter", handle, model, encoded(name), x, y)
            if level is not None:
                library.pw_scenario_set_power(handle, library.pw_scenario_find_transmitter(handle, encoded(name)), level)

        return self._changed(add)

    def with_transmitter_at(self, name: str, at: Any) -> Scenario:
        """With a transmitter moved to (x, y) [m]. The other antennas of its array go with it.

        Examples
        --------
        >>> scenario.with_transmitter_at("west", (1, 1)).transmitters["west"].x
        1.0
        """
        (x, y), number = finite_pair(at, "at"), self._number(name)
        return self._changed(lambda handle: library.pw_scenario_place_transmitter(handle, number, x, y))

    def with_power(self, name: str, power: Quantity) -> Scenario:
        """With another power of a transmitter, 17 or "17 dBm" [dBm, EIRP].

        Examples
        --------
        >>> scenario.with_power("west", "100 mW").transmitters["west"].power
        20.0
        """
        level, number = dbm("power", power), self._number(name)
        return self._changed(lambda handle: library.pw_scenario_set_power(handle, number, level))

    def only(self, transmitters: str | Sequence[str]) -> Scenario:
        """With these transmitters alone, in this order.

        Examples
        --------
        >>> list(scenario.only("east").transmitters)
        ['east']
        """
        names = [transmitters] if isinstance(transmitters, str) else list(transmitters)
        kept = (ctypes.c_int * max(1, len(names)))(*[self._number(name) for name in names])
        return self._changed(lambda handle: call("pw_scenario_keep_transmitters", handle, kept, len(names)))

    def with_access_points(self, points: Any, *, like: str | None = None, names: Sequence[str] | None = None) -> Scenario:
        """With copies of a transmitter at `points` (count, 2) or (count, 3) [m] in place of all transmitters: ap1, ap2, ...

        Examples
        --------
        >>> list(scenario.with_access_points([(1, 1), ("1.5 m", 2)]).transmitters)
        ['ap1', 'ap2']
        """
        where = np.atleast_2d(numbers(points))
        if where.ndim != 2 or where.shape[1] not in (2, 3) or not np.isfinite(where).all():
            raise errors.refused("points", points, "points (count, 2) or (count, 3) in metres")
        called = [f"ap{n + 1}" for n in range(len(where))] if names is None else list(names)
        if len(called) != len(where):
            raise errors.refused("names", called, f"{len(where)} names, one for each point")
        places = (_abi.pw_scenario_place * len(where))()
        for place, point, name in zip(places, where.tolist(), called):
            place.x, place.y, place.height, place.name = point[0], point[1], point[2] if len(point) == 3 else math.nan, encoded(name)
        model = 0 if like is None else self._number(like)
        return self._changed(lambda handle: call("pw_scenario_put_transmitters", handle, model, places, len(places)))

    def without_receivers(self) -> Scenario:
        """Without receivers; maps and channels at points need none.

        Examples
        --------
        >>> scenario.without_receivers().facts.receiver_count
        0
        """
        return self._changed(lambda handle: library.pw_scenario_drop_receivers(handle))

    def with_band(self, centre: Quantity, width: Quantity) -> Scenario:
        """With another band [Hz]: ``with_band("5.5 GHz", "80 MHz")``.

        Examples
        --------
        >>> scenario.with_band("5 GHz", "80 MHz").facts.band_width
        80000000.0
        """
        band = frequency(centre), frequency(width)
        return self._changed(lambda handle: call("pw_scenario_set_band", handle, *band))

    def with_frequencies(self, count: int) -> Scenario:
        """With so many frequencies of the spectra.

        Examples
        --------
        >>> scenario.with_frequencies(16).facts.frequency_count
        16
        """
        many = whole("count", count, 1)
        return self._changed(lambda handle: library.pw_scenario_set_frequencies(handle, many))

    def with_region(self, region: Any) -> Scenario:
        """With spectra inside (x0, y0, x1, y1) [m] alone; None: all over the plan.

        Examples
        --------
        >>> corner = scenario.with_region((0, 0, "1 m", "1 m"))
        """
        corners = None if region is None else (ctypes.c_double * 4)(*corners_of(region, "region"))
        return self._changed(lambda handle: library.pw_scenario_set_region(handle, corners))

    def with_heights(self, heights: Any) -> Scenario:
        """With spectra on horizontal planes at these heights [m], in three dimensions.

        Examples
        --------
        >>> high = scenario.with_heights(["1 m", 2])
        """
        levels = np.ascontiguousarray(np.atleast_1d(numbers(heights)))
        return self._changed(lambda handle: call("pw_scenario_set_heights", handle, address(levels), levels.size))

    def with_decay(self, decay: Quantity) -> Scenario:
        """With a run that ends when the energy is so far down: -50 or "-50 dB".

        Examples
        --------
        >>> scenario.with_decay("-40 dB").facts.decay
        -40.0
        """
        level = db("decay", decay)
        if not level < 0.0:
            raise errors.refused("decay", decay, "decibels under 0")
        return self._changed(lambda handle: library.pw_scenario_set_decay(handle, level))

    def with_cells(self, factor: float) -> Scenario:
        """With cells `factor` times as large; the points of the spectra stand no further apart than before.

        Examples
        --------
        >>> coarse = scenario.with_cells(1.5)
        """
        times = real("factor", factor)
        if not times > 0.0:
            raise errors.refused("factor", factor, "a number over 0")
        return self._changed(lambda handle: library.pw_scenario_scale_cell(handle, times))

    def with_title(self, title: str) -> Scenario:
        """With another title.

        Examples
        --------
        >>> scenario.with_title("Before").facts.title
        'Before'
        """
        return self._changed(lambda handle: call("pw_scenario_set_title", handle, encoded(title)))

    def write(self, path: PathLike) -> None:
        """Writes the scenario as YAML; pictures and other files are named from the folder of `path`. An existing file is replaced.

        Examples
        --------
        >>> scenario.write("copy.yaml")
        """
        text = _written(cast("Scenario", self)._text_plan(), path)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)


def _parameter(name: str) -> Any:
    one = _abi.pw_parameter()
    call("pw_parameter_parse", encoded(name), ctypes.byref(one))
    return one


def _written(handle: int, path: PathLike | None = None) -> str:
    text = ctypes.c_void_p()
    call("pw_scenario_write", handle, None if path is None else path_of(path), ctypes.byref(text))
    return freed_text(text)
