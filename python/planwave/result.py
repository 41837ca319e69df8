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
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Handle, Watch, address, call, captured, decoded, encoded, freed_text, library, new_lock, path_of
from ._shown import table
from ._words import in_python
from .calibration import Calibrating
from .facts import Complexes, Floats, Plane, Receiver, ResultFacts, Series, Sheet, Spectra, Transmitter, Walls, taken
from .options import (
    COMPONENTS,
    ChannelOptions,
    ComponentName,
    MapOptions,
    PowerName,
    Quantity,
    QuantityName,
    Texts,
    channel_options,
    finite_pair,
    length,
    time,
    word,
)
from .scenario import PathLike

if TYPE_CHECKING:
    import xarray
    from typing_extensions import Unpack

    from .channel import Channel
    from .maps import Map, Share
    from .pairs import Channels
    from .scenario import Scenario
    from .surveys import Survey


def _from_bytes(data: bytes) -> Result:
    folder = tempfile.TemporaryDirectory(prefix="planwave-")
    path = Path(folder.name) / "result.h5"
    path.write_bytes(data)
    return Result(path, _folder=folder)


ProgressOfWork = Union[Callable[[float], object], bool]


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

    Examples
    --------
    >>> with pw.Result("room.h5") as opened:
    ...     print(list(opened.transmitters))
    ['west', 'east']
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
        """Opens a result file.

        Examples
        --------
        >>> pw.Result.open("room.h5").facts.dimensions
        2
        """
        return cls(path)

    def close(self) -> None:
        """Closes the file and what was made from it; a temporary file is removed.

        Examples
        --------
        >>> opened = pw.open("room.h5")
        >>> opened.close()
        >>> opened.closed
        True
        """
        with self._lock:
            super().close()
        if self._folder is not None:
            self._folder.cleanup()

    # ---- what is in it ----

    @property
    def facts(self) -> ResultFacts:
        """Numbers: grid, band, counts.

        Examples
        --------
        >>> result.facts.band_centre
        2400000000.0
        """
        facts: ResultFacts = taken(ResultFacts, library.pw_result_describe(self._handle))
        return facts

    @property
    def info(self) -> dict[str, Any]:
        """Everything that ``planwave info --json`` tells: versions, backend, times, warnings, energies.

        Examples
        --------
        >>> result.info["version"] == pw.__version__
        True
        """
        with self._lock, captured() as (stream, text):
            call("pw_result_print", self._handle, True, stream)
            info: dict[str, Any] = json.loads(text())
        return info

    @property
    def warnings(self) -> list[str]:
        """What was found on the way when it was solved.

        Examples
        --------
        >>> isinstance(result.warnings, list)
        True
        """
        return list(self.info.get("warnings", []))

    @property
    def transmitters(self) -> dict[str, Transmitter]:
        """Transmitters by name, in the order of the file; each with its receivers.

        Examples
        --------
        >>> result.transmitters["east"].x
        2.6
        """
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
        """Receivers of the first transmitter by name; the others have the same.

        Examples
        --------
        >>> list(result.receivers)
        ['near', 'behind']
        """
        return next(iter(self.transmitters.values())).receivers

    @property
    def frequency(self) -> Floats:
        """Frequencies of the spectra (frequency_count) [Hz], ascending.

        Examples
        --------
        >>> result.frequency.size == result.facts.frequency_count
        True
        """
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
        """Planes and cuts with running spectra; one in two dimensions, or none.

        Examples
        --------
        >>> result.sheets[0].component
        'ez'
        """
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

    def series(self, transmitter: str | None = None, receiver: str | None = None, *, component: ComponentName = "own") -> Series:
        """The field at a receiver at every step; in three dimensions the component along its polarisation, or "ex", "ey", "ez".

        Examples
        --------
        >>> series = result.series("west", "near")
        >>> series.values.shape == series.time.shape
        True
        """
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
        """Spectrum of the transmitter's current (frequency) [A s], in three dimensions of its moment [A m s].

        Examples
        --------
        >>> result.source_spectrum("west").size == result.facts.frequency_count
        True
        """
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
        component: ComponentName = "own",
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

        Examples
        --------
        >>> result.spectra("west", rows=slice(0, 8)).values.shape[1]
        8
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
        """Walls as they were solved, in the plane of a map.

        Examples
        --------
        >>> walls = result.walls()
        >>> walls.solid.shape == walls.relative_permittivity.shape
        True
        """
        with self._on_sheet(height, cut, "own") as handle:
            shape = _abi.pw_map_shape()
            call("pw_map_walls", handle, ctypes.byref(shape), None, None)
            solid = np.empty((shape.rows, shape.columns), dtype=np.uint8)
            permittivity = np.empty(solid.shape, dtype=np.float32)
            call("pw_map_walls", handle, ctypes.byref(shape), address(solid), address(permittivity))
        x, y = (shape.x0 + shape.pitch_x * np.arange(shape.columns), shape.y0 + shape.pitch_y * np.arange(shape.rows))
        return Walls(solid, permittivity, x, y)

    def edges(self, *, height: Quantity | None = None, cut: int = 0) -> tuple[float, float, float, float]:
        """The plan's edges left, right, bottom, top [m]; of a vertical cut along it, and upwards.

        Examples
        --------
        >>> [round(edge, 3) for edge in result.edges()]
        [0.0, 3.0, 0.0, 3.0]
        """
        edges = (ctypes.c_double * 4)()
        with self._on_sheet(height, cut, "own") as handle:
            library.pw_result_edges(handle, edges)
        return edges[0], edges[1], edges[2], edges[3]

    def permittivity(self, *, height: Quantity | None = None, cut: int = 0) -> Plane:
        """Relative permittivity as solved, absorber included, in the plane of a sheet.

        Examples
        --------
        >>> bool(result.permittivity().values.max() > 2)
        True
        """
        with self._on_sheet(height, cut, "own") as handle:
            face, cell = library.pw_result_face(handle), self.facts.cell
            values = np.empty((face.rows, face.columns))
            call("pw_result_permittivity", handle, address(values))
        x, y = face.column_first + cell * np.arange(face.columns), face.row_first + cell * np.arange(face.rows)
        return Plane(values, x, y)

    # ---- channels ----

    @overload
    def channel(self, transmitter: str | None = None, receiver: str | None = None, **options: Unpack[ChannelOptions]) -> Channel: ...

    @overload
    def channel(self, transmitter: str | None = None, *, at: Texts, cut: int = 0, **options: Unpack[ChannelOptions]) -> Channel: ...

    def channel(
        self,
        transmitter: str | None = None,
        receiver: str | None = None,
        *,
        at: Texts | None = None,
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

        Examples
        --------
        >>> result.channel("west", at=("1 m", "2 m")).metrics.path_loss_db > 0
        True
        """
        from .channel import Channel, Made

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
            where = None if point is None else (point[0], point[1])
            sheet = (options.get("height") if at is not None else None, cut, component)
            return Channel(self, made, name, Made(receiver, where, sheet, struct))

    def channels(
        self,
        transmitters: Sequence[str] | None = None,
        receivers: Sequence[str] | None = None,
        *,
        at: Texts | None = None,
        grid: Sequence[Quantity] | None = None,
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
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

        Examples
        --------
        >>> many = result.channels(["west"], at=[(1, 1), ("1.2 m", 1)], response=False)
        >>> many.metrics["path_loss_db"].shape
        (2, 1)
        """
        from .pairs import compute

        ends = {"transmitters": transmitters, "receivers": receivers, "at": at, "grid": grid}
        return compute(self, (coefficients, response), progress, {**ends, **options})

    # ---- maps ----

    def map(
        self,
        quantity: QuantityName = "received-power",
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
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.
        **options
            See `MapOptions`: ``local_mean=True`` averages over a wavelength.

        Returns
        -------
        Map
            NaN where not defined, as inside a conductor, and for delays where they may be over 10 % wrong because the run was too
            short or the frequencies too few.

        Examples
        --------
        >>> result.map("path-loss", "west").unit
        'dB'
        """
        from .maps import compute

        return compute(self, quantity, transmitter, cut, progress, options)

    def coverage(
        self,
        thresholds: Quantity | Sequence[Quantity] | Floats | None = None,
        quantity: PowerName = "received-power",
        transmitter: str | None = None,
        *,
        areas: Mapping[str, Sequence[Quantity]] | None = None,
        cut: int = 0,
        csv: PathLike | None = None,
        progress: ProgressOfWork | None = None,
        **options: Unpack[MapOptions],
    ) -> list[Share]:
        """Which part of the floor meets which threshold.

        Parameters
        ----------
        thresholds : float, str or list, optional
            In the unit of the quantity, or with their own: ``"-67 dBm"``; default: customary ones.
        quantity : {"received-power", "path-gain", "path-loss", "snr", "sinr"}
        transmitter : str, optional
            One of them; "best": the strongest at each cell; default: each, and the best of them.
        areas : dict of (x0, y0, x1, y1), optional
            Parts of the floor by name, two corners each [m].
        csv : path, optional
            Writes the table as well.
        cut, progress, **options
            As of `map`.

        Returns
        -------
        list of Share
            The floor first, then the areas; for each the thresholds; for each the transmitters, last the best of them.

        Examples
        --------
        >>> share = result.coverage("-67 dBm", areas={"corner": (0, 0, "1 m", "1 m")})[0]
        >>> share.threshold, share.fraction
        (-67.0, 1.0)
        """
        from .maps import cover, thresholds_of

        limits = None if thresholds is None else thresholds_of(thresholds, quantity)
        return cover(self, limits, areas or {}, (quantity, transmitter, cut, progress, csv), options)

    def survey(
        self,
        transmitter: str | None = None,
        *,
        cell_step: int = 1,
        tap_step: int = 1,
        cut: int = 0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[ChannelOptions],
    ) -> Survey:
        """Every quantity of a channel, and the power-delay profile, at every cell.

        Parameters
        ----------
        transmitter : str, optional
            Default: the first.
        cell_step, tap_step : int
            Every so many cells along both axes, and delays.
        cut, progress, **options
            As of `map`; see `ChannelOptions`.

        Raises
        ------
        BadInput
            No running spectra, or a transmitter without a known current.

        Examples
        --------
        >>> result.survey("west", cell_step=4).units["rms_delay_spread"]
        'ns'
        """
        from .surveys import compute

        return compute(
            self, transmitter, (cell_step, tap_step), (options.get("height"), cut, options.get("component", "own")), progress, options
        )

    # ---- files and others ----

    def write_channels(self, path: PathLike, csv: PathLike | None = None, *, progress: ProgressOfWork | None = None, **options: Any) -> str:
        """Writes channels of many pairs as HDF5, in the arrays of `channels`, and their metrics as CSV, a line a pair.

        Parameters
        ----------
        path, csv : path
        **options
            transmitters, receivers, at, grid and `ChannelOptions`, as of `channels`.

        Returns
        -------
        str
            The metrics of the first pairs as a table.

        Examples
        --------
        >>> table = result.write_channels("channels.h5", "channels.csv", transmitters=["west"])
        """
        from .pairs import write

        return write(self, path, csv, progress, options)

    def waveform(self, transmitter: str | None = None) -> Series:
        """The current of a transmitter as it was solved: values (sample) [A] at time (sample) [s]. Needs h5py.

        Examples
        --------
        >>> current = result.waveform("west")
        >>> current.values.shape == current.time.shape
        True
        """
        try:
            import h5py
        except ImportError as missing:
            raise errors.NoResource("waveforms of results need h5py: pip install h5py") from missing
        name = list(self.transmitters)[self._index(transmitter)]
        with self._lock, h5py.File(self.path, "r") as file:
            group = file["transmitters"][name]
            return Series(np.asarray(group["waveform"], dtype=np.float64), np.asarray(group["waveform_time"], dtype=np.float64))

    def scenario(self) -> Scenario:
        """The scenario that was solved, with everything that was chosen: it can be changed and run again.

        Examples
        --------
        >>> result.scenario().facts.title
        'A small room'
        """
        from .scenario import Scenario

        text = ctypes.c_void_p()
        with self._lock:
            call("pw_result_scenario", self._handle, ctypes.byref(text))
        return Scenario(freed_text(text))

    def doubts(self) -> list[str]:
        """Why powers and transfer functions are not right, a sentence for each transmitter that it concerns; mostly empty.

        Examples
        --------
        >>> result.doubts()
        []
        """
        told: list[str] = []
        arguments: tuple[Any, ...] = _abi.FUNCTIONS["pw_result_doubts"][1]
        with self._lock:
            library.pw_result_doubts(self._handle, arguments[1](lambda sentence, _user: told.append(in_python(decoded(sentence)))), None)
        return told

    def energy_after(self, delay: Quantity, transmitter: str | None = None) -> float:
        """Energy on the plan so long [s] after the middle of the waveform, relative to its peak; infinite delays: at the end.

        Examples
        --------
        >>> 0 < result.energy_after("10 ns") < 1
        True
        """
        seconds = math.inf if delay == math.inf else time(delay)
        return float(library.pw_result_energy_after(self._handle, self._index(transmitter), seconds))

    def report(self, path: PathLike, transmitter: str | None = None, *, progress: ProgressOfWork | None = None) -> str:
        """Writes one HTML page to explore the result with, without a network, and returns what was said about it.

        Examples
        --------
        >>> told = result.report("room.html")
        """
        watch = Watch(progress)
        options = library.pw_report_options_default()
        options.transmitter, options.monitor = encoded(transmitter), watch.monitor()
        with self._on_sheet(None, 0, "own") as handle, captured() as (stream, text), watch.checked():
            call("pw_report_write", handle, ctypes.byref(options), path_of(path), stream)
            return text()

    def to_xarray(self) -> xarray.Dataset:
        """Everything that was solved as one dataset, with coordinates; see `planwave.datasets`.

        In three dimensions horizontal planes lie along the coordinate `height`.

        Examples
        --------
        >>> result.to_xarray()["spectra"].dims
        ('transmitter', 'frequency', 'y', 'x')
        """
        from .datasets import stacked_dataset

        return stacked_dataset(self)

    def __reduce__(self) -> Any:
        """By its path; of a temporary file by all of its bytes."""
        if self._folder is None:
            return Result, (os.path.abspath(self.path),)
        return _from_bytes, (self.path.read_bytes(),)

    def _repr_html_(self) -> str:
        if self.closed:
            return table("planwave.Result, closed", {})
        facts = self.facts
        size = " x ".join(str(n) for n in (facts.nx, facts.ny, facts.nz)[: facts.dimensions])
        rows = {
            "file": self.path,
            "cells": f"{size} of {facts.cell:.4g} m, {facts.scheme}",
            "band": f"{facts.band_centre * 1e-9:.4g} GHz, {facts.band_width * 1e-6:.4g} MHz wide, {facts.frequency_count} frequencies",
            "transmitters": ", ".join(f"{one.name} ({one.x:.4g}, {one.y:.4g}) m, {one.power:g} dBm" for one in self.transmitters.values()),
            "receivers": ", ".join(list(self.receivers)[:12]) or "none",
        }
        return table(facts.title or "Result of planwave", {**rows, **({"warnings": "; ".join(self.warnings)} if self.warnings else {})})

    def __repr__(self) -> str:
        if self.closed:
            return "<planwave.Result, closed>"
        names, facts = list(self.transmitters), self.facts
        size = " x ".join(str(n) for n in (facts.nx, facts.ny, facts.nz)[: facts.dimensions])
        return (
            f"<planwave.Result {self.path}: {facts.title or 'no title'}; {size} cells of {facts.cell:.4g} m; from {', '.join(names[:8])}"
            f"{', ...' if len(names) > 8 else ''}; {facts.frequency_count} frequencies about {facts.band_centre * 1e-9:.4g} GHz>"
        )
