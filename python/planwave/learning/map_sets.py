"""Radio maps of one quantity from many places of the transmitter, in a set that a run may add to."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from .. import errors
from .._library import files_are_threadsafe, limit_threads
from ..maps import QUANTITIES
from ..options import Backend, QuantityName, length
from ..scenario import PathLike, Scenario
from .places import Floats, Layout, draw_places, layout_of, permittivity

if TYPE_CHECKING:
    from ..facts import SetupFacts
    from ..maps import Map
    from ..result import Result

BATCH = (8, 32)  # transmitters that are solved together: at least, unless memory is short, and at most; else one for each processor
SPECTRA_BYTES = 2e9  # of all that are at work
THREADS_OF_WORKER = 2
Solved = TypeVar("Solved")


@dataclass(frozen=True)
class RadioMaps:
    """Maps of one quantity from many places of the transmitter.

    Attributes
    ----------
    maps : ndarray of float32, (map, row, column)
        In `unit`; row 0 at the bottom; NaN where not defined, as inside a conductor.
    transmitter : ndarray, (map, 2)
        x and y [m].
    x, y : ndarray
        Of columns and rows [m].
    relative_permittivity : ndarray of float32, (row, column)
        Mean over each cell of the maps, so that thin walls are seen too; 1 in air.
    floor : ndarray of bool, (row, column)
        What counts as inside of the building.
    quantity, unit : str
        What was mapped, as asked for, and its unit.
    seed : int
        Of the places.
    scenario : str
        What was solved, with everything chosen, as YAML; its transmitters are those of the first batch. Paths are from the working folder.
    settings : str
        What was asked for but for the count, as JSON; maps of the same settings can be added.

    Examples
    --------
    >>> from planwave.learning import radio_maps
    >>> made = radio_maps("small.yaml", 2, seed=1)
    >>> made.maps.shape[0]
    2
    """

    maps: npt.NDArray[np.float32]
    transmitter: Floats
    x: Floats
    y: Floats
    relative_permittivity: npt.NDArray[np.float32]
    floor: npt.NDArray[np.bool_]
    quantity: str
    unit: str
    seed: int
    scenario: str
    settings: str = ""

    @classmethod
    def load(cls, path: PathLike) -> RadioMaps:
        """Reads what `save` has written. Raises BadInput where that is not so.

        Examples
        --------
        >>> from planwave.learning import RadioMaps, radio_maps
        >>> radio_maps("small.yaml", 1).save("one.npz")
        >>> RadioMaps.load("one.npz").maps.shape[0]
        1
        """
        try:
            with np.load(path) as file:
                return cls(**{name: value if value.ndim else value.item() for name, value in file.items()})
        except (OSError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as failure:
            raise errors.BadInput(f"{os.fspath(path)} exists and is no set of radio maps ({failure})") from failure

    def save(self, path: PathLike) -> None:
        """Writes one compressed .npz, which appears whole or not at all; ``numpy.load`` reads it.

        Examples
        --------
        >>> from planwave.learning import RadioMaps, radio_maps
        >>> radio_maps("small.yaml", 1).save("maps.npz")
        """
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        try:
            with partial.open("wb") as file:
                np.savez_compressed(file, **vars(self))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


class _Kept:
    """The maps that are done, in memory, and in a folder too where one is given: one file for each batch, that is there whole or not at
    all, and one for what they share. A killed run goes on with them."""

    def __init__(self, folder: PathLike | None, settings: str, begin: RadioMaps | None):
        self.folder = None if folder is None else Path(folder)
        self.settings = settings
        self.maps: list[npt.NDArray[np.float32]] = []
        self.shared: dict[str, Any] = {}
        if begin is not None:
            _settings_check(begin.settings, settings, "what is there")
            self.maps = [begin.maps]
            self.shared = {name: value for name, value in vars(begin).items() if name not in ("maps", "transmitter")}
        if self.folder is not None and self.folder.exists():
            self._read(self.folder)

    def __len__(self) -> int:
        return sum(len(part) for part in self.maps)

    def _read(self, folder: Path) -> None:
        try:
            with np.load(folder / "shared.npz") as file:
                self.shared = {name: value if value.ndim else value.item() for name, value in file.items()}
        except FileNotFoundError:
            if any(folder.iterdir()):
                raise errors.BadInput(f"{folder} is no folder of unfinished maps: move it away, or give another name") from None
            return
        except (OSError, ValueError, zipfile.BadZipFile) as damage:
            raise errors.BadInput(f"{folder / 'shared.npz'} is damaged ({damage}): remove {folder}, or start anew by force") from damage
        _settings_check(self.shared.get("settings", ""), self.settings, str(folder))
        while (part := folder / f"maps-{len(self):06d}.npy").exists():
            try:
                self.maps.append(np.load(part))
            except (OSError, ValueError) as damage:
                raise errors.BadInput(f"{part} is damaged ({damage}): remove it, and its maps are solved again") from damage

    def _write(self, name: str, write: Callable[[Any], object]) -> None:
        assert self.folder is not None
        with (self.folder / f"{name}.partial").open("wb") as file:
            write(file)
        (self.folder / f"{name}.partial").replace(self.folder / name)

    def add(self, maps: npt.NDArray[np.float32]) -> None:
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not (self.folder / "shared.npz").exists():
                self._write("shared.npz", lambda file: np.savez_compressed(file, **self.shared))
            self._write(f"maps-{len(self):06d}.npy", lambda file: np.save(file, maps))
        self.maps.append(maps)

    def gathered(self, places: Floats) -> RadioMaps:
        done = np.concatenate(self.maps)
        return RadioMaps(maps=done, transmitter=places[: len(done)], **self.shared)


def _settings_check(there: str, asked: str, what: str) -> None:
    """BadInput that says what differs, unless the maps that are there were made with the same settings."""
    try:
        old, new = json.loads(there or "{}"), json.loads(asked)
    except ValueError:
        old, new = {}, json.loads(asked)
    for key, value in new.items():
        if key not in old or old[key] != value:
            short = "" if key in ("scenario", "plan") or key not in old else f", {old[key]} there and {value} now"
            raise errors.BadInput(f"{what} has maps of another {key}{short}: give another name, or replace it by force")


# Quantities of one transmitter; the others depend on which ones are solved together.
_ALONE = tuple(quantity for quantity in QUANTITIES if quantity not in ("best-server", "sinr"))


def radio_maps(
    scenario: PathLike,
    count: int,
    *,
    seed: int = 0,
    set: Mapping[str, Any] | None = None,
    quantity: QuantityName = "path-gain",
    local_mean: bool | float | str = True,
    clearance: float | str = 0.2,
    power: str = "0 dBm",
    backend: Backend = "auto",
    begin: RadioMaps | None = None,
    folder: PathLike | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> RadioMaps:
    """Solves a scenario from many places of its transmitter, drawn evenly over the floor.

    Parameters
    ----------
    scenario : path
        Its transmitters are replaced, and receivers are left out. New ones have the height of its first.
    count : int
        Of maps, 1 at least. Where more are there already, all of them are returned.
    seed : int
        The same seed draws the same places, whatever the count: more maps begin with the same ones.
    set : dict, optional
        Changes of the scenario, as of `Scenario`.
    quantity : str
        One of `planwave.QUANTITIES` that needs one transmitter, such as "path-gain", "received-power", "rms-delay-spread".
    local_mean : bool, float or str
        Average powers over a square: True, of a wavelength; a length, of that side.
    clearance : float or str
        Least distance from walls [m].
    power : str
        Of every transmitter.
    begin : RadioMaps, optional
        Maps of the same settings, which are the first ones; only the others are solved.
    folder : path, optional
        Keeps the maps that are done, batch by batch. A call that finds some there goes on with them, whatever ended the one before, and
        more maps than before may be asked for. The folder stays, and may be removed then.
    progress : callable, optional
        Called with the maps that are done and `count`; at the beginning too.

    Raises
    ------
    BadInput
        No place for a transmitter; a folder of other maps, by scenario, plan, seed or options.
    UsageError
        A quantity of several transmitters, such as "sinr".

    Notes
    -----
    What the scenario leaves open (scheme, cell, frequencies, end of the run) is chosen once, for the first batch, so that all maps have
    one lattice and one accuracy. A batch of transmitters is solved at a time, so that memory and disk stay bounded. Ctrl-C raises
    KeyboardInterrupt; the maps that were done are in its attribute ``maps``.

    Examples
    --------
    >>> from planwave.learning import radio_maps
    >>> made = radio_maps("small.yaml", 2, quantity="received-power", power="10 dBm")
    >>> made.unit
    'dBm'
    """
    if count < 1:
        raise errors.UsageError(f"count is {count}: give 1 or more")
    quantity = cast("QuantityName", quantity.lower().replace("_", "-").replace(" ", "-"))
    if quantity not in _ALONE:
        raise errors.UsageError(f"quantity is {quantity!r}: a map of one transmitter is of one of {', '.join(_ALONE)}")
    changes = {**(set or {}), "receivers": []}
    layout = layout_of(scenario, changes, length(clearance))
    settings = _settings(Scenario(scenario, changes).text, layout, seed, quantity, local_mean, length(clearance), power)
    kept = _Kept(folder, settings, begin)
    places = draw_places(layout, max(count, len(kept)), seed)
    if not kept.shared:
        with Scenario(scenario, {**changes, "transmitters": _stations(places[:8], layout.height, 0, power)}).setup() as setup:
            kept.shared = {"scenario": setup.text}
    with Scenario(kept.shared["scenario"]).setup() as setup:
        device = setup.forecast(backend=backend).backend == "cuda"
        workers = 1 if device else max(1, _processors() // THREADS_OF_WORKER)
        batch = _batch(setup.facts, workers)

    def solve(first: int) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        stations = _stations(places[first : min(first + batch, count)], layout.height, first, power)
        with Scenario(kept.shared["scenario"], {"transmitters": stations}).run(
            backend=backend, threads=THREADS_OF_WORKER if workers > 1 else 0, progress=lambda _: not stop.is_set()
        ) as result:
            drawn = [result.map(quantity, station["name"], local_mean=local_mean) for station in stations]
            shared = _shared(result, drawn[0], kept.shared["scenario"], seed) if first == 0 else {}
        return np.stack([each.values.astype(np.float32) for each in drawn]), shared

    stop = threading.Event()
    if progress is not None:
        progress(len(kept), count)
    try:
        for maps, shared in _in_order(solve, range(len(kept), count, batch), workers, stop):
            if shared:
                kept.shared = {**shared, "settings": settings}
            kept.add(maps)
            if progress is not None:
                progress(len(kept), count)
    except KeyboardInterrupt as stopped:
        if len(kept) > 0:
            stopped.maps = kept.gathered(places)  # type: ignore[attr-defined]
        raise
    return kept.gathered(places)


def _in_order(solve: Callable[[int], Solved], firsts: range, workers: int, stop: threading.Event) -> Iterator[Solved]:
    """What `solve` makes of each, in order. Several are at work at once where there are processors for it: many threads at one small grid
    wait for each other most of the time."""
    if workers == 1 or not files_are_threadsafe():
        yield from map(solve, firsts)
        return
    with ThreadPoolExecutor(workers, initializer=limit_threads, initargs=(THREADS_OF_WORKER,)) as pool:
        waiting = [pool.submit(solve, first) for first in firsts[:workers]]
        try:
            for number in range(len(firsts)):
                if number + workers < len(firsts):
                    waiting.append(pool.submit(solve, firsts[number + workers]))
                yield waiting[number].result()
                waiting[number] = Future()  # lets go of what it held
        finally:
            stop.set()
            for future in waiting:
                future.cancel()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _batch(facts: SetupFacts, workers: int) -> int:
    """How many transmitters are solved together."""
    each = 8.0 * facts.frequency_count * facts.spectra_rows * facts.spectra_columns
    wanted = BATCH[0] if workers > 1 else min(max(_processors(), BATCH[0]), BATCH[1])
    return max(1, min(wanted, int(SPECTRA_BYTES / workers / max(each, 1.0))))


def _settings(text: str, layout: Layout, seed: int, quantity: str, local_mean: Any, clearance: float, power: str) -> str:
    """What makes two sets of maps the same but for their count, as JSON."""
    named = {"seed": seed, "quantity": quantity, "local mean": local_mean, "clearance": clearance, "power": power}
    return json.dumps({**named, "plan": layout.checksum, "scenario": hashlib.sha256(text.encode()).hexdigest()})


def _shared(result: Result, drawn: Map, scenario: str, seed: int) -> dict[str, Any]:
    """What all maps of a set have in common."""
    return {
        "relative_permittivity": permittivity(result.walls(), drawn.x, drawn.y),
        "floor": drawn.floor.counted,
        "x": drawn.x,
        "y": drawn.y,
        "quantity": drawn.quantity,
        "unit": drawn.unit,
        "seed": seed,
        "scenario": scenario,
    }


def _stations(places: Floats, height: float, first: int, power: str) -> list[dict[str, Any]]:
    up = [] if math.isnan(height) else [height]
    return [{"name": f"tx{first + n}", "at": [*place, *up], "power": power} for n, place in enumerate(places.tolist())]
