"""A result against measured powers, and against another result."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Watch, address, call, decoded, encoded, library, texts
from .facts import Fitted, taken
from .options import ChannelOptions, FitOptions, Quantity, Texts, channel_options, compute, db, length, numbers, split, word
from .options import frequency as parse_frequency
from .options import power as parse_power

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .result import ProgressOfWork, Result


@dataclass(frozen=True)
class Score:
    """How predictions agree with `count` measured points: bias (predicted - measured) and RMSE [dB], Pearson's correlation.

    Examples
    --------
    >>> pw.Score(count=3, bias=0.5, rmse=1.5, correlation=0.9).rmse
    1.5
    """

    count: int
    bias: float
    rmse: float
    correlation: float


@dataclass(frozen=True)
class Calibration:
    """What a calibration found.

    Attributes
    ----------
    predicted : ndarray, (point)
        Received power [dBm], without the offset.
    offset, offset_error : float
        [dB], to be added to predictions (least squares), and its standard error.
    before, after : Score
        Of the points in the fit, without and with the offset.
    held_before, held_after : Score
        Of the points that were held out.
    permittivity_scale, conductivity_scale : dict of float
        By material, where materials were fitted.
    scaled, scaled_held : Score or None
        Of the run with these scales, with its own offset `scaled_offset` [dB].
    runs : int
        Re-runs of the scenario that it took.

    Examples
    --------
    >>> points = [(0.5, 0.5), (1, 1), (1.5, 2), (1, 2), (0.5, 1)]
    >>> found = result.calibrate(points, ["-20 dBm", -22, -25, -24, -18], "west", hold_out=0)
    >>> found.predicted.shape, found.runs
    ((5,), 0)
    """

    predicted: npt.NDArray[np.float64] = field(repr=False)
    offset: float
    offset_error: float
    before: Score
    after: Score
    held_before: Score
    held_after: Score
    permittivity_scale: dict[str, float]
    conductivity_scale: dict[str, float]
    scaled: Score | None
    scaled_held: Score | None
    scaled_offset: float
    runs: int


def _score(struct: Any) -> Score:
    return Score(struct.count, struct.bias, struct.rmse, struct.correlation)


def _measured(points: Texts, power: Texts, frequency: Texts | None) -> Any:
    """An array of pw_point."""
    places, levels = numbers(points), numbers(power, parse_power)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or levels.shape != places.shape[:1]:
        raise errors.UsageError(
            f"points have the shape {places.shape} and powers {levels.shape}: give (count, 2) or (count, 3), and (count)"
        )
    if not np.isfinite(places).all() or not np.isfinite(levels).all():
        raise errors.BadInput("a measured point holds a number that is not finite")
    bands = np.broadcast_to(numbers(0.0 if frequency is None else frequency, parse_frequency), levels.shape)
    high = places.shape[1] == 3
    return (_abi.pw_point * max(1, len(levels)))(
        *[
            _abi.pw_point(place[0], place[1], level, band, high, place[2] if high else 0.0)
            for place, level, band in zip(places.tolist(), levels.tolist(), bands.tolist())
        ]
    )


def _options_set(struct: Any, given: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Numbers of this fit, and what both fits share."""
    shared, channel = split(options, FitOptions, "calibrations")
    struct.channel = channel_options(channel)
    names = ("backend", "threads", "devices", "device_memory")
    struct.compute = compute(**{name: shared[name] for name in names if name in shared})
    struct.cell_factor = shared.get("cell_factor", 1.0)
    for name, value in given.items():
        setattr(struct, name, value)


def calibrate(
    result: Result,
    measured: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike | None],
    transmitter: str | None,
    materials: list[str],
    progress: ProgressOfWork | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Calibration:
    """The work of `Result.calibrate`."""
    points, count = _measured(*measured), int(np.size(measured[1]))
    struct, watch = library.pw_calibration_options_default(), Watch(progress)
    struct.transmitter = encoded(transmitter)
    if len(materials) > _abi.PW_CALIBRATED_MATERIALS:
        raise errors.UsageError(f"at most {_abi.PW_CALIBRATED_MATERIALS} materials are fitted at once, not {len(materials)}")
    for n, material in enumerate(materials):
        struct.materials[n] = encoded(material)
    struct.material_count, struct.monitor = len(materials), watch.monitor()
    _options_set(struct, given, options)
    predicted, found = np.empty(count), _abi.pw_calibration()
    with result._on_sheet(None, 0, "own") as handle, watch.checked():
        call("pw_calibrate_points", handle, points, count, ctypes.byref(struct), address(predicted), ctypes.byref(found))
    fitted = len(materials) > 0
    return Calibration(
        predicted=predicted,
        offset=found.offset,
        offset_error=found.offset_error,
        before=_score(found.fitted_before),
        after=_score(found.fitted),
        held_before=_score(found.held_before),
        held_after=_score(found.held),
        permittivity_scale=dict(zip(materials, found.permittivity_scale)),
        conductivity_scale=dict(zip(materials, found.conductivity_scale)),
        scaled=_score(found.scaled_fitted) if fitted else None,
        scaled_held=_score(found.scaled_held) if fitted else None,
        scaled_offset=found.scaled_offset if fitted else found.offset,
        runs=found.runs,
    )


