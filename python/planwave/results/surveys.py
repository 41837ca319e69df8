"""Surveys: every quantity of a channel, and the power-delay profile, at every cell at once."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _abi  # type: ignore[attr-defined,unused-ignore]
from .._library import Watch, call, decoded, library
from ..options import channel_options, whole

if TYPE_CHECKING:
    from ..result import ProgressOfWork, Result


@dataclass(frozen=True, eq=False)
class Survey:
    """What is known of one transmitter at every cell of a sheet. Made by `Result.survey`.

    Attributes
    ----------
    planes : dict of ndarray of float32, (row, column)
        By key, such as "rms_delay_spread", in the unit of `units`; NaN where not defined.
    units : dict of str
    x, y : ndarray
        [m], of columns and rows.
    delay : ndarray, (delay)
        [s], of the profiles; empty: too few frequencies for them.
    profiles : ndarray of float32, (row, column, delay)
        Power-delay profiles [dB] under the peak of each cell, in steps of 0.25 dB; the least value stands for all that is less.
    inside : ndarray of bool, (row, column)
        What coverage counts.
    doubt : str
        A sentence about cells whose delays are masked; mostly empty.

    Examples
    --------
    >>> survey = result.survey("west", cell_step=4)
    >>> survey.profiles.shape == (survey.y.size, survey.x.size, survey.delay.size)
    True
    """

    planes: dict[str, npt.NDArray[np.float32]] = field(repr=False)
    units: dict[str, str]
    x: npt.NDArray[np.float64] = field(repr=False)
    y: npt.NDArray[np.float64] = field(repr=False)
    delay: npt.NDArray[np.float64] = field(repr=False)
    profiles: npt.NDArray[np.float32] = field(repr=False)
    inside: npt.NDArray[np.bool_] = field(repr=False)
    doubt: str


def compute(
    result: Result,
    transmitter: str | None,
    steps: tuple[int, int],
    sheet: tuple[Any, int, Any],
    progress: ProgressOfWork | None,
    options: Mapping[str, Any],
) -> Survey:
    """The work of `Result.survey`."""
    watch, handle = Watch(progress), ctypes.c_void_p()
    monitor, struct = watch.monitor(), _abi.pw_survey_options(channel=channel_options(options))
    struct.cell_step, struct.tap_step = whole("cell_step", steps[0], 1), whole("tap_step", steps[1], 1)
    with result._on_sheet(*sheet) as opened, watch.checked():
        struct.sheet, struct.transmitter = library.pw_result_sheet_chosen(opened), result._index(transmitter)
        call("pw_survey_create", opened, ctypes.byref(struct), ctypes.byref(monitor), ctypes.byref(handle))
    made = ctypes.cast(handle, ctypes.POINTER(_abi.pw_survey))
    try:
        facts = made.contents
        shape = (facts.rows, facts.columns)

        def plane(start: Any, kind: Any, of: tuple[int, ...] = shape) -> Any:
            return np.ctypeslib.as_array(ctypes.cast(start, ctypes.POINTER(kind)), of).copy()

        planes = facts.planes[: facts.plane_count]
        codes = (
            plane(facts.profiles, ctypes.c_uint8, (*shape, facts.bin_count)) if facts.bin_count else np.empty((*shape, 0), dtype=np.uint8)
        )
        return Survey(
            planes={decoded(one.key): plane(one.value, ctypes.c_float) for one in planes},
            units={decoded(one.key): decoded(one.unit) for one in planes},
            x=facts.x0 + facts.pitch_x * np.arange(shape[1]),
            y=facts.y0 + facts.pitch_y * np.arange(shape[0]),
            delay=facts.first_delay + facts.bin * np.arange(facts.bin_count),
            profiles=np.float32(-0.25) * codes.astype(np.float32),
            inside=plane(facts.counted, ctypes.c_uint8).view(np.bool_),
            doubt=decoded(facts.doubt_text),
        )
    finally:
        library.pw_survey_free(made)
