"""What set-ups and results tell of themselves, as plain data; and the tables of the library: words, backends, materials."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._library import as_dict

if TYPE_CHECKING:
    import xarray

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]


def taken(kind: Any, struct: ctypes.Structure) -> Any:
    """A dataclass from the fields of a structure that it names."""
    values = as_dict(struct)
    return kind(**{field.name: values[field.name] for field in fields(kind)})


# ---- set-ups ----


@dataclass(frozen=True)
class GridFacts:
    """The grid of a set-up or a result, in SI units.

    Attributes
    ----------
    nx, ny, nz : int
        Cells, absorber included; nz is 1 in two dimensions.
    absorber_cells : int
        On each side that has an absorber; `absorber_low` and `absorber_high` say it of the ends of x, y and z.
    cell, time_step : float
        [m], [s].
    origin_x, origin_y, origin_z : float
        Place [m] of cell (0, 0, 0), a corner of the absorber; z over the floor.
    frequency_count : int
        Of the running spectra; 0: none.
    transmitter_count : int
    """

    title: str
    scheme: str
    dimensions: int
    horizontal: bool
    nx: int
    ny: int
    nz: int
    absorber_cells: int
    absorber_low: tuple[int, int, int]
    absorber_high: tuple[int, int, int]
    cell: float
    time_step: float
    origin_x: float
    origin_y: float
    origin_z: float
    frequency_count: int
    transmitter_count: int


@dataclass(frozen=True)
class SetupFacts(GridFacts):
    """What a set-up amounts to: its grid, and more, in SI units. ``planwave.h`` defines each; the most asked for:

    Attributes
    ----------
    steps, expected_steps : int
        At most; and until the energy is forecast to have gone.
    local_mean_error, point_error : float
        Forecast [dB] of the grid's error on the plan as drawn: of the mean power over a wavelength, and of the power at a
        point. Root mean squares over the floor, right within a factor of two in nine plans of ten. Plans as guessed, and two
        dimensions, were off by 4 to 7 dB in measured buildings (``validation/measured/README.md``).
    delay_error : float
        Forecast [s] of the error of the RMS delay spread.
    field_error_by_depth, local_mean_error_by_depth : tuple of float
        The error of the field (relative) and of local means [dB] in the strongest half of the floor, and 20 and 40 dB below it.
    phase_cost : float
        Where the field is forecast to be over 20 % off and the scenario asks for delays or phases: how many times as long a run
        with ``accuracy: 10 %`` takes; else 0.
    spectra_rows, spectra_columns : int
        Of the running spectra; 0 when there are none.
    host_bytes : int
        Memory for set-up and result, without the backend.

    Examples
    --------
    >>> setup.facts.courant < setup.facts.courant_limit
    True
    """

    averaging: str
    courant: float
    courant_limit: float
    steps: int
    expected_steps: int
    cells_per_wavelength: float
    phase_error_per_metre: float
    has_walls: bool
    field_error: float
    local_mean_error: float
    point_error: float
    delay_error: float
    field_error_by_depth: tuple[float, float, float]
    local_mean_error_by_depth: tuple[float, float, float]
    phase_cost: float
    advised_cell: float
    raised_nodes: int
    receiver_count: int
    lattice_receiver_count: int
    lattice_receiver_offset: float
    spectra_rows: int
    spectra_columns: int
    spectra_every: int
    palette_count: int
    quantisation_error: float
    host_bytes: int
    sheet_count: int


@dataclass(frozen=True)
class Medium:
    """The medium that the solver sees at the Ez nodes, absorber included.

    Attributes
    ----------
    relative_permittivity, conductivity : ndarray, (ny, nx) or (nz, ny, nx)
        Relative; [S/m]. A perfect conductor has neither.
    perfect_conductor : ndarray of bool, of the same shape
    x, y, z : ndarray
        Coordinates of columns, rows and levels [m]; one level in two dimensions.

    Examples
    --------
    >>> medium = setup.medium()
    >>> medium.relative_permittivity.shape == (medium.y.size, medium.x.size)
    True
    """

    relative_permittivity: npt.NDArray[np.float64]
    conductivity: npt.NDArray[np.float64]
    perfect_conductor: npt.NDArray[np.bool_]
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    z: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forecast:
    """What a run will take, timed on a small box of this machine.

    Attributes
    ----------
    backend, device : str
        Which "auto" means here, and what it runs on.
    host_bytes, device_bytes : int
        Held at most.
    cells_per_second, seconds : float
        About; writing the result is not included.

    Examples
    --------
    >>> setup.forecast(backend="cpu").backend
    'cpu'
    """

    backend: str
    device: str
    host_bytes: int
    device_bytes: int
    spectra_host_bytes: int
    host_available: int
    device_available: int
    cells_per_second: float
    seconds: float


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    transmitter, transmitter_count, transmitters_together : int
        First of the group that is being solved, of all, and how many are in that group.
    step, steps : int
        Of the group; steps is the most that there can be.
    simulated_time : float
        [s]
    cells_per_second, energy_db, seconds_left : float
        Energy against its peak so far [dB]; seconds until the end.

    Examples
    --------
    >>> told = []
    >>> pw.Scenario("small.yaml").run(progress=told.append).close()
    >>> told[0].transmitter_count
    1
    """

    transmitter: int
    transmitter_count: int
    transmitters_together: int
    step: int
    steps: int
    simulated_time: float
    cells_per_second: float
    energy_db: float
    seconds_left: float


