"""Results: files written by a run, read into numpy arrays, and what is made of them."""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union, overload

from . import errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Watch, call, captured, encoded, library, path_of
from ._shown import table
from .calibration import Calibrating
from .facts import Floats
from .options import (
    ChannelOptions,
    MapOptions,
    PowerName,
    Quantity,
    QuantityName,
    Texts,
    channel_options,
    finite_pair,
)
from .results.reading import ResultFile
from .scenario import PathLike

if TYPE_CHECKING:
    import xarray
    from typing_extensions import Unpack

    from .channel import Channel
    from .maps import Map, Share
    from .results.distributions import Distribution
    from .results.parameters import LargeScale
    from .pairs import Channels
    from .results.surveys import Survey


def _from_bytes(data: bytes) -> Result:
    folder = tempfile.TemporaryDirectory(prefix="planwave-")
    path = Path(folder.name) / "result.h5"
    path.write_bytes(data)
    return Result(path, _folder=folder)


ProgressOfWork = Union[Callable[[float], object], bool]


class Result(Calibrating, ResultFile):
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

    @classmethod
    def open(cls, path: PathLike) -> Result:
        """Opens a result file.

        Examples
        --------
        >>> pw.Result.open("room.h5").facts.dimensions
        2
        """
        return cls(path)

    @property
    def level_interval(self) -> float:
        """19 of 20 measured levels lie so near to the prediction [dB], as a calibration found; 0: nobody has measured.

        Examples
        --------
        >>> result.level_interval
        0.0
        """
        with self._on_sheet(None, 0, "own") as handle:
            return float(library.pw_result_level_interval(handle))

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
        profiles: bool = False,
        frequencies: str | Texts | None = None,
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
        profiles : bool
            Whether the power-delay profiles are wanted.
        frequencies : array_like or str, optional
            Where H is wanted [Hz], or subcarriers as of `planwave.subcarriers`: ``"wifi6-20"``, ``"64x312.5kHz"``. Default: the
            frequencies of the spectra. Receivers with ``record: steps`` have it as the sum over their record; others by the best
            interpolation, with its error in ``error``, and a refusal where it would be over 10 %.
        progress : callable or bool, optional
            Called with the share that is done, 0 to 1; False as its answer ends the work. True: a bar.

        Examples
        --------
        >>> many = result.channels(["west"], at=[(1, 1), ("1.2 m", 1)], response=False)
        >>> many.metrics["path_loss_db"].shape
        (2, 1)
        >>> result.channels(["west"], at=[(1, 1)], frequencies="16x312.5kHz").H.shape
        (1, 1, 1, 16)
        """
        from .pairs import Wanted, compute

        ends = {"transmitters": transmitters, "receivers": receivers, "at": at, "grid": grid}
        return compute(self, Wanted(coefficients, response, profiles, frequencies), progress, {**ends, **options})

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
        from .results.surveys import compute

        return compute(
            self, transmitter, (cell_step, tap_step), (options.get("height"), cut, options.get("component", "own")), progress, options
        )

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

    def parameters(
        self,
        transmitter: str | None = None,
        *,
        areas: Mapping[str, Sequence[Quantity]] | None = None,
        least_distance: Quantity = "1 m",
        angle_places: int = 200,
        cluster_gap: Quantity = "6 ns",
        cluster_depth: Quantity = "25 dB",
        draws: int = 200,
        cut: int = 0,
        progress: ProgressOfWork | None = None,
        **options: Unpack[ChannelOptions],
    ) -> list[LargeScale]:
        """Path loss, shadowing, spreads and Rician K of the floor, as 3GPP TR 38.901 defines them, for simulators.

        Parameters
        ----------
        transmitter : str, optional
            Default: links of all of them together.
        areas : dict of (x0, y0, x1, y1), optional
            Rooms by name, two corners each [m].
        least_distance : float or str
            Places nearer to the transmitter are left out [m].
        angle_places : int
            Places of each transmitter of which azimuth spread and clusters are taken.
        cluster_gap, cluster_depth : float or str
            Time clusters [s], [dB]: paths are peaks of the profile so near to the strongest, and a cluster ends where none comes for
            longer. NaN where 2/bandwidth is more than the gap.
        draws : int
            Of the bootstrap behind the intervals; 0: no intervals.
        cut, progress, **options
            As of `survey`.

        Returns
        -------
        list of LargeScale
            The floor first, then the areas; of each with line of sight, then without.

        Examples
        --------
        >>> floor, shadow = result.parameters(draws=0, angle_places=0)
        >>> floor.sight, sorted(floor.estimates)[:2]
        (True, ['asa_vs_ds', 'asa_vs_k'])
        """
        from .results.parameters import compute

        sheet = (options.get("height"), cut, options.get("component", "own"))
        return compute(self, transmitter, areas or {}, (least_distance, angle_places, draws, cluster_gap, cluster_depth), sheet, progress, options)

    # ---- files and others ----

    def write_channels(self, path: PathLike, csv: PathLike | None = None, *, progress: ProgressOfWork | None = None, **options: Any) -> str:
        """Writes channels of many pairs as HDF5, in the arrays of `channels`, and their metrics as CSV, a line a pair.

        A name that ends in .sNp is a Touchstone multiport of one transmitter and one receiver, with N antennas in all.

        Parameters
        ----------
        path, csv : path
        **options
            transmitters, receivers, at, grid, frequencies, profiles and `ChannelOptions`, as of `channels`.

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
