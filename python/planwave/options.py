"""Quantities with units, and the options that channels, maps, coverage and calibration share, as keyword arguments."""

from __future__ import annotations

import ctypes
import difflib
import math
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Union

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import call, decoded, encoded, library

Quantity = Union[float, str]
Texts = Union[npt.ArrayLike, Sequence[Quantity], Sequence[Sequence[Quantity]]]
"""Numbers in SI units, or texts with their unit among them."""

Backend = Literal["auto", "cpu", "cuda", "reference"]
Precision = Literal["single", "double"]
Window = Literal["hann", "rect", "kaiser"]
SpreadingName = Literal["none", "distance", "delay", "storey", "diffuse", "auto"]
ComponentName = Literal["own", "ex", "ey", "ez", "total", "hz"]
PowerName = Literal["received-power", "path-gain", "path-loss", "snr", "sinr"]
QuantityName = Literal[
    "path-gain",
    "path-loss",
    "received-power",
    "best-server",
    "snr",
    "sinr",
    "rms-delay-spread",
    "mean-delay",
    "maximum-delay",
    "coherence-50",
    "coherence-90",
    "k-factor",
]


def _parsed(function: str, value: Quantity) -> float:
    if not isinstance(value, str):
        try:
            plain = float(value)
        except (TypeError, ValueError):
            plain = math.nan
        if not math.isfinite(plain):
            raise errors.UsageError(
                f"{value!r} is no quantity: give a finite number in SI units, or a text with its unit", what="quantity", value=value
            )
        return plain
    number = ctypes.c_double()
    call(function, encoded(value), ctypes.byref(number))
    return number.value


def frequency(value: Quantity) -> float:
    """Hz of a frequency, such as ``2.4e9`` or ``"2.4 GHz"``. Raises BadInput that names the allowed units.

    Examples
    --------
    >>> pw.frequency("2.4 GHz")
    2400000000.0
    """
    return _parsed("pw_parse_frequency", value)


def length(value: Quantity) -> float:
    """Metres of a length, such as ``0.07`` or ``"7 cm"``. Raises BadInput that names the allowed units.

    Examples
    --------
    >>> pw.length("7 cm")
    0.07
    """
    return _parsed("pw_parse_length", value)


def time(value: Quantity) -> float:
    """Seconds of a time, such as ``600`` or ``"10 min"``. Raises BadInput that names the allowed units.

    Examples
    --------
    >>> pw.time("10 min")
    600.0
    """
    return _parsed("pw_parse_time", value)


def _of_dimension(value: Quantity, dimension: int) -> float:
    if not isinstance(value, str):
        return _parsed("", value)
    number = ctypes.c_double()
    call("pw_quantity_parse", encoded(value), dimension, ctypes.byref(number))
    return number.value


def power(value: Quantity) -> float:
    """dBm of a power: a number is one already, a text has its unit, as in ``"-67 dBm"`` or ``"100 mW"``.

    Raises
    ------
    BadInput
        Names the allowed units.

    Examples
    --------
    >>> pw.power("100 mW"), pw.power("-67dBm")
    (20.0, -67.0)
    """
    return _of_dimension(value, _abi.PW_DIMENSION_POWER)


def decibels(value: Quantity) -> float:
    """dB of a ratio, or dBi of a gain: ``7``, ``"7 dB"``, ``"3 dBi"``.

    Raises
    ------
    BadInput
        Names the allowed units.

    Examples
    --------
    >>> pw.decibels("7 dB"), pw.decibels("3 dBi"), pw.decibels(5)
    (7.0, 3.0, 5.0)
    """
    gain = isinstance(value, str) and value.rstrip().lower().endswith("dbi")
    return _of_dimension(value, _abi.PW_DIMENSION_GAIN if gain else _abi.PW_DIMENSION_RATIO)


def db(name: str, value: Quantity) -> float:
    """An option in decibels, a number or a text with its unit."""
    return decibels(value) if isinstance(value, str) else real(name, value)


def dbm(name: str, value: Quantity) -> float:
    """An option in dBm, likewise."""
    return power(value) if isinstance(value, str) else real(name, value)


def finite_pair(value: Any, what: str) -> tuple[float, float]:
    """A point of the plan [m]; also one of shapely."""
    pair = numbers((value.x, value.y) if hasattr(value, "x") and hasattr(value, "y") else value)
    if pair.shape != (2,) or not np.isfinite(pair).all():
        raise errors.refused(what, value, 'x and y in metres, as in (2.5, 4) or ("2.5 m", "4 m")')
    return float(pair[0]), float(pair[1])


