"""Maps of a quantity over the floor, and coverage."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Watch, address, call, captured, decoded, encoded, library, path_of
from ._shown import png_of, table
from .options import MapOptions, Quantity, channel_options, corners_of, db, frequency, length, level, numbers, split, word
from .results.distributions import Distribution

if TYPE_CHECKING:
    import xarray

    from .facts import Sheet
    from .result import ProgressOfWork, Result
    from .scenario import PathLike

Floats = npt.NDArray[np.float64]

_ENUMERATION = {
    "path-gain": _abi.PW_PATH_GAIN,
    "path-loss": _abi.PW_PATH_LOSS,
    "received-power": _abi.PW_RECEIVED_POWER,
    "best-server": _abi.PW_BEST_SERVER,
    "snr": _abi.PW_SNR,
    "sinr": _abi.PW_SINR,
    "rms-delay-spread": _abi.PW_RMS_DELAY_SPREAD,
    "mean-delay": _abi.PW_MEAN_DELAY,
    "maximum-delay": _abi.PW_MAXIMUM_DELAY,
    "coherence-50": _abi.PW_COHERENCE_50,
    "coherence-90": _abi.PW_COHERENCE_90,
    "k-factor": _abi.PW_K_FACTOR,
}
QUANTITIES = tuple(_ENUMERATION)
"""What a map can be of."""

_FLOORS = {
    _abi.PW_FLOOR_BUILDING: "building",
    _abi.PW_FLOOR_ASKED: "asked",
    _abi.PW_FLOOR_EMPTY: "empty",
    _abi.PW_FLOOR_OPEN: "open",
    _abi.PW_FLOOR_CUT: "cut",
    _abi.PW_FLOOR_SECTION: "section",
}


@dataclass(frozen=True)
class Floor:
    """What counts as floor.

    Attributes
    ----------
    counted : ndarray of bool, (row, column)
        Which cells of the map count.
    kind, text : str
        Why, in a word and in a clause: "inside of the building", "whole plan (it has no walls)".
    square_metres, plan_square_metres : float
        Of what counts, and of the whole plan.

    Examples
    --------
    >>> result.map().floor.kind
    'open'
    """

    counted: npt.NDArray[np.bool_]
    kind: str
    text: str
    square_metres: float
    plan_square_metres: float


def floor_of(counted: npt.NDArray[np.uint8], facts: Any) -> Floor:
    """From the library's cells and its pw_floor."""
    areas = (facts.square_metres, facts.plan_square_metres)
    return Floor(counted.view(np.bool_), _FLOORS[facts.kind], decoded(facts.text), *areas)


@dataclass(frozen=True)
class Share:
    """How much of one part of the floor meets a threshold.

    Attributes
    ----------
    area : str or None
        Name; None: the whole floor.
    transmitter : str or None
        Name; None: at each cell the strongest.
    threshold : float
        In the unit of the quantity.
    cells, over : int
        Of the part, and how many meet the threshold.
    square_metres, fraction : float

    Examples
    --------
    >>> result.coverage(-67)[0].area is None
    True
    """

    area: str | None
    transmitter: str | None
    threshold: float
    cells: int
    over: int
    square_metres: float
    fraction: float


