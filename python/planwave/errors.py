"""Exceptions: one class for each status that a function of the library can end with, all of them an `Error`."""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Callable
from typing import Any

from ._words import in_python, parts


class Error(Exception):
    """What went wrong: the offending value and what is allowed, with options called as Python's functions call them.

    Attributes
    ----------
    status : int
        Status of the library, which is also the exit status of the program ``planwave``.
    what : str or None
        The key, argument or thing that is wrong, where the sentence names it.
    value : object
        The value that is wrong, of an argument itself, of a key as it is written; None where there is none.
    allowed : str or None
        What may stand there.

    Examples
    --------
    >>> try:
    ...     pw.length("3 parsec")
    ... except pw.Error as error:
    ...     print(error.status, error.value, "->", error.allowed)
    3 3 parsec -> km, m, cm, mm, um, µm, in, ft (a bare number is SI)
    """

    status = -1

    def __init__(self, message: str = "", *, what: str | None = None, value: Any = None, allowed: str | None = None):
        message = in_python(message)
        super().__init__(message)
        told = parts(message)
        self.what = told.what if what is None else what
        self.value = told.value if value is None else value
        self.allowed = told.allowed if allowed is None else allowed


class Different(Error):
    """A comparison found more difference than allowed, or a need is not met (status 1).

    Examples
    --------
    >>> issubclass(pw.Different, pw.Error), pw.Different.status
    (True, 1)
    """

    status = 1


class UsageError(Error, ValueError):
    """A wrong call: an argument out of its range, or arguments that do not go together (status 2).

    Examples
    --------
    >>> try:
    ...     result.map(window="hann", padding=0)
    ... except pw.UsageError as error:
    ...     print(error.status, error.what, error.value)
    2 padding 0
    """

    status = 2


class BadInput(Error, ValueError):
    """A scenario, plan or file that cannot be used (status 3).

    Examples
    --------
    >>> try:
    ...     pw.Scenario("nowhere.yaml")
    ... except pw.BadInput as error:
    ...     print(error.status, error.value)
    3 nowhere.yaml
    """

    status = 3


class NoResource(Error, RuntimeError):
    """No memory, disk or device, or a program or build option that is missing (status 4).

    Examples
    --------
    >>> try:
    ...     setup.run("/nowhere/at/all.h5")
    ... except pw.NoResource as error:
    ...     print(error.status)
    4
    """

    status = 4


class Numerical(Error, ArithmeticError):
    """NaN, infinity or growth in the fields (status 5).

    Examples
    --------
    >>> issubclass(pw.Numerical, ArithmeticError), pw.Numerical.status
    (True, 5)
    """

    status = 5


class Interrupted(Error):
    """Stopped by the caller: a ``progress`` function returned False, or a time limit was reached (status 6).

    Examples
    --------
    >>> try:
    ...     result.map(progress=lambda done: False)
    ... except pw.Interrupted as error:
    ...     print(error.status)
    6
    """

    status = 6


class Incomplete(Error):
    """Of several cases some failed or are missing; the others are done (status 7).

    Examples
    --------
    >>> issubclass(pw.Incomplete, pw.Error), pw.Incomplete.status
    (True, 7)
    """

    status = 7


def refused(what: str, value: Any, allowed: str) -> UsageError:
    """The error of an argument that is out of its range."""
    return UsageError(f"{what} is {value!r}: give {allowed}", what=what, value=value, allowed=allowed)


BY_STATUS: dict[int, type[Error]] = {
    kind.status: kind for kind in (Different, UsageError, BadInput, NoResource, Numerical, Interrupted, Incomplete)
}


# ---- numbers on their way into C: ctypes takes 2**32 + 1 for 1 without a word, and does not take numpy's numbers ----

_WHOLE: dict[Any, int] = {  # bits; without the sign where it has none
    kind: 8 * ctypes.sizeof(kind) for kind in (ctypes.c_int, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_size_t)
}
_UNSIGNED = {ctypes.c_uint64, ctypes.c_size_t}


def checked(kind: Any, value: Any, name: str) -> Any:
    """The value as a field or an argument of this type takes it, or UsageError; other types are left as they are."""
    try:
        if kind in (ctypes.c_double, ctypes.c_float):
            return float(value)
        if kind not in _WHOLE or isinstance(value, ctypes._SimpleCData):
            return value
        number = operator.index(value)
    except (TypeError, ValueError, OverflowError):
        wanted = "a number" if kind in (ctypes.c_double, ctypes.c_float) else "a whole number"
        raise UsageError(f"{name} is {value!r}: give {wanted}") from None
    bits = _WHOLE[kind]
    low, high = (0, 2**bits - 1) if kind in _UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not low <= number <= high:
        raise UsageError(f"{name} is {number}: it must be {low} to {high}")
    return number


def exit_status(work: Callable[[], int]) -> int:
    """Of a command: what `work` returns, or, where it fails, that of the failure, which is told on stderr; as ``planwave`` has it."""
    try:
        return work()
    except KeyboardInterrupt:
        print("stopped, nothing written", file=sys.stderr)
        return Interrupted.status
    except Error as failure:
        print(f"error: {failure}", file=sys.stderr)
        return failure.status
    except OSError as failure:
        print(f"error: {failure}", file=sys.stderr)
        return NoResource.status


class Structure(ctypes.Structure):
    """A structure whose numbers are looked at when they are set."""

    def __setattr__(self, name: str, value: Any) -> None:
        kinds = _kinds.get(type(self))
        if kinds is None:
            kinds = _kinds[type(self)] = {field[0]: field[1] for field in self._fields_}
        super().__setattr__(name, checked(kinds.get(name), value, name))


_kinds: dict[type, dict[str, Any]] = {}  # of the fields of each structure