def corners_of(value: Any, what: str) -> list[float]:
    """A rectangle x0, y0, x1, y1 [m]; also what has bounds, as geometries of shapely have."""
    corners = numbers(value.bounds if hasattr(value, "bounds") else value)
    if corners.shape != (4,) or not np.isfinite(corners).all():
        raise errors.refused(what, value, "x0, y0, x1, y1 in metres, two corners")
    return [float(corner) for corner in corners]


def quantity_text(value: float, unit: str) -> str:
    """A number in SI units as people write it, with the fewest digits that read back to the same: ``quantity_text(0.07, "m")`` is "7 cm".

    Parameters
    ----------
    value : float
    unit : {"m", "s", "Hz", "S/m", "dB", "dBm", "dBi", "rad", "ohm"}
        Of the number.

    Raises
    ------
    UsageError
        Another unit, or a number that is not finite.

    Examples
    --------
    >>> pw.quantity_text(2.4e9, "Hz"), pw.quantity_text(0.07, "m")
    ('2.4 GHz', '7 cm')
    """
    text = ctypes.create_string_buffer(_abi.PW_QUANTITY_SIZE)
    return library.pw_quantity_format(real("value", value), word("unit", unit, _UNITS), text).decode()  # type: ignore[no-any-return]


def share_of(name: str, value: Quantity) -> float:
    """A part of one: ``0.95`` or ``"95 %"``."""
    return _of_dimension(value, _abi.PW_DIMENSION_SHARE) if isinstance(value, str) else real(name, value)


def memory(name: str, value: Any) -> int:
    """Bytes: a whole number, or a text such as ``"20 GB"``."""
    if not isinstance(value, str):
        return whole(name, value, 0, 2**63 - 1)
    number = ctypes.c_uint64()
    call("pw_memory_parse", encoded(value), encoded(name), ctypes.byref(number))
    return number.value


def numbers(values: Any, parse: Any = length) -> npt.NDArray[np.float64]:
    """An array of numbers; texts in it are read by `parse`."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise errors.UsageError(f"{values!r} is no array: its rows have different lengths", value=values) from None
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    plain = np.asarray(values, dtype=object)
    made: npt.NDArray[np.float64] = np.array([parse(value) for value in plain.ravel()], dtype=np.float64).reshape(plain.shape)
    return made


def level(value: Quantity, quantity: str) -> float:
    """A threshold in the unit of a quantity of powers."""
    return power(value) if quantity in ("received-power", "best-server") else decibels(value)


def duration(name: str, value: Quantity) -> float:
    """Seconds of an option that is a time, 0 or more; UsageError for one that is less, infinite or not a number."""
    seconds = time(value)
    if seconds < 0.0:
        raise errors.refused(name, value, "a time of 0 or more, in seconds or as a text with its unit")
    return seconds


def whole(name: str, value: Any, least: int = 0, most: int = 2**31 - 1) -> int:
    """An option that counts something; UsageError for what is not a whole number or out of its range."""
    try:
        number = operator.index(value)
    except TypeError:
        raise errors.refused(name, value, f"a whole number from {least} to {most}") from None
    if isinstance(value, bool) or not least <= number <= most:
        raise errors.refused(name, value, f"a whole number from {least} to {most}")
    return number


def thread_count(value: Any) -> int:
    """Threads; 0: all."""
    return whole("threads", value, 0, THREADS_MOST)


Devices = Union[None, str, Sequence[int]]


def compute(backend: str = "auto", threads: Any = 0, devices: Devices = None, device_memory: Any = 0) -> Any:
    """What a simulation is computed on, as pw_compute. UsageError for what is no number of a GPU.

    PlanwaveWarning where the CPU computes in place of a GPU that this build has kernels for, with the reason.
    """
    from .scenario import PlanwaveWarning, _depth

    asked = _abi.pw_compute(backend=encoded(backend), threads=thread_count(threads))
    asked.device_memory = memory("device_memory", device_memory)
    if isinstance(devices, str) and devices != "all":
        raise errors.refused("devices", devices, "numbers of GPUs, such as [0, 1], or 'all'")
    given = range(max(1, library.pw_device_count())) if devices == "all" else () if devices is None else devices
    try:
        numbers = [whole("devices", number, 0, 999) for number in given]
    except TypeError:
        raise errors.refused("devices", devices, "numbers of GPUs, such as [0, 1], or 'all'") from None
    if len(numbers) > _abi.PW_DEVICE_LIMIT:
        raise errors.UsageError(f"{len(numbers)} devices: at most {_abi.PW_DEVICE_LIMIT} are used at once")
    asked.device_count, asked.devices[: len(numbers)] = len(numbers), numbers
    reason = _abi.pw_error()
    if library.pw_compute_falls_back(ctypes.byref(asked), ctypes.byref(reason)):
        warnings.warn(f"computing on the CPU, because {decoded(reason.message)}", PlanwaveWarning, stacklevel=_depth())
    return asked


def real(name: str, value: Any) -> float:
    """An option that is a plain number; UsageError for one that is infinite or none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise errors.refused(name, value, "a finite number")
    return number


