"""People who walk through a floor: the channels of all links over time.

```python
walk = scenario.walk([[(2, 3), (6, 3)]], speed=1.4)
print(walk.blockage.max())  # dB
```
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Handle, Watch, call, decoded, encoded, library
from .._words import in_python
from ..options import word
from ..scenario import PlanwaveWarning, _depth

if TYPE_CHECKING:
    from ..result import ProgressOfWork
    from ..scenario import PathLike, Scenario

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WalkCheck:
    """A pose that was solved with the persons in the plan, on one link.

    Parameters
    ----------
    pose, receiver, transmitter : int
    field : float
        How far the channel is off, relative to its size, over the frequencies.
    scattered : float
        How far what the persons change is off, relative to it.
    blockage : float
        Of the whole solve [dB].
    """

    pose: int
    receiver: int
    transmitter: int
    field: float
    scattered: float
    blockage: float


class Walk(Handle):
    """Channels while people walk; `Scenario.walk` makes it.

    Attributes
    ----------
    transmitters, receivers : list of str
    frequencies : (subcarrier,) array
        [Hz]
    timestamps : (time,) array
        [s]
    positions : (person, time, 2) array
        x and y [m].
    csi : (time, subcarrier, rx, tx) array of complex
        H between isotropic antennas.
    csi_empty : (subcarrier, rx, tx) array of complex
        The same of the empty floor.
    blockage : (time, rx, tx) array
        Mean power over the band of the empty floor over that with the persons [dB].
    checks : list of WalkCheck
    runs : int
        Simulations that it took.

    Examples
    --------
    >>> import planwave as pw
    >>> room = pw.Scenario('''
    ... plan: {size: [2 m, 1 m]}
    ... band: {centre: 1 GHz, width: 100 MHz}
    ... transmitters: [{at: [0.4 m, 0.5 m]}]
    ... receivers: [{at: [1.6 m, 0.5 m]}]
    ... spectra: {count: 3}
    ... ''')
    >>> walk = room.walk([[(1, 0.3), (1, 0.7)]], rate=50)
    >>> walk.csi.shape
    (17, 3, 1, 1)
    >>> bool(walk.blockage.max() > 3)
    True
    """

    def __init__(self, handle: ctypes.c_void_p):
        self._own("pw_walk_free", handle)
        facts = library.pw_walk_describe(self._handle)
        names = [decoded(library.pw_walk_station(self._handle, n)) for n in range(facts.transmitters + facts.receivers)]
        links = (facts.frequencies, facts.receivers, facts.transmitters)
        self.transmitters: list[str] = names[: facts.transmitters]
        self.receivers: list[str] = names[facts.transmitters :]
        self.runs: int = facts.runs
        self.poses_a_second: float = facts.poses_a_second
        self.frequencies = self._taken("pw_walk_frequencies", (facts.frequencies,))
        self.timestamps: Floats = np.arange(facts.poses) / facts.rate
        self.positions = self._taken("pw_walk_positions", (facts.persons, facts.poses, 2))
        self.csi = self._taken("pw_walk_csi", (facts.poses, *links, 2), ctypes.c_float).view(np.complex64)[..., 0]
        self.csi_empty = self._taken("pw_walk_empty", (*links, 2)).view(np.complex128)[..., 0]
        self.blockage = self._taken("pw_walk_blockage", (facts.poses, *links[1:]))
        found = [library.pw_walk_check_at(self._handle, n) for n in range(facts.checks)]
        self.checks = [WalkCheck(c.pose, c.receiver, c.transmitter, c.field, c.scattered, c.blockage) for c in found]

    def _taken(self, function: str, shape: tuple[int, ...], kind: Any = ctypes.c_double) -> Any:
        pointer = ctypes.cast(getattr(library, function)(self._handle), ctypes.POINTER(kind))
        return np.ctypeslib.as_array(pointer, shape).copy()

    def write(self, path: PathLike) -> None:
        """Writes all of it as HDF5 into "walk.h5", csi into walk.npy and a picture of the first link into walk.png.

        Examples
        --------
        >>> walk.write("walk.h5")  # doctest: +SKIP
        """
        call("pw_walk_write", self._handle, encoded(path))

    def film(self, path: PathLike) -> None:
        """Writes an animated picture, "walk.gif": the floor with the persons, the links in the colour of their blockage.

        Examples
        --------
        >>> walk.film("walk.gif")  # doctest: +SKIP
        """
        call("pw_walk_film", self._handle, encoded(path))

    def __repr__(self) -> str:
        return f"<Walk of {self.positions.shape[0]} persons, {len(self.timestamps)} poses>"


def walk(
    scenario: Scenario,
    paths: Sequence[Any],
    numbers: tuple[float, float, float, float],
    storey: str | None,
    method: str,
    checks: int,
    subcarriers: str | None,
    machine: Any,
    progress: ProgressOfWork | None,
) -> Walk:
    """The work of `Scenario.walk`."""
    struct, watch, made = library.pw_walk_options_default(), Watch(progress), ctypes.c_void_p()
    ways = (_abi.pw_walk_path * max(1, len(paths)))()
    for way, path in zip(ways, paths):
        points = np.atleast_2d(np.asarray(path, dtype=float))
        if points.ndim != 2 or points.shape[1] != 2 or not 0 < len(points) <= _abi.PW_WALK_CORNERS or not np.isfinite(points).all():
            raise errors.UsageError(f"a path of shape {points.shape}: give points (x, y) in metres, at most {_abi.PW_WALK_CORNERS}")
        way.count = len(points)
        for n, (x, y) in enumerate(points):
            way.x[n], way.y[n] = x, y
    struct.paths, struct.person_count = ways, len(paths)
    struct.speed, struct.rate, struct.radius, struct.height = numbers
    if storey is not None:
        struct.storey = encoded(storey)
    methods = {"cylinder": _abi.PW_WALK_CYLINDER, "walls": _abi.PW_WALK_WALLS, "exact": _abi.PW_WALK_EXACT}
    struct.method = word("method", method, methods)
    struct.checks = checks
    if subcarriers is not None:
        struct.subcarriers = encoded(subcarriers)
    told: list[str] = []
    kinds: dict[str, Any] = {name: kind for name, kind, *_ in _abi.pw_walk_options._fields_}
    warn = kinds["warn"](lambda sentence, _user: told.append(in_python(decoded(sentence))))
    struct.compute, struct.monitor, struct.warn = machine, watch.monitor(), warn
    with watch.checked():
        call("pw_walk_solve", scenario._text_plan(), ctypes.byref(struct), ctypes.byref(made))
    for sentence in told:
        warnings.warn(sentence, PlanwaveWarning, stacklevel=_depth())
    return Walk(made)
