"""Channels in the layout of DeepMIMO v4."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import errors
from ..options import Quantity, numbers
from ..result import Result
from ..scenario import PathLike, PlanwaveWarning, Scenario

if TYPE_CHECKING:
    from ..pairs import Channels

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]
Indices = npt.NDArray[np.intp]
LIGHT = 299792458.0  # m/s
PROBES = ("_dx", "_dy")  # what names of transmitters end in that tell angles of departure
RANK_ONE = (
    "angles of departure are not known and written as 0: a base station of several elements, such as DeepMIMO's usual one of 8, has "
    "channels of rank 1. Run planwave.learning.with_probes(scenario), or have a transmitter for each element"
)
OF_ARRAYS = (
    "written as 0: each antenna of an array was solved at its own place and is a point of its set. channel_*.npz hold the channels between "
    "arrays. DeepMIMO's compute_channels() makes another array around each antenna; give it bs_antenna and ue_antenna of the shape [1, 1]"
)
OF_CHANNEL = (
    "channel_tSET_txSTATION_rSET.npz: channel (n_ue, n_rx_ant, n_tx_ant, n_subcarriers) as of DeepMIMO's compute_channels(), but of the full "
    "wave, with no paths between: H at frequency [Hz] between isotropic antennas, phase exp(-2j pi f tau), |H|^2 the path gain. DeepMIMO's "
    "own has the factor 1/sqrt(subcarriers)"
)
DEEPMIMO_VERSION = "4.0.0"  # of the layout


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


def _flat(many: Channels) -> Complexes:
    """Coefficients (antenna, transmitter, tap): components of the field are antennas of their receiver, as in `Channels.arrays`."""
    assert many.a is not None
    return many.a.reshape(-1, *many.a.shape[2:])


def _azimuths(result: Result, many: Channels, points: Floats, which: Indices, options: Mapping[str, Any]) -> tuple[Floats, str]:
    """Azimuth [degrees] that each tap comes from, by the gradient of its phase between neighbours on the lattice of the spectra.

    Where an antenna of an array has no such neighbours it is 0, and the text says so.
    """
    ports = len(many.ports)
    axes = result.spectra(rows=slice(0, 1), columns=slice(0, 1)).axes
    pitch = [axis[1] - axis[0] for axis in axes]
    if max(pitch) > 0.5 * LIGHT / many.frequency.max():
        why = f"the spectra are {1e3 * max(pitch):.1f} mm apart, and angles need half a wavelength at most: set spectra.spacing"
        if many.antennas == (1, 1):
            raise errors.BadInput(why)
        return np.zeros(which.shape), f"written as 0: {why}"
    slope = []
    centre = np.take_along_axis(_flat(many), which, axis=-1)
    known = np.ones(ports, dtype=np.bool_)
    for axis in (0, 1):
        inward = np.where(many.position[:, axis] > axes[axis].mean(), -1.0, 1.0)  # a neighbour that lies on the lattice, too
        beside = many.position.copy()
        beside[:, axis] += inward * pitch[axis]
        other = result.channels(many.transmitters, at=np.column_stack([beside, points[:, 2:]]), response=False, **options)
        assert other.a is not None
        known &= [port in other.ports for port in many.ports]
        there = other.a[:, [other.ports.index(port) if port in other.ports else 0 for port in many.ports]]
        turned = np.angle(np.take_along_axis(there.reshape(-1, *there.shape[2:]), which, axis=-1) * centre.conj())
        slope.append(turned * np.repeat(inward, ports)[:, np.newaxis, np.newaxis] / pitch[axis])
    azimuth: Floats = np.degrees(np.arctan2(slope[1], slope[0]))
    azimuth[~np.tile(known, len(points))] = 0.0
    told = "of the strongest wave in each tap, by the field beside each receiver"
    return azimuth, told if known.all() else "written as 0 where a receiver's antenna has a pattern: the field beside it is another"


def with_probes(scenario: Scenario) -> Scenario:
    """A scenario with two more transmitters beside each, NAME_dx and NAME_dy, a sixteenth of a wavelength along x and along y.

    From what changes between them `write_deepmimo` knows the angles of departure, so that arrays at the transmitter have channels of
    their true rank. The run takes three times as long.

    Raises
    ------
    BadInput
        A name that is too long, or is there already.

    Examples
    --------
    >>> from planwave.learning import with_probes
    >>> list(with_probes(pw.Scenario("room.yaml")).transmitters)
    ['west', 'east', 'west_dx', 'west_dy', 'east_dx', 'east_dy']
    """
    step = LIGHT / scenario.facts.band_centre / 16.0
    made = scenario
    for name, sender in scenario.transmitters.items():
        for ending, (dx, dy) in zip(PROBES, ((step, 0.0), (0.0, step))):
            made = made.with_transmitter(name + ending, (sender.x + dx, sender.y + dy), like=name)
    return made


def _has_probes(result: Result, name: str) -> bool:
    return all(name + ending in result.transmitters for ending in PROBES)


def _senders(result: Result, asked: Sequence[str] | None) -> list[str]:
    """Without those that stand beside another one to tell its angles."""
    probes = {name + ending for name in result.transmitters if _has_probes(result, name) for ending in PROBES}
    return [name for name in result.transmitters if name not in probes] if asked is None else list(asked)


def _departures(result: Result, many: Channels, points: Floats, which: Indices, options: Mapping[str, Any]) -> Floats:
    """Azimuth [degrees] in which each tap leaves, by the gradient of its phase between a transmitter and its probes; NaN without them."""
    azimuth: Floats = np.full(which.shape, np.nan)
    for number, name in enumerate(many.transmitters):
        if not _has_probes(result, name):
            continue
        sender, slope = result.transmitters[name], []
        taps = which[:, number]
        centre = np.take_along_axis(_flat(many)[:, number], taps, axis=-1)
        for ending in PROBES:
            probe = result.transmitters[name + ending]
            other = result.channels([name + ending], at=points, response=False, **options)
            turned = np.angle(np.take_along_axis(_flat(other)[:, 0], taps, axis=-1) * centre.conj())
            slope.append(turned / math.hypot(probe.x - sender.x, probe.y - sender.y))
        azimuth[:, number] = np.degrees(np.arctan2(slope[1], slope[0]))
    return azimuth


def _taps(many: Channels, most: int, depth: float) -> tuple[Indices, npt.NDArray[np.bool_], Floats]:
    """The strongest taps of each pair, strongest first: their numbers, which of them count, and the share of energy that they carry."""
    energy = np.abs(_flat(many)) ** 2
    which = np.argsort(-energy, axis=-1)[..., :most]
    strongest = np.take_along_axis(energy, which, axis=-1)
    counts = strongest > strongest[..., :1] * 10.0 ** (-0.1 * depth)
    total = np.sum(energy, axis=-1)
    return which, counts, np.where(total > 0.0, np.sum(strongest * counts, axis=-1) / np.where(total > 0.0, total, 1.0), 1.0)


@dataclass(frozen=True, eq=False)
class _Set:
    """Stations of equal arrays: their names, and which rows of the matrices, or transmitters, are their antennas, (station, antenna)."""

    name: str
    number: int
    stations: list[str]
    antennas: Indices
    dual: bool
    place: Floats  # (station, antenna, 3) [m]

    def described(self, step: float | None, sends: bool) -> dict[str, Any]:
        """As of DeepMIMO: every antenna is a point, `num_ant` of which are a station's."""
        offset = self.place[0] - self.place[0].mean(axis=0)
        return {
            "name": self.name,
            "id_orig": self.number,
            "id": self.number,
            "is_tx": sends,
            "is_rx": not sends,
            "num_points": self.antennas.size,
            "num_active_points": self.antennas.size,
            "num_ant": self.antennas.shape[1],
            "dual_pol": self.dual,
            "ant_rel_positions": np.round(offset, 6).tolist() if self.antennas.shape[1] > 1 else [[0, 0, 0]],
            "array_orientation": [0, 0, 0],  # the positions are turned already
            "grid_spacing": step,
        }