_UNITS = {
    "m": _abi.PW_DIMENSION_LENGTH,
    "s": _abi.PW_DIMENSION_TIME,
    "Hz": _abi.PW_DIMENSION_FREQUENCY,
    "S/m": _abi.PW_DIMENSION_CONDUCTIVITY,
    "dB": _abi.PW_DIMENSION_RATIO,
    "dBm": _abi.PW_DIMENSION_POWER,
    "dBi": _abi.PW_DIMENSION_GAIN,
    "rad": _abi.PW_DIMENSION_ANGLE,
    "ohm": _abi.PW_DIMENSION_RESISTANCE,
}
THREADS_MOST = 4096
WINDOWS = {"hann": _abi.PW_WINDOW_HANN, "rect": _abi.PW_WINDOW_RECT, "kaiser": _abi.PW_WINDOW_KAISER}
SPREADINGS = {
    "none": _abi.PW_SPREADING_NONE,
    "distance": _abi.PW_SPREADING_DISTANCE,
    "delay": _abi.PW_SPREADING_DELAY,
    "storey": _abi.PW_SPREADING_STOREY,
    "diffuse": _abi.PW_SPREADING_DIFFUSE,
    "auto": _abi.PW_SPREADING_AUTO,
}
COMPONENTS = {
    "own": _abi.PW_COMPONENT_OWN,
    "ex": _abi.PW_COMPONENT_EX,
    "ey": _abi.PW_COMPONENT_EY,
    "ez": _abi.PW_COMPONENT_EZ,
    "total": _abi.PW_COMPONENT_TOTAL,
    "hz": _abi.PW_COMPONENT_HZ,
}


class ChannelOptions(TypedDict, total=False):
    """How channels are made of spectra.

    Parameters
    ----------
    window : {"hann", "rect", "kaiser"}
        Of the impulse response; default "hann".
    kaiser_beta : float
        Of the Kaiser window.
    padding : int
        Zero padding factor of the impulse response, at least 1.
    threshold_db, noise_margin_db : float or str
        Of the metrics: under the peak, default 30 dB; over the noise floor, default 6 dB.
    noise_floor_db : float or str
        Of an instrument that is compared with, under the peak; default: that of the run.
    width : float or str
        Of such an instrument, around the middle of the band [Hz]; default: the whole band.
    spreading : {"auto", "delay", "distance", "storey", "diffuse", "none"}
        From two dimensions to three; default "auto": by delay in two dimensions, none in three. "storey": floor and ceiling
        of ``plan.storey`` (default: 2.6 m between 20 cm of concrete) by images; terminals without a height stand at 1.5 m.
        "diffuse": by distance, and what floor and ceiling scatter, in levels, profiles and delays.
    component : {"own", "ex", "ey", "ez", "total", "hz"}
        Of the field, in three dimensions and with horizontal polarisation.
    height : float or str
        Of the plane of points and maps in three dimensions [m]; default: the first horizontal one.
    receiver_height, transmitter_height : float or str
        In two dimensions, of those that have none of their own [m]; default: none, the link is level, with "storey" 1.5 m.

    Examples
    --------
    >>> result.channel("west", window="kaiser", kaiser_beta=6, threshold_db="25 dB").metrics.path_loss_db > 0
    True
    """

    window: Window
    kaiser_beta: float
    padding: int
    threshold_db: Quantity
    noise_margin_db: Quantity
    noise_floor_db: Quantity
    width: Quantity
    spreading: SpreadingName
    component: ComponentName
    height: Quantity
    receiver_height: Quantity
    transmitter_height: Quantity


