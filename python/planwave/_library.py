"""The shared library: found, checked against the headers that _abi.py was made from, and called.

A failed call raises the exception of its status (errors.py). Handles are freed when they are closed or, at the latest, when
nobody refers to them any more. Every call releases the GIL.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy.typing as npt

from . import errors
from ._progress import Bar
from .errors import checked

try:
    from . import _abi  # type: ignore[attr-defined,unused-ignore]
except ImportError as missing:  # a source tree that was never built
    raise ImportError("planwave is not built: run `pip install .` in the folder of its source") from missing


def _load() -> ctypes.CDLL:
    path = os.environ.get("PLANWAVE_LIBRARY") or str(Path(__file__).with_name("libplanwave.so"))
    # OpenMP reads this when it is loaded: without it threads that wait look for work for milliseconds, and on a loaded machine keep
    # the one that they wait for from its core. What is started from Python later does not inherit it.
    patient = "GOMP_SPINCOUNT" not in os.environ and "OMP_WAIT_POLICY" not in os.environ
    if patient:
        os.environ["GOMP_SPINCOUNT"] = "1000"
    try:
        library = ctypes.CDLL(path)
    except OSError as failure:
        raise ImportError(
            f"the library of planwave cannot be loaded: {failure}. It needs HDF5, FFTW, libpng, libjpeg, libtiff, zlib, libzip, "
            "jansson, expat, libyaml, GLPK and civetweb of this system (`make deps` in its source installs them on Debian)"
        ) from failure
    finally:
        if patient:
            del os.environ["GOMP_SPINCOUNT"]
    try:
        library.pw_version.restype = library.pw_interface.restype = ctypes.c_char_p
        version, interface = library.pw_version().decode(), library.pw_interface().decode()
    except AttributeError as old:
        raise ImportError(f"{path} is older than this package, planwave {_abi.VERSION}: it does not say its version") from old
    if version != _abi.VERSION:
        raise ImportError(f"{path} is planwave {version}, and this package is planwave {_abi.VERSION}; install both anew")
    if interface != _abi.INTERFACE:
        raise ImportError(
            f"{path} was built from other headers ({interface[:12]}) than this package ({_abi.INTERFACE[:12]}), both of planwave "
            f"{version}: their structures may differ; run `pip install .` again"
        )
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


def files_are_threadsafe() -> bool:
    """Whether HDF5 serves several threads at once."""
    answer = ctypes.c_bool(False)
    try:
        library.H5is_library_threadsafe(ctypes.byref(answer))
    except AttributeError:
        return False
    return answer.value


_everyone = None if files_are_threadsafe() else threading.RLock()


def new_lock() -> Any:
    """A lock for one handle of a result; the same for all where HDF5 serves one thread alone."""
    return _everyone or threading.RLock()


def limit_threads(count: int) -> None:
    """Lets loops of the library that are started from this thread of Python use so many threads, where OpenMP can be reached."""
    try:
        ctypes.CDLL("libgomp.so.1").omp_set_num_threads(ctypes.c_int(count))
    except (OSError, AttributeError):
        pass


# ---- calls -----------------------------------------------------------------------------------------------------------


def raise_for(status: int, message: str) -> None:
    """Raises the exception of a status that is not zero."""
    raise errors.BY_STATUS.get(status, errors.Error)(message or f"the library failed with status {status}")


def call(name: str, *arguments: Any) -> None:
    """Calls a function whose last argument is a ``pw_error *`` and which returns a status."""
    error = _abi.pw_error()
    kinds: tuple[Any, ...] = _abi.FUNCTIONS[name][1]
    numbers = [checked(kind, value, f"{name}: an argument") for kind, value in zip(kinds, arguments)]
    status = getattr(library, name)(*numbers, ctypes.byref(error))
    if status != 0:
        raise_for(status, error.message.decode(errors="replace"))


def encoded(value: str | os.PathLike[str] | None) -> bytes | None:
    """A name, text or path as the library takes it; None stays NULL."""
    if value is None:
        return None
    if not isinstance(value, (str, os.PathLike)):
        raise errors.UsageError(f"{value!r} is no text and no path")
    data = os.fsencode(value) if isinstance(value, os.PathLike) else value.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise errors.UsageError(f"{value!r} holds a null character")
    return data


def path_of(value: str | os.PathLike[str]) -> bytes:
    """A path as the library takes it, which must be there."""
    data = encoded(value)
    if not data:
        raise errors.UsageError(f"the path is {value!r}: give a path")
    return data


def decoded(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")


def freed_text(pointer: ctypes.c_void_p) -> str:
    """A text that the library hands over."""
    text = decoded(ctypes.string_at(pointer.value)) if pointer.value else ""
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    libc.free(pointer)
    return text


def texts(values: list[str]) -> tuple[Any, int]:
    """An array of texts, and its length; keep the first alive during the call."""
    if not values:
        return None, 0
    return (ctypes.c_char_p * len(values))(*[encoded(value) for value in values]), len(values)


def address(array: npt.NDArray[Any] | None) -> int | None:
    """Where a C-contiguous array lies, which the library fills or reads without a copy."""
    if array is None:
        return None
    assert array.flags.c_contiguous
    return array.ctypes.data


def as_dict(struct: ctypes.Structure) -> dict[str, Any]:
    """The fields of a structure: texts decoded, arrays as tuples, structures as dicts; addresses left out."""
    values: dict[str, Any] = {}
    for field in struct._fields_:
        value = getattr(struct, field[0])
        if isinstance(value, bytes):
            value = decoded(value)
        elif isinstance(value, ctypes.Structure):
            value = as_dict(value)
        elif isinstance(value, ctypes.Array):
            value = tuple(as_dict(v) if isinstance(v, ctypes.Structure) else v for v in value)
        elif isinstance(value, ctypes._Pointer) or field[1] is ctypes.c_void_p or callable(value):
            continue
        values[field[0]] = "" if value is None else value
    return values


@contextmanager
def captured() -> Iterator[tuple[int, Callable[[], str]]]:
    """A C stream for what the library prints, and a function that returns what was printed so far."""
    libc = ctypes.CDLL(None)
    libc.open_memstream.restype = ctypes.c_void_p
    libc.open_memstream.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    libc.fflush.argtypes = libc.fclose.argtypes = libc.free.argtypes = [ctypes.c_void_p]
    buffer, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = libc.open_memstream(ctypes.byref(buffer), ctypes.byref(size))
    if not stream:
        raise errors.NoResource("no memory for what the library prints")

    def text() -> str:
        libc.fflush(stream)
        return decoded(ctypes.string_at(buffer, size.value))

    try:
        yield stream, text
    finally:
        libc.fclose(stream)
        libc.free(buffer)


class Watch:
    """Hands progress to a Python function, and carries what it raises, Ctrl-C included, over the library to the caller.

    Python runs signal handlers between its own instructions, so that a call into C would not notice Ctrl-C: the function that
    the library calls every few tenths of a second is where it is noticed. It may be noticed at that function's very beginning, where
    nothing can catch it, so that the handler of the signal is one that keeps what the usual one raises.
    """

    def __init__(self, told: Callable[..., object] | bool | None):
        self.bar: Bar | None = None
        self.told: Callable[..., object] | None = None
        self.raised: BaseException | None = None
        self.ask(told)

    def ask(self, told: Callable[..., object] | bool | None) -> None:
        """Whom the next work is told; True: a bar of its own."""
        self.raised = None
        self.bar = Bar() if told is True else None
        self.told = self.bar.tell if self.bar is not None else None if isinstance(told, bool) else told

    def tell(self, *arguments: Any) -> bool:
        try:
            goes_on = self.told is None or self.told(*arguments) is not False
        except BaseException as exception:  # raised again by `checked`
            self.raised = exception
        return self.raised is None and goes_on

    def tell_of(self, told: Callable[..., object], *arguments: Any) -> None:
        """Calls a function that is not asked anything; what it raises is carried as well."""
        try:
            told(*arguments)
        except BaseException as exception:
            self.raised = exception

    def monitor(self) -> Any:
        """A pw_monitor; keep this object alive during the call."""
        self.callback = _abi.pw_monitor._fields_[0][1](self._monitor)
        return _abi.pw_monitor(self.callback, None)

    def _monitor(self, done: float, _user: object) -> bool:
        try:
            return self.tell(done)
        except BaseException as exception:  # Ctrl-C between two lines of this class
            self.raised = exception
            return False

    @contextmanager
    def checked(self) -> Iterator[None]:
        usual = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None

        def keep(number: int, frame: Any) -> None:
            try:
                usual(number, frame)  # type: ignore[operator,misc]
            except BaseException as exception:
                self.raised = exception

        if callable(usual):
            signal.signal(signal.SIGINT, keep)
        try:
            yield
            if self.bar is not None:
                self.bar.tell(1.0)
        except errors.Interrupted as interrupted:
            if self.raised is not None:
                raise self.raised from interrupted
            raise
        finally:
            if callable(usual):
                signal.signal(signal.SIGINT, usual)
            if self.bar is not None:
                self.bar.end()
        if self.raised is not None:
            raise self.raised


# ---- handles ---------------------------------------------------------------------------------------------------------


Self = TypeVar("Self", bound="Handle")


class Handle:
    """Something that the library owns. Closing it frees it; so does the end of a ``with`` block, and forgetting it.

    What was made from it and needs it is closed before it.

    Examples
    --------
    >>> with pw.open("room.h5") as opened:
    ...     title = opened.facts.title
    """

    def _own(self, free: str, handle: ctypes.c_void_p, *parents: Handle) -> None:
        self._value = handle.value
        self._parents = parents  # live as long as this
        self._children: weakref.WeakSet[Handle] = weakref.WeakSet()
        for parent in parents:
            parent._children.add(self)
        self._finalizer = weakref.finalize(self, getattr(library, free), handle.value)

    @property
    def _handle(self) -> int:
        finalizer = getattr(self, "_finalizer", None)
        if finalizer is None or not finalizer.alive or self._value is None:
            raise errors.UsageError(f"this {type(self).__name__} is closed")
        return int(self._value)

    @property
    def closed(self) -> bool:
        """Whether it was closed.

        Examples
        --------
        >>> scenario.closed
        False
        """
        return not self._finalizer.alive

    def close(self) -> None:
        """Frees it and what was made from it. A second call does nothing.

        Examples
        --------
        >>> another = pw.Scenario("room.yaml")
        >>> another.close()
        """
        for child in list(self._children):
            child.close()
        self._finalizer()

    def __reduce__(self) -> Any:
        raise errors.UsageError(f"a {type(self).__name__} cannot be pickled: pickle the Scenario or the Result that it is made from")

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
