"""Channels between arrays: stations of several antennas, each solved, or recorded, at its own place."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import address, call, library
from ..options import Quantity, decibels

if TYPE_CHECKING:
    from ..pairs import Channels

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]
Shape = tuple[int, int, int]


def capacity(values: npt.ArrayLike, antennas: int, snr: Quantity, *, water_filling: bool = False) -> Floats:
    """Bit/s/Hz that streams of these singular values carry.

    Parameters
    ----------
    values : array_like, (..., streams)
        Singular values, as of ``numpy.linalg.svd(H, compute_uv=False)``.
    antennas : int
        Of the transmitter; without water filling each sends the same power.
    snr : float or str
        Power over noise of all antennas together [dB], where a channel of gain 1 joins them.
    water_filling : bool
        The power goes where the channel is best, which the transmitter has to know.

    Returns
    -------
    ndarray, (...)

    Examples
    --------
    >>> round(float(pw.capacity([1.0, 1.0], 2, "20 dB")), 3)
    11.345
    """
    wanted = np.ascontiguousarray(values, dtype=np.float64)
    if wanted.ndim < 1 or wanted.shape[-1] < 1 or antennas < 1:
        raise errors.UsageError(f"singular values of the shape {wanted.shape} for {antennas} antennas: give (..., streams)")
    streams, power = wanted.shape[-1], 10.0 ** (0.1 * decibels(snr))
    rows = wanted.reshape(-1, streams)
    found = np.empty(len(rows))
    for n, row in enumerate(rows):
        known = bool(np.isfinite(row).all())
        found[n] = library.pw_mimo_capacity(address(row), streams, antennas, power, water_filling) if known else np.nan
    return found.reshape(wanted.shape[:-1])


@dataclass(frozen=True, eq=False)
class Arrays:
    """Channels between stations of several antennas. Made by `Channels.arrays`.

    Attributes
    ----------
    transmitters, receivers : list of str
        Stations.
    transmitter_shape, receiver_shape : tuple
        Rows, columns and polarisations. Antennas count from the top of a column down, then column by column from the left as seen from
        the front, then polarisation by polarisation, as in Sionna.
    frequency : ndarray, (frequency)
        [Hz]
    centre : float
        [Hz], the carrier of the coefficients.
    position : ndarray, (rx, rx_ant, 2)
        [m], of the antennas of the receivers.
    H : ndarray of complex128 or None, (rx, rx_ant, tx, tx_ant, frequency)
        Response between isotropic antennas; NaN where masked.
    a : ndarray of complex128 or None, (rx, rx_ant, tx, tx_ant, tap)
    tau : ndarray or None, (rx, rx_ant, tx, tx_ant, tap)
        Delays [s] since emission.

    Examples
    --------
    >>> arrays = result.channels().arrays()
    >>> arrays.H.shape[:4] == (2, 1, 2, 1)  # stations of one antenna
    True
    """

    transmitters: list[str]
    receivers: list[str]
    transmitter_shape: Shape
    receiver_shape: Shape
    frequency: Floats
    centre: float
    position: Floats
    H: Complexes | None
    a: Complexes | None
    tau: Floats | None

    def _matrices(self) -> Complexes:
        """(rx, tx, frequency, rx_ant, tx_ant)"""
        if self.H is None:
            raise errors.UsageError("these channels were made with response=False")
        return np.moveaxis(self.H, (0, 2, 4, 1, 3), (0, 1, 2, 3, 4))

    def singular_values(self) -> Floats:
        """Singular values of H, largest first, (rx, tx, frequency, streams); NaN where masked.

        Examples
        --------
        >>> result.channels().arrays().singular_values().shape[-1]
        1
        """
        matrices = self._matrices()
        known = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
        filled: Complexes = np.where(known[..., np.newaxis, np.newaxis], matrices, 0.0)
        filled = np.ascontiguousarray(filled)
        *links, rows, columns = filled.shape
        values = np.empty((*links, min(rows, columns)))
        call("pw_mimo_singular_values", address(filled), int(np.prod(links)), rows, columns, address(values))
        values[~known] = np.nan
        return values

    def capacity(self, snr: Quantity, *, water_filling: bool = False) -> Floats:
        """Bit/s/Hz (rx, tx, frequency), every link scaled to this SNR [dB] in the mean over its antennas and frequencies.

        Examples
        --------
        >>> result.channels().arrays().capacity("20 dB").shape[:2]
        (2, 2)
        """
        values = self.singular_values()
        assert self.H is not None
        antennas = self.H.shape[1], self.H.shape[3]
        gain = np.nanmean(np.sum(values**2, axis=-1), axis=-1) / (antennas[0] * antennas[1])
        return capacity(values / np.sqrt(gain)[..., np.newaxis, np.newaxis], antennas[1], snr, water_filling=water_filling)

    def correlation(self, end: Literal["transmitter", "receiver"] = "transmitter") -> Complexes:
        """Correlation of the antennas of one end over the band and the other end's antennas, (rx, tx, antenna, antenna).

        Examples
        --------
        >>> result.channels().arrays().correlation().shape
        (2, 2, 1, 1)
        """
        if end not in ("transmitter", "receiver"):
            raise errors.refused("end", end, "'transmitter' or 'receiver'")
        matrices = self._matrices()
        matrices = np.where(np.isfinite(matrices), matrices, 0.0)
        product: Complexes = np.einsum("stfrn,stfrm->stnm" if end == "transmitter" else "stfnr,stfmr->stnm", matrices.conj(), matrices)
        own = np.sqrt(np.abs(np.diagonal(product, axis1=-2, axis2=-1)))
        made: Complexes = product / (own[..., :, np.newaxis] * own[..., np.newaxis, :])
        return made

    def metrics(self, snr: Quantity, *, depth: Quantity = 20.0) -> npt.NDArray[Any]:
        """What `planwave mimo` tells of each link, as a structured array (rx, tx).

        Parameters
        ----------
        snr : float or str
            [dB]: every link is scaled to it.
        depth : float or str
            [dB]: singular values so near to the largest count for the rank.

        Returns
        -------
        ndarray
            Fields ``gain_db``, ``snr_db``, ``rank``, ``condition_db``, ``capacity``, ``water_capacity``, ``transmitter_beam_db``,
            ``receiver_beam_db``, ``transmitter_correlation``, ``receiver_correlation``, ``cross_polar_db``.

        Examples
        --------
        >>> result.channels().arrays().metrics("20 dB")["rank"]
        array([[1., 1.],
               [1., 1.]])
        """
        if self.H is None:
            raise errors.UsageError("these channels were made with response=False")
        found = np.empty((len(self.receivers), len(self.transmitters)), dtype=np.dtype(_abi.pw_mimo_metrics))
        options, made = library.pw_mimo_options_default(), _abi.pw_mimo_metrics()
        options.snr, options.depth = decibels(snr), decibels(depth)
        for receiver in range(found.shape[0]):
            for transmitter in range(found.shape[1]):
                own = np.ascontiguousarray(self.H[receiver, :, transmitter])
                channel = _abi.pw_mimo_channel(
                    response=address(own),
                    receivers=own.shape[0],
                    transmitters=own.shape[1],
                    frequency_count=own.shape[2],
                    receiver_shape=self.receiver_shape,
                    transmitter_shape=self.transmitter_shape,
                )
                call("pw_mimo_read", ctypes.byref(channel), 0.0, ctypes.byref(options), ctypes.byref(made), None)
                found[receiver, transmitter] = tuple(getattr(made, name) for name in found.dtype.names or ())
        return found

    def __repr__(self) -> str:
        antennas = self.transmitter_shape, self.receiver_shape
        sent, taken = (int(np.prod(shape)) for shape in antennas)
        return f"<planwave.Arrays: {len(self.transmitters)} transmitters of {sent} to {len(self.receivers)} receivers of {taken} antennas>"


def arrays_of(channels: Channels) -> Arrays:
    """The work of `Channels.arrays`."""
    taken, sent = channels.antennas
    if taken == 0 or sent == 0:
        which = "receivers" if taken == 0 else "transmitters"
        raise errors.BadInput(f"the {which} have different numbers of antennas, or not all antennas of a station: choose stations of equal arrays")
    ends, ports, senders = len(channels.receivers), len(channels.ports), len(channels.transmitters)
    shape = (ends // taken, taken * ports, senders // sent, sent)
    tau = channels.tau
    if tau is not None:
        tau = np.broadcast_to(tau[:, np.newaxis], (ends, ports, *tau.shape[1:])).reshape(*shape, tau.shape[-1])
    return Arrays(
        transmitters=channels.stations[1],
        receivers=channels.stations[0],
        transmitter_shape=channels.shapes[1],
        receiver_shape=channels.shapes[0] if taken > 1 else (1, 1, ports),
        frequency=channels.frequency,
        centre=channels.centre,
        position=np.repeat(channels.position, ports, axis=0).reshape(*shape[:2], 2),
        H=None if channels.H is None else channels.H.reshape(*shape, channels.H.shape[-1]),
        a=None if channels.a is None else channels.a.reshape(*shape, channels.a.shape[-1]),
        tau=tau,
    )
