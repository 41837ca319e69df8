"""Scenarios: what to solve, from YAML, dictionaries and arrays."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Handle, address, call, captured, decoded, encoded, library, path_of, texts
from ._shown import table
from ._words import in_python
from .options import Backend, Devices, MapOptions, PowerName, Precision, Quantity, RunOptions, compute, length, word
from .scenes.editing import Editing, absolute
from .scenes.studies import Studies

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .result import ProgressOfWork, Result
    from .setups import Setup

PathLike = Union[str, "os.PathLike[str]"]


class PlanwaveWarning(UserWarning):
    """What the library warns of: a material out of its range, a receiver inside a wall, a run that was too short.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", pw.PlanwaveWarning)  # or "error"
    ...     another = pw.Scenario("room.yaml").setup()
    """


def _depth() -> int:
    """How many frames over the caller of this function the first one outside this package is, for warnings."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("planwave."):
        frame, depth = frame.f_back, depth + 1
    return depth


@dataclass(frozen=True)
class Waveform:
    """A transmitter's current as arrays, linear between its samples and zero outside: ``{"at": [1, 2], "waveform": Waveform(t, i)}``.

    Parameters
    ----------
    time, current : array_like, (sample)
        [s], ascending; [A].

    Examples
    --------
    >>> t = np.linspace(0, 5e-9, 200)
    >>> tone = pw.Waveform(t, np.sin(2 * np.pi * 2.4e9 * t) * np.sin(np.pi * t / 5e-9) ** 2)
    >>> own = pw.Scenario("room.yaml", {"transmitters": [{"at": [1, 1], "waveform": tone}]})
    """

    time: npt.ArrayLike
    current: npt.ArrayLike

    def _lines(self) -> str:
        pair = np.asarray(self.time, dtype=np.float64), np.asarray(self.current, dtype=np.float64)
        if pair[0].ndim != 1 or pair[0].size < 2 or pair[0].shape != pair[1].shape or not np.isfinite(pair).all():
            raise errors.UsageError(
                f"a waveform has times of the shape {pair[0].shape} and currents of {pair[1].shape}: give (sample) of both, finite"
            )
        return "".join(f"{t!r},{i!r}\n" for t, i in zip(*(array.tolist() for array in pair)))


class _Files:
    """A folder for waveforms of one scenario, for as long as anything needs it."""

    def __init__(self) -> None:
        self.folder: tempfile.TemporaryDirectory[str] | None = None
        self.texts: dict[str, str] = {}

    def add(self, text: str) -> str:
        if self.folder is None:
            self.folder = tempfile.TemporaryDirectory(prefix="planwave-")
        path = os.path.join(self.folder.name, f"waveform{len(self.texts)}.csv")
        Path(path).write_text(text, encoding="ascii")
        self.texts[path] = text
        return path

    def plain(self, value: Any) -> Any:
        """`_plain`, and waveforms."""
        return {"kind": "samples", "file": self.add(value._lines())} if isinstance(value, Waveform) else _plain(value)


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays, and paths, as JSON takes them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise errors.UsageError(f"a scenario cannot hold {value!r}: give texts, numbers, lists and dictionaries")


def _yaml(tree: Mapping[str, Any], files: _Files) -> str:
    """A dictionary as JSON, which is YAML as well."""
    try:
        return json.dumps(tree, default=files.plain, ensure_ascii=False, indent=1, allow_nan=False)
    except errors.Error:
        raise
    except ValueError as failure:
        raise errors.BadInput(f"a scenario holds a number that is not finite, or itself ({failure})") from failure


def in_words(value: Any, plain: Callable[[Any], Any] = _plain) -> str:
    """A value of a key as the library reads it."""
    return value if isinstance(value, str) else json.dumps(value, default=plain, ensure_ascii=False)


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

    Examples
    --------
    >>> plan = pw.Plan(np.ones((30, 30)), "10 cm")
    >>> pw.Scenario({"band": "1 GHz", "transmitters": [{"at": [1, 1]}]}, plan=plan).facts.transmitter_count
    1
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
        """Width and height [m].

        Examples
        --------
        >>> pw.Plan(np.ones((20, 30)), "10 cm").size
        (3.0, 2.0)
        """
        shape = np.shape(self.relative_permittivity)
        if len(shape) != 2 or 0 in shape:
            raise errors.UsageError(f"relative_permittivity has the shape {shape}: give rows and columns")
        rows, columns = shape
        side = length(self.pixel)
        return columns * side, rows * side


@dataclass(frozen=True)
class Size:
    """How large a run will be: nodes of the grid, steps at most, and bytes of memory, about.

    Examples
    --------
    >>> scenario.measure().bytes > 0
    True
    """

    nodes: int
    steps: int
    bytes: float


RUN_STATES = {
    _abi.PW_RUN_MISSING: "missing",
    _abi.PW_RUN_STARTED: "started",
    _abi.PW_RUN_DONE: "done",
    _abi.PW_RUN_OTHER: "other",
    _abi.PW_RUN_DAMAGED: "damaged",
}


