"""Set-ups: what was decided of a scenario, and solving it."""

from __future__ import annotations

import ctypes
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Handle, Watch, address, call, captured, decoded, encoded, library, path_of
from ._shown import table
from ._words import in_python
from .facts import Forecast, Medium, Progress, SetupFacts, taken
from .options import Backend, Devices, MachineOptions, Precision, Quantity, compute, duration, length, real, whole, word
from .scenario import PathLike, PlanwaveWarning, Scenario, _depth

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .result import Result
    from .simulation import Simulation

ProgressFunction = Callable[[Progress], object]


class RunWatch(Watch):
    """Progress and notes of a run."""

    def __init__(self, progress: ProgressFunction | bool | None):
        super().__init__(progress)
        self.begin = time.monotonic()
        self.callback = _abi.pw_progress_function(self._told)
        self.note = {name: kind for name, kind, *_ in _abi.pw_run_options._fields_}["note"](self._noted)

    def _told(self, progress: Any, _user: object) -> bool:
        try:
            if self.told is None:
                return self.tell()
            now: Progress = taken(Progress, progress.contents)
            return self.tell(*self._share(now)) if self.bar is not None else self.tell(now)
        except BaseException as exception:  # Ctrl-C between two lines of this class
            self.raised = exception
            return False

    def _share(self, now: Progress) -> tuple[float, str]:
        """Of all transmitters, by time where the run says how much is left; and what a person looks at beside it."""
        spent = time.monotonic() - self.begin
        share = (
            spent / (spent + now.seconds_left)
            if now.seconds_left > 0.0
            else (now.transmitter + now.step / max(now.steps, 1)) / now.transmitter_count
        )
        first, last = now.transmitter + 1, now.transmitter + now.transmitters_together
        who = (
            f"transmitter {first}{f' to {last}' if last > first else ''} of {now.transmitter_count}, " if now.transmitter_count > 1 else ""
        )
        return share, f"{who}energy {now.energy_db:.0f} dB, {now.cells_per_second * 1e-6:.0f} Mcells/s"

    def _noted(self, message: bytes | None, _user: object) -> None:
        try:
            warnings.warn(in_python(decoded(message)), PlanwaveWarning, stacklevel=_depth())
        except BaseException as exception:  # a filter that turns warnings into errors
            self.raised = exception


@dataclass(frozen=True, eq=False)
class Inside:
    """The inside of a building at the nodes of a set-up. Made by `Setup.floor`.

    Attributes
    ----------
    inside : ndarray of bool, (row, column)
    walls : ndarray of uint8, (row, column)
        0 in air, 255 in metal, else how much of a wall the node is, 1 to 100.
    text : str
        Why, in a clause.
    x, y : ndarray
        [m], of columns and rows.

    Examples
    --------
    >>> setup.floor().text
    'whole plan (its walls enclose no room)'
    """

    inside: npt.NDArray[np.bool_] = field(repr=False)
    walls: npt.NDArray[np.uint8] = field(repr=False)
    text: str
    x: npt.NDArray[np.float64] = field(repr=False)
    y: npt.NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True)
class FramesForecast:
    """What pictures of the field would add to a run: their count, pixels, seconds and bytes.

    Examples
    --------
    >>> setup.forecast_frames().count > 0
    True
    """

    count: int
    width: int
    height: int
    seconds: float
    bytes: float


