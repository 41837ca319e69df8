"""Scenarios and set-ups: what to solve, from YAML, dictionaries and arrays; what was decided; and solving it."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import address, call, captured, decoded, encoded, Handle, library, path_of, texts, Watch
from ._shown import table
from ._words import in_python
from .editing import Editing, absolute
from .facts import Forecast, Medium, Progress, SetupFacts, taken
from .options import Backend, Devices, MapOptions, PowerName, Precision, Quantity, compute, duration, length, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .result import ProgressOfWork, Result
    from .simulation import Simulation
    from .study.siting import Points, Siting
    from .study.uncertainty import Spreads, Uncertainty

PathLike = Union[str, "os.PathLike[str]"]


class PlanwaveWarning(UserWarning):
    """What the library warns of: a material out of its range, a receiver inside a wall, a run that was too short."""


def _depth() -> int:
    """How many frames over the caller of this function the first one outside this package is, for warnings."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("planwave."):
        frame, depth = frame.f_back, depth + 1
    return depth


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays, and paths, as JSON takes them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise errors.UsageError(f"a scenario cannot hold {value!r}: give texts, numbers, lists and dictionaries")


def _yaml(tree: Mapping[str, Any]) -> str:
    """A dictionary as JSON, which is YAML as well."""
    try:
        return json.dumps(tree, default=_plain, ensure_ascii=False, indent=1, allow_nan=False)
    except errors.Error:
        raise
    except ValueError as failure:
        raise errors.BadInput(f"a scenario holds a number that is not finite, or itself ({failure})") from failure


def in_words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=_plain, ensure_ascii=False)


@dataclass(frozen=True)
class Plan:
    """A floor plan as arrays of square pixels, row 0 at the bottom (y grows upwards).

    Parameters
    ----------
    relative_permittivity : array_like, (rows, columns)
        Over 0. What a perfect conductor has is not looked at.
    pixel : float or str
        Side of a pixel [m], or a length with its unit, such as "5 cm".
    conductivity : array_like, (rows, columns), optional
        [S/m], not under 0. Default: none anywhere.
    perfect_conductor : array_like of bool, (rows, columns), optional
        Default: none anywhere.

    Notes
    -----
    At most 1024 distinct media. Arrays of float64 and bool that are C-contiguous are read where they are.
    """

    relative_permittivity: npt.ArrayLike
    pixel: Quantity
    conductivity: npt.ArrayLike | None = None
    perfect_conductor: npt.ArrayLike | None = None

    def _arrays(self) -> tuple[Any, list[Any]]:
        """The structure for the library, and the arrays that it points to."""
        permittivity = np.ascontiguousarray(self.relative_permittivity, dtype=np.float64)
        if permittivity.ndim != 2 or permittivity.size == 0:
            raise errors.UsageError(f"relative_permittivity has the shape {permittivity.shape}: give rows and columns")
        kept: list[Any] = [permittivity]
        for name, kind in (("conductivity", np.float64), ("perfect_conductor", np.bool_)):
            value = getattr(self, name)
            array = None if value is None else np.ascontiguousarray(value, dtype=kind)
            if array is not None and array.shape != permittivity.shape:
                raise errors.UsageError(f"{name} has the shape {array.shape}, relative_permittivity {permittivity.shape}")
            kept.append(array)
        rows, columns = permittivity.shape
        return _abi.pw_plan(rows, columns, length(self.pixel), *[address(array) for array in kept]), kept

    @property
    def size(self) -> tuple[float, float]:
        """Width and height [m]."""
        shape = np.shape(self.relative_permittivity)
        if len(shape) != 2 or 0 in shape:
            raise errors.UsageError(f"relative_permittivity has the shape {shape}: give rows and columns")
        rows, columns = shape
        side = length(self.pixel)
        return columns * side, rows * side


