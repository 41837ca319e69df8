"""Large-scale parameters of a building, as 3GPP TR 38.901 has them for its scenarios."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Watch, call, decoded, encoded, library
from ..options import channel_options, decibels, length, time, whole

if TYPE_CHECKING:
    from ..result import ProgressOfWork, Result

Estimate = tuple[float, float, float]


@dataclass(frozen=True)
class LargeScale:
    """Estimates of one area, with or without line of sight. Made by `Result.parameters`.

    Attributes
    ----------
    area : str or None
        Name; None: the whole floor.
    sight : bool
        Line of sight.
    samples : int
        Places.
    estimates : dict of (value, low, high)
        By the name of the column of ``planwave parameters``, such as "path_loss_exponent"; between low and high it lies with 95 %; NaN where it
        is not known.

    Examples
    --------
    >>> pw.LargeScale(None, True, 0, {}).sight
    True
    """

    area: str | None
    sight: bool
    samples: int
    estimates: dict[str, Estimate]


def compute(
    result: Result,
    transmitter: str | None,
    areas: Mapping[str, Any],
    counts: tuple[Any, int, int, Any, Any],
    sheet: tuple[Any, int, Any],
    progress: ProgressOfWork | None,
    options: Mapping[str, Any],
) -> list[LargeScale]:
    """The work of `Result.parameters`."""
    from ..maps import areas_of

    watch, struct = Watch(progress), library.pw_parameters_options_default()
    struct.channel, struct.monitor = channel_options(options), watch.monitor()
    if transmitter is not None:
        struct.transmitter = encoded(transmitter)
    struct.areas, struct.area_count = areas_of(areas), len(areas)
    struct.least_distance = length(counts[0])
    struct.angle_places, struct.draws = whole("angle_places", counts[1], 0), whole("draws", counts[2], 0)
    struct.cluster_gap, struct.cluster_depth = time(counts[3]), decibels(counts[4])
    if not struct.least_distance > 0:
        raise errors.UsageError(f"least_distance {counts[0]}: it must be above 0")
    rows = (_abi.pw_parameters_row * (2 * (1 + len(areas))))()
    with result._on_sheet(*sheet) as opened, watch.checked():
        call("pw_parameters_read", opened, ctypes.byref(struct), rows)
    names = [decoded(library.pw_large_scale_name(n)) for n in range(_abi.PW_LARGE_COUNT)]
    return [
        LargeScale(
            None if row.area < 0 else list(areas)[row.area],
            bool(row.sight),
            row.parameters.samples,
            {name: (one.value, one.low, one.high) for name, one in zip(names, row.parameters.estimate)},
        )
        for row in rows
    ]