# ---- all transmitters together ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JointCalibration:
    """What a fit of all transmitters found.

    Attributes
    ----------
    calibrated : ndarray, (reading)
        Fitted level [dBm] of each reading's cell; NaN where its cell was left out.
    parameters : dict of Fitted
        By name.
    offsets, offset_errors : dict of float
        By transmitter [dB].
    device_offsets : dict of float
        By device [dB]; that of the first is 0.
    before, fitted, crossed, crossed_alike, held : Score
        Of the cells with the offsets alone; as fitted; each block predicted by a fit without it, and with every wall as its material
        where walls were fitted by themselves; of the readings that were held.
    interval : float
        19 of 20 levels at new places lie so near to the fitted one [dB]: 1.96 times the RMSE of blocks held out.
    strangers : Score
        Of the readings that were held, of transmitters that are not in the fit.
    below_crossed, below_held : tuple of int
        Cells below the sensitivity, and how many of them are predicted there: of blocks held out, and of the readings that were held.
    distance_fitted, distance_crossed, distance_held : Score
        Of a rule of distance alone, with two numbers for each transmitter.
    scale : float
        Robust standard deviation of the residuals [dB].
    readings, cells, runs, coarse_runs : int
        Readings in the fit, their cells, re-runs of the scenario, and runs on larger cells beside them.

    Examples
    --------
    >>> points = np.random.default_rng(1).uniform(0.3, 1.7, (40, 2))
    >>> joint = result.calibrate_joint(points, result.powers(points, "west"), "west", blocks=0.7)
    >>> joint.calibrated.shape, list(joint.offsets)
    ((40,), ['west'])
    """

    calibrated: npt.NDArray[np.float64] = field(repr=False)
    parameters: dict[str, Fitted]
    offsets: dict[str, float]
    offset_errors: dict[str, float]
    device_offsets: dict[str, float]
    before: Score
    fitted: Score
    crossed: Score
    crossed_alike: Score
    held: Score
    interval: float
    strangers: Score
    below_crossed: tuple[int, int]
    below_held: tuple[int, int]
    distance_fitted: Score
    distance_crossed: Score
    distance_held: Score
    scale: float
    readings: int
    cells: int
    runs: int
    coarse_runs: int


def _readings(
    points: Texts,
    power: Texts,
    transmitters: Sequence[str] | str | None,
    frequency: Texts,
    held: npt.ArrayLike,
    below: npt.ArrayLike,
    handsets: Sequence[str] | None,
    facing: npt.ArrayLike | None,
) -> Any:
    """An array of pw_reading."""
    measured = _measured(points, power, frequency)
    count = int(np.size(power))
    who = [transmitters] * count if transmitters is None or isinstance(transmitters, str) else list(transmitters)
    if len(who) != count:
        raise errors.UsageError(f"there are {count} readings and {len(who)} names of transmitters")
    kept = np.broadcast_to(np.asarray(held, dtype=bool), (count,)).tolist()
    limits = np.broadcast_to(np.asarray(below, dtype=bool), (count,)).tolist()
    if len(handsets or who) != count:
        raise errors.UsageError(f"there are {count} readings and {len(handsets or who)} handsets")
    looks = np.broadcast_to(np.asarray(math.nan if facing is None else facing, dtype=float), (count,)).tolist()
    readings = (_abi.pw_reading * max(1, count))()
    for n in range(count):
        point = measured[n]
        height = point.height if point.has_height else math.nan
        place = (point.x, point.y, height, point.power, point.frequency)
        readings[n] = _abi.pw_reading(encoded(who[n]), *place, kept[n], limits[n], encoded(handsets[n]) if handsets else None, looks[n])
    return readings


