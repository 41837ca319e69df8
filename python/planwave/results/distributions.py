"""Values of a quantity over a part of the floor or over receivers, and their percentiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import errors
from ..facts import Floats


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of a quantity over one part of the floor, or over the receivers. Made by `Result.distributions`.

    Attributes
    ----------
    area : str or None
        Name; None: the whole floor, or the receivers.
    transmitter : str or None
        Name; None: at each place the strongest.
    cells : int
        Of the part, or receivers; those without a value too.
    values : ndarray
        In the unit of the quantity, ascending.

    >>> pw.Distribution(None, "ap", 1, np.array([7.0])).cells
    1
    """

    area: str | None
    transmitter: str | None
    cells: int
    values: Floats

    def percentile(self, percent: float | Sequence[float]) -> Any:
        """What `percent` (0 to 100) of the values are at or under; NaN where there are none.

        Examples
        --------
        >>> pw.Distribution(None, "ap", 4, np.array([0.0, 10.0, 20.0, 30.0])).percentile([10, 50]).round(9).tolist()
        [3.0, 15.0]
        """
        share = np.asarray(percent, dtype=np.float64)
        if not np.all((share >= 0) & (share <= 100)):
            raise errors.UsageError(f"percentile {percent}: allowed are 0 to 100")
        return np.percentile(self.values, share) if self.values.size else np.full(share.shape, np.nan)[()]
