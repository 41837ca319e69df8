"""Channels of many pairs: from every transmitter to every receiver or point, as arrays."""

from __future__ import annotations

import ctypes
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Watch, address, call, captured, decoded, encoded, library, path_of, texts
from ._words import in_python
from .options import COMPONENTS, Quantity, Texts, channel_options, frequency, numbers
from .results.arrays import Arrays, arrays_of
from .scenario import PlanwaveWarning, _depth

if TYPE_CHECKING:
    import xarray

    from .result import ProgressOfWork, Result
    from .scenario import PathLike

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Channels:
    """Channels of many pairs. Made by `Result.channels`.

    Attributes
    ----------
    transmitters, receivers : list of str
        Names; points are called "point 0", "point 1", ...
    ports : list of str
        Antennas of a receiver: "ez" in two dimensions, in three each component that was kept at all places.
    frequency : ndarray, (frequency)
        [Hz]
    centre : float
        [Hz], the carrier of the coefficients.
    position : ndarray, (receiver, 2)
        [m], where the field was taken; of a point the point itself, or the nearest cell with running spectra where these stand too far
        apart to interpolate.
    height : ndarray, (receiver)
        [m]; in two dimensions NaN unless it was given.
    a : ndarray of complex128 or None, (receiver, port, transmitter, tap)
        Coefficients between isotropic antennas.
    tau : ndarray or None, (receiver, transmitter, tap)
        Their delays [s] since emission.
    H : ndarray of complex128 or None, (receiver, port, transmitter, frequency)
        Response: the sum of ``a exp(-2j pi (f - centre) tau)``; NaN where masked. At the frequencies that were asked for, if any.
    error : ndarray, (receiver, transmitter)
        Estimated relative error of H between the frequencies of the spectra; 0 where none were asked for.
    profile, profile_delay : ndarray or None, (receiver, transmitter, delay)
        Power-delay profiles, linear, relative to free space at 1 m, and their delays [s], as of `Channel`.
    metrics : structured ndarray, (receiver, transmitter)
        Fields as of `Metrics`, in SI units: ``metrics["rms_delay_spread"]``; ``metrics["delay_cause"]`` is 0 where delays are sound.
    grid : tuple or None
        Rows and columns of the points, when they were given as a grid.
    antennas : tuple of int
        Receivers, and transmitters, that are antennas of one station, one after the other: (4, 16) of arrays of 4 and of 16; 0: some
        stations have more than others. `arrays` has them apart.
    stations, shapes : tuple
        Names of the stations of the receivers and of the transmitters; rows, columns and polarisations of each.

    Examples
    --------
    >>> result.channels(grid=(0.5, 0.5, 1.5, 1.5, "50 cm")).a.shape[:3]
    (9, 1, 2)
    """

    transmitters: list[str]
    receivers: list[str]
    ports: list[str]
    frequency: Floats
    centre: float
    position: Floats
    height: Floats
    a: Complexes | None
    tau: Floats | None
    H: Complexes | None
    error: Floats
    profile: Floats | None
    profile_delay: Floats | None
    metrics: npt.NDArray[Any]
    grid: tuple[int, int] | None
    antennas: tuple[int, int]
    stations: tuple[list[str], list[str]]
    shapes: tuple[tuple[int, int, int], tuple[int, int, int]]

    def arrays(self) -> Arrays:
        """The same with antennas apart from stations: H is (rx, rx_ant, tx, tx_ant, frequency).

        Examples
        --------
        >>> result.channels().arrays().H.ndim
        5
        """
        return arrays_of(self)

    def sionna(self, *, batch: bool = False) -> tuple[Complexes, Floats]:
        """``(a, tau)`` in the shapes of Sionna RT's ``Paths.cir()``.

        Returns
        -------
        a : ndarray of complex128, (num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths, num_time_steps)
            One time step. The antennas of a receiver that is no array are its `ports`.
        tau : ndarray, (num_rx, num_tx, num_paths)
            [s]; with arrays (num_rx, num_rx_ant, num_tx, num_tx_ant, num_paths), as Sionna has it without synthetic arrays.

        With `batch` both have one more axis in front, as Sionna's PHY has it. The coefficients are those of the complex baseband
        at `centre`; the taps are equally spaced, so they are those of the band, and not rays.

        Examples
        --------
        >>> a, tau = result.channels(["west"]).sionna()
        >>> a.ndim, tau.ndim
        (6, 3)
        """
        if self.a is None or self.tau is None:
            raise errors.UsageError("these channels were made with coefficients=False")
        made = self.arrays()
        assert made.a is not None and made.tau is not None
        a, tau = made.a[..., np.newaxis], self.tau if self.antennas == (1, 1) else made.tau
        return (a[np.newaxis], tau[np.newaxis]) if batch else (a, tau)

    def to_xarray(self) -> xarray.Dataset:
        """Everything with its coordinates.

        Examples
        --------
        >>> result.channels().to_xarray()["H"].dims
        ('receiver', 'port', 'transmitter', 'frequency')
        """
        from .datasets import channels_dataset

        return channels_dataset(self)

    def __len__(self) -> int:
        return len(self.receivers) * len(self.transmitters)

    def __repr__(self) -> str:
        return f"<planwave.Channels: {len(self.transmitters)} transmitters to {len(self.receivers)} receivers, {self.frequency.size} frequencies>"


