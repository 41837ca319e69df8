"""xarray: results, maps and channels as datasets, and the backend of ``xarray.open_dataset(path, engine="planwave")``.

A result opens as one dataset: `spectra` (transmitter, frequency, y, x), read from the file when it is looked at;
`source_spectrum` (transmitter, frequency); `field` (transmitter, receiver, time), the field at the receivers;
`relative_permittivity` (plan_y, plan_x). In three dimensions it is that of one sheet, which `group` names ("z1.500_ez");
``xarray.open_groups`` and ``xarray.open_datatree`` open them all, each with all coordinates.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import errors

try:
    import xarray
    from xarray.backends import BackendArray, BackendEntrypoint
    from xarray.core import indexing
except ImportError as missing:
    raise errors.NoResource("datasets need xarray: pip install 'planwave[xarray]'") from missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .channel import Channel
    from .facts import Sheet, Spectra
    from .maps import Map
    from .pairs import Channels
    from .result import Result
    from .simulation import Simulation


def _about(units: str, long_name: str, **more: Any) -> dict[str, Any]:
    return {"units": units, "long_name": long_name, **more}


def _axis(dimension: str, values: Any, units: str, long_name: str) -> tuple[str, Any, dict[str, Any]]:
    return dimension, values, _about(units, long_name)


def spectra_array(spectra: Spectra) -> xarray.DataArray:
    """`Spectra` with its coordinates."""
    return xarray.DataArray(
        spectra.values,
        dims=("frequency", "y", "x"),
        coords={
            "frequency": _axis("frequency", spectra.frequency, "Hz", "frequency"),
            "y": _axis("y", spectra.y, "m", "y"),
            "x": _axis("x", spectra.x, "m", "x"),
            "transmitter": spectra.transmitter,
        },
        name="spectra",
        attrs=_about("V/m s", "running spectra of the electric field"),
    )


def field_array(simulation: Simulation, run: int) -> xarray.DataArray:
    """The field of a simulation with its coordinates."""
    values = simulation.field(run)
    names = ("z", "y", "x")[-values.ndim :]
    coordinates: dict[str, Any] = {name: _axis(name, getattr(simulation, name), "m", name) for name in names}
    coordinates["time"] = ((), simulation.time, _about("s", "time of the last step"))
    return xarray.DataArray(values, dims=names, coords=coordinates, name="ez", attrs=_about("V/m", "electric field"))


def _height_of(sheet: Sheet | None, dimensions: int) -> dict[str, Any]:
    """The height of a horizontal plane as a coordinate, in three dimensions."""
    level = sheet is not None and sheet.normal == 2 and dimensions == 3
    return {"height": ((), sheet.position, _about("m", "height over the lowest floor"))} if level and sheet is not None else {}


def map_array(signal: Map) -> xarray.DataArray:
    """`Map` with its coordinates; of a vertical cut (z, x) or (z, y)."""
    normal = signal.sheet.normal if signal.sheet is not None else 2
    rows, columns = {0: ("z", "y"), 1: ("z", "x"), 2: ("y", "x")}[normal]
    about = _about(signal.unit, signal.name, reference=signal.reference, transmitter=signal.transmitter or "strongest")
    return xarray.DataArray(
        signal.values,
        dims=(rows, columns),
        coords={
            rows: _axis(rows, signal.y, "m", rows),
            columns: _axis(columns, signal.x, "m", columns),
            **_height_of(signal.sheet, signal.result.facts.dimensions),
        },
        name=signal.quantity.replace("-", "_"),
        attrs={**about, "mean_width": signal.mean_width, "spreading": signal.spreading},
    )


def channel_dataset(channel: Channel) -> xarray.Dataset:
    """`Channel` with its axes."""
    variables = {
        "transfer": ("frequency", channel.transfer, _about("1", "transfer function relative to free space at 1 m in the same dimension")),
        "response": ("frequency", channel.response, _about("1", "response between isotropic antennas")),
        "impulse": ("delay", channel.impulse, _about("1", "impulse response in complex baseband")),
        "profile": ("delay", channel.profile, _about("1", "power-delay profile relative to free space at 1 m")),
    }
    coordinates = {
        "frequency": _axis("frequency", channel.frequency, "Hz", "frequency"),
        "delay": _axis("delay", channel.delay, "s", "delay since emission"),
    }
    x, y, height = channel.position
    about = {"transmitter": channel.transmitter, "receiver": channel.receiver, "centre": channel.centre, "x": x, "y": y, "height": height}
    return xarray.Dataset(variables, coordinates, about)


_METRIC_UNITS = {"_db": "dB", "_dbm": "dBm", "_delay": "s", "_spread": "s", "_resolution": "s", "_50": "Hz", "_90": "Hz", "distance": "m"}


def channels_dataset(channels: Channels) -> xarray.Dataset:
    """`Channels` with their coordinates; metrics are variables (receiver, transmitter)."""
    wide = ("receiver", "port", "transmitter")
    variables: dict[str, Any] = {}
    if channels.a is not None and channels.tau is not None:
        variables["a"] = ((*wide, "tap"), channels.a, _about("1", "coefficients between isotropic antennas", centre=channels.centre))
        variables["tau"] = (("receiver", "transmitter", "tap"), channels.tau, _about("s", "delay since emission"))
    if channels.H is not None:
        variables["H"] = ((*wide, "frequency"), channels.H, _about("1", "response between isotropic antennas"))
    if channels.profile is not None and channels.profile_delay is not None:
        delays = ("receiver", "transmitter", "delay")
        variables["profile"] = (delays, channels.profile, _about("1", "power-delay profile, relative to free space at 1 m"))
        variables["profile_delay"] = (delays, channels.profile_delay, _about("s", "delay since emission"))
    for name in channels.metrics.dtype.names or ():
        if name not in ("x", "y", "height"):
            unit = next((unit for ending, unit in _METRIC_UNITS.items() if name.endswith(ending)), "1")
            variables[name] = (("receiver", "transmitter"), channels.metrics[name], _about(unit, name.replace("_", " ")))
    coordinates = {
        "receiver": ("receiver", np.array(channels.receivers, dtype=object).astype(str)),
        "transmitter": ("transmitter", np.array(channels.transmitters, dtype=object).astype(str)),
        "port": ("port", np.array(channels.ports)),
        "frequency": _axis("frequency", channels.frequency, "Hz", "frequency"),
        "receiver_x": _axis("receiver", channels.position[:, 0], "m", "x of the receiver"),
        "receiver_y": _axis("receiver", channels.position[:, 1], "m", "y of the receiver"),
        "receiver_height": _axis("receiver", channels.height, "m", "height of the receiver"),
    }
    return xarray.Dataset(variables, coordinates)


# ---- results -----------------------------------------------------------------------------------------------------------


class _LazySpectra(BackendArray):
    """Spectra (transmitter, frequency, row, column) that are read when they are looked at."""

    def __init__(self, result: Result, sheet: int, shape: tuple[int, int, int, int]):
        self.result, self.sheet, self.shape, self.dtype = result, sheet, shape, np.dtype(np.complex128)

    def __getitem__(self, key: Any) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._read)

    def _read(self, key: tuple[Any, ...]) -> Any:
        """Reads the rectangle of rows and columns that holds all that is wanted, then takes what is wanted of it."""
        names = np.array(list(self.result.transmitters))[np.atleast_1d(np.arange(self.shape[0])[key[0]])]
        blocks, inner = [], []
        for part, count in zip(key[2:], self.shape[2:]):
            wanted = np.atleast_1d(np.arange(count)[part])
            first = int(wanted.min()) if wanted.size else 0
            blocks.append(slice(first, int(wanted.max()) + 1 if wanted.size else 1))
            inner.append(int(wanted[0]) - first if isinstance(part, (int, np.integer)) else wanted - first)
        frequencies = np.arange(self.shape[1])[key[1]]
        read = [self.result._sheet_spectra(self.sheet, str(name), *blocks).values for name in names]
        taken = [values[frequencies][..., inner[0], :][..., inner[1]] for values in read]
        if isinstance(key[0], (int, np.integer)):
            return taken[0]
        return np.stack(taken) if taken else np.empty((0, *np.shape(np.empty(self.shape[1:])[key[1:]])), self.dtype)


def _stations(result: Result) -> dict[str, Any]:
    """Coordinates of transmitters and receivers."""
    coordinates: dict[str, Any] = {}
    for kind, stations in (("transmitter", result.transmitters), ("receiver", result.receivers)):
        if stations:
            coordinates[kind] = (kind, np.array(list(stations)))
            for axis in ("x", "y", "height"):
                values = [getattr(station, axis) for station in stations.values()]
                coordinates[f"{kind}_{axis}"] = _axis(kind, values, "m", f"{axis} of the {kind}")
    powers = [sender.power for sender in result.transmitters.values()]
    coordinates["transmitter_power"] = _axis("transmitter", powers, "dBm", "EIRP")
    return coordinates


def _series(result: Result) -> tuple[Any, Any] | None:
    """The field at the recorded receivers of all transmitters, and its times; None where there is none."""
    samples = max((sender.samples for sender in result.transmitters.values()), default=0)
    if samples == 0 or not result.receivers:
        return None
    values = np.full((len(result.transmitters), len(result.receivers), samples), np.nan)
    for t, (name, sender) in enumerate(result.transmitters.items()):
        for r, receiver in enumerate(sender.receivers):
            try:
                values[t, r, : sender.samples] = result.series(name, receiver).values
            except errors.BadInput:  # taken from the running spectra: it has no series
                continue
    return values, result.facts.time_step * np.arange(1, samples + 1)


def _attributes(result: Result) -> dict[str, Any]:
    facts = result.facts
    texts = {name: value for name, value in result.info.items() if isinstance(value, (str, int, float))}
    return {**texts, "title": facts.title, "scheme": facts.scheme, "cell": facts.cell, "time_convention": "exp(+jwt)"}


def _planes(result: Result) -> list[int]:
    """Numbers of the horizontal sheets of the component that comes first, from below, where there are several alike."""
    sheets = result.sheets
    if result.facts.dimensions != 3 or not sheets:
        return []
    level = [n for n, sheet in enumerate(sheets) if sheet.normal == 2]
    alike = [n for n in level if sheets[n].component == sheets[level[0]].component and sheets[n].rows == sheets[level[0]].rows]
    return sorted(alike, key=lambda n: sheets[n].position) if len(alike) > 1 else []


def stacked_dataset(result: Result) -> xarray.Dataset:
    """A result as one dataset; its horizontal planes, where there are several, along the coordinate `height`."""
    planes = _planes(result)
    if not planes:
        return result_dataset(result)
    parts = [result_dataset(result, n) for n in planes]
    whole = parts[0].drop_vars("height").drop_vars("spectra")
    whole["spectra"] = xarray.concat([part["spectra"] for part in parts], dim="height").transpose("transmitter", "frequency", "height", ...)
    return whole.assign_coords(height=_axis("height", [result.sheets[n].position for n in planes], "m", "height over the lowest floor"))


def result_dataset(result: Result, sheet: int = 0) -> xarray.Dataset:
    """A result as one dataset; in three dimensions with the spectra of one sheet."""
    coordinates = _stations(result)
    coordinates["frequency"] = _axis("frequency", result.frequency, "Hz", "frequency")
    senders = list(result.transmitters)
    spectrum = np.stack([result.source_spectrum(name) for name in senders])
    variables: dict[str, Any] = {
        "source_spectrum": (("transmitter", "frequency"), spectrum, _about("A s", "spectrum of the transmitter's current"))
    }
    if result.sheets:
        facts, one = result.sheets[sheet], result._sheet_spectra(sheet, senders[0], slice(0, 1), slice(0, 1))
        names = {0: ("z", "y"), 1: ("z", "x"), 2: ("y", "x")}[facts.normal]
        x, y = one.axes
        shape = (len(senders), result.facts.frequency_count, facts.rows, facts.columns)
        lazy = indexing.LazilyIndexedArray(_LazySpectra(result, sheet, shape))
        about = _about("V/m s", f"running spectra of {facts.component}", component=facts.component, normal=facts.normal)
        variables["spectra"] = (("transmitter", "frequency", *names), lazy, {**about, "position": facts.position})
        coordinates[names[0]] = _axis(names[0], y, "m", names[0])
        coordinates[names[1]] = _axis(names[1], x, "m", names[1])
        coordinates.update(_height_of(facts, result.facts.dimensions))
    series = _series(result)
    if series is not None:
        variables["field"] = (("transmitter", "receiver", "time"), series[0], _about("V/m", "electric field at the receivers"))
        coordinates["time"] = _axis("time", series[1], "s", "time")
    walls = result.walls()
    variables["relative_permittivity"] = (("plan_y", "plan_x"), walls.relative_permittivity, _about("1", "relative permittivity as solved"))
    coordinates["plan_y"] = _axis("plan_y", walls.y, "m", "y of the plan")
    coordinates["plan_x"] = _axis("plan_x", walls.x, "m", "x of the plan")
    dataset = xarray.Dataset(variables, coordinates, _attributes(result))
    return dataset


class PlanwaveBackend(BackendEntrypoint):
    """The engine "planwave" of xarray."""

    description = "Result files of planwave"
    supports_groups = True
    open_dataset_parameters = ("filename_or_obj", "drop_variables", "group")

    def open_dataset(  # type: ignore[override,unused-ignore]
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None, group: str | None = None
    ) -> xarray.Dataset:
        """Opens a result; `group` is the name of a sheet, in three dimensions."""
        from .result import Result

        result = Result(os.fspath(filename_or_obj))
        dataset = result_dataset(result, _sheet_number(result.sheets, group))
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or ())
        dataset = dataset.drop_vars(dropped, errors="ignore")
        dataset.set_close(result.close)
        return dataset

    def open_groups_as_dict(self, filename_or_obj: Any, *, drop_variables: Any = None, **_: Any) -> dict[str, xarray.Dataset]:
        """Every sheet of a result as a group of its own; the root has the first one's stations and series."""
        from .result import Result

        with Result(os.fspath(filename_or_obj)) as result:
            names = [sheet.name or "spectra" for sheet in result.sheets]
        groups = {f"/{name}": self.open_dataset(filename_or_obj, drop_variables=drop_variables, group=name) for name in names}
        return {"/": xarray.Dataset(), **groups}

    def open_datatree(self, filename_or_obj: Any, *, drop_variables: Any = None, **options: Any) -> Any:
        """The same as a tree."""
        return xarray.DataTree.from_dict(self.open_groups_as_dict(filename_or_obj, drop_variables=drop_variables))

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        return False  # .h5 is other engines' as well: planwave is asked for by name


def _sheet_number(sheets: list[Sheet], group: str | None) -> int:
    names = [sheet.name or "spectra" for sheet in sheets]
    wanted = (group or "").strip("/")
    if wanted == "":
        return 0
    if wanted not in names:
        raise errors.BadInput(f"there is no group {group!r} in this result; there are {', '.join(names) or 'none'}")
    return names.index(wanted)
