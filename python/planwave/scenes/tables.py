"""The tables of the library: words of scenarios, backends, materials; and what holds for every call."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from .._library import call, captured, decoded, encoded, library
from ..facts import taken
from ..options import Quantity, decibels, frequency


def choices(kind: str) -> dict[str, str]:
    """The words that a scenario may use, with a clause on each.

    Parameters
    ----------
    kind : {"schemes", "averagings", "absorbers", "waveforms", "plan_formats", "dispersion_models", "drawing_formats"}

    Examples
    --------
    >>> "dd4" in pw.choices("schemes")
    True
    """
    name = "PW_" + kind.upper()
    if not hasattr(_abi, name):
        raise errors.UsageError(f"there is no kind of choice {kind!r}; see the help of planwave.choices")
    found: dict[str, str] = {}
    while True:
        choice = library.pw_choice_describe(getattr(_abi, name), len(found))
        if not choice.name:
            return found
        found[decoded(choice.name)] = decoded(choice.description)


@dataclass(frozen=True)
class Material:
    """A row of the table of building materials at a frequency.

    Attributes
    ----------
    relative_permittivity, conductivity : float
        Conductivity [S/m]; extrapolated outside the row's range.
    lowest, highest : float
        The row's range [Hz].
    covers : bool
        The frequency lies in it.
    perfect_conductor : bool
        It is solved as one, whatever the row says.

    Examples
    --------
    >>> pw.materials("2.4 GHz")["glass"].relative_permittivity
    6.31
    """

    relative_permittivity: float
    conductivity: float
    lowest: float
    highest: float
    covers: bool
    perfect_conductor: bool


def materials(at: Quantity = 2.4e9) -> dict[str, Material]:
    """Building materials of Recommendation ITU-R P.2040-4 at a frequency [Hz], by the names that scenarios use.

    Of a material with two ranges this is the row that covers the frequency, or else the one that is nearest.

    Examples
    --------
    >>> pw.materials("5 GHz")["metal"].perfect_conductor
    True
    """
    hertz, number = frequency(at), 0
    found: dict[str, Material] = {}
    if not 0.0 < hertz < math.inf:
        raise errors.UsageError(f"the frequency is {at!r} and must be over 0 Hz")
    while (struct := library.pw_material_describe(number, hertz)).name:
        name, material = decoded(struct.name), taken(Material, struct)
        if name not in found or _away(material, hertz) < _away(found[name], hertz):
            found[name] = material
        number += 1
    return found


def _away(material: Material, hertz: float) -> float:
    """How far, on a logarithmic axis, a frequency lies from a row's range."""
    return max(0.0, math.log(material.lowest / hertz), math.log(hertz / material.highest))


def materials_fit(lowest: Quantity, highest: Quantity) -> str:
    """The table of materials fitted over a band [Hz] by poles, with the errors of the fit and of constant values, as text.

    Raises
    ------
    UsageError, BadInput
        A band that is empty, or that no row covers.

    Examples
    --------
    >>> "brick" in pw.materials_fit("2 GHz", "3 GHz")
    True
    """
    band = frequency(lowest), frequency(highest)
    with captured() as (stream, text):
        call("pw_materials_fit_print", *band, stream)
        return text()


def noise_power(bandwidth: Quantity, noise_figure: Quantity = 0.0) -> float:
    """Noise power [dBm] of a receiver: k 290 K times the bandwidth [Hz], times the noise figure [dB] (ITU-R P.372).

    Examples
    --------
    >>> round(pw.noise_power("20 MHz", "7 dB"), 1)
    -94.0
    """
    return float(library.pw_noise_power(frequency(bandwidth), decibels(noise_figure)))


def limit_memory(limit: str | None) -> None:
    """Refuses from now on what needs more memory than this: "2GB"; None: as much as there is.

    Raises
    ------
    UsageError
        A text that is no size.

    Examples
    --------
    >>> pw.limit_memory("4GB")
    >>> pw.limit_memory(None)
    """
    call("pw_memory_limit", encoded(limit))


def backends() -> dict[str, tuple[bool, str]]:
    """What can solve on this machine: for each backend whether it is available, and on what device, or why not.

    Examples
    --------
    >>> pw.backends()["cpu"][0]
    True
    """
    infos = [library.pw_backend_describe(n) for n in range(library.pw_backend_count())]
    return {decoded(info.name): (bool(info.available), decoded(info.device)) for info in infos}