class Scenario(Editing, Handle):
    """What to solve: plan, band, transmitters, receivers. ``planwave help scenario`` lists every key.

    Parameters
    ----------
    source : path, str or dict
        A YAML file; or YAML as a text of more than one line; or a dictionary with the same keys.
    set : dict, optional
        Changes by dotted key, such as ``{"grid.cell": "1 cm", "accuracy": "0.3 dB"}``.
    plan : Plan, optional
        The floor plan as arrays. The scenario then needs no key ``plan``; if it has one, that gives the size, which must be that
        of the arrays, and may hold shapes, which lie over them.

    Raises
    ------
    BadInput
        Names file, line, key, value and what is allowed.

    Notes
    -----
    Relative paths of pictures are taken from the folder of the YAML file, and from the working folder for texts and dictionaries.
    """

    def __init__(self, source: PathLike | Mapping[str, Any], set: Mapping[str, Any] | None = None, *, plan: Plan | None = None):
        self.told = ""  # by what it was imported
        overrides, count = texts([f"{key}={in_words(value)}" for key, value in (set or {}).items()])
        handle = ctypes.c_void_p()
        self.array_plan = plan
        if isinstance(source, Mapping):
            tree = dict(source)
            if plan is not None:
                tree["plan"] = {"size": list(plan.size), **tree.get("plan", {})}
            source = _yaml(tree)
            call("pw_scenario_parse", b"scenario", encoded(source), overrides, count, ctypes.byref(handle))
        elif isinstance(source, str) and "\n" in source:
            call("pw_scenario_parse", b"scenario", encoded(source), overrides, count, ctypes.byref(handle))
        else:
            call("pw_scenario_load", path_of(source), overrides, count, ctypes.byref(handle))
        self._own("pw_scenario_free", handle)

    @property
    def text(self) -> str:
        """The resolved scenario as YAML, with every default; what is open stands there as ``auto``."""
        return decoded(library.pw_scenario_text(self._handle))

    def setup(self, *, precision: Precision = "single", strict: bool = False) -> Setup:
        """Rasterizes and validates; nothing is allocated for solving yet.

        Parameters
        ----------
        precision : {"single", "double"}
        strict : bool
            Turn warnings about ranges of materials into errors.
        """
        return Setup(self, precision=precision, strict=strict)

    def run(self, path: PathLike | None = None, **options: Any) -> Result:
        """Sets up and solves; the options are those of `Setup.run`."""
        with self.setup() as setup:
            return setup.run(path, **options)

    # ---- many runs ----

    def siting(self, candidates: Points = 2.0, **options: Any) -> Siting:
        """Where do the access points go? The options are those of `planwave.study.siting.Siting`; nothing is solved yet."""
        from .study.siting import Siting

        return Siting(self, candidates, **options)

    def uncertainty(
        self,
        vary: Spreads,
        *,
        samples: int = 64,
        seed: int = 1,
        method: Literal["auto", "samples", "chaos"] = "auto",
        thresholds: Sequence[Quantity] = (),
        quantity: PowerName = "received-power",
        transmitter: str | None = None,
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
        path: PathLike | None = None,
        progress: ProgressOfWork | None = None,
        **options: Unpack[MapOptions],
    ) -> Uncertainty:
        """How sure is a map, given how well materials, walls and places are known? Solves the scenario ``samples + 1`` times.

        Parameters
        ----------
        vary : dict
            What is not known, and how well: ``{"brick:permittivity": 0.1, "brick:thickness": "5 %"}``, factors of what the scenario says,
            log-normal, 0.1 being 10 %; ``{"west:position": "20 cm"}``, normal along x and along y. `planwave.Spread` says that all values
            up to a width are as likely.
        samples : int
            Draws, at least 8.
        seed : int
            Of the draws.
        method : {"auto", "samples", "chaos"}
            Where quantiles come from; "auto": polynomial chaos where its leave-one-out error is at most 5 % of the variance.
        thresholds : list of float or str
            In the unit of the quantity, or with their own, at most 16.
        quantity : {"received-power", "path-gain", "path-loss", "snr", "sinr"}
        transmitter, **options
            As of `Result.map`; see `MapOptions`.
        backend, threads, devices, device_memory
            As of `Setup.run`, of all runs together.
        path : path, optional
            Writes pictures as well: from "signal.png" signal-p10.png, -p50, -p90 and -range, each with .npy, and signal.csv.
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

        Raises
        ------
        BadInput
            A name that the plan does not have, a material without the property, a plan that a draw makes impossible.
        UsageError
            Options out of their ranges.
        """
        from .study.uncertainty import uncertainty

        asked = compute(backend, threads, devices, device_memory)
        return uncertainty(self, vary, (samples, seed, method), thresholds, (quantity, transmitter), asked, path, progress, options)

    # ---- for other programs ----

    def export(self, path: PathLike, *, storey: str | None = None) -> str:
        """Writes the plan and its transmitters in the format that the ending names; see `planwave.export_formats`.

        Parameters
        ----------
        storey : str, optional
            Of a building, the one that is written; default: all.

        Returns
        -------
        str
            What the format cannot hold; empty when there is nothing to say.

        Raises
        ------
        BadInput
            No such ending or storey; walls that are pixels of a picture, which only a list of access points does without.
        """
        with captured() as (stream, text):
            call("pw_plan_export", self._text_plan(), encoded(storey), path_of(path), stream)
            return text()

    def difference(self, after: Scenario, picture: PathLike | None = None) -> str:
        """What differs between this plan and another one: from which material to which how many square metres changed.

        Parameters
        ----------
        after : Scenario
            Plans of different sizes are laid upon each other at their lower left corners.
        picture : path, optional
            Draws it.
        """
        with captured() as (stream, text):
            call("pw_plan_difference", self._text_plan(), after._text_plan(), encoded(picture), stream)
            return text()

    def _text_plan(self) -> int:
        """The handle, where the plan is in the text."""
        if self.array_plan is not None:
            raise errors.UsageError("this needs a scenario whose plan is in its text, not in arrays")
        return self._handle

    def __reduce__(self) -> Any:
        """By its text, in which files are named from the root."""
        return _from_text, (absolute(self.text), self.array_plan)

    def _repr_html_(self) -> str:
        if self.closed:
            return table("planwave.Scenario, closed", {})
        picture = None if self.array_plan is not None else self.floor_plan()._repr_png_()
        return table(self.facts.title or "Scenario of planwave", {}, picture, self.text)

    def __repr__(self) -> str:
        return "<planwave.Scenario, closed>" if self.closed else f"<planwave.Scenario>\n{self.text}"


