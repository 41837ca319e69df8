"""What a siting answers: facts, the choice, channels; and the choice by levels of any origin."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, Union

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Watch, address, call, library
from ..facts import SetupFacts
from ..options import Quantity, dbm, duration, no_option, share_of, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..result import ProgressOfWork

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SitingFacts:
    """What a siting amounts to.

    Attributes
    ----------
    candidate_count, place_count, runs : int
        A run has one transmitter.
    places_send : bool
        Runs are by reciprocity: powers are means around the candidates, not around the places.
    total_weight : float
        Of all places.
    local_mean_error : float
        Forecast of a run [dB], root mean square: the grid's error on the plan as drawn (``planwave.forecast_words()``).
    mean_width : float
        Side of the square over which levels are means [m]; under 0: none.
    power : float
        EIRP of the access point [dBm].
    floor, why : str
        What demand without areas covers; who sends, and why.
    setup : SetupFacts
        Of a run.
    """

    candidate_count: int
    place_count: int
    places_send: bool
    runs: int
    total_weight: float
    local_mean_error: float
    mean_width: float
    power: float
    floor: str
    why: str
    setup: SetupFacts


@dataclass(frozen=True)
class Answer:
    """A choice of candidates.

    Attributes
    ----------
    met : bool
        The need is met; always so with `best`.
    sites : ndarray of int, (access point)
        Indices of candidates, ascending.
    positions : ndarray, (access point, 3)
        x, y and height [m]; the height is NaN where there is none. Empty of levels that are not a siting's.
    names : list of str
        Of the candidates, where they have names.
    share, second_share : float
        Of the weight that has the levels, 0 to 1.
    mean_level : float
        Mean over the weight of the level of the strongest [dBm].
    most_share, most_second_share : float
        With every candidate in use: no choice reaches more.
    least_count : int
        Proven: no choice of fewer candidates meets the need.
    share_bound : float
        Proven: no choice of so many candidates covers a larger share.
    exact : bool
        Proven: no choice is better.

    Examples
    --------
    >>> answer.positions.shape == (answer.sites.size, 3)
    True
    """

    met: bool
    sites: npt.NDArray[np.intp]
    positions: Floats
    names: list[str]
    share: float
    second_share: float
    mean_level: float
    most_share: float
    most_second_share: float
    least_count: int
    share_bound: float
    exact: bool
    _structs: tuple[Any, Any] = field(repr=False, compare=False)  # what the library's files are made of: need, answer


@dataclass(frozen=True)
class ChannelPlan:
    """Channels of the access points of an answer.

    Attributes
    ----------
    channels : list of str
        Of each access point.
    interference, single_interference : float
        Mean over the weight of interference over signal, linear; the same with all on one channel.
    sinr, single_sinr : tuple of float
        Of the 5, 50 and 95 % of the weight that is worst off [dB].
    exact : bool
        Proven smallest.

    Examples
    --------
    >>> plan = siting.assign_channels(answer, ["1", "6", "11"])
    >>> len(plan.channels) == answer.sites.size
    True
    """

    channels: list[str]
    interference: float
    single_interference: float
    sinr: tuple[float, float, float]
    single_sinr: tuple[float, float, float]
    exact: bool
    _struct: Any = field(repr=False, compare=False)
    _names: list[str] = field(repr=False, compare=False)


class NeedOptions(TypedDict, total=False):
    """What a choice must reach, beside the level and the share of the strongest access point.

    Parameters
    ----------
    second : float, str or a pair of them, optional
        The second strongest counts too: its level [dBm], and its share where it is another one.
    best : int
        Place exactly so many as well as possible; 0: the fewest that meet the need.
    most : int
        Of the fewest: never more than so many; 0: 64.
    search_time : float or str
        [s] that the proof of optimality may take, default 30; 0: heuristics and quick bounds alone.
    progress : callable or bool, optional
        As of `Siting.solve`; of runs first, then of the search.
    """

    second: Union[tuple[Quantity, Quantity], Quantity, None]
    best: int
    most: int
    search_time: Quantity
    progress: Union["ProgressOfWork", None]


def need_of(level: Quantity, share: Quantity, given: NeedOptions, watch: Watch) -> Any:
    for name in given:
        if name not in NeedOptions.__annotations__:
            raise no_option(name, "a choice", NeedOptions)
    need, second = library.pw_siting_need_default(), given.get("second")
    need.level, need.share = dbm("level", level), share_of("share", share)
    need.best, need.most = whole("best", given.get("best", 0)), whole("most", given.get("most", 0))
    need.search_time = duration("search_time", given.get("search_time", 30.0))
    if second is not None:
        other = second if isinstance(second, tuple) else (second, share)
        need.has_second, need.second_level, need.second_share = True, dbm("second", other[0]), share_of("second", other[1])
    need.monitor = watch.monitor()
    return need


def answer_of(need: Any, struct: Any, candidates: Floats, names: Sequence[str]) -> Answer:
    sites = np.array(struct.site[: struct.count], dtype=np.intp)
    plain = {name: getattr(struct, name) for name in Answer.__annotations__ if hasattr(struct, name)}
    here = candidates[sites] if candidates.size else np.empty((0, 3))
    return Answer(sites=sites, positions=here, names=[names[n] for n in sites] if names else [], _structs=(need, struct), **plain)


def choose_levels(
    levels: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    level: Quantity = -67.0,
    share: Quantity = 0.95,
    **options: Unpack[NeedOptions],
) -> Answer:
    """Chooses among candidates by levels of any origin.

    Parameters
    ----------
    levels : array_like, (candidate, place)
        [dBm]; NaN or minus infinity where nothing arrives.
    weights : array_like, (place), optional
        Over zero; default: all alike.
    level, share, **options
        As of `Siting.choose`.

    Raises
    ------
    UsageError
        Shapes that do not go together, numbers out of their ranges.

    Examples
    --------
    >>> pw.choose_levels([[-50, -90], [-90, -50]], level="-60 dBm", share="100 %").sites.tolist()
    [0, 1]
    """
    values = np.ascontiguousarray(levels, dtype=np.float64)
    if values.ndim != 2 or values.size == 0:
        raise errors.UsageError(f"levels have the shape {values.shape}: give (candidate, place)")
    weight = np.ones(values.shape[1]) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if weight.shape != values.shape[1:]:
        raise errors.UsageError(f"weights have the shape {weight.shape}, and there are {values.shape[1]} places")
    watch, found = Watch(options.get("progress")), _abi.pw_siting_answer()
    need = need_of(level, share, options, watch)
    with watch.checked():
        call("pw_siting_choose_levels", address(values), address(weight), *values.shape, ctypes.byref(need), ctypes.byref(found))
    return answer_of(need, found, np.empty((0, 3)), [])
