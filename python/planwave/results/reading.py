"""What is in a result file, read into numpy arrays."""

from __future__ import annotations

import ctypes
import dataclasses
import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import Handle, address, call, captured, decoded, encoded, freed_text, library, new_lock, path_of
from .._words import in_python
from ..facts import Complexes, Floats, Plane, Port, Receiver, ResultFacts, Series, Sheet, Spectra, Transmitter, Walls, WifiChannel, taken
from ..options import (
    COMPONENTS,
    ComponentName,
    Quantity,
    length,
    time,
    word,
)
from ..scenario import PathLike

if TYPE_CHECKING:
    from ..scenario import Scenario


def _port(facts: ctypes.Structure) -> Port | None:
    """Whose antenna a transmitter or a receiver is; None: it is a station on its own."""
    return taken(Port, facts.port) if facts.port.number > 0 else None


class ResultFile(Handle):
    """A result file and what is in it: the part of `Result` that reads."""

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
            receivers[receiver.name] = dataclasses.replace(receiver, port=_port(one))
        others = ("receivers", "name", "polarisation", "channel", "port")
        values = {name: getattr(facts, name) for name in Transmitter.__annotations__ if name not in others}
        values["channel"] = taken(WifiChannel, facts.channel) if facts.channel.number > 0 else None
        return Transmitter(name=decoded(facts.name), polarisation=tuple(facts.polarisation), receivers=receivers, port=_port(facts), **values)

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
                if sheet.value != library.pw_result_sheet_chosen(self._handle):  # the same where there are none
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

    def scenario(self) -> Scenario:
        """The scenario that was solved, with everything that was chosen: it can be changed and run again.

        Examples
        --------
        >>> result.scenario().facts.title
        'A small room'
        """
        from ..scenario import Scenario

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
