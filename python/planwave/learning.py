"""Data sets for machine learning: radio maps from many transmitters, and channels in the layout of DeepMIMO v4.

```sh
python -m planwave.learning maps floorplans/flat.yaml --count 1000 --output maps.npz
python -m planwave.learning deepmimo office.h5 --grid 2,2,34,18,0.5 --output deepmimo_scenarios/office
```

`radio_maps` and `write_deepmimo` are the same for programs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import errors
from .maps import QUANTITIES
from .options import length
from .result import Result
from .scenario import PathLike, PlanwaveWarning, Scenario

if TYPE_CHECKING:
    from .facts import Walls
    from .maps import Map
    from .pairs import Channels

Floats = npt.NDArray[np.float64]
LIGHT = 299792458.0  # m/s
DEEPMIMO_VERSION = "4.0.0"  # of the layout
BATCH = 8  # transmitters that are solved together


# ---- radio maps ----


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
        """Reads what `save` has written. Raises BadInput where that is not so."""
        try:
            with np.load(path) as file:
                return cls(**{name: value if value.ndim else value.item() for name, value in file.items()})
        except (OSError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as failure:
            raise errors.BadInput(f"{os.fspath(path)} exists and is no set of radio maps ({failure})") from failure

    def save(self, path: PathLike) -> None:
        """Writes one compressed .npz, which appears whole or not at all; ``numpy.load`` reads it."""
        target = Path(path)
        partial = target.with_name(target.name + ".partial")
        try:
            with partial.open("wb") as file:
                np.savez_compressed(file, **vars(self))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


def _permittivity(walls: Walls, x: Floats, y: Floats) -> npt.NDArray[np.float32]:
    """The mean over the cell about each point of a lattice, so that no wall falls between its points."""
    mean = walls.relative_permittivity.astype(np.float64)
    for axis, fine, coarse in ((0, walls.y, y), (1, walls.x, x)):
        edge, pitch = 1e-6 * (fine[1] - fine[0]), coarse[1] - coarse[0]  # a node on an edge belongs to the cell behind it
        first = np.minimum(np.searchsorted(fine, coarse - 0.5 * pitch - edge), fine.size - 1)
        last = np.maximum(np.searchsorted(fine, coarse + 0.5 * pitch - edge), first + 1)
        sums = np.insert(np.cumsum(mean, axis=axis), 0, 0.0, axis=axis)
        count = (last - first).reshape((-1, 1) if axis == 0 else (1, -1))
        mean = (sums.take(last, axis) - sums.take(first, axis)) / count
    return mean.astype(np.float32)


def _away_from_walls(walls: Walls, x: Floats, y: Floats, clearance: float) -> npt.NDArray[np.bool_]:
    """Whether all of the cell about each point of a lattice is so far from walls, which may be thinner than that cell."""
    cell = walls.x[1] - walls.x[0]
    reach = int(np.ceil((max(clearance, 0.0) + 0.5 * (x[1] - x[0])) / cell))
    side = 2 * reach + 1
    sums = np.pad(walls.solid > 0, (reach + 1, reach)).astype(np.int64).cumsum(axis=0).cumsum(axis=1)
    near = sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side] > 0
    columns, rows = (np.abs(fine[:, np.newaxis] - coarse).argmin(axis=0) for fine, coarse in ((walls.x, x), (walls.y, y)))
    away: npt.NDArray[np.bool_] = ~near[np.ix_(rows, columns)]
    return away


def _inside(fine: Floats, coarse: Floats) -> npt.NDArray[np.bool_]:
    """Whether all of the cell about each point of one axis of a lattice lies on the plan."""
    half = 0.5 * (coarse[1] - coarse[0])
    inside: npt.NDArray[np.bool_] = (coarse - half >= fine[0]) & (coarse + half <= fine[-1])
    return inside


@dataclass(frozen=True)
class _Layout:
    """Where transmitters may stand, of a plan that was laid out and hardly solved."""

    free: Floats  # (place, 2) [m]: middles of cells
    pitch: float  # m: side of those cells
    height: float  # m: of the transmitter that is replaced; NaN: none
    checksum: str  # of the plan as it was solved


def _layout(scenario: PathLike, changes: Mapping[str, Any], clearance: float) -> _Layout:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlanwaveWarning)  # of a run that is too short on purpose; the real ones say theirs
        result = Scenario(scenario, {**changes, "stop": {"after": "0.1 ns"}}).run()
    with result:
        lattice, model = result.map("path-gain"), next(iter(result.transmitters.values()))
        walls = result.walls()
        free = lattice.floor.counted & _away_from_walls(walls, lattice.x, lattice.y, clearance)
        free &= np.logical_and.outer(_inside(walls.y, lattice.y), _inside(walls.x, lattice.x))
    rows, columns = np.nonzero(free)
    if rows.size == 0:
        raise errors.BadInput(f"no place on the floor is {clearance:g} m away from all walls: give a smaller clearance")
    checksum = hashlib.sha256(walls.solid.tobytes() + walls.relative_permittivity.tobytes()).hexdigest()
    places = np.stack([lattice.x[columns], lattice.y[rows]], axis=1)
    return _Layout(places, float(lattice.x[1] - lattice.x[0]), model.height, checksum)


def _places(layout: _Layout, count: int, seed: int) -> Floats:
    """Places for transmitters, (count, 2) [m]: evenly over what is free, anywhere in a cell. More of them begin with the same ones."""
    drawn = np.random.default_rng(seed).random((count, 3))
    chosen = np.minimum((drawn[:, 0] * len(layout.free)).astype(np.intp), len(layout.free) - 1)
    places: Floats = layout.free[chosen] + (drawn[:, 1:] - 0.5) * layout.pitch
    return places


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
    quantity: str = "path-gain",
    local_mean: bool | float | str = True,
    clearance: float | str = 0.2,
    power: str = "0 dBm",
    backend: str = "auto",
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
    """
    if count < 1:
        raise errors.UsageError(f"count is {count}: give 1 or more")
    quantity = quantity.lower().replace("_", "-").replace(" ", "-")
    if quantity not in _ALONE:
        raise errors.UsageError(f"quantity is {quantity!r}: a map of one transmitter is of one of {', '.join(_ALONE)}")
    changes = {**(set or {}), "receivers": []}
    layout = _layout(scenario, changes, length(clearance))
    settings = _settings(Scenario(scenario, changes).text, layout, seed, quantity, local_mean, length(clearance), power)
    kept = _Kept(folder, settings, begin)
    places = _places(layout, max(count, len(kept)), seed)
    if not kept.shared:
        with Scenario(scenario, {**changes, "transmitters": _stations(places[:BATCH], layout.height, 0, power)}).setup() as setup:
            kept.shared = {"scenario": setup.text}
    if progress is not None:
        progress(len(kept), count)
    try:
        while len(kept) < count:
            first = len(kept)
            stations = _stations(places[first : min(first + BATCH, count)], layout.height, first, power)
            with Scenario(kept.shared["scenario"], {"transmitters": stations}).run(backend=backend) as result:
                drawn = [result.map(quantity, station["name"], local_mean=local_mean) for station in stations]
                if first == 0:
                    kept.shared = {**_shared(result, drawn[0], kept.shared["scenario"], seed), "settings": settings}
            kept.add(np.stack([each.values.astype(np.float32) for each in drawn]))
            if progress is not None:
                progress(len(kept), count)
    except KeyboardInterrupt as stopped:
        if len(kept) > 0:
            stopped.maps = kept.gathered(places)  # type: ignore[attr-defined]
        raise
    return kept.gathered(places)


