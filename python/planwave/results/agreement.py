"""Two results compared by frequency, delay and place, whatever their grids."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _abi  # type: ignore[attr-defined,unused-ignore]
from .._library import call, decoded, library, new_lock, path_of, Watch

if TYPE_CHECKING:
    from ..scenario import PathLike


@dataclass(frozen=True)
class Agreement:
    """One quantity of two results, compared by frequency, delay or place.

    Attributes
    ----------
    what, of : str
        ``"transfer function"`` of ``"ap1 -> desk"``, ``"map of received power"`` of ``"ap1"``.
    values : int
        How many were compared; 0: it could not be, for the reason in `note`.
    error : float
        ``norm(a - b) / norm(b)`` of amplitudes or delays; NaN where not compared.
    rms, median, p90, largest : float
        Difference in `unit` (``"dB"``, ``"ns"``), without its sign; the largest is at `where`.
    different : bool
        More than was allowed, or only one result has it.
    note : str
        How it was compared, or why not.

    Examples
    --------
    >>> max(one.rms for one in pw.agree("room.h5", "room.h5") if one.values > 0)
    0.0
    """

    what: str
    of: str
    values: int
    error: float
    rms: float
    median: float
    p90: float
    largest: float
    unit: str
    where: str
    different: bool
    note: str


def agree(
    a: PathLike,
    b: PathLike,
    *,
    max_error: float | None = None,
    max_db: float | None = None,
    plot: PathLike | None = None,
    progress: Callable[[float], object] | None = None,
) -> list[Agreement]:
    """Compares two results by frequency, delay and place, also when their grids differ.

    `compare` looks at datasets and bits, which results of two cells, schemes or numbers of dimensions do not share.

    Parameters
    ----------
    a, b : path
    max_error : float, optional
        A quantity is `different` when its relative error is larger. Default: 0, or no such limit where `max_db` is given.
    max_db : float, optional
        A quantity in decibels is `different` when its rms difference is larger.
    plot : path, optional
        Picture (PNG, SVG or PDF): both maps of received power and their difference, and the link that agrees
        least. It is replaced.

    Returns
    -------
    list of Agreement

    Examples
    --------
    >>> for row in planwave.agree("yee.h5", "fd4o.h5", max_db=1.0):   # doctest: +SKIP
    ...     print(row.what, row.of, row.rms, row.unit, row.note)
    """
    watch, handle = Watch(progress), ctypes.c_void_p()
    monitor = watch.monitor()
    relative = max_error if max_error is not None else 0.0 if max_db is None else math.nan
    levels = math.nan if max_db is None else max_db
    with new_lock(), watch.checked():
        call("pw_agreement_create", path_of(a), path_of(b), None, relative, levels, ctypes.byref(monitor), ctypes.byref(handle))
    try:
        if plot is not None:
            call("pw_agreement_plot", handle, path_of(plot))
        count = library.pw_agreement_count(handle)
        return [_agreement(library.pw_agreement_at(handle, n).contents) for n in range(count)]
    finally:
        library.pw_agreement_free(handle)


def _agreement(struct: _abi.pw_agreement_row) -> Agreement:
    return Agreement(
        what=decoded(struct.what),
        of=decoded(struct.of),
        values=struct.count,
        error=struct.error,
        rms=struct.rms,
        median=struct.median,
        p90=struct.p90,
        largest=struct.largest,
        unit=decoded(struct.unit),
        where=decoded(struct.where),
        different=struct.different,
        note=decoded(struct.note),
    )