def _from_text(text: str, plan: Plan | None) -> Scenario:
    return Scenario(text, plan=plan)


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
        share = spent / (spent + now.seconds_left) if now.seconds_left > 0.0 else (now.transmitter + now.step / max(now.steps, 1)) / now.transmitter_count
        first, last = now.transmitter + 1, now.transmitter + now.transmitters_together
        who = f"transmitter {first}{f' to {last}' if last > first else ''} of {now.transmitter_count}, " if now.transmitter_count > 1 else ""
        return share, f"{who}energy {now.energy_db:.0f} dB, {now.cells_per_second * 1e-6:.0f} Mcells/s"

    def _noted(self, message: bytes | None, _user: object) -> None:
        try:
            warnings.warn(in_python(decoded(message)), PlanwaveWarning, stacklevel=_depth())
        except BaseException as exception:  # a filter that turns warnings into errors
            self.raised = exception


class Setup(Handle):
    """A scenario rasterized, validated and turned into arrays. Made by `Scenario.setup`."""

    def __init__(self, scenario: Scenario, *, precision: Precision = "single", strict: bool = False):
        kinds = {"single": _abi.PW_SINGLE, "double": _abi.PW_DOUBLE}
        if precision not in kinds:
            raise errors.UsageError(f"precision is {precision!r}: give one of {', '.join(map(repr, kinds))}")
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
        """Numbers: cells, steps, forecast errors, memory."""
        facts: SetupFacts = taken(SetupFacts, library.pw_setup_facts(self._handle))
        return facts

    @property
    def choices(self) -> list[str]:
        """What planwave has chosen, a sentence with its reason each."""
        count = library.pw_setup_choice_count(self._handle)
        return [in_python(decoded(library.pw_setup_choice(self._handle, n))) for n in range(count)]

    @property
    def warnings(self) -> list[str]:
        """What was found on the way; each was also given as a `PlanwaveWarning`, and is stored in the result."""
        count = library.pw_setup_warning_count(self._handle)
        return [in_python(decoded(library.pw_setup_warning(self._handle, n))) for n in range(count)]

    @property
    def text(self) -> str:
        """The scenario as YAML with everything chosen: it sets up the same again."""
        return decoded(library.pw_setup_scenario_text(self._handle))

    def medium(self) -> Medium:
        """The medium that the solver sees, as arrays that the library fills in place."""
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
        """
        asked = [(kind, value) for kind, value in ((1, height), (2, x), (3, y)) if value is not None]
        if len(asked) > 1:
            raise errors.UsageError("a picture is of one cut: give height, x or y")
        kind, position = asked[0] if asked else (0, 0.0)
        view = _abi.pw_view(kind, length(position))
        with captured() as (stream, text):
            call("pw_rasterize_view", self._handle, view, path_of(path), stream)
            return text()

    def forecast(self, **machine: Any) -> Forecast:
        """What a run will take, on `backend`, `threads`, `devices` and `device_memory` as of `run`. NoResource: not enough memory."""
        struct, asked = _abi.pw_forecast(), compute(**machine)
        call("pw_forecast_run", self._handle, ctypes.byref(asked), ctypes.byref(struct))
        forecast: Forecast = taken(Forecast, struct)
        return forecast

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

    def simulation(self, first: int = 0, count: int | None = None, **machine: Any) -> Simulation:
        """Transmitters `first` to ``first + count - 1`` (default: to the last), advanced together in memory, without a file."""
        from .simulation import Simulation

        return Simulation(self, first, count, **machine)

    def __repr__(self) -> str:
        if self.closed:
            return "<planwave.Setup, closed>"
        facts = self.facts
        size = " x ".join(str(n) for n in (facts.nx, facts.ny, facts.nz)[: facts.dimensions])
        return f"<planwave.Setup: {facts.title or 'no title'}; {size} cells of {facts.cell:.4g} m, {facts.scheme}, at most {facts.steps} steps>"