def _sets(word: str, first: int, names: Sequence[str], ends: Mapping[str, Any], place: Floats, each: int) -> list[_Set]:
    """Sets of stations of equal arrays; `each`: antennas of an end that is no array, which are components of the field."""
    stations: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        port = ends[name].port if name in ends else None
        stations.setdefault(name if port is None else port.station, []).append(number)
    groups: dict[tuple[int, bool], list[str]] = {}
    for station, members in stations.items():
        port = ends[names[members[0]]].port if names[members[0]] in ends else None
        groups.setdefault((len(members), port is not None and port.shape[2] > 1), []).append(station)
    made: list[_Set] = []
    for (_, dual), group in groups.items():
        antennas = np.array([[each * n + c for n in stations[station] for c in range(each)] for station in group], dtype=np.intp)
        made.append(_Set(word if len(groups) == 1 else ", ".join(group), first + len(made), group, antennas, dual, place[antennas // each]))
    return made


def _parameters(result: Result, many: Channels, sets: dict[str, Any], kept: Floats, told: Mapping[str, Any]) -> dict[str, Any]:
    """params.json. What a ray tracer would say of its rays is 0: these are taps."""
    interactions = ("max_path_depth", "max_reflections", "max_diffractions", "max_scattering", "max_transmissions", "num_rays")
    return {
        "version": DEEPMIMO_VERSION,
        "rt_params": {
            "raytracer_name": "planwave (full wave, no rays)",
            "raytracer_version": str(result.info.get("version", "")) if isinstance(result.info, Mapping) else "",
            "frequency": many.centre,
            **dict.fromkeys(interactions, 0),
            "synthetic_array": many.antennas == (1, 1),
            "raw_params": {
                "paths": "the strongest taps of the band, on a lattice of 1/bandwidth, side lobes included; not rays",
                "bandwidth": float(many.frequency[-1] - many.frequency[0]),
                "least_share_of_energy": float(kept.min()),
                **told,
                "antennas": {"transmitters": many.transmitters, "receivers": many.receivers, "components": many.ports},
                "interactions": "0 and 4: the direct path through air or walls; else not known (NaN)",
            },
        },
        "txrx_sets": sets,
        "materials": {},
        "scene": {"num_scenes": 1, "n_objects": 0, "n_vertices": 0, "n_faces": 0, "n_triangular_faces": 0, "objects": []},
    }


def _write_channels(folder: Path, answer: Channels, senders: Sequence[_Set], takers: Sequence[_Set]) -> None:
    """The channels between stations, a file for each transmitting station."""
    assert answer.H is not None
    flat = answer.H.reshape(-1, *answer.H.shape[2:])  # (antenna, transmitter, frequency)
    for sender in senders:
        for taker in takers:
            for number, antennas in enumerate(sender.antennas):
                channel = flat[taker.antennas[:, :, np.newaxis], antennas[np.newaxis, np.newaxis]]
                solved = ~np.isnan(channel).all(axis=(0, 1, 2))
                name = f"channel_t{sender.number:03d}_tx{number:03d}_r{taker.number:03d}.npz"
                arrays = {"channel": channel[..., solved].astype(np.complex64), "frequency": answer.frequency[solved]}
                np.savez_compressed(folder / name, **arrays)


def write_deepmimo(
    result: Result,
    folder: PathLike,
    *,
    at: npt.ArrayLike | None = None,
    grid: Sequence[Quantity] | None = None,
    transmitters: Sequence[str] | None = None,
    frequencies: str | npt.ArrayLike | None = None,
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
    frequencies : array_like or str, optional
        Where the channels between arrays are wanted, as of `Result.channels`: ``"64x312.5kHz"``. Default: those of the spectra.
    most_paths : int
        At most so many paths of a pair; DeepMIMO keeps 25.
    depth : float
        [dB] under the strongest; weaker taps are left out.
    **options
        See `ChannelOptions`.

    Returns
    -------
    ndarray, (receiver, transmitter)
        Share of the energy of each channel that its paths carry, antenna by antenna.

    Notes
    -----
    A path is a tap of the band, so channels made from the paths are right within the band that was solved, about its centre. Taps have the
    band's side lobes with them, some of which lie before the direct path, and even before emission. Power is the
    path gain between isotropic antennas [dB], phase [degrees] that at the carrier, delay [s] since emission. The azimuth of arrival
    is that of the strongest wave in the tap; so is that of departure, where the scenario was run `with_probes`. **Else angles of
    departure are not known** and written as 0, which `PlanwaveWarning` and params.json say: a base station of several elements, such as
    DeepMIMO's usual one of 8, then has channels of rank 1. DeepMIMO makes an array of one element's paths by plane waves, which holds
    where walls are many times farther than the array is long.

    **Arrays of the scenario are exact.** As DeepMIMO has it of ray tracers without synthetic arrays, each antenna is a point of its set:
    a transmitting station is a set, receivers follow one another station by station, antenna by antenna, `num_ant` of each, and the
    matrices are (antenna of a receiver, path). In three dimensions the components of the field that were kept are antennas of the
    receiver. ``channel_tSET_txSTATION_rSET.npz`` has what a full-wave solver knows itself, `channel` (n_ue, n_rx_ant, n_tx_ant,
    n_subcarriers) at `frequency` [Hz], in the shape of DeepMIMO's `compute_channels`: ``loaded.channel = numpy.load(...)["channel"]``.

    Examples
    --------
    >>> from planwave.learning import with_probes, write_deepmimo
    >>> with with_probes(pw.Scenario("room.yaml")).run() as probed:
    ...     share = write_deepmimo(probed, "deepmimo_scenarios/room", grid=(0.5, 0.5, 1.5, 1.5, "50 cm"))
    >>> share.shape
    (9, 2)
    """
    target = Path(folder)
    if target.exists():
        raise errors.BadInput(f"{target} exists: remove it, or give another folder")
    if not 1 <= most_paths:
        raise errors.UsageError(f"most_paths is {most_paths}: give 1 or more")
    named = _senders(result, transmitters)
    many = result.channels(named, at=at, grid=grid, response=False, **options)
    if many.a is None or many.tau is None or many.a.shape[-1] == 0:
        raise errors.BadInput("the band has too few frequencies for delays: a larger spectra.count")
    answer = result.channels(named, at=at, grid=grid, coefficients=False, frequencies=frequencies, **options)
    which, counts, share = _taps(many, most_paths, depth)
    heights = np.nan_to_num(many.height)
    points = np.column_stack([many.position, heights]) if np.isfinite(many.height).all() else many.position
    azimuth, arriving = _azimuths(result, many, points, which, options)
    leaving = _departures(result, many, points, which, options)
    arrays_send = all(result.transmitters[name].port is not None for name in many.transmitters)
    known = bool(np.isfinite(leaving).all())
    if not known and not arrays_send:
        warnings.warn(RANK_ONE, PlanwaveWarning, stacklevel=2)
    ports = len(many.ports)
    gain = np.take_along_axis(_flat(many), which, axis=-1)
    delay = np.take_along_axis(np.repeat(many.tau, ports, axis=0), which, axis=-1)
    bin_width = 1.0 / (many.frequency[-1] - many.frequency[0])
    stands = [result.transmitters[name] for name in many.transmitters]
    sent_from = np.array([[sender.x, sender.y, np.nan_to_num(sender.height)] for sender in stands])
    taken_at = np.column_stack([many.position, heights])
    senders = _sets("transmitters", 0, many.transmitters, result.transmitters, sent_from, 1)
    takers = _sets("receivers", len(senders), many.receivers, result.receivers, taken_at, ports)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as partial:
        made = Path(partial) / target.name
        made.mkdir()
        for sender in senders:
            for antenna, number in enumerate(sender.antennas.ravel()):
                free = _line_is_free(result, sent_from[number, :2], many.position)
                direct = np.abs(delay[:, number] - np.repeat(many.metrics["distance"][:, number], ports)[:, np.newaxis] / LIGHT) <= bin_width
                code = np.where(direct, np.where(np.repeat(free, ports)[:, np.newaxis], 0.0, 4.0), np.nan)
                counted = counts[:, number]
                matrices = {
                    "power": 20.0 * np.log10(np.maximum(np.abs(gain[:, number]), 1e-30)),
                    "phase": np.degrees(np.angle(gain[:, number])),
                    "delay": delay[:, number],
                    "aoa_az": azimuth[:, number],
                    "aoa_el": np.full(counted.shape, 90.0),
                    "aod_az": np.nan_to_num(leaving[:, number]),
                    "aod_el": np.full(counted.shape, 90.0),
                    "inter": code,
                }
                arrays = {key: np.where(counted, value, np.nan) for key, value in matrices.items()}
                arrays["inter_pos"] = np.full((*counted.shape, 1, 3), np.nan)
                arrays["rx_pos"] = np.repeat(taken_at, ports, axis=0)
                for taker in takers:
                    own = {key: value[taker.antennas.ravel()] for key, value in arrays.items()} | {"tx_pos": sent_from[number : number + 1]}
                    for key, value in own.items():
                        name = f"{key}_t{sender.number:03d}_tx{antenna:03d}_r{taker.number:03d}.npz"
                        np.savez_compressed(made / name, **{key: value.astype(np.float32)})  # type: ignore[arg-type]
        _write_channels(made, answer, senders, takers)
        np.savez_compressed(made / "vertices.npz", vertices=np.zeros((0, 3), dtype=np.float32))
        (made / "objects.json").write_text("[]\n", encoding="utf-8")
        step = float(numbers(grid)[4]) if grid is not None else None
        described = {f"txrx_set_{end.number}": end.described(step if end in takers else None, end in senders) for end in (*senders, *takers)}
        told = {
            "channel": OF_CHANNEL,
            "largest_error_of_channel": float(answer.error.max()),
            "angles_of_arrival": arriving,
            "angles_of_departure": "of the strongest wave in each tap, by two transmitters beside each"
            if known
            else OF_ARRAYS
            if arrays_send
            else RANK_ONE,
            "stations": {f"txrx_set_{end.number}": end.stations for end in (*senders, *takers)},
        }
        (made / "params.json").write_text(json.dumps(_parameters(result, many, described, share, told), indent=2) + "\n", encoding="utf-8")
        os.replace(made, target)
    return share
