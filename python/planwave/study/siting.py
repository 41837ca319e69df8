"""Where do the access points go? Candidates, places where a signal is wanted, levels between them, and the best choice.

```python
siting = scenario.siting(candidates="2.5 m")
answer = siting.choose(level=-40, share=0.99)
print(answer.met, answer.positions, answer.least_count)
```
"""

from __future__ import annotations

import ctypes
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Handle, Watch, call, captured, decoded, encoded, library, path_of, texts
from .._words import in_python
from ..facts import SetupFacts, taken
from ..options import SPREADINGS, Backend, Devices, Quantity, SpreadingName, compute, corners_of, db, length, numbers, word
from ..options import frequency as parse_frequency
from .answer import Answer, ChannelPlan, NeedOptions, SitingFacts, answer_of, need_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..result import ProgressOfWork
    from ..scenario import PathLike, Scenario

Floats = npt.NDArray[np.float64]
Points = Union[Quantity, "os.PathLike[str]", npt.ArrayLike]
_SENDERS = {"auto": _abi.PW_SITING_AUTO, "candidates": _abi.PW_SITING_CANDIDATES_SEND, "places": _abi.PW_SITING_PLACES_SEND}


def _sites(points: npt.ArrayLike, weights: npt.ArrayLike | None, names: Sequence[str] | None, what: str) -> Any:
    """An array of pw_site."""
    values = np.atleast_2d(numbers(points))
    if values.ndim != 2 or values.shape[1] not in (2, 3) or len(values) == 0 or not np.isfinite(values).all():
        raise errors.UsageError(f"{what} have the shape {np.shape(points)}: give finite points (count, 2) or (count, 3) in metres")
    weight = np.broadcast_to(np.asarray(1.0 if weights is None else weights, dtype=np.float64), (len(values),))
    if names is not None and len(names) != len(values):
        raise errors.UsageError(f"there are {len(values)} {what} and {len(names)} names")
    sites = (_abi.pw_site * len(values))()
    for n, point in enumerate(values.tolist()):
        name = None if names is None else encoded(names[n])
        sites[n] = _abi.pw_site(point[0], point[1], point[2] if len(point) == 3 else math.nan, float(weight[n]), name)
    return sites


