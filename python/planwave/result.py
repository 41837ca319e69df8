"""Results: files written by a run, read into numpy arrays, and what is made of them."""

from __future__ import annotations

import ctypes
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import address, call, captured, decoded, encoded, finite_pair, Handle, library, new_lock, path_of, Watch
from .calibration import Calibrating
from .facts import Complexes, Floats, Receiver, ResultFacts, Series, Sheet, Spectra, Transmitter, Walls, taken
from .options import COMPONENTS, ChannelOptions, MapOptions, Quantity, channel_options, length, word
from .scenario import PathLike

if TYPE_CHECKING:
    import xarray
    from typing_extensions import Unpack

    from .channel import Channel
    from .maps import Distribution, Map, Share
    from .pairs import Channels

ProgressOfWork = Callable[[float], object]


class Result(Calibrating, Handle):
    """A result file. `Setup.run` returns one; ``Result.open(path)`` opens one that is there.

    A result may be used by several threads; they wait for each other. Channels made from it are closed with it.

    Parameters
    ----------
    path : path

    Raises
    ------
    BadInput
        Not a result of planwave, damaged, or of an unknown format.
    """

    def __init__(self, path: PathLike, *, _folder: tempfile.TemporaryDirectory[str] | None = None):
        handle = ctypes.c_void_p()
        self._lock = new_lock()
        with self._lock:
            call("pw_result_open", path_of(path), ctypes.byref(handle))
        self.path = Path(os.fspath(path))
        self._folder = _folder
        self._own("pw_result_close", handle)
        self._first_sheet = library.pw_result_sheet_chosen(self._handle)
        self._transmitters: dict[str, Transmitter] | None = None

    @classmethod
    def open(cls, path: PathLike) -> Result:
        """Opens a result file."""
        return cls(path)

    def close(self) -> None:
        """Closes the file and what was made from it; a temporary file is removed."""
        with self._lock:
            super().close()
        if self._folder is not None:
            self._folder.cleanup()

    # ---- what is in it ----

    @property
    def facts(self) -> ResultFacts:
        """Numbers: grid, band, counts."""
        facts: ResultFacts = taken(ResultFacts, library.pw_result_describe(self._handle))
        return facts

    @property
    def info(self) -> dict[str, Any]:
        """Everything that ``planwave info --json`` tells: versions, backend, times, warnings, energies."""
        with self._lock, captured() as (stream, text):
            call("pw_result_print", self._handle, True, stream)
            info: dict[str, Any] = json.loads(text())
        return info

    @property
    def warnings(self) -> list[str]:
        """What was found on the way when it was solved."""
        return list(self.info.get("warnings", []))

    @property
    def transmitters(self) -> dict[str, Transmitter]:
        """Transmitters by name, in the order of the file; each with its receivers."""
        if self._transmitters is None:
            with self._lock:
                names = [self._transmitter(n) for n in range(self.facts.transmitter_count)]
            self._transmitters = {transmitter.name: transmitter for transmitter in names}
        return self._transmitters

    def _transmitter(self, index: int) -> Transmitter:
        facts, one = _abi.pw_transmitter(), _abi.pw_receiver()
        call("pw_result_transmitter", self._handle, index, ctypes.byref(facts))
        receivers = {}
        for n in range(facts.receiver_count):
            call("pw_result_receiver", self._handle, index, n, ctypes.byref(one))
            receiver: Receiver = taken(Receiver, one)
            receivers[receiver.name] = receiver
        values = {name: getattr(facts, name) for name in Transmitter.__annotations__ if name not in ("receivers", "name", "polarisation")}
        return Transmitter(name=decoded(facts.name), polarisation=tuple(facts.polarisation), receivers=receivers, **values)

    @property
    def receivers(self) -> dict[str, Receiver]:
        """Receivers of the first transmitter by name; the others have the same."""
        return next(iter(self.transmitters.values())).receivers

    @property
    def frequency(self) -> Floats:
        """Frequencies of the spectra (frequency_count) [Hz], ascending."""
        values = np.empty(self.facts.frequency_count)
        call("pw_result_frequencies", self._handle, address(values))
        return values

    def _index(self, transmitter: str | None) -> int:
        index = ctypes.c_int()
        call("pw_result_find_transmitter", self._handle, encoded(transmitter), ctypes.byref(index))
        return index.value

    # ---- sheets of three dimensions, and of horizontal polarisation ----

    @property
    def sheets(self) -> list[Sheet]:
        """Planes and cuts with running spectra; one in two dimensions, or none."""
        words = {value: name for name, value in COMPONENTS.items()}
        sheets, facts = [], _abi.pw_sheet()
        for n in range(library.pw_result_sheet_count(self._handle)):
            call("pw_result_sheet_describe", self._handle, n, ctypes.byref(facts))
            sheets.append(
                Sheet(decoded(facts.name), words[facts.component], facts.normal, facts.asked, facts.position, facts.rows, facts.columns)
            )
        return sheets

    @contextmanager
    def _on_sheet(self, height: Quantity | None, cut: int, component: str) -> Iterator[int]:
        """Holds the result for this thread, with the sheet chosen that is meant; yields the handle.

        The handle remembers its sheet, and takes it where nothing else is asked for: what one call chose must not count in the next.
        """
        with self._lock:
            if library.pw_result_sheet_count(self._handle) > 0:
                call("pw_result_sheet_choose", self._handle, self._first_sheet)
            choice = library.pw_sheet_choice_default()
            choice.height = math.nan if height is None else length(height)
            choice.cut, choice.component = cut, word("component", component, COMPONENTS)
            facts = library.pw_result_describe(self._handle)
            if facts.dimensions == 3 or facts.horizontal or height is not None or cut != 0:
                sheet = ctypes.c_int()
                call("pw_result_sheet_find", self._handle, ctypes.byref(choice), ctypes.byref(sheet))
                call("pw_result_sheet_choose", self._handle, sheet)
            yield self._handle

    # ---- data as it was solved ----

    def series(self, transmitter: str | None = None, receiver: str | None = None, *, component: str = "own") -> Series:
        """The field at a receiver at every step; in three dimensions the component along its polarisation, or "ex", "ey", "ez"."""
        with self._lock:
            index, at = self._index(transmitter), ctypes.c_int()
            call("pw_result_find_receiver", self._handle, index, encoded(receiver), ctypes.byref(at))
            facts = _abi.pw_transmitter()
            call("pw_result_transmitter", self._handle, index, ctypes.byref(facts))
            values = np.empty(facts.samples)
            if component == "own":
                call("pw_result_series", self._handle, index, at, address(values))
            else:
                call("pw_result_series_of", self._handle, index, at, word("component", component, COMPONENTS), address(values))
            return Series(values, self.facts.time_step * np.arange(1, facts.samples + 1))

    def source_spectrum(self, transmitter: str | None = None) -> Complexes:
        """Spectrum of the transmitter's current (frequency) [A s], in three dimensions of its moment [A m s]."""
        values = np.empty(self.facts.frequency_count, dtype=np.complex128)
        with self._lock:
            call("pw_result_source_spectrum", self._handle, self._index(transmitter), address(values))
        return values

    def spectra(
        self,
        transmitter: str | None = None,
        *,
        rows: slice = slice(None),
        columns: slice = slice(None),
        height: Quantity | None = None,
        cut: int = 0,
        component: str = "own",
        out: Complexes | None = None,
    ) -> Spectra:
        """Running spectra on a block of cells.

        Parameters
        ----------
        transmitter : str, optional
            Default: the first.
        rows, columns : slice
            Of step 1; default: all. Whole tiles of 8 x 8 cells read fastest.
        height, cut, component
            The sheet of a result in three dimensions: a plane near a height [m], or the vertical cut by its number from 1.
        out : ndarray of complex128, (frequency, rows, columns), optional
            Is filled, in place of a new array.
        """
        with self._on_sheet(height, cut, component) as handle:
            return self._spectra_of_chosen(handle, transmitter, (rows, columns), out)

    def _spectra_of_chosen(self, handle: int, transmitter: str | None, block: tuple[slice, slice], out: Complexes | None) -> Spectra:
        index, facts = self._index(transmitter), _abi.pw_transmitter()
        call("pw_result_transmitter", handle, index, ctypes.byref(facts))
        x, y = np.empty(facts.spectra_columns), np.empty(facts.spectra_rows)
        if x.size == 0 or y.size == 0:
            raise errors.BadInput(f"{self.path}: no running spectra; add the key 'spectra' to the scenario and run it again")
        call("pw_result_spectra_axes", handle, index, address(x), address(y))
        bounds = [part.indices(axis.size) for part, axis in zip(block, (y, x))]
        if any(step != 1 or stop <= start for start, stop, step in bounds):
            raise errors.UsageError("rows and columns are slices of step 1 with something in them")
        (row, row_end, _), (column, column_end, _) = bounds
        shape = (self.facts.frequency_count, row_end - row, column_end - column)
        values = np.empty(shape, dtype=np.complex128) if out is None else out
        if values.shape != shape or values.dtype != np.complex128 or not values.flags.c_contiguous or not values.flags.writeable:
            raise errors.UsageError(f"out must be a writable, C-contiguous array of complex128 with the shape {shape}")
        cells = _abi.pw_block(row, row_end - row, column, column_end - column)
        call("pw_result_spectra", handle, index, ctypes.byref(cells), address(values))
        return Spectra(values, self.frequency, x[column:column_end], y[row:row_end], decoded(facts.name), (x, y))

    def _sheet_spectra(self, sheet: int, transmitter: str, rows: slice, columns: slice) -> Spectra:
        """Spectra of a sheet by its number; `axes` are those of the whole sheet."""
        with self._lock:
            call("pw_result_sheet_choose", self._handle, sheet)
            return self._spectra_of_chosen(self._handle, transmitter, (rows, columns), None)

    def walls(self, *, height: Quantity | None = None, cut: int = 0) -> Walls:
        """Walls as they were solved, in the plane of a map."""
        with self._on_sheet(height, cut, "own") as handle:
            shape = _abi.pw_map_shape()
            call("pw_map_walls", handle, ctypes.byref(shape), None, None)
            solid = np.empty((shape.rows, shape.columns), dtype=np.uint8)
            permittivity = np.empty(solid.shape, dtype=np.float32)
            call("pw_map_walls", handle, ctypes.byref(shape), address(solid), address(permittivity))
        x, y = (shape.x0 + shape.pitch_x * np.arange(shape.columns), shape.y0 + shape.pitch_y * np.arange(shape.rows))
        return Walls(solid, permittivity, x, y)

    # ---- channels ----

    def channel(
        self,
        transmitter: str | None = None,
        receiver: str | None = None,
        *,
        at: Sequence[float] | npt.ArrayLike | None = None,
        cut: int = 0,
        **options: Unpack[ChannelOptions],
    ) -> Channel:
        """The channel from a transmitter to a receiver, or to the cell nearest to a point.

        Parameters
        ----------
        transmitter : str, optional
            Default: the first.
        receiver : str, optional
            Default: the first, when there is no `at`.
        at : (x, y), optional
            [m]; with `cut`, the place along that vertical cut, and the height.
        **options
            See `ChannelOptions`.

        Raises
        ------
        BadInput
            No such transmitter or receiver, a hard source, no running spectra, or a point outside them.
        UsageError
            An option out of its range.
        """
        from .channel import Channel

        struct = channel_options(options)
        point = None if at is None else (ctypes.c_double * 2)(*finite_pair(at, "at"))
        if receiver is not None and at is not None:
            raise errors.UsageError("a channel ends at a receiver or at a point: give one of them")
        component = options.get("component", "own") if at is not None else "own"
        with self._on_sheet(options.get("height") if at is not None else None, cut, component) as handle:
            made = ctypes.c_void_p()
            arguments = (encoded(transmitter), encoded(receiver), point, ctypes.byref(struct), ctypes.byref(made))
            call("pw_channel_create", handle, *arguments)
            name = list(self.transmitters)[self._index(transmitter)]
            return Channel(self, made, name)

    def channels(
        self,
        transmitters: Sequence[str] | None = None,
        receivers: Sequence[str] | None = None,
        *,
        at: npt.ArrayLike | None = None,
        grid: Sequence[float] | None = None,
        coefficients: bool = True,
        response: bool = True,
        progress: ProgressOfWork | None = None,
        **options: Unpack[ChannelOptions],
    ) -> Channels:
        """Channels of many pairs at once: from each transmitter to each receiver or point. The library's threads share the work.

        Parameters
        ----------
        transmitters : list of str, optional
            Default: all.
        receivers : list of str, optional
            Default: all, when there are no points.
        at : array_like, (points, 2) or (points, 3), optional
            x and y [m]; the third column is the height of each.
        grid : (x0, y0, x1, y1, step), optional
            Points on a grid [m], row by row from the bottom.
        coefficients, response : bool
            Whether coefficients and delays `a`, `tau`, and the response `H` are wanted; the metrics always are.
        progress : callable, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work.
        """
        from .pairs import compute

        return compute(self, transmitters, receivers, at, grid, (coefficients, response), progress, options)

    # ---- maps ----

    def map(
        self,
        quantity: str = "received-power",
        transmitter: str | None = None,
        *,
        cut: int = 0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[MapOptions],
    ) -> Map:
        """One quantity at every cell with running spectra.

        Parameters
        ----------
        quantity : str
            One of `planwave.QUANTITIES`, such as "received-power", "path-loss", "rms-delay-spread", "best-server", "sinr".
        transmitter : str, optional
            Default, and "best": at each cell the strongest; of SNR and SINR the one that serves.
        cut : int
            In three dimensions the vertical cut by its number from 1; `height` chooses a horizontal plane.
        progress : callable, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work.
        **options
            See `MapOptions`: ``local_mean=True`` averages over a wavelength.

        Returns
        -------
        Map
            NaN where not defined, as inside a conductor, and for delays where they may be over 10 % wrong because the run was too
            short or the frequencies too few.
        """
        from .maps import compute

        return compute(self, quantity, transmitter, cut, progress, options)

    def coverage(
        self,
        thresholds: float | Sequence[float] | None = None,
        quantity: str = "received-power",
        transmitter: str | None = None,
        *,
        areas: Mapping[str, Sequence[float]] | None = None,
        cut: int = 0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[MapOptions],
    ) -> list[Share]:
        """Which part of the floor meets which threshold.

        Parameters
        ----------
        thresholds : float or list, optional
            In the unit of the quantity; default: customary ones.
        quantity : {"received-power", "path-gain", "path-loss", "snr", "sinr"}
        transmitter : str, optional
            One of them; "best": the strongest at each cell; default: each, and the best of them.
        areas : dict of (x0, y0, x1, y1), optional
            Parts of the floor by name, two corners each [m].
        cut, progress, **options
            As of `map`.

        Returns
        -------
        list of Share
            The floor first, then the areas; for each the thresholds; for each the transmitters, last the best of them.
        """
        from .maps import cover

        limits = None if thresholds is None else np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
        return cover(self, limits, areas or {}, (quantity, transmitter, cut, progress), options)

    def distributions(
        self,
        quantity: str = "received-power",
        transmitter: str | None = None,
        *,
        receivers: bool = False,
        areas: Mapping[str, Sequence[float]] | None = None,
        cut: int = 0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[MapOptions],
    ) -> list[Distribution]:
        """The values of a quantity over the floor, or over the receivers of the file, in order: for percentiles and CDFs.

        Parameters
        ----------
        quantity : str
            As of `map`, but not "best-server".
        transmitter : str, optional
            One of them; "best": the strongest at each place; default: each, and the best of them.
        receivers : bool
            Over the receivers, by their channels, and not over the floor.
        areas, cut, progress, **options
            As of `coverage`.

        Returns
        -------
        list of Distribution
            The floor first, then the areas; for each the transmitters, last the best of them.

        Examples
        --------
        >>> for one in result.distributions("path-loss"):   # doctest: +SKIP
        ...     print(one.transmitter, one.percentile([10, 50, 90]))
        """
        from .maps import distribute

        return distribute(self, receivers, areas or {}, (quantity, transmitter, cut, progress), options)

    # ---- files and others ----

    def report(self, path: PathLike, transmitter: str | None = None, *, progress: ProgressOfWork | None = None) -> str:
        """Writes one HTML page to explore the result with, without a network, and returns what was said about it."""
        watch = Watch(progress)
        options = library.pw_report_options_default()
        options.transmitter, options.monitor = encoded(transmitter), watch.monitor()
        with self._on_sheet(None, 0, "own") as handle, captured() as (stream, text), watch.checked():
            call("pw_report_write", handle, ctypes.byref(options), path_of(path), stream)
            return text()

    def to_xarray(self) -> xarray.Dataset:
        """Everything that was solved as one dataset, with coordinates; see `planwave.datasets`."""
        from .datasets import result_dataset

        return result_dataset(self)

    def __repr__(self) -> str:
        if self.closed:
            return "<planwave.Result, closed>"
        names, facts = list(self.transmitters), self.facts
        size = " x ".join(str(n) for n in (facts.nx, facts.ny, facts.nz)[: facts.dimensions])
        return (
            f"<planwave.Result {self.path}: {facts.title or 'no title'}; {size} cells of {facts.cell:.4g} m; from {', '.join(names[:8])}"
            f"{', ...' if len(names) > 8 else ''}; {facts.frequency_count} frequencies about {facts.band_centre * 1e-9:.4g} GHz>"
        )
