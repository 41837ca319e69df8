"""Transmitters advanced together in memory, for those who want fields or single steps instead of a result file."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from ._library import Handle, address, call, encoded, library
from .scenario import ProgressFunction, RunWatch, Setup

STEPS_AT_ONCE = 256  # between two chances for Ctrl-C


class Simulation(Handle):
    """Made by `Setup.simulation`. `run` below counts from the first of its transmitters."""

    def __init__(self, setup: Setup, first: int = 0, count: int | None = None, *, backend: str = "auto", threads: int = 0):
        facts = setup.facts
        count = facts.transmitter_count - first if count is None else count
        handle = ctypes.c_void_p()
        call("pw_simulation_create", setup._handle, encoded(backend), threads, first, count, ctypes.byref(handle))
        self._setup, self._facts = setup, facts
        self._own("pw_simulation_free", handle, setup)

    @property
    def step(self) -> int:
        """Steps done so far."""
        return int(library.pw_simulation_step(self._handle))

    def advance(self, steps: int) -> None:
        """Advances so many steps, without stop rule and without looking for NaN. Ctrl-C stops between two steps."""
        while steps > 0:
            part = min(steps, STEPS_AT_ONCE)
            call("pw_simulation_advance", self._handle, part)
            steps -= part

    def run(self, progress: ProgressFunction | bool | None = None) -> None:
        """Advances to the end: stop rule, watch for NaN and growth, progress and Ctrl-C as of `Setup.run`."""
        watch = RunWatch(progress)
        try:
            with watch.checked():
                call("pw_simulation_run", self._handle, watch.callback, None)
        finally:
            watch.end()

    def field(self, run: int = 0) -> npt.NDArray[np.float64]:
        """Ez (ny, nx) [V/m] after the last step, in three dimensions (nz, ny, nx)."""
        facts = self._facts
        ez = np.empty((facts.ny, facts.nx) if facts.dimensions == 2 else (facts.nz, facts.ny, facts.nx))
        call("pw_simulation_field", self._handle, run, address(ez))
        return ez

    def receivers(self, run: int = 0) -> npt.NDArray[np.float64]:
        """Ez at all recorded receivers, (receiver, step) [V/m]; sample n at (n + 1) time steps.

        In three dimensions the component along the receiver's polarisation.
        """
        ez = np.empty((self._facts.receiver_count, self.step))
        call("pw_simulation_receivers", self._handle, run, address(ez))
        return ez

    def spectra(self, run: int = 0) -> npt.NDArray[np.complex128]:
        """Running spectra (frequency, row, column) [V/m s], which the library writes into the array itself.

        In three dimensions there is one column, and a row is a point of a sheet.
        """
        facts = self._facts
        values = np.empty((facts.frequency_count, facts.spectra_rows, facts.spectra_columns), dtype=np.complex128)
        call("pw_simulation_spectra", self._handle, run, 0, facts.spectra_rows, address(values))
        return values

    def source_spectrum(self, run: int = 0) -> npt.NDArray[np.complex128]:
        """Spectrum of the transmitter's current (frequency) [A s], in three dimensions of its moment [A m s]."""
        values = np.empty(self._facts.frequency_count, dtype=np.complex128)
        call("pw_simulation_source_spectrum", self._handle, run, address(values))
        return values