def calibrate_joint(
    result: Result,
    readings: Any,
    count: int,
    parameters: Sequence[str],
    offsets: str,
    progress: ProgressOfWork | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any],
) -> JointCalibration:
    """The work of `Result.calibrate_joint`."""
    struct, watch = library.pw_joint_options_default(), Watch(progress)
    names, struct.parameter_count = texts(list(parameters))
    struct.parameters = ctypes.cast(names, ctypes.c_void_p) if names else None
    struct.offsets = word("offsets", offsets, {"each": _abi.PW_OFFSETS_EACH, "one": _abi.PW_OFFSETS_ONE, "none": _abi.PW_OFFSETS_NONE})
    struct.monitor = watch.monitor()
    _options_set(struct, given, options)
    calibrated, joint = np.empty(count), _abi.pw_joint()
    with result._on_sheet(None, 0, "own") as handle, watch.checked():
        call("pw_calibrate_joint_readings", handle, readings, count, ctypes.byref(struct), address(calibrated), ctypes.byref(joint))
    try:
        fitted = [taken(Fitted, joint.parameters[n]) for n in range(joint.parameter_count)]
        senders = [joint.transmitters[n] for n in range(joint.transmitter_count)]
        scores = {name: _score(getattr(joint, name)) for name in ("before", "fitted", "crossed", "crossed_alike", "held", "strangers")}
        distance = {name: _score(getattr(joint, name)) for name in ("distance_fitted", "distance_crossed", "distance_held")}
        return JointCalibration(
            calibrated=calibrated,
            parameters={one.name: one for one in fitted},
            offsets={decoded(sender.name): sender.offset for sender in senders},
            offset_errors={decoded(sender.name): sender.offset_error for sender in senders},
            device_offsets={decoded(joint.devices[n].name): joint.devices[n].offset for n in range(joint.device_count)},
            scale=joint.scale,
            interval=joint.interval,
            below_crossed=(joint.below_crossed.count, joint.below_crossed.predicted),
            below_held=(joint.below_held.count, joint.below_held.predicted),
            readings=joint.reading_count,
            cells=joint.cell_count,
            runs=joint.runs,
            coarse_runs=joint.coarse_runs,
            **scores,
            **distance,
        )
    finally:
        library.pw_joint_free(ctypes.byref(joint))


def powers(
    result: Result,
    points: Texts,
    frequency: Texts | None,
    transmitter: str | None,
    progress: ProgressOfWork | None,
    given: Mapping[str, float],
    options: Mapping[str, Any],
) -> npt.NDArray[np.float64]:
    """The work of `Result.powers`."""
    places = numbers(points)
    if places.ndim != 2 or places.shape[1] not in (2, 3):
        raise errors.UsageError(f"points have the shape {places.shape}: give (count, 2) or (count, 3)")
    count, high = len(places), places.shape[1] == 3
    bands = np.broadcast_to(numbers(0.0 if frequency is None else frequency, parse_frequency), (count,))
    where = (_abi.pw_channel_point * max(1, count))(
        *[
            _abi.pw_channel_point(place[0], place[1], place[2] if high else math.nan, band)
            for place, band in zip(places.tolist(), bands.tolist())
        ]
    )
    struct, watch, found = library.pw_powers_options_default(), Watch(progress), np.empty(count)
    struct.channel, struct.monitor = channel_options(options), watch.monitor()
    for name, value in given.items():
        setattr(struct, name, value)
    with result._on_sheet(None, 0, "own") as handle, watch.checked():
        call("pw_channel_powers", handle, encoded(transmitter), where, count, ctypes.byref(struct), address(found), None)
    return found