def _settings(text: str, layout: _Layout, seed: int, quantity: str, local_mean: Any, clearance: float, power: str) -> str:
    """What makes two sets of maps the same but for their count, as JSON."""
    named = {"seed": seed, "quantity": quantity, "local mean": local_mean, "clearance": clearance, "power": power}
    return json.dumps({**named, "plan": layout.checksum, "scenario": hashlib.sha256(text.encode()).hexdigest()})


def _shared(result: Result, drawn: Map, scenario: str, seed: int) -> dict[str, Any]:
    """What all maps of a set have in common."""
    return {
        "relative_permittivity": _permittivity(result.walls(), drawn.x, drawn.y),
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


# ---- DeepMIMO ----


def _line_is_free(result: Result, start: Floats, ends: Floats) -> npt.NDArray[np.bool_]:
    """Whether the straight line to each end (end, 2) runs through air alone, on the plan as it was solved."""
    walls = result.walls()
    pitch = walls.x[1] - walls.x[0]
    parts = int(np.ceil(4.0 * np.max(np.hypot(*(ends - start).T)) / pitch)) + 2
    share = np.linspace(0.0, 1.0, parts)
    free = np.empty(len(ends), dtype=np.bool_)
    for n, end in enumerate(ends):  # one at a time: all lines together would want gigabytes on a large plan
        x, y = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
        column = np.clip(np.rint((x - walls.x[0]) / pitch).astype(int), 0, walls.x.size - 1)
        row = np.clip(np.rint((y - walls.y[0]) / pitch).astype(int), 0, walls.y.size - 1)
        free[n] = not np.any(walls.solid[row, column] > 0)
    return free


def _azimuths(result: Result, many: Channels, points: Floats, which: npt.NDArray[np.intp], options: Mapping[str, Any]) -> Floats:
    """Azimuth [degrees] that each tap comes from, by the gradient of its phase between neighbours on the lattice of the spectra."""
    axes = result.spectra(rows=slice(0, 1), columns=slice(0, 1)).axes
    pitch = [axis[1] - axis[0] for axis in axes]
    if max(pitch) > 0.5 * LIGHT / many.frequency.max():
        raise errors.BadInput(
            f"the spectra are {1e3 * max(pitch):.1f} mm apart, and angles need half a wavelength at most: set spectra.spacing"
        )
    slope = []
    assert many.a is not None
    centre = np.take_along_axis(many.a[:, 0], which, axis=-1)
    for axis in (0, 1):
        inward = np.where(many.position[:, axis] > axes[axis].mean(), -1.0, 1.0)  # a neighbour that lies on the lattice, too
        beside = many.position.copy()
        beside[:, axis] += inward * pitch[axis]
        other = result.channels(many.transmitters, at=np.column_stack([beside, points[:, 2:]]), response=False, **options)
        assert other.a is not None
        turned = np.angle(np.take_along_axis(other.a[:, 0], which, axis=-1) * centre.conj())
        slope.append(turned * inward[:, np.newaxis, np.newaxis] / pitch[axis])
    azimuth: Floats = np.degrees(np.arctan2(slope[1], slope[0]))
    return azimuth


def _taps(many: Channels, most: int, depth: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_], Floats]:
    """The strongest taps of each pair, strongest first: their numbers, which of them count, and the share of energy that they carry."""
    assert many.a is not None
    energy = np.abs(many.a[:, 0]) ** 2
    which = np.argsort(-energy, axis=-1)[..., :most]
    strongest = np.take_along_axis(energy, which, axis=-1)
    counts = strongest > strongest[..., :1] * 10.0 ** (-0.1 * depth)
    total = np.sum(energy, axis=-1)
    return which, counts, np.sum(strongest * counts, axis=-1) / np.where(total > 0.0, total, 1.0)


