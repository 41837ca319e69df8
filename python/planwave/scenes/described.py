"""What a scenario holds, as plain data: transmitters, receivers, storeys, shapes, and what stands where."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .. import _abi, errors  # type: ignore[attr-defined,unused-ignore]


@dataclass(frozen=True)
class ScenarioFacts:
    """What a scenario asks for.

    Attributes
    ----------
    file, title : str
    dimensions : int
        2 or 3.
    horizontal : bool
        Two dimensions with Ex, Ey and Hz in place of Ez.
    band_centre, band_width : float
        [Hz]
    transmitter_count, receiver_count, frequency_count : int
        Frequencies of the spectra; 0: planwave chooses.
    spectra : bool
    end_open, frequencies_open : bool
        Whether the length of the run and the number of frequencies are left to planwave.
    decay : float
        The run ends when the energy is so far down [dB]; 0: open, or it does not end so.

    Examples
    --------
    >>> scenario.facts.receiver_count
    2
    """

    file: str
    title: str
    dimensions: int
    horizontal: bool
    band_centre: float
    band_width: float
    transmitter_count: int
    receiver_count: int
    spectra: bool
    end_open: bool
    frequencies_open: bool
    frequency_count: int
    decay: float


@dataclass(frozen=True)
class Station:
    """A transmitter or receiver of a scenario: position and height [m] (NaN: not given), power [dBm] (NaN of a receiver).

    Examples
    --------
    >>> scenario.transmitters["west"].x
    0.8
    """

    name: str
    x: float
    y: float
    height: float
    power: float = math.nan


@dataclass(frozen=True)
class Storey:
    """A storey: its floor over the lowest one and its clear height [m].

    Examples
    --------
    >>> pw.Storey("ground", 0.0, 2.6).height
    2.6
    """

    name: str
    floor: float
    height: float


KINDS = {
    _abi.PW_SHAPE_DRAWN: "drawn",
    _abi.PW_SHAPE_RECTANGLE: "rectangle",
    _abi.PW_SHAPE_POLYGON: "polygon",
    _abi.PW_SHAPE_CIRCLE: "circle",
    _abi.PW_SHAPE_WALL: "wall",
    _abi.PW_SHAPE_OPENING: "opening",
    _abi.PW_SHAPE_BOX: "box",
}


@dataclass(frozen=True)
class Shape:
    """A shape of a plan; later ones lie over earlier ones.

    Attributes
    ----------
    kind : {"drawn", "rectangle", "polygon", "circle", "wall", "opening", "box"}
    storey : int
        Whose list it stands in, from 0; -1: the plan's own.
    low, high : float
        [m] over the lowest floor.
    corners : ndarray, (corner, 2)
        Outline [m].
    line, thickness : tuple of 4 floats, float
        Of a wall: both ends of its centre line, and its thickness [m].
    material : str
    air, perfect_conductor : bool
    relative_permittivity, conductivity : float
        At the band's centre; [S/m].

    Examples
    --------
    >>> scenario.shapes[0].thickness
    0.12
    """

    kind: str
    storey: int
    low: float
    high: float
    corners: npt.NDArray[np.float64] = field(repr=False)
    line: tuple[float, float, float, float]
    thickness: float
    material: str
    air: bool
    perfect_conductor: bool
    relative_permittivity: float
    conductivity: float


@dataclass(frozen=True, eq=False)
class FloorPlan:
    """Materials on square pixels of a plan, row 0 at the bottom. Made by `Scenario.floor_plan`.

    Attributes
    ----------
    values : ndarray of uint16, (row, column)
        Index into `materials`; 0 is air.
    materials : list of str
    colours : list of str
        "#rrggbb", in which pictures show each.
    areas : dict of float
        [m²], by material.
    x, y : ndarray
        Middles of columns and rows [m].

    Examples
    --------
    >>> scenario.floor_plan("5 cm").materials
    ['air', 'brick']
    """

    values: npt.NDArray[np.uint16] = field(repr=False)
    materials: list[str]
    colours: list[str] = field(repr=False)
    areas: dict[str, float]
    x: npt.NDArray[np.float64] = field(repr=False)
    y: npt.NDArray[np.float64] = field(repr=False)

    def _repr_png_(self) -> bytes | None:
        from ..pictures import draw_floor_plan

        try:
            return draw_floor_plan(self)
        except errors.NoResource:  # no matplotlib
            return None


@dataclass(frozen=True)
class ParameterRange:
    """What "brick:permittivity" is in a scenario: least and largest value in `unit`, and how many shapes have it.

    Examples
    --------
    >>> scenario.parameter("brick:thickness").unit
    'm'
    """

    low: float
    high: float
    places: int
    unit: str