class Scenario(Editing, Studies, Handle):
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

    Examples
    --------
    >>> pw.Scenario("room.yaml", {"grid.cell": "3 cm"}).facts.title
    'A small room'
    >>> pw.Scenario({"plan": {"size": [4, 3]}, "band": "1 GHz", "transmitters": [{"at": [1, 1]}]}).facts.band_centre
    1000000000.0
    """

    def __init__(self, source: PathLike | Mapping[str, Any], set: Mapping[str, Any] | None = None, *, plan: Plan | None = None):
        self.told = ""  # by what it was imported
        self._files = _Files()
        overrides, count = texts([f"{key}={in_words(value, self._files.plain)}" for key, value in (set or {}).items()])
        handle = ctypes.c_void_p()
        self.array_plan = plan
        if isinstance(source, Mapping):
            tree = dict(source)
            if plan is not None:
                tree["plan"] = {"size": list(plan.size), **tree.get("plan", {})}
            source = _yaml(tree, self._files)
            call("pw_scenario_parse", b"scenario", encoded(source), overrides, count, ctypes.byref(handle))
        elif isinstance(source, str) and "\n" in source:
            call("pw_scenario_parse", b"scenario", encoded(source), overrides, count, ctypes.byref(handle))
        else:
            call("pw_scenario_load", path_of(source), overrides, count, ctypes.byref(handle))
        self._own("pw_scenario_free", handle)

    @property
    def text(self) -> str:
        """The resolved scenario as YAML, with every default; what is open stands there as ``auto``.

        Examples
        --------
        >>> scenario.text.splitlines()[0]
        'title: "A small room"'
        """
        return decoded(library.pw_scenario_text(self._handle))

    def setup(self, *, precision: Precision = "single", strict: bool = False) -> Setup:
        """Rasterizes and validates; nothing is allocated for solving yet.

        Parameters
        ----------
        precision : {"single", "double"}
            Of the arithmetic. Fields kept in 16 bits are a key of the scenario, ``{"grid.storage": "half"}``, in three dimensions.
        strict : bool
            Turn warnings about ranges of materials into errors.

        Examples
        --------
        >>> scenario.setup(precision="double").facts.dimensions
        2
        """
        from .setups import Setup

        return Setup(self, precision=precision, strict=strict)

    def run(self, path: PathLike | None = None, **options: Unpack[RunOptions]) -> Result:
        """Sets up and solves; the options are those of `Setup.run`.

        Examples
        --------
        >>> pw.Scenario("small.yaml").run().facts.title
        'small'
        """
        with self.setup() as setup:
            return setup.run(path, **options)

    def animate(self, path: PathLike, transmitter: int = 0, **options: Any) -> str:
        """Sets up, solves one transmitter and writes a film of its wave; see `Setup.animate`.

        Examples
        --------
        >>> pw.Scenario("small.yaml").animate("wave.gif", frames=2, width=2)
        'wave.gif'
        """
        with self.setup() as setup:
            return setup.animate(path, transmitter, **options)

    def look(self, path: PathLike, *, precision: Precision = "single") -> tuple[str, str]:
        """How far a run of this scenario into `path` is: "missing", "started", "done", "other" or "damaged", and why.

        Examples
        --------
        >>> scenario.look("not-there.h5")
        ('missing', '')
        """
        state, reason = ctypes.c_int(), _abi.pw_error()
        number = word("precision", precision, {"single": _abi.PW_SINGLE, "double": _abi.PW_DOUBLE})
        call("pw_run_look", path_of(path), self._handle, number, ctypes.byref(state), ctypes.byref(reason))
        return RUN_STATES[state.value], in_python(decoded(reason.message))

    def measure(self) -> Size:
        """How large a run will be, in a moment: nodes, steps at most, and bytes of memory, about. NoResource: more than there is.

        Examples
        --------
        >>> scenario.measure().nodes > 0
        True
        """
        size = _abi.pw_setup_size()
        call("pw_setup_measure", self._handle, ctypes.byref(size))
        return Size(size.nodes, size.steps, size.bytes)

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

        Examples
        --------
        >>> told = scenario.export("room.svg")
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

        Examples
        --------
        >>> "glass" in scenario.difference(scenario.with_wall((1, 1), (1, 2), "10 cm", "glass"))
        True
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
        return _from_text, (absolute(self.text), self.array_plan, self._files.texts)

    def _repr_html_(self) -> str:
        if self.closed:
            return table("planwave.Scenario, closed", {})
        picture = None if self.array_plan is not None else self.floor_plan()._repr_png_()
        return table(self.facts.title or "Scenario of planwave", {}, picture, self.text)

    def __repr__(self) -> str:
        return "<planwave.Scenario, closed>" if self.closed else f"<planwave.Scenario>\n{self.text}"


def _from_text(text: str, plan: Plan | None, waveforms: Mapping[str, str] | None = None) -> Scenario:
    files = _Files()
    for path, lines in (waveforms or {}).items():
        text = text.replace(path, files.add(lines))
    made = Scenario(text, plan=plan)
    made._files = files
    return made