def _station_sets(senders: int, receivers: int, step: float | None) -> dict[str, Any]:
    """The two sets of DeepMIMO: transmitters, and receivers."""
    sets = {}
    for number, (name, points) in enumerate((("transmitters", senders), ("receivers", receivers))):
        sets[f"txrx_set_{number}"] = {
            "name": name,
            "id_orig": number,
            "id": number,
            "is_tx": number == 0,
            "is_rx": number == 1,
            "num_points": points,
            "num_active_points": points,
            "num_ant": 1,
            "dual_pol": False,
            "ant_rel_positions": [[0, 0, 0]],
            "array_orientation": [0, 0, 0],
            "grid_spacing": step if number else None,
        }
    return sets


def _parameters(result: Result, many: Channels, step: float | None, kept: Floats) -> dict[str, Any]:
    """params.json. What a ray tracer would say of its rays is 0: these are taps."""
    interactions = ("max_path_depth", "max_reflections", "max_diffractions", "max_scattering", "max_transmissions", "num_rays")
    return {
        "version": DEEPMIMO_VERSION,
        "rt_params": {
            "raytracer_name": "planwave (full wave, no rays)",
            "raytracer_version": str(result.info.get("version", "")) if isinstance(result.info, Mapping) else "",
            "frequency": many.centre,
            **dict.fromkeys(interactions, 0),
            "synthetic_array": True,
            "raw_params": {
                "paths": "the strongest taps of the band, on a lattice of 1/bandwidth, side lobes included; not rays",
                "bandwidth": float(many.frequency[-1] - many.frequency[0]),
                "least_share_of_energy": float(kept.min()),
                "angles_of_departure": "not known, written as 0: one antenna at each transmitter",
                "interactions": "0 and 4: the direct path through air or walls; else not known (NaN)",
            },
        },
        "txrx_sets": _station_sets(len(many.transmitters), len(many.receivers), step),
        "materials": {},
        "scene": {"num_scenes": 1, "n_objects": 0, "n_vertices": 0, "n_faces": 0, "n_triangular_faces": 0, "objects": []},
    }


