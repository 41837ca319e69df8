"""Quantities with units, and the options that channels, maps, coverage and calibration share, as keyword arguments."""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Union

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import call, encoded, library

Quantity = Union[float, str]


def _parsed(function: str, value: Quantity) -> float:
    if not isinstance(value, str):
        try:
            plain = float(value)
        except (TypeError, ValueError):
            plain = math.nan
        if not math.isfinite(plain):
            raise errors.UsageError(f"{value!r} is no quantity: give a finite number in SI units, or a text with its unit")
        return plain
    number = ctypes.c_double()
    call(function, encoded(value), ctypes.byref(number))
    return number.value


def frequency(value: Quantity) -> float:
    """Hz of a frequency, such as ``2.4e9`` or ``"2.4 GHz"``. Raises BadInput that names the allowed units."""
    return _parsed("pw_parse_frequency", value)


def length(value: Quantity) -> float:
    """Metres of a length, such as ``0.07`` or ``"7 cm"``. Raises BadInput that names the allowed units."""
    return _parsed("pw_parse_length", value)


def time(value: Quantity) -> float:
    """Seconds of a time, such as ``600`` or ``"10 min"``. Raises BadInput that names the allowed units."""
    return _parsed("pw_parse_time", value)


def duration(name: str, value: Quantity) -> float:
    """Seconds of an option that is a time, 0 or more; UsageError for one that is less, infinite or not a number."""
    seconds = time(value)
    if seconds < 0.0:
        raise errors.UsageError(f"{name} is {value!r}: give a time of 0 or more, in seconds or as a text with its unit")
    return seconds


def whole(name: str, value: Any, least: int = 0, most: int = 2**31 - 1) -> int:
    """An option that counts something; UsageError for what is not a whole number or out of its range."""
    try:
        number = operator.index(value)
    except TypeError:
        raise errors.UsageError(f"{name} is {value!r}: give a whole number from {least} to {most}") from None
    if isinstance(value, bool) or not least <= number <= most:
        raise errors.UsageError(f"{name} is {value!r}: give a whole number from {least} to {most}")
    return number


def thread_count(value: Any) -> int:
    """Threads; 0: all."""
    return whole("threads", value, 0, THREADS_MOST)


Devices = Union[None, str, Sequence[int]]


def compute(backend: str = "auto", threads: Any = 0, devices: Devices = None, device_memory: Any = 0) -> Any:
    """What a simulation is computed on, as pw_compute. UsageError for what is no number of a GPU."""
    asked = _abi.pw_compute(backend=encoded(backend), threads=thread_count(threads))
    asked.device_memory = whole("device_memory", device_memory, 0, 2**63 - 1)
    if isinstance(devices, str) and devices != "all":
        raise errors.UsageError(f"devices is {devices!r}: give numbers of GPUs, such as [0, 1], or 'all'")
    given = range(max(1, library.pw_device_count())) if devices == "all" else () if devices is None else devices
    try:
        numbers = [whole("devices", number, 0, 999) for number in given]
    except TypeError:
        raise errors.UsageError(f"devices is {devices!r}: give numbers of GPUs, such as [0, 1], or 'all'") from None
    if len(numbers) > _abi.PW_DEVICE_LIMIT:
        raise errors.UsageError(f"{len(numbers)} devices: at most {_abi.PW_DEVICE_LIMIT} are used at once")
    asked.device_count, asked.devices[: len(numbers)] = len(numbers), numbers
    return asked