def grid_points(grid: Sequence[Quantity]) -> tuple[Floats, tuple[int, int]]:
    """Points (rows x columns, 2) of ``(x0, y0, x1, y1, step)`` [m], row by row from the bottom, both ends included."""
    given = numbers(grid)
    if given.shape != (5,) or not np.isfinite(given).all():
        raise errors.refused("grid", grid, 'x0, y0, x1, y1 and step in metres, as in (0, 0, 8, 6, "50 cm")')
    x0, y0, x1, y1, step = given.tolist()
    if step <= 0.0 or x1 < x0 or y1 < y0:
        raise errors.refused("grid", grid, "x1 and y1 that do not lie under x0 and y0, and a step over 0")
    x = x0 + step * np.arange(int((x1 - x0) / step + 1e-9) + 1)
    y = y0 + step * np.arange(int((y1 - y0) / step + 1e-9) + 1)
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), (y.size, x.size)


def _points(at: Texts) -> Any:
    """Places of the library from points; they are filled as an array, since there may be many."""
    points = np.atleast_2d(numbers(at))
    if points.ndim != 2 or points.shape[1] not in (2, 3) or points.size == 0 or not np.isfinite(points).all():
        raise errors.UsageError(f"at has the shape {np.shape(at)}: give finite points (count, 2) or (count, 3) in metres")
    places = (_abi.pw_place * len(points))()
    formats = {"x": np.float64, "y": np.float64, "has_height": np.bool_, "height": np.float64}  # numpy knows no texts of C
    offsets = [getattr(_abi.pw_place, name).offset for name in formats]
    kind = np.dtype(
        {"names": list(formats), "formats": list(formats.values()), "offsets": offsets, "itemsize": ctypes.sizeof(_abi.pw_place)}
    )
    table = np.frombuffer(memoryview(places), dtype=kind)
    table["x"], table["y"] = points[:, 0], points[:, 1]
    if points.shape[1] == 3:
        table["has_height"], table["height"] = True, points[:, 2]
    return places


def subcarriers(text: str, centre: Quantity = 0.0) -> Floats:
    """Frequencies of the subcarriers of a signal [Hz].

    Parameters
    ----------
    text : str
        How many and how far apart, ``"64x312.5kHz"``, or a name: "wifi-20" to "wifi-160" (802.11n and ac), "wifi6-20" to "wifi6-160"
        (ax), "wifi7-320" (be), "nr-100MHz-30kHz" (5G); behind an @ their middle.
    centre : float or str
        Their middle [Hz], where the text has none.

    Examples
    --------
    >>> pw.subcarriers("wifi-20@5.18GHz").size
    56
    """
    count = ctypes.c_int()
    middle = frequency(centre)
    call("pw_subcarriers", encoded(text), middle, None, ctypes.byref(count))
    made = np.empty(count.value)
    call("pw_subcarriers", encoded(text), middle, address(made), ctypes.byref(count))
    return made