# ---- results ----


@dataclass(frozen=True)
class ResultFacts(GridFacts):
    """What a result is about: its grid, and the band [Hz].

    Examples
    --------
    >>> result.facts.title
    'A small room'
    """

    band_centre: float
    band_width: float


@dataclass(frozen=True)
class Port:
    """One antenna of a station of several: the station's name, its number from 1, and rows, columns and polarisations of the array.

    >>> pw.Port("ap1", 3, (1, 4, 1)).station
    'ap1'
    """

    station: str
    number: int
    shape: tuple[int, int, int]


@dataclass(frozen=True)
class Receiver:
    """A receiver of a result: position [m], height over the lowest floor [m] (NaN: not given), gain [dBi].

    Examples
    --------
    >>> result.receivers["near"].x
    1.5
    """

    name: str
    x: float
    y: float
    height: float
    polarisation: tuple[float, float, float]
    gain: float
    port: Port | None = None


@dataclass(frozen=True)
class WifiChannel:
    """A channel of Wi-Fi: its number, and [Hz] its band (2.4e9, 5e9 or 6e9), its middle and its width.

    >>> pw.WifiChannel(11, 2.4e9, 2.462e9, 20e6).number
    11
    """

    number: int
    band: float
    centre: float
    width: float


@dataclass(frozen=True)
class Transmitter:
    """A transmitter of a result.

    Attributes
    ----------
    x, y, height : float
        [m]; the height is NaN in two dimensions unless it was given.
    power : float
        EIRP [dBm].
    hard_source : bool
        It imposes a field: its current is not known, so it has no channels.
    samples : int
        Of each series at its receivers.
    spectra_rows, spectra_columns : int
        Cells with running spectra; 0: none.
    channel : WifiChannel, optional
        Where in its band it sends: in maps of "sinr" channels that do not overlap do not interfere.
    receivers : dict of Receiver
        By name, in the order of the file.
    port : Port, optional
        Whose antenna it is, where a station has several.

    Examples
    --------
    >>> result.transmitters["west"].power
    20.0
    """

    name: str
    x: float
    y: float
    height: float
    polarisation: tuple[float, float, float]
    power: float
    hard_source: bool
    samples: int
    spectra_rows: int
    spectra_columns: int
    channel: WifiChannel | None = None
    receivers: dict[str, Receiver] = field(default_factory=dict, repr=False)
    port: Port | None = None