class MapOptions(ChannelOptions, total=False):
    """What maps, coverage and `Scenario.uncertainty` count, and how channels are made for it: all of `ChannelOptions` too.

    Parameters
    ----------
    local_mean : bool, float or str
        Average powers over a square: True, of a wavelength; a length, of that side [m]. Default: False.
    receiver_gain : float or str
        [dBi], default 0.
    noise_figure : float or str
        [dB], of SNR and SINR, default 7.
    noise_bandwidth : float or str
        [Hz], of SNR and SINR, default 20 MHz.
    whole_plan : bool
        Count the whole plan as floor, not the inside of the building.

    Examples
    --------
    >>> result.map("snr", local_mean="12 cm", noise_figure="5 dB", noise_bandwidth="10 MHz").unit
    'dB'
    """

    local_mean: Union[bool, Quantity]
    receiver_gain: Quantity
    noise_figure: Quantity
    noise_bandwidth: Quantity
    whole_plan: bool


class MachineOptions(TypedDict, total=False):
    """What a simulation is computed on, as of `Setup.run`.

    Examples
    --------
    >>> setup.forecast(backend="cpu", threads=1).backend
    'cpu'
    """

    backend: Backend
    threads: int
    devices: Devices
    device_memory: Union[int, str]


class RunOptions(MachineOptions, total=False):
    """The options of `Setup.run`, for `Scenario.run`.

    Examples
    --------
    >>> pw.Scenario("small.yaml").run(threads=1, time_limit="10 min").facts.title
    'small'
    """

    force: bool
    resume: bool
    checkpoint_every: Quantity
    time_limit: Quantity
    progress: Union[Callable[[Any], object], bool, None]
    frames: Any
    frames_every: int


class FitOptions(ChannelOptions, total=False):
    """How calibrations solve the plan again: all of `ChannelOptions` too.

    Parameters
    ----------
    cell_factor : float
        The cells of re-runs against those of the result, default 1.
    backend, threads, devices, device_memory
        As of `Setup.run`, of all re-runs together.

    Examples
    --------
    >>> points = [(0.5, 0.5), (1, 1), (1.5, 2), (1, 2), (0.5, 1)]
    >>> result.calibrate(points, [-20, -22, -25, -24, -18], "west", hold_out=0, threads=1, spreading="distance").runs
    0
    """

    cell_factor: float
    backend: Backend
    threads: int
    devices: Devices
    device_memory: Union[int, str]


def no_option(name: str, of: str, kind: Any) -> errors.UsageError:
    """The error of a keyword that there is not, with the nearest that there is."""
    known = list(kind.__annotations__)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return errors.UsageError(
        f"there is no option {name!r} of {of}{hint}; there are {', '.join(known)}", what=name, allowed=", ".join(known)
    )


def split(given: Mapping[str, Any], kind: Any, of: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of `kind` alone, and those of channels. UsageError names one that there is not."""
    own = set(kind.__annotations__) - set(ChannelOptions.__annotations__)
    for name in given:
        if name not in kind.__annotations__:
            raise no_option(name, of, kind)
    return {name: value for name, value in given.items() if name in own}, {name: value for name, value in given.items() if name not in own}


def word(kind: str, value: str, words: dict[str, int]) -> int:
    """The number of a word, or UsageError with the words that there are."""
    if value not in words:
        raise errors.refused(kind, value, f"one of {', '.join(words)}")
    return words[value]


def channel_options(given: Mapping[str, Any]) -> Any:
    """The structure of the options, each that is not given as the library has it."""
    options = library.pw_channel_options_default()
    words = {"window": WINDOWS, "spreading": SPREADINGS, "component": COMPONENTS}
    for name, value in given.items():
        if name not in ChannelOptions.__annotations__:
            raise no_option(name, "channels", ChannelOptions)
        if name in words:
            setattr(options, name, word(name, str(value), words[name]))
        elif name in ("height", "receiver_height", "transmitter_height"):
            setattr(options, name, math.nan if value is None else length(value))
        elif name == "padding":
            options.padding = whole(name, value, 1)
        elif name == "width":
            options.width = frequency(value)
        else:
            setattr(options, name, (db if name.endswith("_db") else real)(name, value))
    return options