def real(name: str, value: Any) -> float:
    """An option that is a plain number; UsageError for one that is infinite or none."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise errors.UsageError(f"{name} is {value!r}: give a finite number")
    return number


THREADS_MOST = 4096
WINDOWS = {"hann": _abi.PW_WINDOW_HANN, "rect": _abi.PW_WINDOW_RECT, "kaiser": _abi.PW_WINDOW_KAISER}
SPREADINGS = {
    "none": _abi.PW_SPREADING_NONE,
    "distance": _abi.PW_SPREADING_DISTANCE,
    "delay": _abi.PW_SPREADING_DELAY,
    "storey": _abi.PW_SPREADING_STOREY,
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
    threshold_db, noise_margin_db : float
        Of the metrics: under the peak, default 30 dB; over the noise floor, default 6 dB.
    noise_floor_db : float
        Of an instrument that is compared with, under the peak; default: that of the run.
    width : float or str
        Of such an instrument, around the middle of the band [Hz]; default: the whole band.
    spreading : {"auto", "delay", "distance", "storey", "none"}
        From two dimensions to three; default "auto": by delay in two dimensions, none in three. "storey": floor and ceiling
        of ``plan.storey`` (default: 2.6 m between 20 cm of concrete) by images; terminals without a height stand at 1.5 m.
    component : {"own", "ex", "ey", "ez", "total", "hz"}
        Of the field, in three dimensions and with horizontal polarisation.
    height : float or str
        Of the plane of points and maps in three dimensions [m]; default: the first horizontal one.
    receiver_height, transmitter_height : float or str
        In two dimensions, of those that have none of their own [m]; default: none, the link is level, with "storey" 1.5 m.
    """

    window: str
    kaiser_beta: float
    padding: int
    threshold_db: float
    noise_margin_db: float
    noise_floor_db: float
    width: Quantity
    spreading: str
    component: str
    height: Quantity
    receiver_height: Quantity
    transmitter_height: Quantity


class MapOptions(ChannelOptions, total=False):
    """What maps, coverage and `Scenario.uncertainty` count, and how channels are made for it: all of `ChannelOptions` too.

    Parameters
    ----------
    local_mean : bool, float or str
        Average powers over a square: True, of a wavelength; a length, of that side [m]. Default: False.
    receiver_gain : float
        [dBi], default 0.
    noise_figure : float
        [dB], of SNR and SINR, default 7.
    noise_bandwidth : float or str
        [Hz], of SNR and SINR, default 20 MHz.
    whole_plan : bool
        Count the whole plan as floor, not the inside of the building.
    """

    local_mean: Union[bool, Quantity]
    receiver_gain: float
    noise_figure: float
    noise_bandwidth: Quantity
    whole_plan: bool


class FitOptions(ChannelOptions, total=False):
    """How calibrations solve the plan again: all of `ChannelOptions` too.

    Parameters
    ----------
    cell_factor : float
        The cells of re-runs against those of the result, default 1.
    backend, threads, devices, device_memory
        As of `Setup.run`, of all re-runs together.
    """

    cell_factor: float
    backend: str
    threads: int
    devices: Devices
    device_memory: int


def split(given: Mapping[str, Any], kind: Any, of: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of `kind` alone, and those of channels. UsageError names one that there is not."""
    own = set(kind.__annotations__) - set(ChannelOptions.__annotations__)
    for name in given:
        if name not in kind.__annotations__:
            raise errors.UsageError(f"there is no option {name!r} of {of}; there are {', '.join(kind.__annotations__)}")
    return {name: value for name, value in given.items() if name in own}, {
        name: value for name, value in given.items() if name not in own
    }


def word(kind: str, value: str, words: dict[str, int]) -> int:
    """The number of a word, or UsageError with the words that there are."""
    if value not in words:
        raise errors.UsageError(f"{kind} is {value!r}: give one of {', '.join(words)}")
    return words[value]


def channel_options(given: Mapping[str, Any]) -> Any:
    """The structure of the options, each that is not given as the library has it."""
    options = library.pw_channel_options_default()
    words = {"window": WINDOWS, "spreading": SPREADINGS, "component": COMPONENTS}
    for name, value in given.items():
        if name not in ChannelOptions.__annotations__:
            known = ", ".join(ChannelOptions.__annotations__)
            raise errors.UsageError(f"there is no option {name!r} of channels; there are {known}")
        if name in words:
            setattr(options, name, word(name, str(value), words[name]))
        elif name in ("height", "receiver_height", "transmitter_height"):
            setattr(options, name, math.nan if value is None else length(value))
        elif name == "padding":
            options.padding = whole(name, value, 1)
        elif name == "width":
            options.width = frequency(value)
        else:
            setattr(options, name, real(name, value))
    return options