@dataclass(frozen=True)
class Sheet:
    """A plane with running spectra of one component: `normal` 2 is horizontal, 0 or 1 a cut across x or y; `position` [m].

    Examples
    --------
    >>> result.sheets[0].normal
    2
    """

    name: str
    component: str
    normal: int
    asked: float
    position: float
    rows: int
    columns: int


@dataclass(frozen=True)
class Spectra:
    """Running spectra on a block of cells.

    Attributes
    ----------
    values : ndarray of complex128, (frequency, row, column)
        [V/m s], time dependence exp(+jwt); the library has written into this array itself.
    frequency, x, y : ndarray
        [Hz]; of columns and rows [m] (on a vertical cut the place along it, and the height).
    transmitter : str
    axes : tuple of ndarray
        x and y of all columns and rows of the sheet, of which the block is a part.

    Examples
    --------
    >>> spectra = result.spectra("west", rows=slice(0, 8))
    >>> spectra.values.shape == (spectra.frequency.size, spectra.y.size, spectra.x.size)
    True
    """

    values: Complexes
    frequency: Floats
    x: Floats
    y: Floats
    transmitter: str
    axes: tuple[Floats, Floats] = field(repr=False)

    def to_xarray(self) -> xarray.DataArray:
        """The same with its coordinates, (frequency, y, x).

        Examples
        --------
        >>> result.spectra("west", rows=slice(0, 8)).to_xarray().dims
        ('frequency', 'y', 'x')
        """
        from .datasets import spectra_array

        return spectra_array(self)


@dataclass(frozen=True)
class Series:
    """The field at a receiver: `values` (sample) [V/m] at `time` (sample) [s].

    Examples
    --------
    >>> series = result.series("west", "near")
    >>> bool(np.all(np.diff(series.time) > 0))
    True
    """

    values: Floats
    time: Floats


@dataclass(frozen=True, eq=False)
class Plane:
    """Values on the nodes of a plane: `values` (row, column), and `x` and `y` of columns and rows [m].

    Examples
    --------
    >>> plane = result.permittivity()
    >>> plane.values.shape == (plane.y.size, plane.x.size)
    True
    """

    values: Floats
    x: Floats
    y: Floats


@dataclass(frozen=True)
class Walls:
    """The nodes of the plan as they were solved, absorber cut away.

    Attributes
    ----------
    solid : ndarray of uint8, (row, column)
        0 in air, 255 in metal, else how much of a wall the node is, 1 to 100.
    relative_permittivity : ndarray of float32, (row, column)
    x, y : ndarray
        [m], of columns and rows.

    Examples
    --------
    >>> bool(result.walls().solid.any())
    True
    """

    solid: npt.NDArray[np.uint8]
    relative_permittivity: npt.NDArray[np.float32]
    x: Floats
    y: Floats


@dataclass(frozen=True)
class Fitted:
    """A fitted parameter, in the unit of its name (S/m, m, 1).

    Attributes
    ----------
    start, value : float
    low, high : float
        95 % interval; NaN: the readings do not determine it.
    at_bound, felt : bool
        The value is the least or the most allowed one; False: the levels hardly depend on it, and it stayed where it was.
    spread, told : float
        Of a wall by itself, whose value is a factor on its material's: two of three were thought to lie within this factor of 1; and how
        much the readings told of it, from 0 to 1. Else 0 and NaN.
    material : str
    x, y : float
        Of a wall by itself, its middle [m]; else NaN.

    Examples
    --------
    >>> pw.Fitted("brick:permittivity", 3.9, 4.2, 4.0, 4.4, False, True).value
    4.2
    """

    name: str
    start: float
    value: float
    low: float
    high: float
    at_bound: bool
    felt: bool
    spread: float = 0.0
    told: float = np.nan
    material: str = ""
    x: float = np.nan
    y: float = np.nan
