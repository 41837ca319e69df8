"""One channel: transfer function, impulse response, power-delay profile, paths, metrics, angles."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import Handle, address, call, decoded, encoded, library, path_of
from ._shown import png_of, table
from .scenario import PathLike

if TYPE_CHECKING:
    import xarray

    from .result import Result

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]
Number = TypeVar("Number", np.float64, np.complex128)

_DELAY_CAUSES = {_abi.PW_DELAY_SOUND: "sound", _abi.PW_DELAY_RUN_SHORT: "run short", _abi.PW_DELAY_SPECTRA_FEW: "spectra few"}


@dataclass(frozen=True)
class Metrics:
    """Numbers of a channel; `planwave.metrics_help` defines each. NaN where not defined.

    Attributes
    ----------
    path_gain_db : float
        Relative to free space at 1 m.
    path_loss_db : float
        Between isotropic antennas, positive.
    received_power_dbm : float
    distance : float
        [m], the straight line.
    mean_excess_delay, rms_delay_spread, maximum_excess_delay : float
        [s], ITU-R P.1407-8 section 2.
    rician_k_db : float
        By the moments of the band (Greenstein, Michelson, Erceg 1999).
    coherence_bandwidth_50, coherence_bandwidth_90 : float
        [Hz]
    delay_resolution : float
        [s], one over the band; a spread under it may be a single path's.
    rms_error, mean_error : float
        Estimated relative errors of spread and mean delay; infinite: unknown, but large.
    delay_cause : {"sound", "run short", "spectra few"}
        Why, where the error of the spread is over 10 %.
    cross_polar_db : float
        Power across the component that is taken over its own.
    x, y, height : float
        [m], where the field was taken.
    note : str
        One sentence about the delays: what is wrong with them and what to set; empty when there is nothing to say.

    Examples
    --------
    >>> round(channel.metrics.distance, 2)
    0.7
    """

    path_gain_db: float
    path_loss_db: float
    received_power_dbm: float
    distance: float
    mean_excess_delay: float
    rms_delay_spread: float
    maximum_excess_delay: float
    rician_k_db: float
    coherence_bandwidth_50: float
    coherence_bandwidth_90: float
    delay_resolution: float
    rms_error: float
    mean_error: float
    delay_cause: str
    cross_polar_db: float
    x: float
    y: float
    height: float
    note: str

    def __str__(self) -> str:
        """The numbers as ``planwave channel`` prints them, a line each."""
        return "\n".join(f"{name:<27} {text}" for name, text in _rows(self).items())


@dataclass(frozen=True)
class Angles:
    """Power by azimuth at one end of a link.

    Attributes
    ----------
    azimuth, power : ndarray, (360)
        Degrees counterclockwise from x; linear, relative to free space at 1 m.
    peak_azimuth, peak_power : ndarray
        Local maxima, at most 20 dB under the first.
    radius, beam_width : float
        Of the disc of air that was looked at [m]; of a single wave's peak [degrees].
    residual : float
        What plane waves do not explain of the field in the disc; over 0.1 it is in doubt.

    Examples
    --------
    >>> channel.angles().power.shape
    (360,)
    """

    azimuth: Floats = field(repr=False)
    power: Floats = field(repr=False)
    peak_azimuth: Floats
    peak_power: Floats
    radius: float
    beam_width: float
    residual: float


def metrics_help() -> str:
    """The definitions of everything that a channel reports, with formulas, thresholds and sources.

    Examples
    --------
    >>> "P.1407" in pw.metrics_help()
    True
    """
    return decoded(library.pw_channel_help())


class Channel(Handle):
    """A channel of a result. Made by `Result.channel`.

    Attributes
    ----------
    transmitter, receiver : str
        Names; the receiver of a point is called "point (x, y) m".

    Examples
    --------
    >>> pw.open("room.h5").channel("west", "near").receiver
    'near'
    """

    def __init__(self, result: Result, handle: ctypes.c_void_p, transmitter: str, made: Made):
        self._made = made
        self._result = result
        self._own("pw_channel_free", handle, result)
        self.transmitter = transmitter
        self._facts = library.pw_channel_describe(self._handle)
        self.receiver = decoded(self._facts.name)

    def close(self) -> None:
        """Frees it. A second call does nothing.

        Examples
        --------
        >>> another = result.channel("east")
        >>> another.close()
        """
        with self._result._lock:
            super().close()

    @property
    def position(self) -> tuple[float, float, float]:
        """x, y and height [m] where the field was taken; in two dimensions the height is NaN unless it was given.

        Examples
        --------
        >>> tuple(round(value, 2) for value in channel.position[:2])
        (1.5, 1.5)
        """
        return self._facts.x, self._facts.y, self._facts.height

    @property
    def centre(self) -> float:
        """Middle of the frequencies [Hz]: the carrier of the impulse response.

        Examples
        --------
        >>> channel.centre
        2400000000.0
        """
        return float(self._facts.centre)

    def _pair(self, function: str, count: int, kind: type[Number]) -> tuple[Floats, npt.NDArray[Number]]:
        """The axis of a function of frequency or delay, and its values."""
        axis, values = np.empty(count), np.empty(count, dtype=kind)
        call(function, self._handle, address(axis), address(values))
        return axis, values

    def _over_frequency(self, function: str) -> tuple[Floats, Complexes]:
        return self._pair(function, self._facts.frequency_count, np.complex128)

    @property
    def frequency(self) -> Floats:
        """Frequencies (frequency) [Hz].

        Examples
        --------
        >>> channel.frequency.size == result.facts.frequency_count
        True
        """
        return self._over_frequency("pw_channel_response")[0]

    @property
    def transfer(self) -> Complexes:
        """G(f) (frequency), relative to free space at 1 m in the same dimension; NaN where the transmitter has no power.

        Examples
        --------
        >>> channel.transfer.shape == channel.frequency.shape
        True
        """
        return self._over_frequency("pw_channel_transfer")[1]

    @property
    def response(self) -> Complexes:
        """H(f) (frequency) between isotropic antennas in three dimensions: abs(H)**2 is the path gain. NaN where masked.

        Examples
        --------
        >>> gain = 20 * np.log10(np.abs(channel.response))
        """
        return self._over_frequency("pw_channel_response")[1]

    @property
    def delay(self) -> Floats:
        """Delays (delay) [s] since emission; empty when the band has too few frequencies for them.

        Examples
        --------
        >>> channel.delay.shape == channel.profile.shape
        True
        """
        return self._pair("pw_channel_profile", self._facts.delay_count, np.float64)[0]

    @property
    def impulse(self) -> Complexes:
        """Impulse response (delay) in complex baseband at `centre`.

        Examples
        --------
        >>> channel.impulse.dtype
        dtype('complex128')
        """
        return self._pair("pw_channel_impulse", self._facts.delay_count, np.complex128)[1]

    @property
    def profile(self) -> Floats:
        """Power-delay profile (delay), linear, relative to free space at 1 m.

        Examples
        --------
        >>> bool(channel.profile.max() > 0)
        True
        """
        return self._pair("pw_channel_profile", self._facts.delay_count, np.float64)[1]

    @property
    def paths(self) -> tuple[Floats, Complexes]:
        """Delays (path) [s] and amplitudes (path) of the local maxima of the impulse response over the threshold.

        Examples
        --------
        >>> delay, amplitude = channel.paths
        >>> delay.shape == amplitude.shape
        True
        """
        return self._pair("pw_channel_paths", self._facts.path_count, np.complex128)

    @property
    def metrics(self) -> Metrics:
        """Path loss, delays, Rician K, coherence bandwidths.

        Examples
        --------
        >>> 30 < channel.metrics.path_loss_db < 50
        True
        """
        return metrics_of(library.pw_channel_metrics(self._handle))

    def angles(self, end: Literal["receiver", "transmitter"] = "receiver") -> Angles:
        """Where waves come from at the receiver, or go to at the transmitter: two dimensions with vertical polarisation.

        Parameters
        ----------
        end : {"receiver", "transmitter"}

        Raises
        ------
        BadInput
            There are none here, for the reason that it gives, such as a wall within a wavelength.

        Examples
        --------
        >>> channel.angles("receiver").beam_width > 0
        True
        """
        ends = {"receiver": _abi.PW_END_RECEIVER, "transmitter": _abi.PW_END_TRANSMITTER}
        if end not in ends:
            raise errors.UsageError(f"end is {end!r}: give one of {', '.join(map(repr, ends))}")
        facts, power = _abi.pw_angles(), np.empty(_abi.PW_AZIMUTHS)
        with self._result._lock:
            call("pw_channel_angles", self._handle, ends[end], ctypes.byref(facts), address(power))
        if not facts.known:
            raise errors.BadInput(f"no angles at the {end}: {decoded(facts.reason)}")
        peaks = facts.peak_count
        return Angles(
            azimuth=np.arange(float(power.size)),
            power=power,
            peak_azimuth=np.array(facts.peak_azimuth[:peaks]),
            peak_power=np.array(facts.peak_power[:peaks]),
            radius=facts.radius,
            beam_width=facts.beam_width,
            residual=facts.residual,
        )

    # ---- for others ----

    def export(self, kind: str, path: PathLike) -> None:
        """Writes one file, such as "touchstone"; UsageError lists the kinds.

        Examples
        --------
        >>> channel.export("touchstone", "near.s2p")
        """
        with self._result._lock:
            call("pw_channel_export", self._handle, path_of(kind), path_of(path))

    def write(self, folder: PathLike) -> None:
        """Writes a file of every kind of `planwave.channel_formats` into a new or existing folder, all of them or none.

        A `folder` that ends in .png, .svg or .pdf is the name of the plot, which is then the only file.

        Examples
        --------
        >>> channel.write("near")
        >>> import os
        >>> "cir.h5" in os.listdir("near")
        True
        """
        with self._result._on_sheet(*self._made.sheet) as handle:
            point = None if self._made.at is None else (ctypes.c_double * 2)(*self._made.at)
            names = (encoded(self.transmitter), encoded(self._made.receiver))
            call("pw_channel_write", handle, *names, point, ctypes.byref(self._made.options), path_of(folder), None)

    def to_network(self) -> Any:
        """A two-port ``skrf.Network``: s21 = s12 = H(f), matched at both ports; frequencies that are masked are left out.

        Needs scikit-rf.

        Examples
        --------
        >>> channel.to_network().s.shape[1:]
        (2, 2)
        """
        try:
            import skrf
        except ImportError as missing:
            raise errors.NoResource("networks need scikit-rf: pip install 'planwave[rf]'") from missing
        frequency, response = self.frequency, self.response
        usable = np.isfinite(response)
        if not usable.any():
            raise errors.BadInput("every frequency of this channel is masked: the transmitter has no power there")
        scattering = np.zeros((int(usable.sum()), 2, 2), dtype=np.complex128)
        scattering[:, 0, 1] = scattering[:, 1, 0] = response[usable]
        axis = skrf.Frequency.from_f(frequency[usable], unit="Hz")
        return skrf.Network(frequency=axis, s=scattering, z0=50, name=f"{self.transmitter} to {self.receiver}")

    def to_xarray(self) -> xarray.Dataset:
        """Transfer function, response, impulse response and profile with their axes.

        Examples
        --------
        >>> channel.to_xarray()["response"].dims
        ('frequency',)
        """
        from .datasets import channel_dataset

        return channel_dataset(self)

    def plot(self, axes: Any = None) -> Any:
        """Draws path gain over frequency and the power-delay profile; needs matplotlib. Returns the two axes.

        Examples
        --------
        >>> axes = channel.plot()
        """
        from .pictures import draw_channel

        return draw_channel(self, axes)

    def _repr_html_(self) -> str:
        if self.closed:
            return table("planwave.Channel, closed", {})
        told = self.metrics
        try:
            picture = png_of(self.plot()[0].figure)
        except errors.NoResource:  # no matplotlib
            picture = None
        return table(f"From {self.transmitter} to {self.receiver}", {**_rows(told), **({"note": told.note} if told.note else {})}, picture)

    def __repr__(self) -> str:
        if self.closed:
            return "<planwave.Channel, closed>"
        metrics = self.metrics
        return (
            f"<planwave.Channel from {self.transmitter} to {self.receiver}: {metrics.distance:.2f} m, path loss "
            f"{metrics.path_loss_db:.2f} dB, RMS delay spread {_delay(metrics)}>"
        )


def _delay(metrics: Metrics, seconds: float | None = None) -> str:
    """A delay, the RMS spread unless another is given, as every output tells it: "12.30 ns", "< 9.7 ns" below the resolution."""
    text = ctypes.create_string_buffer(_abi.PW_NUMBER_SIZE)
    asked = metrics.rms_delay_spread if seconds is None else seconds
    return library.pw_delay_text(asked, metrics.delay_resolution, text).decode()  # type: ignore[no-any-return]


def _coherence(metrics: Metrics, bandwidth: float) -> str:
    """ "7.58 MHz", or "> 300 MHz" where half the band does not tell."""
    text = ctypes.create_string_buffer(_abi.PW_NUMBER_SIZE)
    field = not np.isnan(metrics.path_gain_db)  # of none, as in metal, nothing is over half the band
    return library.pw_coherence_text(bandwidth, metrics.delay_resolution if field else 0.0, text).decode()  # type: ignore[no-any-return]


def _rows(metrics: Metrics) -> dict[str, str]:
    """What people are told of a channel, by name."""
    return {
        "distance": f"{metrics.distance:.2f} m",
        "path loss": f"{metrics.path_loss_db:.2f} dB",
        "received power": f"{metrics.received_power_dbm:.2f} dBm",
        "mean excess delay": _delay(metrics, metrics.mean_excess_delay),
        "RMS delay spread": _delay(metrics),
        "maximum excess delay": _delay(metrics, metrics.maximum_excess_delay),
        "Rician K": f"{metrics.rician_k_db:.2f} dB",
        "coherence bandwidth at 0.5": _coherence(metrics, metrics.coherence_bandwidth_50),
        "coherence bandwidth at 0.9": _coherence(metrics, metrics.coherence_bandwidth_90),
    }


@dataclass(frozen=True)
class Made:
    """How a channel was asked for."""

    receiver: str | None
    at: tuple[float, float] | None
    sheet: tuple[Any, int, Any]
    options: Any


def channel_formats() -> dict[str, str]:
    """Kinds of files that `Channel.export` writes, with a clause on each.

    Examples
    --------
    >>> "touchstone" in pw.channel_formats()
    True
    """
    infos = [library.pw_export_describe(n) for n in range(library.pw_export_count())]
    return {decoded(info.name): decoded(info.description) for info in infos}


def metrics_of(struct: Any) -> Metrics:
    """The library's metrics with their note."""
    note = ctypes.create_string_buffer(_abi.PW_NOTE_SIZE)
    library.pw_metrics_note(ctypes.byref(struct), note, len(note))
    struct_values = {name: getattr(struct, name) for name in Metrics.__annotations__ if name not in ("note", "delay_cause")}
    return Metrics(note=decoded(note.value), delay_cause=_DELAY_CAUSES[struct.delay_cause], **struct_values)