@dataclass
class _Asked:
    """Which pairs are meant: the structure for the library, and what must live as long."""

    struct: Any
    senders: list[str]
    names: list[str]
    grid: tuple[int, int] | None
    kept: Any

    def at(self, frequencies: str | Texts | None, centre: float) -> Floats | None:
        """Asks for H there."""
        if frequencies is None:
            return None
        wanted = subcarriers(frequencies, centre) if isinstance(frequencies, str) else np.atleast_1d(numbers(frequencies, frequency))
        if wanted.ndim != 1 or wanted.size == 0 or not np.isfinite(wanted).all():
            raise errors.refused("frequencies", frequencies, 'finite frequencies in Hz, or subcarriers, as in "64x312.5kHz"')
        wanted = np.ascontiguousarray(wanted, dtype=np.float64)
        self.struct.frequencies, self.struct.frequency_count = address(wanted), wanted.size
        self.kept = (self.kept, wanted)
        return wanted


def _described(handle: Any, asked: _Asked) -> Any:
    """The shape of the arrays; warns of points that are one."""
    shape = _abi.pw_pairs_shape()
    call("pw_pairs_describe", handle, ctypes.byref(asked.struct), ctypes.byref(shape))
    if shape.note:
        warnings.warn(in_python(decoded(shape.note)), PlanwaveWarning, stacklevel=_depth())
    return shape


def _antennas(names: Sequence[str], ends: Mapping[str, Any]) -> list[str]:
    """Names with those of a station's antennas in place of its own."""
    made: list[str] = []
    for name in names:
        own = [end.name for end in ends.values() if end.port is not None and end.port.station == name]
        made += own or [name]
    return made


def _stations(names: Sequence[str], together: int, ends: Mapping[str, Any]) -> tuple[list[str], tuple[int, int, int]]:
    """Names of the stations of so many antennas each, and the shape of the first."""
    if together < 2:
        return list(names), (1, 1, 1)
    ports = [ends[name].port for name in names[::together]]
    return [port.station for port in ports], ports[0].shape


def _asked(result: Result, given: Mapping[str, Any], watch: Watch) -> _Asked:
    """Of the keywords transmitters, receivers, at, grid, and options of channels."""
    transmitters, receivers, at, grid = (given.get(name) for name in ("transmitters", "receivers", "at", "grid"))
    options = {name: value for name, value in given.items() if name not in ("transmitters", "receivers", "at", "grid")}
    if sum(end is not None for end in (receivers, at, grid)) > 1:
        raise errors.UsageError("channels end at receivers, at points or on a grid: give one of them")
    rows_columns = None
    if grid is not None:
        at, rows_columns = grid_points(grid)
    places = None
    names = _antennas(receivers, result.receivers) if receivers is not None else list(result.receivers)
    if at is not None:
        places = _points(at)
        names = [f"point {n}" for n in range(len(places))]
    elif receivers is not None:
        places = (_abi.pw_place * max(1, len(names)))(*[_abi.pw_place(receiver=encoded(name)) for name in names])
        if not names:
            raise errors.UsageError("receivers is an empty list")
    struct = library.pw_pairs_options_default()
    senders = list(result.transmitters) if transmitters is None else _antennas(transmitters, result.transmitters)
    kept, count = texts(senders if transmitters else [])
    struct.transmitters, struct.transmitter_count = (ctypes.cast(kept, ctypes.c_void_p) if kept else None), count
    struct.places, struct.place_count = places, len(names) if places is not None else 0
    struct.channel, struct.monitor = channel_options(options), watch.monitor()
    return _Asked(struct, senders, names, rows_columns, (kept, places))