class Calibrating:
    """The part of `Result` that predicts at points, and compares predictions with measurements."""

    def powers(
        self,
        points: Texts,
        transmitter: str | None = None,
        *,
        frequency: Texts | None = None,
        mean_width: Quantity = 0.0,
        receiver_gain: Quantity = 0.0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[ChannelOptions],
    ) -> npt.NDArray[np.float64]:
        """Received power [dBm] at many points, of shape (count): many times as fast as a channel each.

        Parameters
        ----------
        points : array_like, (count, 2) or (count, 3)
            x and y, and in three dimensions the height, of each point [m].
        frequency : array_like, (count), optional
            [Hz]; default, and 0: the mean over the band.
        mean_width : float or str
            Side of the square over which powers are averaged [m]; 0: a wavelength.
        **options
            See `ChannelOptions`.

        Raises
        ------
        BadInput
            A point outside the spectra or without a field, a frequency outside the band.

        Examples
        --------
        >>> result.powers([("1 m", "1 m"), (1.5, 2)], "west").shape
        (2,)
        """
        given = {"receiver_gain": db("receiver_gain", receiver_gain), "mean_width": length(mean_width)}
        return powers(cast("Result", self), points, frequency, transmitter, progress, given, options)

    def calibrate(
        self,
        points: Texts,
        power: Texts,
        transmitter: str | None = None,
        *,
        frequency: Texts | None = None,
        materials: Sequence[str] = (),
        hold_out: int = 4,
        mean_width: Quantity = 0.0,
        receiver_gain: Quantity = 0.0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[FitOptions],
    ) -> Calibration:
        """Compares predictions with measured powers, and fits one offset, on request materials too, which solves the plan again.

        Parameters
        ----------
        points : array_like, (count, 2) or (count, 3)
            x and y, and in three dimensions the height, of each measured point [m].
        power : array_like, (count)
            Received [dBm].
        frequency : array_like, (count), optional
            [Hz]; default, and 0: the mean over the band.
        materials : list of str
            Their permittivity and conductivity are scaled.
        hold_out : int
            Points in one square of 1.5 m are one place. Every place whose number, from 1, is a multiple of it is held out of the fit; 0: none.
        mean_width : float or str
            Side of the square over which a prediction is averaged [m]; 0: a wavelength.
        **options
            See `FitOptions`.

        Raises
        ------
        BadInput
            A point outside the spectra, a frequency outside the band, too few points for what is fitted, materials that the points
            do not feel or do not tell apart.

        Examples
        --------
        >>> points = [(0.5, 0.5), (1, 1), ("1.5 m", "2 m"), (1, 2), (0.5, 1)]
        >>> found = result.calibrate(points, result.powers(points, "west") + 3, "west", hold_out=0)
        >>> round(found.offset, 6)
        3.0
        """
        given = {"hold_out": hold_out, "receiver_gain": db("receiver_gain", receiver_gain), "mean_width": length(mean_width)}
        return calibrate(cast("Result", self), (points, power, frequency), transmitter, list(materials), progress, given, options)

    def calibrate_joint(
        self,
        points: Texts,
        power: Texts,
        transmitters: Sequence[str] | str | None = None,
        *,
        frequency: Texts = 0.0,
        held: npt.ArrayLike = False,
        below: npt.ArrayLike = False,
        sensitivity: Quantity | None = None,
        handsets: Sequence[str] | None = None,
        facing: npt.ArrayLike | None = None,
        parameters: Sequence[str] = (),
        offsets: str = "each",
        gather: Quantity = 0.0,
        blocks: Quantity = 1.5,
        rounds: int = 8,
        progress: ProgressOfWork | None = None,
        **options: Unpack[FitOptions],
    ) -> JointCalibration:
        """Fits offsets and parameters of the plan to readings of all transmitters together, robustly.

        Parameters
        ----------
        points, power, frequency
            As of `calibrate`.
        transmitters : str or list of str, (count)
            Whose level each reading is; default: the first one's.
        held : array_like of bool, (count)
            Scored with the fitted values, and no part of the fit.
        below, sensitivity : array_like of bool (count), float or str
            Nothing was received, and the power is less than that of `power`; which is so of powers that are not over this [dBm].
        handsets : list of str, (count), optional
            What each reading was taken with; each device beside the first gets an offset.
        facing : array_like, (count), optional
            Where the carrier of the receiver looks, in degrees from x towards y; for the parameter "body".
        parameters : list of str
            "brick:permittivity=2..8", "brick:thickness", "height=0.5..1.5", "slope", "exponent", "body"; the plan is solved again for
            materials. "walls:permittivity=1.3": every wall by itself, a factor on its material's that was thought to lie within 1.3.
        offsets : {"each", "one", "none"}
        gather, blocks : float or str
            Readings in squares of this side are one cell [m], 0: each is; side of the squares that are held out in turn.
        rounds : int
            Of the fit, re-runs in each.
        **options
            See `FitOptions`.

        Examples
        --------
        >>> points = np.random.default_rng(1).uniform(0.3, 1.7, (40, 2))
        >>> found = result.calibrate_joint(points, result.powers(points, "west") + 3, "west", blocks="70 cm")
        >>> round(found.offsets["west"], 3)
        3.0
        """
        readings = _readings(points, power, transmitters, frequency, held, below, handsets, facing)
        given = {"gather": length(gather), "blocks": length(blocks), "rounds": rounds}
        given["sensitivity"] = math.nan if sensitivity is None else parse_power(sensitivity)
        return calibrate_joint(cast("Result", self), readings, int(np.size(power)), parameters, offsets, progress, given, options)
