"""How sure is a map, given how well materials, walls and places are known?

```python
sure = scenario.uncertainty({"brick:permittivity": 0.1, "ap1:position": "20 cm"}, local_mean=True, thresholds=[-67])
print(sure.shares[0], sure.sensitivity)
```
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Watch, address, call, captured, decoded, encoded, library, path_of
from .._words import in_python
from ..maps import floor_of, map_options, thresholds_of
from ..options import Quantity, decibels, length, word

if TYPE_CHECKING:
    from ..maps import Floor
    from ..result import ProgressOfWork
    from ..scenario import PathLike, Scenario

Floats = npt.NDArray[np.float64]
METHODS = {
    "auto": _abi.PW_UNCERTAINTY_AUTO,
    "samples": _abi.PW_UNCERTAINTY_SAMPLES,
    "chaos": _abi.PW_UNCERTAINTY_CHAOS,
    "first-order": _abi.PW_UNCERTAINTY_FIRST_ORDER,
}
_PLANES = ("nominal", "p10", "p50", "p90", "mean", "deviation", "reading_p10", "reading_p90")


@dataclass(frozen=True)
class Spread:
    """How well one thing is known.

    Parameters
    ----------
    width : float or str
        Of a factor, "brick:permittivity" and the like: the standard deviation of its logarithm, 0.1 for 10 %; of a position, a length: the
        standard deviation along x and along y.
    uniform : bool
        All values within `width` are as likely.

    Examples
    --------
    >>> pw.Spread("5 %", uniform=True).width
    '5 %'
    """

    width: Quantity
    uniform: bool = False


@dataclass(frozen=True)
class Sensitivity:
    """Which share of the variance over the floor a spread explains: alone, and with its part in what several do together."""

    alone: float
    total: float


@dataclass(frozen=True)
class UncertainShare:
    """Share of the floor, 0 to 1, whose mean level meets a threshold: with the scenario as written, and its quantiles over the draws.

    `readings` is the share of new readings that meet it, in the mean over floor, draws and scatter.
    """

    threshold: float
    nominal: float
    p10: float
    p50: float
    p90: float
    readings: float


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """A map with its quantiles over draws of what is not known. Made by `Scenario.uncertainty`.

    Attributes
    ----------
    nominal, p10, p50, p90, mean, deviation : ndarray, (row, column)
        In `unit`: with the scenario as written; quantiles, each cell on its own; mean and standard deviation of the draws. Row 0 at the
        bottom; NaN where a draw has no value.
    reading_p10, reading_p90 : ndarray, (row, column)
        Quantiles of a new reading, which scatters about the mean level: of the normal distributions about the draws.
    scatter, scatter_source : float, str
        Their standard deviation [dB]; where it comes from, in words.
    x, y : ndarray
        Of columns and rows [m].
    unit : str
    floor : Floor
        Which cells are inside the building.
    samples, dimensions : int
        Draws, or the runs of the first order; numbers drawn for each, a position being two.
    cells : int
        Of the floor that have values in every draw.
    from_chaos, degree, terms : bool, int, int
        Whether quantiles are those of the polynomial chaos; its degree; its polynomials.
    chaos_error : float
        Its leave-one-out error over the floor, of the variance; over one half `sensitivity` says nothing.
    spread, quantile_error : float
        [dB]: standard deviation over the draws; standard error of P10 and P90 by the number of draws, in first order how far they are off.
    sensitivity : dict of Sensitivity
        By what was varied.
    shares : list of UncertainShare
        One for each threshold.
    report : str
        The summary that the program prints, where files were written.

    Examples
    --------
    >>> sure = pw.Scenario("small.yaml").uncertainty({"tx1:position": "5 cm"}, samples=8)
    >>> sure.p10.shape == sure.nominal.shape, sure.scatter
    (True, 3.0)
    """

    nominal: Floats = field(repr=False)
    p10: Floats = field(repr=False)
    p50: Floats = field(repr=False)
    p90: Floats = field(repr=False)
    mean: Floats = field(repr=False)
    deviation: Floats = field(repr=False)
    reading_p10: Floats = field(repr=False)
    reading_p90: Floats = field(repr=False)
    scatter: float
    scatter_source: str
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    unit: str
    floor: Floor = field(repr=False)
    samples: int
    dimensions: int
    cells: int
    from_chaos: bool
    degree: int
    terms: int
    chaos_error: float
    spread: float
    quantile_error: float
    sensitivity: dict[str, Sensitivity]
    shares: list[UncertainShare]
    report: str = field(repr=False)


Spreads = Mapping[str, Union[Spread, float, str]]


def _spreads(given: Spreads) -> Any:
    """An array of pw_spread."""
    if not 1 <= len(given) <= _abi.PW_SPREADS:
        raise errors.UsageError(f"{len(given)} things are varied: give 1 to {_abi.PW_SPREADS}")
    made = (_abi.pw_spread * len(given))()
    for n, (name, value) in enumerate(given.items()):
        spread = value if isinstance(value, Spread) else Spread(value)
        width = spread.width
        if isinstance(width, str) and width.rstrip().endswith("%"):
            try:
                width = float(width.rstrip()[:-1]) / 100.0
            except ValueError:
                raise errors.UsageError(f'{name!r} is known to {spread.width!r}: give a share, such as 0.1 or "10 %"') from None
        elif isinstance(width, str) and not name.endswith(":position"):
            raise errors.UsageError(f'{name!r} is known to {spread.width!r}: give a share, such as 0.1 or "10 %"')
        made[n] = _abi.pw_spread(encoded(name), length(width), spread.uniform)
    return made


def uncertainty(
    scenario: Scenario,
    vary: Spreads,
    numbers: tuple[int, int, str],
    scatter: Quantity | None,
    thresholds: Sequence[Quantity],
    mapped: tuple[str, str | None],
    machine: Any,
    path: PathLike | None,
    progress: ProgressOfWork | None,
    options: Mapping[str, Any],
) -> Uncertainty:
    """The work of `Scenario.uncertainty`."""
    plan = scenario._text_plan()
    struct, watch, spreads = library.pw_uncertainty_options_default(), Watch(progress), _spreads(vary)
    struct.spreads, struct.spread_count = spreads, len(spreads)
    struct.samples, struct.seed, struct.method = numbers[0], numbers[1], word("method", numbers[2], METHODS)
    if scatter is not None:
        struct.scatter = decibels(scatter)
    struct.map, _ = map_options(*mapped, options)
    levels = thresholds_of(thresholds, mapped[0])
    struct.thresholds, struct.threshold_count = address(levels) if levels.size else None, levels.size
    struct.compute, struct.monitor = machine, watch.monitor()
    found = _abi.pw_uncertainty()
    with captured() as (stream, text), watch.checked():
        arguments = (plan, ctypes.byref(struct))
        if path is None:
            call("pw_uncertainty_compute", *arguments, ctypes.byref(found))
        else:
            call("pw_uncertainty_write", *arguments, path_of(path), stream, ctypes.byref(found))
        report = in_python(text())
    try:
        return _taken(found, decoded(library.pw_quantity_unit(struct.map.quantity)), report)
    finally:
        library.pw_uncertainty_free(ctypes.byref(found))


def _taken(found: Any, unit: str, report: str) -> Uncertainty:
    shape = (found.shape.rows, found.shape.columns)

    def plane(name: str, kind: Any) -> Any:
        return np.ctypeslib.as_array(ctypes.cast(getattr(found, name), ctypes.POINTER(kind)), shape).copy()

    names = ("samples", "dimensions", "cells", "from_chaos", "degree", "terms", "chaos_error", "spread", "quantile_error", "scatter")
    listed = found.sensitivity[: found.sensitivity_count]
    shares = found.shares[: found.share_count]
    return Uncertainty(
        **{name: plane(name, ctypes.c_double) for name in _PLANES},
        x=found.shape.x0 + found.shape.pitch_x * np.arange(shape[1]),
        y=found.shape.y0 + found.shape.pitch_y * np.arange(shape[0]),
        scatter_source=decoded(found.scatter_source),
        unit=unit,
        floor=floor_of(plane("counted", ctypes.c_uint8), found.floor),
        **{name: getattr(found, name) for name in names},
        sensitivity={decoded(one.parameter): Sensitivity(one.alone, one.total) for one in listed},
        shares=[UncertainShare(one.threshold, one.nominal, one.p10, one.p50, one.p90, one.readings) for one in shares],
        report=report,
    )
