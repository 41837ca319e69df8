"""Sweeps: many runs of one scenario with other values of its keys, as a file ``sweep.yaml`` describes them.

```python
sweep = planwave.Sweep("walls.yaml")
sweep.run()
sweep.collect("walls.h5")
```
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Handle, Watch, call, decoded, library, path_of
from .._words import in_python
from ..options import Backend, Devices, Quantity, compute, duration
from ..scenario import PathLike, PlanwaveWarning, _depth
from ..setups import ProgressFunction, RunWatch

if TYPE_CHECKING:
    from ..result import ProgressOfWork, Result

STATES = {
    _abi.PW_SWEEP_MISSING: "missing",
    _abi.PW_SWEEP_STARTED: "started",
    _abi.PW_SWEEP_DONE: "done",
    _abi.PW_SWEEP_OTHER: "other",
    _abi.PW_SWEEP_DAMAGED: "damaged",
}


@dataclass(frozen=True)
class Axis:
    """One axis of a grid, or what one key does along the cases.

    Attributes
    ----------
    name : str
        Of its coordinate in the collected file.
    keys : list of str
        Keys of the scenario, which all get the same value.
    values : list of (str or None)
        As the scenario is told; None: the key is left as it is.
    numbers : ndarray or None
        In `units`, NaN where there is no value; None: they are texts.
    units : str
        "m", "Hz", "dBm", ...; "1" of plain numbers, "" of texts.
    """

    name: str
    keys: list[str]
    values: list[str | None]
    numbers: npt.NDArray[np.float64] | None
    units: str


@dataclass(frozen=True)
class Case:
    """One run of a sweep.

    Attributes
    ----------
    index : int
        From 0; in a grid the last axis varies fastest.
    name : str
        "case-0007", or the one that the file gives.
    output : Path
        Of the result, which may not be there yet.
    changes : dict of str
        Keys of the scenario and their values, as `planwave.Scenario` takes them.
    """

    index: int
    name: str
    output: Path
    changes: dict[str, str]


@dataclass(frozen=True)
class Collected:
    """What was put together: outputs that are there, that are missing, and that carry warnings; virtual datasets."""

    present: int
    missing: int
    warned: int
    dataset_count: int


def _texts_at(start: int | None, count: int) -> list[str | None]:
    pointers = ctypes.cast(start or 0, ctypes.POINTER(ctypes.c_char_p))
    return [None if pointers[n] is None else decoded(pointers[n]) for n in range(count)]


class Sweep(Handle):
    """A sweep. ``planwave help sweep`` lists the keys of its file, whose paths are taken from its own folder.

    Parameters
    ----------
    path : path

    Raises
    ------
    BadInput
        Names file, line, key, value and what is allowed.

    Examples
    --------
    >>> sweep = pw.Sweep("sweep.yaml")
    >>> len(sweep)
    2
    """

    def __init__(self, path: PathLike):
        handle = ctypes.c_void_p()
        call("pw_sweep_load", path_of(path), ctypes.byref(handle))
        self._own("pw_sweep_free", handle)
        facts = library.pw_sweep_describe(self._handle)
        self.scenario, self.folder, self.design = Path(decoded(facts.scenario)), Path(decoded(facts.folder)), decoded(facts.design)
        self._count, self._axes = int(facts.case_count), int(facts.axis_count)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Case:
        if not -self._count <= index < self._count:
            raise IndexError(f"case {index} of a sweep that has {self._count}")
        made = ctypes.POINTER(_abi.pw_sweep_case)()
        call("pw_sweep_case_create", self._handle, index % self._count, ctypes.byref(made))
        try:
            facts = made.contents
            pairs = [str(text).split("=", 1) for text in _texts_at(facts.overrides, facts.override_count)]
            return Case(facts.index, decoded(facts.name), Path(decoded(facts.output)), {key: value for key, value in pairs})
        finally:
            library.pw_sweep_case_free(made)

    def __iter__(self) -> Iterator[Case]:
        return (self[index] for index in range(self._count))

    @property
    def axes(self) -> list[Axis]:
        """Axes of the grid, the last one varies fastest; else what varies along the cases.

        Examples
        --------
        >>> [axis.name for axis in sweep.axes]
        ['transmitters_0_power']
        """
        axes, facts = [], _abi.pw_sweep_axis()
        for n in range(self._axes):
            call("pw_sweep_axis_describe", self._handle, n, ctypes.byref(facts))
            keys = [str(key) for key in _texts_at(facts.keys, facts.key_count)]
            numbers = None
            if facts.numbers:
                start = ctypes.cast(facts.numbers, ctypes.POINTER(ctypes.c_double))
                numbers = np.ctypeslib.as_array(start, (facts.value_count,)).copy()
            axes.append(Axis(decoded(facts.name), keys, _texts_at(facts.values, facts.value_count), numbers, decoded(facts.units)))
        return axes

    def check(self, progress: ProgressOfWork | None = None) -> None:
        """Loads the scenario with every value, so that faults are found before anything runs. BadInput names them.

        Examples
        --------
        >>> sweep.check()
        """
        watch = Watch(progress)
        monitor = watch.monitor()
        with watch.checked():
            call("pw_sweep_check", self._handle, ctypes.byref(monitor))

    def state(self, index: int) -> tuple[str, str]:
        """How far a case is, "missing", "started", "done", "other" or "damaged", and what is wrong with the last two.

        Examples
        --------
        >>> sweep.state(1)[0] in ("missing", "done")
        True
        """
        state, reason = ctypes.c_int(), _abi.pw_error()
        call("pw_sweep_case_look", self._handle, self[index].index, ctypes.byref(state), ctypes.byref(reason))
        return STATES[state.value], decoded(reason.message)

    def run(
        self,
        index: int | None = None,
        *,
        strict: bool = False,
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
        force: bool = False,
        checkpoint_every: Quantity = 600.0,
        time_limit: Quantity = 0.0,
        progress: ProgressFunction | bool | None = None,
        done: Callable[[Case, bool], object] | None = None,
    ) -> int:
        """Solves one case, or all that are not done, going on with what was begun. Checks all values first where all are to run.

        Parameters
        ----------
        index : int, optional
            Default: all, one after another.
        strict, backend, threads, devices, device_memory, force, checkpoint_every, time_limit, progress
            As of `Scenario.setup` and `Setup.run`; `force` also replaces outputs of another scenario and damaged ones.
        done : callable, optional
            Called after each case with it, and whether its output was there already.

        Returns
        -------
        int
            How many cases were solved now.

        Raises
        ------
        BadInput
            An output of another scenario, or a damaged one; what `Scenario` refuses.
        KeyboardInterrupt, Interrupted
            The case that was under way keeps its checkpoint, and a second call goes on with it.

        Examples
        --------
        >>> solved = sweep.run(force=True)
        """
        asked = compute(backend, threads, devices, device_memory)
        times = duration("checkpoint_every", checkpoint_every), duration("time_limit", time_limit)
        if index is None:
            self.check()
        solved = 0
        for case in self if index is None else [self[index]]:
            skipped = self._run(case.index, strict, asked, force, times, progress)
            solved += not skipped
            if done is not None:
                done(case, skipped)
        return solved

    def _run(self, index: int, strict: bool, asked: Any, force: bool, times: tuple[float, float], progress: Any) -> bool:
        call("pw_sweep_make_folder", self._handle)
        watch, skipped = RunWatch(progress), ctypes.c_bool()
        options = _abi.pw_run_options(
            compute=asked,
            force=force,
            checkpoint_interval=times[0],
            time_limit=times[1],
            progress=watch.callback,
            note=watch.note,
        )
        with watch.checked():
            call("pw_sweep_run_case", self._handle, index, strict, ctypes.byref(options), ctypes.byref(skipped))
        return skipped.value

    def open(self, index: int) -> Result:
        """The result of a case that is done.

        Examples
        --------
        >>> solved = sweep.run(0)
        >>> sweep.open(0).facts.dimensions
        2
        """
        from ..result import Result

        state, reason = self.state(index)
        if state != "done":
            raise errors.BadInput(f"case {index} is {state}{': ' if reason else ''}{reason}: run it first")
        return Result(self[index].output)

    def collect(self, path: PathLike, *, force: bool = False, partial: bool = False, progress: ProgressOfWork | None = None) -> Collected:
        """Writes one HDF5 file of virtual datasets over all outputs, with the axes of the sweep in front; xarray opens it.

        Parameters
        ----------
        force : bool
            Replace an existing file.
        partial : bool
            Outputs of another scenario and damaged ones count as missing instead of failing. Missing ones read as NaN.

        Raises
        ------
        BadInput
            No output at all, outputs of another scenario, or outputs that differ in frequencies, points or transmitters.

        Examples
        --------
        >>> solved = sweep.run()
        >>> sweep.collect("all.h5", force=True).present
        2
        """
        watch, found, raised = Watch(progress), _abi.pw_sweep_collected(), Watch(None)
        monitor = watch.monitor()

        def noted(message: bytes | None, _user: object) -> None:
            try:
                warnings.warn(in_python(decoded(message)), PlanwaveWarning, stacklevel=_depth())
            except BaseException as exception:  # a filter that turns warnings into errors
                raised.raised = exception

        note = {name: kind for name, kind, *_ in _abi.pw_sweep_collect_options._fields_}["note"](noted)
        options = _abi.pw_sweep_collect_options(force=force, partial=partial, note=note, monitor=ctypes.pointer(monitor))
        with raised.checked(), watch.checked():
            call("pw_sweep_collect", self._handle, path_of(path), ctypes.byref(options), ctypes.byref(found))
        return Collected(found.present, found.missing, found.warned, found.dataset_count)

    def __repr__(self) -> str:
        return "<planwave.Sweep, closed>" if self.closed else f"<planwave.Sweep: {self.design} of {len(self)} cases into {self.folder}>"