@dataclass(frozen=True, eq=False)
class Map:
    """A quantity at every cell with running spectra. Made by `Result.map`.

    Attributes
    ----------
    values : ndarray, (row, column)
        Row 0 at the bottom; in `unit`; of the best server the index of the transmitter. NaN where not defined.
    x, y : ndarray
        Of columns and rows [m] (on a vertical cut the place along it, and the height).
    quantity, name, unit, reference : str
        "received-power", "received power", "dBm", and what decibels are relative to, where the unit does not say it.
    power : ndarray or None, (row, column)
        Of the best server its received power [dBm].
    falls : bool
        Less is better, as of path loss.
    mean_width : float
        Side of the square over which powers were averaged [m]; 0: none.
    spreading : {"delay", "distance", "storey", "diffuse", "none"}
        How powers went from two dimensions to three.
    height, cut, component
        As asked for; and `sheet`, the plane that was looked at.

    Examples
    --------
    >>> signal = result.map("received-power", local_mean=True)
    >>> np.asarray(signal).shape == signal.values.shape == (signal.y.size, signal.x.size)
    True
    """

    result: Result
    values: Floats
    x: Floats
    y: Floats
    quantity: str
    name: str
    unit: str
    reference: str
    transmitter: str | None
    power: Floats | None
    falls: bool
    mean_width: float
    spreading: str
    height: Any
    cut: int
    component: str
    sheet: Sheet | None
    _given: tuple[str | None, dict[str, Any]]

    @property
    def _sheet(self) -> tuple[Any, int, str]:
        return self.height, self.cut, self.component

    @property
    def floor(self) -> Floor:
        """Which cells are inside the building, and count in summaries.

        Examples
        --------
        >>> signal.floor.counted.shape == signal.values.shape
        True
        """
        counted, facts = np.empty(self.values.shape, dtype=np.uint8), _abi.pw_floor()
        options, _ = map_options(self.quantity, *self._given)
        with self.result._on_sheet(*self._sheet) as handle:
            call("pw_map_floor", handle, ctypes.byref(options), address(counted), ctypes.byref(facts))
        return floor_of(counted, facts)

    @overload
    def quantile(self, q: float) -> float: ...

    @overload
    def quantile(self, q: Sequence[float] | Floats) -> Floats: ...

    def quantile(self, q: float | Sequence[float] | Floats) -> Any:
        """Quantiles over the floor, such as ``map.quantile([0.1, 0.5, 0.9])``; cells without a value are left out.

        Examples
        --------
        >>> low, middle, high = signal.quantile([0.1, 0.5, 0.9])
        >>> bool(low < middle < high)
        True
        """
        inside = self.values[self.floor.counted]
        return np.quantile(inside[np.isfinite(inside)], q)

    def to_xarray(self) -> xarray.DataArray:
        """The same with its coordinates, (y, x).

        Examples
        --------
        >>> signal.to_xarray().dims
        ('y', 'x')
        """
        from .datasets import map_array

        return map_array(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the map as planwave's own pictures are: walls on top, stations, a scale; see `planwave.pictures.draw_map`.

        Needs matplotlib. Returns the axes.

        Examples
        --------
        >>> signal.plot(threshold=-20).figure.savefig("signal.png")
        """
        from .pictures import draw_map

        return draw_map(self, ax, **options)

    def write(self, path: PathLike) -> str:
        """Writes the picture as the program draws it (PNG, SVG or PDF by the ending), and beside it the map as .csv and .npy.

        Returns
        -------
        str
            The summary that the program prints.

        Raises
        ------
        NoResource, BadInput
            gnuplot is missing for SVG and PDF, or the disk is full; a folder that is not there.

        Examples
        --------
        >>> "median" in signal.write("power.png")
        True
        """
        options, _ = map_options(self.quantity, *self._given)
        with self.result._on_sheet(*self._sheet) as handle, captured() as (stream, text):
            call("pw_map_write", handle, ctypes.byref(options), path_of(path), stream)
            return text()

    def write_values(self, values: npt.ArrayLike, name: str, unit: str, picture: PathLike, npy: PathLike | None = None) -> None:
        """Draws values of one's own on the cells of this map, such as a difference of two, and writes them as .npy.

        Parameters
        ----------
        values : array_like, (row, column)
            NaN where there are none.
        name, unit : str
            Above the picture, and at its scale.
        picture, npy : path
            PNG, SVG or PDF by its ending; a file of NumPy.

        Examples
        --------
        >>> west, east = result.map(transmitter="west"), result.map(transmitter="east")
        >>> west.write_values(west.values - east.values, "west over east", "dB", "difference.png", "difference.npy")
        """
        array = np.ascontiguousarray(values, dtype=np.float64)
        if array.shape != self.values.shape:
            raise errors.UsageError(f"values have the shape {array.shape}, the map {self.values.shape}", what="values", value=array.shape)
        own = _abi.pw_map_values(encoded(name), encoded(unit), address(array), np.nan, np.nan)
        options, _ = map_options(self.quantity, *self._given)
        with self.result._on_sheet(*self._sheet) as handle:
            arguments = (path_of(picture), None if npy is None else path_of(npy))
            call("pw_map_values_write", handle, ctypes.byref(options), ctypes.byref(own), *arguments)

    def at(self, x: Quantity, y: Quantity) -> float:
        """The value at a place [m] by bilinear interpolation; NaN when the nearest cell has none.

        Examples
        --------
        >>> -60 < signal.at("1 m", 1.5) < 20
        True
        """
        shape = _abi.pw_map_shape(rows=self.values.shape[0], columns=self.values.shape[1], x0=self.x[0], y0=self.y[0])
        shape.pitch_x, shape.pitch_y = self.x[1] - self.x[0], self.y[1] - self.y[0]
        return float(library.pw_map_value_at(ctypes.byref(shape), address(np.ascontiguousarray(self.values)), length(x), length(y)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The values, so that numpy's functions take a map."""
        if copy is False and dtype not in (None, self.values.dtype):
            raise ValueError("another type needs a copy")
        return np.array(self.values, dtype=dtype, copy=True) if copy else np.asarray(self.values, dtype=dtype)

    def _repr_png_(self) -> bytes | None:
        try:
            return png_of(self.plot().figure)
        except errors.NoResource:  # no matplotlib
            return None

    def _repr_html_(self) -> str:
        inside = self.values[self.floor.counted]
        known = inside[np.isfinite(inside)]
        rows = {"unit": f"{self.unit} {self.reference}".strip(), "from": self.transmitter or "the strongest transmitter at each cell"}
        if known.size and self.quantity != "best-server":
            low, middle, high = np.quantile(known, [0.1, 0.5, 0.9])
            rows["10, 50, 90 % of the floor"] = f"{low:.3g}, {middle:.3g}, {high:.3g} {self.unit}"
        if self.mean_width > 0.0:
            rows["mean over"] = f"{self.mean_width:.3g} m"
        return table(f"{self.name[:1].upper()}{self.name[1:]}", rows, self._repr_png_())

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        who = f"from {self.transmitter}" if self.transmitter else "of the strongest"
        return f"<planwave.Map: {self.name} [{self.unit}] {who}, {rows} x {columns} cells of {self.x[1] - self.x[0]:.4g} m>"


def map_options(quantity: str, transmitter: str | None, options: Mapping[str, Any]) -> tuple[Any, str]:
    """The structure, and the quantity as it is written."""
    known = quantity.lower().replace("_", "-").replace(" ", "-")
    given, channel = split(options, MapOptions, "maps")
    local_mean = given.pop("local_mean", False)
    struct = library.pw_map_options_default()
    struct.quantity = word("quantity", known, _ENUMERATION)
    struct.transmitter = encoded(transmitter)
    struct.channel = channel_options(channel)
    struct.local_mean = local_mean is not False
    struct.mean_width = 0.0 if isinstance(local_mean, bool) else length(local_mean)
    if not isinstance(local_mean, bool) and not struct.mean_width > 0.0:
        raise errors.refused("local_mean", local_mean, "True, False or a length over 0")
    for name, value in given.items():
        set_as = frequency(value) if name == "noise_bandwidth" else bool(value) if name == "whole_plan" else db(name, value)
        setattr(struct, name, set_as)
    return struct, known


def thresholds_of(values: Any, quantity: str) -> Floats:
    """Thresholds (count) of a quantity of powers; texts have their unit."""
    kind = quantity.lower().replace("_", "-").replace(" ", "-")
    return np.ascontiguousarray(np.atleast_1d(numbers(values, lambda value: level(value, kind))))


def _sheet_of(options: Mapping[str, Any], cut: int) -> tuple[Any, int, str]:
    return options.get("height"), cut, options.get("component", "own")


def compute(
    result: Result,
    quantity: str,
    transmitter: str | None,
    cut: int,
    progress: ProgressOfWork | None,
    options: Mapping[str, Any],
) -> Map:
    """The work of `Result.map`."""
    struct, known = map_options(quantity, transmitter, options)
    watch, shape = Watch(progress), _abi.pw_map_shape()
    struct.monitor = watch.monitor()
    sheet = _sheet_of(options, cut)
    with result._on_sheet(*sheet) as handle, watch.checked():
        number = library.pw_result_sheet_chosen(handle)
        call("pw_map_describe", handle, ctypes.byref(struct), ctypes.byref(shape))
        values = np.empty((shape.rows, shape.columns))
        power = np.empty(values.shape) if known == "best-server" else None
        call("pw_map_compute", handle, ctypes.byref(struct), address(values), address(power))
    kind = struct.quantity
    wavelength = 299792458.0 / result.facts.band_centre
    sheets, spreading = result.sheets, options.get("spreading", "auto")
    return Map(
        result=result,
        values=values,
        x=shape.x0 + shape.pitch_x * np.arange(shape.columns),
        y=shape.y0 + shape.pitch_y * np.arange(shape.rows),
        quantity=known,
        name=decoded(library.pw_quantity_name(kind)),
        unit=decoded(library.pw_quantity_unit(kind)),
        reference=decoded(library.pw_quantity_reference(kind)),
        transmitter=None
        if transmitter in (None, "best") and len(result.transmitters) > 1
        else transmitter or next(iter(result.transmitters)),
        power=power,
        falls=bool(library.pw_quantity_falls(kind)),
        mean_width=(struct.mean_width or wavelength) if struct.local_mean else 0.0,
        spreading=spreading if spreading != "auto" else "delay" if result.facts.dimensions == 2 else "none",
        height=sheet[0],
        cut=cut,
        component=sheet[2],
        sheet=sheets[number] if number < len(sheets) else None,
        _given=(transmitter, dict(options)),
    )


def areas_of(areas: Mapping[str, Any]) -> Any:
    return (_abi.pw_area * max(1, len(areas)))(*[_abi.pw_area(encoded(n), *corners_of(at, f"areas[{n!r}]")) for n, at in areas.items()])


def cover(
    result: Result,
    thresholds: Floats | None,
    areas: Mapping[str, Any],
    chosen: tuple[str, str | None, int, ProgressOfWork | None, PathLike | None],
    options: Mapping[str, Any],
) -> list[Share]:
    """The work of `Result.coverage`."""
    quantity, transmitter, cut, progress, csv = chosen
    struct = _abi.pw_coverage_options()
    struct.map, _ = map_options(quantity, transmitter, options)
    watch = Watch(progress)
    struct.map.monitor = watch.monitor()
    if thresholds is not None:
        struct.thresholds, struct.threshold_count = address(thresholds), thresholds.size
    names, parts = list(areas), areas_of(areas)
    struct.areas, struct.area_count = parts, len(names)
    with result._on_sheet(*_sheet_of(options, cut)) as handle, watch.checked():
        count = ctypes.c_size_t()
        call("pw_coverage_count", handle, ctypes.byref(struct), ctypes.byref(count))
        shares = (_abi.pw_share * max(1, count.value))()
        call("pw_coverage_compute", handle, ctypes.byref(struct), shares)
        if csv is not None:
            call("pw_coverage_write", handle, ctypes.byref(struct), path_of(csv), None)
        transmitters = list(result.transmitters)
    return [
        Share(
            area=None if share.area < 0 else names[share.area],
            transmitter=None if share.transmitter < 0 else transmitters[share.transmitter],
            threshold=share.threshold,
            cells=share.cells,
            over=share.over,
            square_metres=share.square_metres,
            fraction=share.fraction,
        )
        for share in shares[: count.value]
    ]


def distribute(
    result: Result,
    receivers: bool,
    areas: Mapping[str, Sequence[float]],
    chosen: tuple[str, str | None, int, ProgressOfWork | None],
    options: Mapping[str, Any],
) -> list[Distribution]:
    """The work of `Result.distributions`."""
    quantity, transmitter, cut, progress = chosen
    struct, names, parts = _abi.pw_coverage_options(), list(areas), areas_of(areas)
    struct.map, _ = map_options(quantity, transmitter, options)
    watch, made = Watch(progress), ctypes.c_void_p()
    struct.map.monitor = watch.monitor()
    struct.areas, struct.area_count = parts, len(names)
    with result._on_sheet(*_sheet_of(options, cut)) as handle, watch.checked():
        call("pw_distributions_create", handle, ctypes.byref(struct), receivers, ctypes.byref(made))
        try:
            transmitters = list(result.transmitters)
            found = [library.pw_distributions_at(made, n).contents for n in range(library.pw_distributions_count(made))]
            return [
                Distribution(
                    area=None if one.area < 0 else names[one.area],
                    transmitter=None if one.transmitter < 0 else transmitters[one.transmitter],
                    cells=one.cells,
                    values=np.array(ctypes.cast(one.values, ctypes.POINTER(ctypes.c_double))[: one.count], dtype=np.float64),
                )
                for one in found
            ]
        finally:
            library.pw_distributions_free(made)