def write_deepmimo(
    result: Result,
    folder: PathLike,
    *,
    at: npt.ArrayLike | None = None,
    grid: Sequence[float] | None = None,
    transmitters: Sequence[str] | None = None,
    most_paths: int = 25,
    depth: float = 40.0,
    **options: Any,
) -> Floats:
    """Writes channels as a scenario of DeepMIMO v4: ``deepmimo.load`` reads the folder.

    Parameters
    ----------
    result : Result
    folder : path
        Must not exist. DeepMIMO looks for it in ``deepmimo_scenarios/`` by its name, in lower case.
    at, grid, transmitters
        As of `Result.channels`; without points, the receivers of the scenario.
    most_paths : int
        At most so many paths of a pair; DeepMIMO keeps 25.
    depth : float
        [dB] under the strongest; weaker taps are left out.
    **options
        See `ChannelOptions`.

    Returns
    -------
    ndarray, (receiver, transmitter)
        Share of the energy of each channel that its paths carry.

    Notes
    -----
    A path is a tap of the band, so channels made from the paths are right within the band that was solved, about its centre. Taps have the
    band's side lobes with them, some of which lie before the direct path, and even before emission. Power is the
    path gain between isotropic antennas [dB], phase [degrees] that at the carrier, delay [s] since emission. The azimuth of arrival
    is that of the strongest wave in the tap. **Angles of departure are not known**, and written as 0: channels are those of one
    antenna at each transmitter. Where an array stands, have a transmitter for each of its antennas.
    """
    target = Path(folder)
    if target.exists():
        raise errors.BadInput(f"{target} exists: remove it, or give another folder")
    if not 1 <= most_paths:
        raise errors.UsageError(f"most_paths is {most_paths}: give 1 or more")
    many = result.channels(transmitters, at=at, grid=grid, response=False, **options)
    if many.a is None or many.tau is None or many.a.shape[-1] == 0:
        raise errors.BadInput("the band has too few frequencies for delays: a larger spectra.count")
    which, counts, share = _taps(many, most_paths, depth)
    heights = np.nan_to_num(many.height)
    points = np.column_stack([many.position, heights]) if np.isfinite(many.height).all() else many.position
    azimuth = _azimuths(result, many, points, which, options)
    gain = np.take_along_axis(many.a[:, 0], which, axis=-1)
    delay = np.take_along_axis(many.tau, which, axis=-1)
    bin_width = 1.0 / (many.frequency[-1] - many.frequency[0])
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as partial:
        made = Path(partial) / target.name
        made.mkdir()
        for number, name in enumerate(many.transmitters):
            sender = result.transmitters[name]
            free = _line_is_free(result, np.array([sender.x, sender.y]), many.position)
            direct = np.abs(delay[:, number] - many.metrics["distance"][:, number, np.newaxis] / LIGHT) <= bin_width
            code = np.where(direct, np.where(free[:, np.newaxis], 0.0, 4.0), np.nan)
            counted = counts[:, number]
            matrices = {
                "power": 20.0 * np.log10(np.maximum(np.abs(gain[:, number]), 1e-30)),
                "phase": np.degrees(np.angle(gain[:, number])),
                "delay": delay[:, number],
                "aoa_az": azimuth[:, number],
                "aoa_el": np.full(counted.shape, 90.0),
                "aod_az": np.zeros(counted.shape),
                "aod_el": np.full(counted.shape, 90.0),
                "inter": code,
            }
            arrays = {key: np.where(counted, value, np.nan) for key, value in matrices.items()}
            arrays["inter_pos"] = np.full((*counted.shape, 1, 3), np.nan)
            arrays["rx_pos"] = np.column_stack([many.position, heights])
            arrays["tx_pos"] = np.array([[sender.x, sender.y, np.nan_to_num(sender.height)]])
            for key, value in arrays.items():
                np.savez_compressed(made / f"{key}_t000_tx{number:03d}_r001.npz", **{key: value.astype(np.float32)})  # type: ignore[arg-type]
        np.savez_compressed(made / "vertices.npz", vertices=np.zeros((0, 3), dtype=np.float32))
        (made / "objects.json").write_text("[]\n", encoding="utf-8")
        step = float(grid[4]) if grid is not None else None
        (made / "params.json").write_text(json.dumps(_parameters(result, many, step, share), indent=2) + "\n", encoding="utf-8")
        os.replace(made, target)
    return share