class Siting(Handle):
    """Candidates and demand on the plan of a scenario. Made by `Scenario.siting`.

    The access points are copies of one transmitter of the scenario.

    Parameters
    ----------
    candidates : length, path or array_like, (count, 2) or (count, 3)
        Where access points may stand: a spacing, "2 m", for a grid inside the building; a `pathlib.Path` of a CSV; or points [m].
    box : (x0, y0, x1, y1), optional
        The grid of candidates is in this box [m].
    names : list of str, optional
        Of candidates that are points.
    places : length, path or array_like
        Where a signal is wanted, likewise.
    weights : array_like, (place), optional
        Of places that are points.
    areas : dict, optional
        Parts of the floor that have demand: ``{"lab": (2, 2, 8, 7), "rest": "inside"}``; a pair of that and a weight gives the weight of
        each place in it. Where areas overlap the later one counts. Default: the inside of the building.
    transmitter : str, optional
        Which one of the scenario the access points are like; default: the first.
    place_height : length, optional
        Over the lowest floor [m]; default 1.5.
    receiver_gain : float
        [dBi]
    mean_width : length
        Levels are means of the power over a square of this side [m]; 0: a wavelength; under 0: at points.
    spreading : {"auto", "delay", "distance", "storey", "diffuse", "none"}
    send : {"auto", "candidates", "places"}
        Who sends in the runs.
    accurate : bool
        Run as long and with as many frequencies as `Scenario.run`; default: as far as levels need.
    backend, threads, devices, device_memory
        As of `Setup.run`.

    Raises
    ------
    BadInput
        No such transmitter, a hard source, a file that cannot be read, points outside the plan, nothing left.

    Examples
    --------
    >>> pw.Scenario("small.yaml").siting("1 m", places="50 cm", areas={"all": "inside"}).solved
    False
    """

    def __init__(
        self,
        scenario: Scenario,
        candidates: Points = 2.0,
        *,
        box: Sequence[float] | None = None,
        names: Sequence[str] | None = None,
        places: Points = 0.5,
        weights: npt.ArrayLike | None = None,
        areas: Mapping[str, Any] | None = None,
        transmitter: str | None = None,
        place_height: Quantity | None = None,
        receiver_gain: Quantity = 0.0,
        mean_width: Quantity = 0.0,
        spreading: SpreadingName = "auto",
        send: Literal["auto", "candidates", "places"] = "auto",
        accurate: bool = False,
        backend: Backend = "auto",
        threads: int = 0,
        devices: Devices = None,
        device_memory: int | str = 0,
    ):
        plan = scenario._text_plan()
        options = library.pw_siting_options_default()
        kept = [_points(options, "candidate", candidates, None, names), _points(options, "place", places, weights, None)]
        if box is not None:
            options.has_candidate_box, options.candidate_box = True, (ctypes.c_double * 4)(*corners_of(box, "box"))
        listed = _areas(areas or {})
        options.areas, options.area_count = listed, len(areas or {})
        options.model, options.compute = encoded(transmitter), compute(backend, threads, devices, device_memory)
        options.place_height = math.nan if place_height is None else length(place_height)
        options.receiver_gain, options.mean_width, options.keep_accuracy = db("receiver_gain", receiver_gain), length(mean_width), accurate
        options.spreading, options.runs = word("spreading", spreading, SPREADINGS), word("send", send, _SENDERS)
        self._watch = Watch(None)
        options.monitor = self._watch.monitor()
        handle = ctypes.c_void_p()
        with self._watch.checked():
            call("pw_siting_create", plan, ctypes.byref(options), ctypes.byref(handle))
        del kept
        self._own("pw_siting_free", handle, scenario)
        self._told = 0
        self._tell_notes()

    def _tell_notes(self) -> None:
        from ..scenario import PlanwaveWarning, _depth

        notes = self.notes
        for note in notes[self._told :]:
            warnings.warn(note, PlanwaveWarning, stacklevel=_depth())
        self._told = len(notes)

    @property
    def facts(self) -> SitingFacts:
        """Counts, who sends, and the set-up of a run.

        Examples
        --------
        >>> siting.facts.runs > 0
        True
        """
        struct = library.pw_siting_describe(self._handle)
        plain = {name: getattr(struct, name) for name in SitingFacts.__annotations__ if name not in ("setup", "floor", "why")}
        return SitingFacts(floor=decoded(struct.floor), why=decoded(struct.why), setup=taken(SetupFacts, struct.setup), **plain)

    @property
    def notes(self) -> list[str]:
        """What was left out, and other things to know; each was also given as a `PlanwaveWarning`.

        Examples
        --------
        >>> isinstance(siting.notes, list)
        True
        """
        count = library.pw_siting_describe(self._handle).note_count
        return [in_python(decoded(library.pw_siting_note(self._handle, n))) for n in range(count)]

    def _points(self, function: str, count: int) -> Any:
        return getattr(library, function)(self._handle)[:count]

    @property
    def candidates(self) -> Floats:
        """x, y and height [m] of each, (candidate, 3).

        Examples
        --------
        >>> siting.candidates.shape == (siting.facts.candidate_count, 3)
        True
        """
        points = self._points("pw_siting_candidates", self.facts.candidate_count)
        return np.array([(point.x, point.y, point.height) for point in points])

    @property
    def candidate_names(self) -> list[str]:
        """Names of the candidates, empty of those that have none.

        Examples
        --------
        >>> len(siting.candidate_names) == siting.facts.candidate_count
        True
        """
        return [decoded(point.name) for point in self._points("pw_siting_candidates", self.facts.candidate_count)]

    @property
    def places(self) -> Floats:
        """x, y and height [m] of each, (place, 3).

        Examples
        --------
        >>> siting.places.shape[1]
        3
        """
        return np.array([(point.x, point.y, point.height) for point in self._points("pw_siting_places", self.facts.place_count)])

    @property
    def weights(self) -> Floats:
        """Of the places, (place).

        Examples
        --------
        >>> siting.weights.size == siting.facts.place_count
        True
        """
        return np.array([point.weight for point in self._points("pw_siting_places", self.facts.place_count)])

    def forecast(self) -> float:
        """About how long `solve` takes [s], as timed on a small box just now.

        Examples
        --------
        >>> siting.forecast() > 0
        True
        """
        seconds = ctypes.c_double()
        call("pw_siting_forecast", self._handle, ctypes.byref(seconds))
        return seconds.value

    def solve(self, progress: ProgressOfWork | None = None) -> Siting:
        """Runs the scenario for every candidate, or for every place, and keeps the levels. Returns itself.

        `progress` is called with the share that is done, 0 to 1; False as its answer ends the work, and so does Ctrl-C.

        Examples
        --------
        >>> siting.solve().solved
        True
        """
        self._watch.ask(progress)
        try:
            with self._watch.checked():
                call("pw_siting_solve", self._handle)
        finally:
            self._watch.told = None
        self._tell_notes()
        return self

    @property
    def solved(self) -> bool:
        """Whether the levels are known.

        Examples
        --------
        >>> siting.solved
        True
        """
        return bool(library.pw_siting_levels(self._handle))

    @property
    def levels(self) -> Floats:
        """Received power of every candidate at every place, (candidate, place) [dBm]; NaN where not defined. A copy.

        Examples
        --------
        >>> siting.levels.shape == (siting.facts.candidate_count, siting.facts.place_count)
        True
        """
        start, facts = library.pw_siting_levels(self._handle), self.facts
        if not start:
            raise errors.UsageError("the levels are not known yet: solve, or read_levels")
        shape = (facts.candidate_count, facts.place_count)
        return np.ctypeslib.as_array(ctypes.cast(start, ctypes.POINTER(ctypes.c_double)), shape).copy()

    def write_levels(self, path: PathLike) -> None:
        """Writes the levels with their points as CSV.

        Examples
        --------
        >>> siting.write_levels("again.csv")
        """
        call("pw_siting_levels_write", self._handle, path_of(path))

    def read_levels(self, path: PathLike) -> Siting:
        """Reads levels back in place of `solve`. BadInput: of other points, another access point or another band. Returns itself.

        Examples
        --------
        >>> siting.write_levels("levels.csv")
        >>> siting.read_levels("levels.csv").solved
        True
        """
        call("pw_siting_levels_read", self._handle, path_of(path))
        self._tell_notes()
        return self

    def choose(
        self,
        level: Quantity = -67.0,
        share: Quantity = 0.95,
        *,
        slide: bool = False,
        **options: Unpack[NeedOptions],
    ) -> Answer:
        """The fewest candidates that meet a need, or the best so many, and how far that may be from the optimum. Solves first.

        Parameters
        ----------
        level : float or str
            [dBm] of the strongest access point at a place: -67 or "-67 dBm".
        share : float or str
            0 to 1, or "95 %": at least so much of the weight of all places has it.
        slide : bool
            Then move the chosen candidates to where they do more, by further runs; never to where they do less.
        **options
            Any of `planwave.study.NeedOptions`: second, best, most, search_time, progress.

        Raises
        ------
        UsageError
            A share or a count out of its range.

        Examples
        --------
        >>> siting.choose("-40 dBm", "90 %").met
        True
        """
        if not self.solved:
            self.solve(options.get("progress"))
        watch, found = Watch(options.get("progress")), _abi.pw_siting_answer()
        need = need_of(level, share, options, watch)
        with watch.checked():
            call("pw_siting_choose", self._handle, ctypes.byref(need), ctypes.byref(found))
            if slide:
                call("pw_siting_slide", self._handle, ctypes.byref(need), ctypes.byref(found), None, None)
        need.monitor = _abi.pw_monitor()  # the answer outlives the function that is told
        return answer_of(need, found, self.candidates, self.candidate_names)

    def assign_channels(
        self, answer: Answer, channels: int | Sequence[str], *, noise_bandwidth: Quantity = 20e6, noise_figure: Quantity = 7.0
    ) -> ChannelPlan:
        """Channels for the access points of an answer, for least interference.

        Parameters
        ----------
        channels : int or list of str
            How many there are, or their names, such as ``["1", "6", "11"]``; 64 at most. Of so many, in a band of Wi-Fi,
            the names are those of channels that do not overlap: 1, 6, 11, or 36, 40, ...
        noise_bandwidth : float or str
            [Hz] of the receiver, in which it takes in noise k 290 K.
        noise_figure : float
            [dB]

        Examples
        --------
        >>> siting.assign_channels(answer, 3, noise_figure="7 dB").exact
        True
        """
        names = self._channel_names(channels)
        found, band = _abi.pw_siting_channels(), parse_frequency(noise_bandwidth)
        call(
            "pw_siting_assign",
            self._handle,
            ctypes.byref(answer._structs[1]),
            len(names),
            band,
            db("noise_figure", noise_figure),
            ctypes.byref(found),
        )
        return ChannelPlan(
            channels=[names[n] for n in found.channel[: answer.sites.size]],
            interference=found.interference,
            single_interference=found.single_interference,
            sinr=tuple(found.sinr),
            single_sinr=tuple(found.single_sinr),
            exact=found.exact,
            _struct=found,
            _names=names,
        )

    def _channel_names(self, channels: int | Sequence[str]) -> list[str]:
        if isinstance(channels, int):
            buffer = ((ctypes.c_char * _abi.PW_SITING_CHANNEL_TEXT) * max(channels, 1))()
            call("pw_siting_name_channels", self._handle, channels, buffer)
            return [decoded(name.value) for name in buffer]
        kept, count = texts([str(name) for name in channels])
        call("pw_siting_check_channels", self._handle, kept, count)
        return [str(name) for name in channels]

    def _story(self, answer: Answer, plan: ChannelPlan | None) -> tuple[Any, Any]:
        names, count = texts(plan._names) if plan is not None else (None, 0)
        story = _abi.pw_siting_story(
            need=ctypes.pointer(answer._structs[0]),
            answer=ctypes.pointer(answer._structs[1]),
            channels=None if plan is None else ctypes.pointer(plan._struct),
            channel_names=ctypes.cast(names, ctypes.c_void_p) if names else None,
            channel_count=count,
        )
        return story, names

    def report(self, answer: Answer, plan: ChannelPlan | None = None) -> str:
        """The answer as a table.

        Examples
        --------
        >>> len(siting.report(answer)) > 0
        True
        """
        story, kept = self._story(answer, plan)
        with captured() as (stream, text):
            call("pw_siting_report", self._handle, ctypes.byref(story), stream)
            del kept
            return text()

    def write(
        self,
        answer: Answer,
        plan: ChannelPlan | None = None,
        *,
        scenario: PathLike | None = None,
        json: PathLike | None = None,
        picture: PathLike | None = None,
        progress: ProgressOfWork | None = None,
    ) -> None:
        """Writes files of an answer.

        Parameters
        ----------
        scenario : path, optional
            The scenario with the chosen access points, ap1, ap2, ..., in place of its transmitters.
        json : path, optional
        picture : path, optional
            Solves the answer and draws the strongest access point (PNG, SVG or PDF), with its numbers as .csv and .npy.

        Examples
        --------
        >>> siting.write(answer, scenario="answer.yaml", json="answer.json")
        """
        story, kept = self._story(answer, plan)
        for function, path in (("pw_siting_scenario_write", scenario), ("pw_siting_json_write", json)):
            if path is not None:
                call(function, self._handle, ctypes.byref(story), path_of(path))
        if picture is not None:
            self._watch.ask(progress)
            with self._watch.checked():
                call("pw_siting_picture_write", self._handle, ctypes.byref(story), path_of(picture), None)
            self._watch.told = None
        del kept

    def __repr__(self) -> str:
        if self.closed:
            return "<planwave.Siting, closed>"
        facts = self.facts
        known = "levels known" if self.solved else f"{facts.runs} runs to do"
        return f"<planwave.Siting: {facts.candidate_count} candidates, {facts.place_count} places; {known}>"