class Setup(Handle):
    """A scenario rasterized, validated and turned into arrays. Made by `Scenario.setup`.

    Examples
    --------
    >>> with scenario.setup() as made:
    ...     print(made.facts.transmitter_count)
    2
    """

    def __init__(self, scenario: Scenario, *, precision: Precision = "single", strict: bool = False):
        kinds = {"single": _abi.PW_SINGLE, "double": _abi.PW_DOUBLE}
        word("precision", precision, kinds)
        handle = ctypes.c_void_p()
        if scenario.array_plan is None:
            call("pw_setup_create", scenario._handle, kinds[precision], strict, ctypes.byref(handle))
        else:
            plan, kept = scenario.array_plan._arrays()
            call("pw_setup_create_from_plan", scenario._handle, ctypes.byref(plan), kinds[precision], strict, ctypes.byref(handle))
            del kept
        self._own("pw_setup_free", handle, scenario)
        for message in self.warnings:
            warnings.warn(message, PlanwaveWarning, stacklevel=_depth())

    # ---- what was decided ----

    @property
    def facts(self) -> SetupFacts:
        """Numbers: cells, steps, forecast errors, memory.

        Examples
        --------
        >>> setup.facts.cell
        0.02
        """
        facts: SetupFacts = taken(SetupFacts, library.pw_setup_facts(self._handle))
        return facts

    @property
    def choices(self) -> list[str]:
        """What planwave has chosen, a sentence with its reason each.

        Examples
        --------
        >>> isinstance(setup.choices, list)
        True
        """
        count = library.pw_setup_choice_count(self._handle)
        return [in_python(decoded(library.pw_setup_choice(self._handle, n))) for n in range(count)]

    @property
    def warnings(self) -> list[str]:
        """What was found on the way; each was also given as a `PlanwaveWarning`, and is stored in the result.

        Examples
        --------
        >>> isinstance(setup.warnings, list)
        True
        """
        count = library.pw_setup_warning_count(self._handle)
        return [in_python(decoded(library.pw_setup_warning(self._handle, n))) for n in range(count)]

    @property
    def text(self) -> str:
        """The scenario as YAML with everything chosen: it sets up the same again.

        Examples
        --------
        >>> pw.Scenario(setup.text).setup().facts == setup.facts
        True
        """
        return decoded(library.pw_setup_scenario_text(self._handle))

    def medium(self) -> Medium:
        """The medium that the solver sees, as arrays that the library fills in place.

        Examples
        --------
        >>> bool(setup.medium().relative_permittivity.max() > 2)
        True
        """
        facts = self.facts
        shape = (facts.ny, facts.nx) if facts.dimensions == 2 else (facts.nz, facts.ny, facts.nx)
        permittivity, conductivity = np.empty(shape), np.empty(shape)
        conductor = np.empty(shape, dtype=np.bool_)
        call("pw_setup_medium", self._handle, address(permittivity), address(conductivity), address(conductor))
        axes: list[npt.NDArray[np.float64]] = [
            origin + facts.cell * np.arange(count, dtype=np.float64)
            for origin, count in ((facts.origin_x, facts.nx), (facts.origin_y, facts.ny), (facts.origin_z, facts.nz))
        ]
        return Medium(permittivity, conductivity, conductor, *axes)

    def rasterize(self, path: PathLike, *, height: Quantity | None = None, x: Quantity | None = None, y: Quantity | None = None) -> str:
        """Writes the picture of what the solver will see (PNG, SVG or PDF) and returns the area of each material as text.

        In three dimensions `height`, `x` or `y` [m] ask for a cut.

        Examples
        --------
        >>> areas = setup.rasterize("plan.png")
        """
        asked = [(kind, value) for kind, value in ((1, height), (2, x), (3, y)) if value is not None]
        if len(asked) > 1:
            raise errors.UsageError("a picture is of one cut: give height, x or y")
        kind, position = asked[0] if asked else (0, 0.0)
        view = _abi.pw_view(kind, length(position))
        with captured() as (stream, text):
            call("pw_rasterize_view", self._handle, view, path_of(path), stream)
            return text()

    def forecast(self, **machine: Unpack[MachineOptions]) -> Forecast:
        """What a run will take, on `backend`, `threads`, `devices` and `device_memory` as of `run`. NoResource: not enough memory.

        Examples
        --------
        >>> setup.forecast(backend="cpu").cells_per_second > 0
        True
        """
        struct, asked = _abi.pw_forecast(), compute(**machine)
        call("pw_forecast_run", self._handle, ctypes.byref(asked), ctypes.byref(struct))
        forecast: Forecast = taken(Forecast, struct)
        return forecast

    def decay_time(self, ratio: float) -> float:
        """Seconds in which the energy on the plan is forecast to fall to `ratio` of what was sent out; infinite: it does not.

        Examples
        --------
        >>> setup.decay_time(1e-5) > 0
        True
        """
        return float(library.pw_setup_decay_time(self._handle, real("ratio", ratio)))

    def floor(self, height: Quantity | None = None) -> Inside:
        """Which nodes of the plan are inside the building, in three dimensions in the plane nearest to `height` [m].

        Examples
        --------
        >>> setup.floor().inside.dtype
        dtype('bool')
        """
        shape, kind = _abi.pw_map_shape(), ctypes.c_int()
        level = float("nan") if height is None else length(height)
        call("pw_setup_floor", self._handle, level, ctypes.byref(shape), None, None, ctypes.byref(kind))
        walls, inside = (np.empty((shape.rows, shape.columns), dtype=np.uint8) for _ in range(2))
        call("pw_setup_floor", self._handle, level, ctypes.byref(shape), address(walls), address(inside), ctypes.byref(kind))
        x, y = shape.x0 + shape.pitch_x * np.arange(shape.columns), shape.y0 + shape.pitch_y * np.arange(shape.rows)
        return Inside(inside.view(np.bool_), walls, decoded(library.pw_floor_text(kind)), x, y)

    def forecast_frames(self, every: int = 0) -> FramesForecast:
        """What pictures of the field, one each `every` steps (0: about 240 in all), would add to a run.

        Examples
        --------
        >>> setup.forecast_frames(every=100).count > 0
        True
        """
        made = _abi.pw_frames_forecast()
        call("pw_forecast_frames", self._handle, whole("every", every), ctypes.byref(made))
        return FramesForecast(made.count, made.width, made.height, made.seconds, made.bytes)

    # ---- solving ----

    def run(
        self,
        path: PathLike | None = None,
        *,
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
        force: bool = False,
        resume: bool = False,
        checkpoint_every: Quantity = 600.0,
        time_limit: Quantity = 0.0,
        progress: ProgressFunction | bool | None = None,
        frames: PathLike | None = None,
        frames_every: int = 0,
    ) -> Result:
        """Solves every transmitter and opens the result.

        Parameters
        ----------
        path : path, optional
            The result file (HDF5). Without it a temporary file, in TMPDIR or else /tmp, which is removed when the result is closed.
        backend : {"auto", "cpu", "cuda", "reference"}; threads : int, 0: all
        devices : list of int or "all", optional
            GPUs by number, for this call alone; default: the first. Each solves transmitters of its own, or a part of the grid.
        device_memory : int
            Bytes of the GPU that may be used, 0: what is free. A larger grid is cut into parts, which take turns there.
        force : bool
            Replace an existing result, and start anew where a checkpoint lies.
        resume : bool
            Go on with the checkpoint beside `path`; the result has the same bits as that of an uninterrupted run.
        checkpoint_every, time_limit : float or str
            [s] between checkpoints, 0: only when the run ends early; and of this call, 0: none. "10 min" is allowed.
        progress : callable or bool, optional
            Called with a `Progress` every few tenths of a second; False as its answer ends the run. True: a bar of tqdm where that is
            installed, else a line on stderr, with per cent.
        frames : path, optional
            Folder for pictures of the field on the way, every `frames_every` steps (0: about 240 in all).

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C: the run has stopped cleanly, and its checkpoint is kept for a call with ``resume=True``.
        Interrupted
            `progress` answered False, or the time limit was reached; the checkpoint is kept too.
        BadInput, NoResource, Numerical
            An existing file without `force`, a checkpoint of something else; no memory or disk; NaN or growth in the fields.

        Examples
        --------
        >>> with pw.Scenario("small.yaml").setup() as small:
        ...     solved = small.run("small.h5", force=True, time_limit="10 min")
        """
        from .result import Result

        if path is None and resume:
            raise errors.UsageError("resume needs the path of the result whose checkpoint is there")
        asked, every = compute(backend, threads, devices, device_memory), whole("frames_every", frames_every)
        interval, limit = duration("checkpoint_every", checkpoint_every), duration("time_limit", time_limit)
        folder = tempfile.TemporaryDirectory(prefix="planwave-") if path is None else None
        target = Path(folder.name) / "result.h5" if folder is not None else Path(os.fspath(path or ""))
        watch = RunWatch(progress)
        options = _abi.pw_run_options(
            compute=asked,
            force=force,
            resume=resume,
            checkpoint_interval=0.0 if folder is not None else interval,
            time_limit=limit,
            progress=watch.callback,
            note=watch.note,
            frames=encoded(frames),
            frames_every=every,
        )
        try:
            with watch.checked():
                call("pw_run", self._handle, ctypes.byref(options), path_of(target))
            return Result(target, _folder=folder)
        except BaseException:
            if folder is not None:
                folder.cleanup()
            raise

    def simulation(self, first: int = 0, count: int | None = None, **machine: Unpack[MachineOptions]) -> Simulation:
        """Transmitters `first` to ``first + count - 1`` (default: to the last), advanced together in memory, without a file.

        Examples
        --------
        >>> with setup.simulation(0, 1) as steps:
        ...     steps.advance(10)
        """
        from .simulation import Simulation

        return Simulation(self, first, count, **machine)

    def animate(self, path: PathLike, transmitter: int = 0, **options: Any) -> str:
        """Solves one transmitter and writes a film of its wave over the walls, GIF or, with ffmpeg, MP4, by the ending of `path`.

        Parameters
        ----------
        path : path
        transmitter : int
            From 0.
        **options
            Of `planwave.pictures.animate`: frames (60), steps between frames (0: so that the wave crosses the plan), fps (15),
            depth (40 dB), width (6 inches), progress.

        Returns
        -------
        str
            `path`.

        Examples
        --------
        >>> pw.Scenario("small.yaml").setup().animate("small.gif", frames=2, width=2)
        'small.gif'
        """
        from .pictures import animate

        return animate(self, path, transmitter, **options)

    def _repr_html_(self) -> str:
        if self.closed:
            return table("planwave.Setup, closed", {})
        facts = self.facts
        size = " x ".join(str(n) for n in (facts.nx, facts.ny, facts.nz)[: facts.dimensions])
        rows = {
            "cells": f"{size} of {facts.cell:.4g} m, {facts.scheme}",
            "steps": f"{facts.expected_steps} of {facts.time_step:.3g} s",
            "forecast error": f"{facts.local_mean_error:.2g} dB of local means",
        }
        return table(facts.title or "Set-up of planwave", rows, text="\n".join((*self.choices, *self.warnings)))

    def __repr__(self) -> str:
        if self.closed:
            return "<planwave.Setup, closed>"
        facts = self.facts
        size = " x ".join(str(n) for n in (facts.nx, facts.ny, facts.nz)[: facts.dimensions])
        return f"<planwave.Setup: {facts.title or 'no title'}; {size} cells of {facts.cell:.4g} m, {facts.scheme}, at most {facts.steps} steps>"