# ---- the commands ----


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m planwave.learning", description="Data sets for machine learning.")
    commands = parser.add_subparsers(dest="command", required=True)
    maps = commands.add_parser("maps", help="radio maps of a scenario from many places of its transmitter")
    maps.add_argument("scenario")
    maps.add_argument("-n", "--count", type=int, default=1000, help="of maps (1000)")
    maps.add_argument("-o", "--output", required=True, help="name of the .npz")
    maps.add_argument("--seed", type=int, default=0, help="of the places (0)")
    maps.add_argument("--quantity", default="path-gain", help="path-gain (default), received-power, rms-delay-spread, ...")
    maps.add_argument("--clearance", default="20 cm", help="least distance from walls (20 cm)")
    maps.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a key of the scenario; may be repeated")
    maps.add_argument("--backend", default="auto", help="auto (default), cpu, cuda, reference")
    maps.add_argument("-f", "--force", action="store_true", help="replace an existing file, and begin anew where a run was stopped")
    deepmimo = commands.add_parser("deepmimo", help="channels of a result in the layout of DeepMIMO v4")
    deepmimo.add_argument("result")
    deepmimo.add_argument("-o", "--output", required=True, help="folder of the scenario; must not exist")
    deepmimo.add_argument("--grid", type=_numbers, help="x0,y0,x1,y1,step [m]; default: the receivers of the scenario")
    return parser


def _maps(given: argparse.Namespace) -> int:
    target = Path(given.output)
    parts = target.with_name(target.name + ".parts")
    parent = target.resolve().parent
    if not (parent.is_dir() and os.access(parent, os.W_OK)):  # known before hours of solving
        raise errors.NoResource(f"{given.output} cannot be written: {parent} is no folder that may be written to")
    changes = dict(pair.split("=", 1) for pair in given.set if "=" in pair)
    if len(changes) != len(given.set):
        raise errors.UsageError("--set wants KEY=VALUE, and each key once")
    if given.force:
        shutil.rmtree(parts, ignore_errors=True)
    there = RadioMaps.load(target) if target.exists() and not given.force else None
    begun: list[int] = []

    def told(done: int, count: int) -> None:
        if not begun and 0 < done:
            print(f"{given.output}: {done} of {count} maps are there" + ("; going on" if done < count else ""), file=sys.stderr)
        begun.append(done)
        if sys.stderr.isatty():
            print(f"\r{done} of {count} maps", end="" if done < count else "\n", file=sys.stderr, flush=True)

    try:
        made = radio_maps(
            given.scenario,
            given.count,
            seed=given.seed,
            set=changes,
            quantity=given.quantity,
            clearance=given.clearance,
            backend=given.backend,
            begin=there,
            folder=parts,
            progress=told,
        )
    except KeyboardInterrupt:
        raise errors.Interrupted("stopped" + (f"; the same command goes on with what {parts} has" if parts.exists() else "")) from None
    if there is None or len(made.maps) > len(there.maps):
        made.save(target)
    shutil.rmtree(parts, ignore_errors=True)
    size = f"{target.stat().st_size / 1e6:.1f} MB"
    print(f"{given.output}: {len(made.maps)} maps of {made.maps.shape[1]} x {made.maps.shape[2]} cells, {size}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The commands; returns the exit status, which is that of ``planwave``."""
    given = _parser().parse_args(arguments)
    warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sys.stderr)
    try:
        if given.command == "maps":
            return _maps(given)
        with Result(given.result) as result:
            share = write_deepmimo(result, given.output, grid=given.grid)
        print(
            f"{given.output}: {share.shape[0]} receivers, {share.shape[1]} transmitters; paths carry {100 * share.min():.1f} % of the energy or more"
        )
        print("angles of departure are not known and written as 0: channels are those of one antenna at each transmitter")
        return 0
    except KeyboardInterrupt:
        print("stopped, nothing written", file=sys.stderr)
        return errors.Interrupted.status
    except errors.Error as failure:
        print(f"error: {failure}", file=sys.stderr)
        return failure.status
    except OSError as failure:
        print(f"error: {failure}", file=sys.stderr)
        return errors.NoResource.status


if __name__ == "__main__":
    sys.exit(main())
