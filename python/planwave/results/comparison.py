"""Two results compared dataset by dataset."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _abi  # type: ignore[attr-defined,unused-ignore]
from .._library import Watch, call, decoded, library, new_lock, path_of

if TYPE_CHECKING:
    from ..result import ProgressOfWork
    from ..scenario import PathLike

_OBSTACLES = {
    _abi.PW_OBSTACLE_NONE: "",
    _abi.PW_OBSTACLE_ONLY_A: "only in the first",
    _abi.PW_OBSTACLE_ONLY_B: "only in the second",
    _abi.PW_OBSTACLE_SHAPE: "other shapes",
    _abi.PW_OBSTACLE_TYPE: "other types",
}


@dataclass(frozen=True)
class Difference:
    """One dataset of both files.

    Attributes
    ----------
    path : str
        Inside the files.
    obstacle : str
        What keeps the two from being compared number by number; else empty.
    identical, different : bool
        Every bit is the same; more difference than was allowed.
    largest, error, correlation : float
        Largest ``abs(a - b)``; ``norm(a - b) / norm(b)``; Pearson's.
    shape : tuple of int

    Examples
    --------
    >>> pw.compare("room.h5", "room.h5")[0].identical
    True
    """

    path: str
    obstacle: str
    identical: bool
    different: bool
    largest: float
    error: float
    correlation: float
    shape: tuple[int, ...]


def compare(a: PathLike, b: PathLike, *, max_error: float = 0.0, progress: ProgressOfWork | None = None) -> list[Difference]:
    """Compares all numeric datasets of two results; times and energies are left out.

    Parameters
    ----------
    a, b : path
    max_error : float
        A dataset is `different` when its relative error is larger; 0 demands identical bits.

    Returns
    -------
    list of Difference
        ``any(d.different for d in compare(a, b))`` is the verdict of the program ``planwave compare``.

    Examples
    --------
    >>> any(one.different for one in pw.compare("room.h5", "room.h5"))
    False
    """
    watch, handle = Watch(progress), ctypes.c_void_p()
    monitor = watch.monitor()
    with new_lock(), watch.checked():
        call("pw_comparison_create", path_of(a), path_of(b), max_error, ctypes.byref(monitor), ctypes.byref(handle))
    try:
        count = library.pw_comparison_count(handle)
        return [_difference(library.pw_comparison_dataset(handle, n).contents) for n in range(count)]
    finally:
        library.pw_comparison_free(handle)


def _difference(struct: _abi.pw_difference) -> Difference:
    return Difference(
        path=decoded(struct.path),
        obstacle=_OBSTACLES[struct.obstacle],
        identical=struct.identical,
        different=struct.different,
        largest=struct.largest,
        error=struct.error,
        correlation=struct.correlation,
        shape=tuple(struct.extent[: struct.rank]),
    )
