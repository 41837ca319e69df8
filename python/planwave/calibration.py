"""Predictions of a result against measured powers."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Watch, address, call, encoded, library
from .options import ChannelOptions, channel_options

if TYPE_CHECKING:
    from .result import ProgressOfWork, Result


@dataclass(frozen=True)
class Score:
    """How predictions agree with `count` measured points: bias (predicted - measured) and RMSE [dB], Pearson's correlation."""

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


def _measured(points: npt.ArrayLike, power: npt.ArrayLike, frequency: npt.ArrayLike | None) -> Any:
    """An array of pw_point."""
    places, levels = np.asarray(points, dtype=float), np.asarray(power, dtype=float)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or levels.shape != places.shape[:1]:
        raise errors.UsageError(
            f"points have the shape {places.shape} and powers {levels.shape}: give (count, 2) or (count, 3), and (count)"
        )
    if not np.isfinite(places).all() or not np.isfinite(levels).all():
        raise errors.BadInput("a measured point holds a number that is not finite")
    bands = np.broadcast_to(np.asarray(0.0 if frequency is None else frequency, dtype=float), levels.shape)
    high = places.shape[1] == 3
    return (_abi.pw_point * max(1, len(levels)))(
        *[
            _abi.pw_point(place[0], place[1], level, band, high, place[2] if high else 0.0)
            for place, level, band in zip(places.tolist(), levels.tolist(), bands.tolist())
        ]
    )


def calibrate(
    result: Result,
    measured: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike | None],
    transmitter: str | None,
    materials: list[str],
    backend: str,
    progress: ProgressOfWork | None,
    given: Mapping[str, Any],
    options: ChannelOptions,
) -> Calibration:
    """The work of `Result.calibrate`."""
    points, count = _measured(*measured), int(np.size(measured[1]))
    struct, watch = library.pw_calibration_options_default(), Watch(progress)
    struct.transmitter, struct.backend, struct.channel = encoded(transmitter), encoded(backend), channel_options(options)
    if len(materials) > _abi.PW_CALIBRATED_MATERIALS:
        raise errors.UsageError(f"at most {_abi.PW_CALIBRATED_MATERIALS} materials are fitted at once, not {len(materials)}")
    for n, material in enumerate(materials):
        struct.materials[n] = encoded(material)
    struct.material_count, struct.monitor = len(materials), watch.monitor()
    for name, value in given.items():
        setattr(struct, name, value)
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
