"""Where transmitters may stand on a plan, drawn by chance; and walls as the maps see them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import errors
from ..scenario import PathLike, PlanwaveWarning, Scenario

if TYPE_CHECKING:
    from ..facts import Walls

Floats = npt.NDArray[np.float64]


def permittivity(walls: Walls, x: Floats, y: Floats) -> npt.NDArray[np.float32]:
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
class Layout:
    """Where transmitters may stand, of a plan that was laid out and hardly solved."""

    free: Floats  # (place, 2) [m]: middles of cells
    pitch: float  # m: side of those cells
    height: float  # m: of the transmitter that is replaced; NaN: none
    checksum: str  # of the plan as it was solved


def layout_of(scenario: PathLike, changes: Mapping[str, Any], clearance: float) -> Layout:
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
    return Layout(places, float(lattice.x[1] - lattice.x[0]), model.height, checksum)


def draw_places(layout: Layout, count: int, seed: int) -> Floats:
    """Places for transmitters, (count, 2) [m]: evenly over what is free, anywhere in a cell. More of them begin with the same ones."""
    drawn = np.random.default_rng(seed).random((count, 3))
    chosen = np.minimum((drawn[:, 0] * len(layout.free)).astype(np.intp), len(layout.free) - 1)
    places: Floats = layout.free[chosen] + (drawn[:, 1:] - 0.5) * layout.pitch
    return places
