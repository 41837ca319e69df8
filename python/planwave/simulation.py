"""Transmitters advanced together in memory, for those who want fields or single steps; and how fast this machine steps."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _abi  # type: ignore[attr-defined,unused-ignore]
from ._library import Handle, Watch, address, call, captured, encoded, library
from .options import Backend, Precision, compute, thread_count, word
from .setups import ProgressFunction, RunWatch, Setup

if TYPE_CHECKING:
    import xarray

    from .result import ProgressOfWork


def along(origin: float, cell: float, count: int) -> npt.NDArray[np.float64]:
    """Coordinates of nodes."""
    return np.asarray(origin + cell * np.arange(count), dtype=np.float64)


STEPS_AT_ONCE = 256  # between two chances for Ctrl-C


class Simulation(Handle):
    """Made by `Setup.simulation`. `run` below counts from the first of its transmitters.

    Examples
    --------
    >>> with setup.simulation(0, 1) as steps:
    ...     steps.advance(50)
    ...     print(steps.step)
    50
    """

    def __init__(self, setup: Setup, first: int = 0, count: int | None = None, **machine: Any):
        facts = setup.facts
        count = facts.transmitter_count - first if count is None else count
        handle = ctypes.c_void_p()
        asked = compute(**machine)
        call("pw_simulation_create", setup._handle, ctypes.byref(asked), first, count, ctypes.byref(handle))
        self._setup, self._facts = setup, facts
        self._own("pw_simulation_free", handle, setup)

    @property
    def step(self) -> int:
        """Steps done so far.

        Examples
        --------
        >>> simulation.step > 0
        True
        """
        return int(library.pw_simulation_step(self._handle))

    def advance(self, steps: int) -> None:
        """Advances so many steps, without stop rule and without looking for NaN. Ctrl-C stops between two steps.

        Examples
        --------
        >>> simulation.advance(1)
        """
        while steps > 0:
            part = min(steps, STEPS_AT_ONCE)
            call("pw_simulation_advance", self._handle, part)
            steps -= part

    def run(self, progress: ProgressFunction | bool | None = None) -> None:
        """Advances to the end: stop rule, watch for NaN and growth, progress and Ctrl-C as of `Setup.run`.

        Examples
        --------
        >>> with pw.Scenario("small.yaml").setup() as small, small.simulation() as whole:
        ...     whole.run()
        """
        watch = RunWatch(progress)
        with watch.checked():
            call("pw_simulation_run", self._handle, watch.callback, None)

    def field(self, run: int = 0) -> npt.NDArray[np.float64]:
        """Ez (ny, nx) [V/m] after the last step, in three dimensions (nz, ny, nx).

        Examples
        --------
        >>> simulation.field().shape == (simulation.y.size, simulation.x.size)
        True
        """
        facts = self._facts
        ez = np.empty((facts.ny, facts.nx) if facts.dimensions == 2 else (facts.nz, facts.ny, facts.nx))
        call("pw_simulation_field", self._handle, run, address(ez))
        return ez

    @property
    def x(self) -> npt.NDArray[np.float64]:
        """Of the columns of fields [m], absorber included.

        Examples
        --------
        >>> simulation.x.size == setup.facts.nx
        True
        """
        return along(self._facts.origin_x, self._facts.cell, self._facts.nx)

    @property
    def y(self) -> npt.NDArray[np.float64]:
        """Of their rows [m].

        Examples
        --------
        >>> simulation.y.size == setup.facts.ny
        True
        """
        return along(self._facts.origin_y, self._facts.cell, self._facts.ny)

    @property
    def z(self) -> npt.NDArray[np.float64]:
        """Of their levels [m], in three dimensions.

        Examples
        --------
        >>> simulation.z.size
        1
        """
        return along(self._facts.origin_z, self._facts.cell, self._facts.nz)

    @property
    def time(self) -> float:
        """[s], of the last step.

        Examples
        --------
        >>> simulation.time == simulation.step * setup.facts.time_step
        True
        """
        return self.step * float(self._facts.time_step)

    def to_xarray(self, run: int = 0) -> xarray.DataArray:
        """The field with its coordinates, (y, x) or (z, y, x).

        Examples
        --------
        >>> simulation.to_xarray().dims
        ('y', 'x')
        """
        from .datasets import field_array

        return field_array(self, run)

    def receiver_components(self, run: int = 0) -> npt.NDArray[np.float64]:
        """Ex, Ey and Ez at all recorded receivers, (receiver, component, step) [V/m]; in two dimensions Ex and Ey are zero.

        Examples
        --------
        >>> simulation.receiver_components().shape[:2]
        (2, 3)
        """
        e = np.empty((self._facts.receiver_count, 3, self.step))
        call("pw_simulation_receiver_components", self._handle, run, address(e))
        return e

    def receivers(self, run: int = 0) -> npt.NDArray[np.float64]:
        """Ez at all recorded receivers, (receiver, step) [V/m]; sample n at (n + 1) time steps.

        In three dimensions the component along the receiver's polarisation.

        Examples
        --------
        >>> simulation.receivers().shape == (2, simulation.step)
        True
        """
        ez = np.empty((self._facts.receiver_count, self.step))
        call("pw_simulation_receivers", self._handle, run, address(ez))
        return ez

    def spectra(self, run: int = 0) -> npt.NDArray[np.complex128]:
        """Running spectra (frequency, row, column) [V/m s], which the library writes into the array itself.

        In three dimensions there is one column, and a row is a point of a sheet.

        Examples
        --------
        >>> simulation.spectra().shape[0] == setup.facts.frequency_count
        True
        """
        facts = self._facts
        values = np.empty((facts.frequency_count, facts.spectra_rows, facts.spectra_columns), dtype=np.complex128)
        call("pw_simulation_spectra", self._handle, run, 0, facts.spectra_rows, address(values))
        return values

    def source_spectrum(self, run: int = 0) -> npt.NDArray[np.complex128]:
        """Spectrum of the transmitter's current (frequency) [A s], in three dimensions of its moment [A m s].

        Examples
        --------
        >>> simulation.source_spectrum().size == setup.facts.frequency_count
        True
        """
        values = np.empty(self._facts.frequency_count, dtype=np.complex128)
        call("pw_simulation_source_spectrum", self._handle, run, address(values))
        return values


@dataclass(frozen=True)
class BenchRow:
    """How fast one scheme steps.

    Attributes
    ----------
    scheme : str
    size : int
        Cells a side.
    cells_per_second : float
        The median of the timed batches.
    seconds_median, seconds_fastest, seconds_slowest : float
        Of a batch [s].
    steps_per_batch, batches : int
    bytes_per_cell : float
        Held.
    effective_bytes_per_second, fraction_of_copy : float
        What the updates amount to, and that against a copy timed beside them.

    Examples
    --------
    >>> pw.bench(size=96, steps=8, batches=1).rows[0].cells_per_second > 0
    True
    """

    scheme: str
    size: int
    cells_per_second: float
    seconds_median: float
    seconds_fastest: float
    seconds_slowest: float
    seconds_per_step: float
    steps_per_batch: int
    batches: int
    bytes_per_cell: float
    effective_bytes_per_second: float
    fraction_of_copy: float


@dataclass(frozen=True)
class Bench:
    """How fast this machine is. Made by `bench`.

    Attributes
    ----------
    backend, device, precision : str
    threads, dimensions, frequencies : int
        As asked for; threads 0: all.
    copy_bytes_per_second : float
        Read plus written, measured in the same process.
    included : str
        What was stepped.
    rows : list of BenchRow
        One for each scheme.

    Examples
    --------
    >>> pw.bench(size=96, steps=8, batches=1).precision
    'single'
    """

    backend: str
    device: str
    precision: str
    threads: int
    dimensions: int
    frequencies: int
    copy_bytes_per_second: float
    included: str
    rows: list[BenchRow]


def bench(
    scheme: str = "yee",
    *,
    backend: Backend = "auto",
    dimensions: Literal[2, 3] = 2,
    size: int = 0,
    steps: int = 0,
    batches: int = 0,
    threads: int = 0,
    precision: Precision = "single",
    storage: Literal["full", "half"] = "full",
    dispersive: int = 0,
    frequencies: int = 0,
    progress: ProgressOfWork | None = None,
) -> Bench:
    """Measures how fast this machine steps a square, or a cube, of random fields with absorber, walls, a source and probes.

    Parameters
    ----------
    scheme : str
        Of ``choices("schemes")``, or "all".
    backend : {"auto", "cpu", "cuda", "reference"}
    dimensions : {2, 3}
    size : int
        Cells a side, absorber included; 0: chosen.
    steps, batches : int
        Of a timed batch, 0: about half a second; how many of them, 0: 5.
    threads : int
        0: all.
    precision : {"single", "double"}
    storage : {"full", "half"}
        half: fields in 16 bits, as by ``grid.storage`` of a scenario; of a cube.
    dispersive : int
        Percent of the nodes that have a Debye pole, up to 50.
    frequencies : int
        Running spectra in every cell; 0: none.
    progress : callable or bool, optional
        Called after each batch with the share that is done, 0 to 1; False as its answer ends the work, and so does Ctrl-C.

    Raises
    ------
    UsageError, NoResource
        A number out of its range; a backend that is not there, or not enough memory.

    Examples
    --------
    >>> pw.bench("dd4", size=96, steps=8, batches=1, precision="double").rows[0].scheme
    'dd4'
    """
    watch, kinds = Watch(progress), {"single": _abi.PW_SINGLE, "double": _abi.PW_DOUBLE}
    options = _abi.pw_bench_options(
        backend=encoded(backend),
        scheme=encoded(scheme),
        dimensions=dimensions,
        size=size,
        steps=steps,
        batches=batches,
        threads=thread_count(threads),
        precision=word("precision", precision, kinds),
        dispersive=dispersive,
        frequencies=frequencies,
        half=word("storage", storage, {"full": False, "half": True}),
        json=True,
        monitor=watch.monitor(),
    )
    with captured() as (stream, text), watch.checked():
        call("pw_bench", ctypes.byref(options), stream)
        told = json.loads(text())
    rows = [BenchRow(**{name: row[name] for name in BenchRow.__annotations__}) for row in told["rows"]]
    return Bench(rows=rows, **{name: told[name] for name in Bench.__annotations__ if name != "rows"})
