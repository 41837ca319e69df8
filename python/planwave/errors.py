"""Exceptions: one class for each status that a function of the library can end with, with the library's own sentence."""

from __future__ import annotations


class Error(Exception):
    """What went wrong, in the words of the library: the offending value and what is allowed.

    Attributes
    ----------
    status : int
        Status of the library, which is also the exit status of the program ``planwave``.
    """

    status = -1


class Different(Error):
    """A comparison found more difference than allowed, or a need is not met (status 1)."""

    status = 1


class UsageError(Error, ValueError):
    """A wrong call: an argument out of its range, or arguments that do not go together (status 2)."""

    status = 2


class BadInput(Error, ValueError):
    """A scenario, plan or file that cannot be used (status 3)."""

    status = 3


class NoResource(Error, RuntimeError):
    """No memory, disk or device, or a program or build option that is missing (status 4)."""

    status = 4


class Numerical(Error, ArithmeticError):
    """NaN, infinity or growth in the fields (status 5)."""

    status = 5


class Interrupted(Error):
    """Stopped by the caller: a ``progress`` function returned False, or a time limit was reached (status 6)."""

    status = 6


class Incomplete(Error):
    """Of several cases some failed or are missing; the others are done (status 7)."""

    status = 7


BY_STATUS: dict[int, type[Error]] = {
    kind.status: kind for kind in (Different, UsageError, BadInput, NoResource, Numerical, Interrupted, Incomplete)
}
