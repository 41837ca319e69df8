"""Channels in the layout of DeepMIMO v4."""

from __future__ import annotations

import json
import math
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
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
LIGHT = 299792458.0  # m/s
PROBES = ("_dx", "_dy")  # what names of transmitters end in that tell angles of departure
RANK_ONE = (
    "angles of departure are not known and written as 0: a base station of several elements, such as DeepMIMO's usual one of 8, has "
    "channels of rank 1. Run planwave.learning.with_probes(scenario), or have a transmitter for each element"
)
OF_ARRAYS = (
    "written as 0: each antenna of an array is a transmitter or a receiver of its own, solved at its place (antennas), so that the channel "
    "between arrays is that of all of them with stations of one element"
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


def _departures(result: Result, many: Channels, points: Floats, which: npt.NDArray[np.intp], options: Mapping[str, Any]) -> Floats:
    """Azimuth [degrees] in which each tap leaves, by the gradient of its phase between a transmitter and its probes; NaN without them."""
    assert many.a is not None
    azimuth: Floats = np.full(which.shape, np.nan)
    for number, name in enumerate(many.transmitters):
        if not _has_probes(result, name):
            continue
        sender, slope = result.transmitters[name], []
        taps = which[:, number]
        centre = np.take_along_axis(many.a[:, 0, number], taps, axis=-1)
        for ending in PROBES:
            probe = result.transmitters[name + ending]
            other = result.channels([name + ending], at=points, response=False, **options)
            assert other.a is not None
            turned = np.angle(np.take_along_axis(other.a[:, 0, 0], taps, axis=-1) * centre.conj())
            slope.append(turned / math.hypot(probe.x - sender.x, probe.y - sender.y))
        azimuth[:, number] = np.degrees(np.arctan2(slope[1], slope[0]))
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


def _parameters(result: Result, many: Channels, step: float | None, kept: Floats, departures: str) -> dict[str, Any]:
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
                "angles_of_departure": departures,
                "antennas": {"transmitters": many.transmitters, "receivers": many.receivers},
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
    grid: Sequence[Quantity] | None = None,
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
    is that of the strongest wave in the tap; so is that of departure, where the scenario was run `with_probes`. **Else angles of
    departure are not known** and written as 0, which `PlanwaveWarning` and params.json say: a base station of several elements, such as
    DeepMIMO's usual one of 8, then has channels of rank 1. DeepMIMO makes an array of one element's paths by plane waves, which holds
    where walls are many times farther than the array is long; a transmitter for each element, as of an array in the scenario, is exact.

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
    many = result.channels(_senders(result, transmitters), at=at, grid=grid, response=False, **options)
    if many.a is None or many.tau is None or many.a.shape[-1] == 0:
        raise errors.BadInput("the band has too few frequencies for delays: a larger spectra.count")
    which, counts, share = _taps(many, most_paths, depth)
    heights = np.nan_to_num(many.height)
    points = np.column_stack([many.position, heights]) if np.isfinite(many.height).all() else many.position
    azimuth = _azimuths(result, many, points, which, options)
    leaving = _departures(result, many, points, which, options)
    antennas = all(result.transmitters[name].port is not None for name in many.transmitters)
    known = bool(np.isfinite(leaving).all())
    if not known and not antennas:
        warnings.warn(RANK_ONE, PlanwaveWarning, stacklevel=2)
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
                "aod_az": np.nan_to_num(leaving[:, number]),
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
        step = float(numbers(grid)[4]) if grid is not None else None
        told = "of the strongest wave in each tap, by two transmitters beside each" if known else OF_ARRAYS if antennas else RANK_ONE
        (made / "params.json").write_text(json.dumps(_parameters(result, many, step, share, told), indent=2) + "\n", encoding="utf-8")
        os.replace(made, target)
    return share
