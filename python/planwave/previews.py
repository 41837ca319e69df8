"""Previews: powers on a plan in a fraction of the time of a run, for whoever changes a plan and looks; and the page that shows them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _abi  # type: ignore[attr-defined,unused-ignore]
from ._library import Handle, Watch, call, decoded, encoded, library, path_of, texts
from .maps import map_options
from .options import MapOptions, PowerName, compute, whole
from .scenario import PathLike, Scenario, in_words

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .result import ProgressOfWork


@dataclass(frozen=True, eq=False)
class Preview:
    """A map of powers by a coarser and shorter run. Made by `Previews.map`.

    Attributes
    ----------
    values : ndarray, (row, column)
        In `unit`, row 0 at the bottom; NaN where not defined.
    x, y : ndarray
        [m], of columns and rows.
    name, unit : str
    error : float
        Forecast error of local means [dB], root mean square, of the worst transmitter.

    Examples
    --------
    >>> preview = pw.Previews().solve(scenario).map()
    >>> preview.values.shape == (preview.y.size, preview.x.size)
    True
    """

    values: npt.NDArray[np.float64] = field(repr=False)
    x: npt.NDArray[np.float64] = field(repr=False)
    y: npt.NDArray[np.float64] = field(repr=False)
    name: str
    unit: str
    error: float

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=True) if copy else np.asarray(self.values, dtype=dtype)


class Previews(Handle):
    """Solves scenarios one after another, each transmitter alone, and keeps those that did not change. Two dimensions.

    Parameters
    ----------
    **machine
        backend, threads, devices, device_memory, as of `Setup.run`.

    Examples
    --------
    >>> previews = pw.Previews()
    >>> first = previews.solve(scenario).solved
    >>> previews.solve(scenario.with_power("west", "3 dBm")).solved < first
    True
    """

    def __init__(self, **machine: Any):
        handle = ctypes.c_void_p()
        self._asked = compute(**machine)
        call("pw_previews_create", ctypes.byref(self._asked), ctypes.byref(handle))
        self._own("pw_previews_free", handle)
        self._plan, self._count, self.error, self.solved = "", 0, float("nan"), 0

    def solve(self, scenario: Scenario, progress: ProgressOfWork | None = None) -> Previews:
        """Solves the transmitters of a scenario that were not solved so before; `solved` says how many. Returns itself.

        Raises
        ------
        BadInput
            A scenario that cannot be set up.

        Examples
        --------
        >>> pw.Previews().solve(scenario).solved
        2
        """
        watch, facts = Watch(progress), _abi.pw_preview_facts()
        monitor, plan = watch.monitor(), scenario.text.split("\ntransmitters:")[0]
        if plan != self._plan:
            self._plan, self._count = plan, self._count + 1
        task = _abi.pw_preview_task(b"scenario", encoded(scenario.text), self._count)
        with watch.checked():
            call("pw_previews_solve", self._handle, ctypes.byref(task), ctypes.byref(monitor), ctypes.byref(facts))
        self.error, self.solved = facts.error, facts.solved
        return self

    def map(self, quantity: PowerName = "received-power", transmitter: str | None = None, **options: Unpack[MapOptions]) -> Preview:
        """A map of the scenario that was solved last.

        Raises
        ------
        UsageError
            Nothing was solved, or a quantity that is none of powers.

        Examples
        --------
        >>> pw.Previews().solve(scenario).map("path-loss", "west").unit
        'dB'
        """
        struct, _ = map_options(quantity, transmitter, options)
        shape, values = _abi.pw_map_shape(), ctypes.c_void_p()
        call("pw_previews_map", self._handle, ctypes.byref(struct), ctypes.byref(shape), ctypes.byref(values))
        start = ctypes.cast(values, ctypes.POINTER(ctypes.c_double))
        made = np.ctypeslib.as_array(start, (shape.rows, shape.columns)).copy()
        libc = ctypes.CDLL(None)
        libc.free.argtypes = [ctypes.c_void_p]
        libc.free(values)
        x, y = shape.x0 + shape.pitch_x * np.arange(shape.columns), shape.y0 + shape.pitch_y * np.arange(shape.rows)
        kind = struct.quantity
        return Preview(made, x, y, decoded(library.pw_quantity_name(kind)), decoded(library.pw_quantity_unit(kind)), self.error)


def serve(
    path: PathLike,
    *,
    set: Mapping[str, Any] | None = None,
    port: int = 0,
    memory: str | None = None,
    ready: Callable[[str], object] = print,
    go_on: Callable[[], bool] | None = None,
    **machine: Any,
) -> None:
    """Serves the page on which a plan is changed, on this machine alone, until Ctrl-C or until `go_on` answers False.

    Parameters
    ----------
    path : path
        Of a scenario in two dimensions.
    set : dict, optional
        Changes by dotted key, as of `Scenario`.
    port : int
        0: one that is free.
    memory : str, optional
        Edits whose run would need more are refused: "2GB"; default: half of what is free.
    ready : callable
        Called with the address of the page; default: it is printed.
    go_on : callable, optional
        Asked about ten times a second.
    **machine
        backend, threads, devices, device_memory, as of `Setup.run`.

    Raises
    ------
    BadInput, NoResource
        A scenario that cannot be used; the port is taken.

    Examples
    --------
    >>> pw.serve("room.yaml", ready=lambda address: None, go_on=lambda: False)
    """
    watch = Watch(None if go_on is None else (lambda: go_on()))
    overrides, count = texts([f"{key}={in_words(value)}" for key, value in (set or {}).items()])
    kinds = {name: kind for name, kind, *_ in _abi.pw_serve_options._fields_}
    told = kinds["ready"](lambda address, _user: watch.tell_of(ready, decoded(address)))
    asks = kinds["go_on"](lambda _user: watch.tell())
    options = _abi.pw_serve_options(
        compute=compute(**machine), memory=encoded(memory), port=whole("port", port, 0, 65535), ready=told, go_on=asks
    )
    options.overrides, options.override_count = ctypes.cast(overrides, ctypes.c_void_p) if overrides else None, count
    with watch.checked():
        call("pw_serve", path_of(path), ctypes.byref(options))
    del overrides