def write(result: Result, path: PathLike, csv: PathLike | None, progress: ProgressOfWork | None, given: Mapping[str, Any]) -> str:
    """The work of `Result.write_channels`."""
    watch = Watch(progress)
    frequencies, profiles = given.get("frequencies"), given.get("profiles", False)
    asked = _asked(result, {name: value for name, value in given.items() if name not in ("frequencies", "profiles")}, watch)
    asked.struct.profiles = bool(profiles)
    with result._on_sheet(None, 0, "own") as handle, captured() as (stream, text), watch.checked():
        asked.at(frequencies, _described(handle, asked).centre)
        if re.search(r"\.s\d+p$", os.fspath(path)):
            call("pw_pairs_write_touchstone", handle, ctypes.byref(asked.struct), path_of(path))
            return ""
        call("pw_pairs_write", handle, ctypes.byref(asked.struct), path_of(path), None if csv is None else path_of(csv), stream)
        return text()


@dataclass(frozen=True)
class Wanted:
    """Which arrays, and H at which frequencies."""

    coefficients: bool
    response: bool
    profiles: bool
    frequencies: str | Texts | None


def compute(result: Result, wanted: Wanted, progress: ProgressOfWork | None, given: Mapping[str, Any]) -> Channels:
    """The work of `Result.channels`."""
    watch = Watch(progress)
    asked = _asked(result, given, watch)
    struct = asked.struct
    with result._on_sheet(None, 0, "own") as handle, watch.checked():
        shape = _described(handle, asked)
        frequencies = asked.at(wanted.frequencies, shape.centre)
        count = shape.frequency_count if frequencies is None else frequencies.size
        ends, ports, sent = shape.receiver_count, shape.port_count, shape.transmitter_count
        profile = (ends, sent, shape.delay_count)
        arrays: dict[str, Any] = {
            "frequency": np.empty(count),
            "position": np.empty((ends, 2)),
            "height": np.empty(ends),
            "coefficient": np.empty((ends, ports, sent, shape.tap_count), dtype=np.complex128) if wanted.coefficients else None,
            "delay": np.empty((ends, sent, shape.tap_count)) if wanted.coefficients else None,
            "response": np.empty((ends, ports, sent, count), dtype=np.complex128) if wanted.response else None,
            "error": np.empty((ends, sent)),
            "profile": np.empty(profile) if wanted.profiles else None,
            "profile_delay": np.empty(profile) if wanted.profiles else None,
            "metrics": np.empty((ends, sent), dtype=np.dtype(_abi.pw_metrics)),
        }
        pairs = _abi.pw_pairs(**{name: address(array) for name, array in arrays.items() if name != "metrics"})
        pairs.metrics = ctypes.cast(arrays["metrics"].ctypes.data, ctypes.POINTER(_abi.pw_metrics))
        call("pw_pairs_compute", handle, ctypes.byref(struct), ctypes.byref(pairs))
    words = {value: name for name, value in COMPONENTS.items()}
    taken = _stations(asked.names, shape.receiver_ports, result.receivers)
    given_by = _stations(asked.senders, shape.transmitter_ports, result.transmitters)
    return Channels(
        transmitters=asked.senders,
        receivers=asked.names,
        ports=[words[shape.port[n]] for n in range(ports)],
        frequency=arrays["frequency"],
        centre=shape.centre,
        position=arrays["position"],
        height=arrays["height"],
        a=arrays["coefficient"],
        tau=arrays["delay"],
        H=arrays["response"],
        error=arrays["error"],
        profile=arrays["profile"],
        profile_delay=arrays["profile_delay"],
        metrics=arrays["metrics"],
        grid=asked.grid,
        antennas=(shape.receiver_ports, shape.transmitter_ports),
        stations=(taken[0], given_by[0]),
        shapes=(taken[1], given_by[1]),
    )