def _points(options: Any, what: str, points: Points, weights: npt.ArrayLike | None, names: Sequence[str] | None) -> Any:
    """Fills a list, a path or a spacing of the options; returns what must be kept alive."""
    if isinstance(points, os.PathLike):
        setattr(options, f"{what}_path", path_of(points))
        return points
    if isinstance(points, (str, int, float)):
        spacing = length(points)
        if not 0.0 < spacing < math.inf:
            raise errors.refused(f"{what}s", points, "a spacing over 0, points, or a pathlib.Path")
        setattr(options, f"{what}_spacing", spacing)
        return None
    sites = _sites(points, weights, names, f"{what}s")
    setattr(options, "candidates" if what == "candidate" else "places", sites)
    setattr(options, f"{what}_count", len(sites))
    return sites


def _areas(areas: Mapping[str, Any]) -> Any:
    """An array of pw_siting_area."""
    listed = (_abi.pw_siting_area * max(1, len(areas)))()
    for n, (name, area) in enumerate(areas.items()):
        where, weight = area if isinstance(area, tuple) and len(area) == 2 else (area, 1.0)
        inside = isinstance(where, str) and where == "inside"
        corners = [0.0] * 4 if inside else corners_of(where, f"areas[{name!r}]")
        listed[n] = _abi.pw_siting_area(encoded(name), inside, *corners, float(weight))
    return listed
