"""Models of buildings (IFC) read by IfcOpenShell: storeys, elements with their meshes, and what they are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import errors
from .materials import Materials, Substance

if TYPE_CHECKING:
    from ..scenario import PathLike

Floats = npt.NDArray[np.float64]

# Later kinds lie over earlier ones. The material that stands for one of which nothing is known.
KINDS = {
    "IfcSlab": "concrete",
    "IfcRoof": "concrete",
    "IfcCovering": "plasterboard",
    "IfcWall": "brick",
    "IfcCurtainWall": "glass",
    "IfcPlate": "glass",
    "IfcMember": "metal",
    "IfcColumn": "concrete",
    "IfcBeam": "concrete",
    "IfcStair": "concrete",
    "IfcStairFlight": "concrete",
    "IfcDoor": "wood",
    "IfcWindow": "glass",
}


@dataclass
class Layer:
    """One of the layers of an element, in order of its local y: its name, thickness [m], and what stands for it."""

    name: str
    thickness: float
    substance: Substance


@dataclass
class Element:
    """An element of a model.

    Attributes
    ----------
    kind, name, guid, storey : str
        "IfcWall"; its name; its identity in the model; name of its storey, empty where it has none.
    layers : list of Layer
        Of its material layer set; one of the whole thickness where it is of one material.
    thickness : float
        [m], of walls and slabs.
    thickness_from : {"layers", "quantity", "geometry", ""}
        What says so.
    guessed : bool
        Nothing of its material is known: a default stands for it.
    """

    kind: str
    name: str
    guid: str
    storey: str
    layers: list[Layer]
    thickness: float = 0.0
    thickness_from: str = ""
    guessed: bool = False
    points: Floats = field(default_factory=lambda: np.empty((0, 3)), repr=False)
    faces: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), dtype=np.int64), repr=False)
    parts: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    part_names: list[str] = field(default_factory=list, repr=False)
    axes: Floats = field(default_factory=lambda: np.eye(4), repr=False)  # from local to the model's coordinates [m]
    offset: float = 0.0  # m along the local y, where the layers begin
    panes: tuple[int, float] = (2, 0.004)  # of windows: how many, and their thickness


@dataclass
class ModelStorey:
    name: str
    elevation: float  # m


@dataclass
class Model:
    """A model as it was read."""

    file: str
    title: str
    unit: float  # m
    storeys: list[ModelStorey]
    elements: list[Element]
    spaces: list[Element]
    georeference: dict[str, Any]
    skipped: dict[str, int]  # what was not taken over, by kind


def _shell() -> Any:
    try:
        import ifcopenshell
        import ifcopenshell.geom
        import ifcopenshell.util.element
        import ifcopenshell.util.placement
        import ifcopenshell.util.unit
    except ImportError as missing:
        raise errors.NoResource("models in IFC need IfcOpenShell: pip install ifcopenshell") from missing
    return ifcopenshell


def _georeference(file: Any, unit: float, prefix: Callable[[Any], float]) -> dict[str, Any]:
    """Where the model stands on the Earth, as far as it says so."""
    found: dict[str, Any] = {}
    for conversion in file.by_type("IfcMapConversion") if file.schema != "IFC2X3" else []:
        found["crs"] = getattr(conversion.TargetCRS, "Name", None) or ""
        told = getattr(conversion.TargetCRS, "MapUnit", None)  # without it the project's unit counts
        metre = unit if told is None else prefix(getattr(told, "Prefix", None))
        for name, key in (("Eastings", "eastings"), ("Northings", "northings"), ("OrthogonalHeight", "height")):
            found[key] = round(float(getattr(conversion, name) or 0.0) * metre, 4)
        found["rotation"] = round(float(np.degrees(np.arctan2(conversion.XAxisOrdinate or 0.0, conversion.XAxisAbscissa or 1.0))), 6)
    for site in file.by_type("IfcSite"):
        for name, key in (("RefLatitude", "latitude"), ("RefLongitude", "longitude")):
            parts = getattr(site, name)
            if parts:
                found[key] = float(sum(part / scale for part, scale in zip(parts, (1.0, 60.0, 3600.0, 3.6e9))))
        if site.RefElevation is not None:
            found["elevation"] = float(site.RefElevation) * unit + 0.0
    return found


def _material_layers(shell: Any, element: Any, unit: float) -> tuple[list[tuple[str, float]], float, float | None]:
    """Names with thicknesses [m] (0: of the whole), where the layers begin along the local y, and their sense; or none."""
    material = shell.util.element.get_material(element, should_skip_usage=False)
    if material is None:
        return [], 0.0, None
    offset, sense = 0.0, 1.0
    if material.is_a("IfcMaterialLayerSetUsage"):
        offset = float(material.OffsetFromReferenceLine or 0.0) * unit
        sense = -1.0 if material.DirectionSense == "NEGATIVE" else 1.0
        material = material.ForLayerSet
        usage: float | None = sense
    else:
        usage = None
    if material.is_a("IfcMaterialLayerSet"):
        return (
            [
                ((layer.Material.Name if layer.Material else "") or "air", float(layer.LayerThickness) * unit)
                for layer in material.MaterialLayers
                if layer.LayerThickness * unit > 1e-5  # membranes have none
            ],
            offset,
            usage,
        )
    if material.is_a("IfcMaterial"):
        return [(material.Name or "", 0.0)], 0.0, None
    listed = (
        getattr(material, "MaterialConstituents", None)
        or getattr(material, "Materials", None)
        or getattr(material, "MaterialProfiles", None)
        or []
    )
    names = [(one.Name or "") if one.is_a("IfcMaterial") else (one.Material.Name if one.Material else one.Name or "") for one in listed]
    return [(name, 0.0) for name in names[:1]], 0.0, None


def _panes(properties: dict[str, Any], unit: float) -> tuple[int, float]:
    """How many panes a window has, and how thick they are, by its property sets."""
    glazing = {**properties.get("Pset_DoorWindowGlazingType", {}), **properties.get("Pset_WindowCommon", {})}
    count = int(glazing.get("GlassLayers") or 2)
    thick = glazing.get("GlassThickness1")
    return min(max(count, 1), 4), float(thick) * unit if thick else 0.004


def _quantity(properties: dict[str, Any], unit: float) -> float:
    """The thickness that quantities or property sets tell [m]; 0: none."""
    for name, values in properties.items():
        for key in ("Width", "Thickness", "NominalWidth", "Depth") if name.startswith(("Qto_", "BaseQuantities", "Pset_")) else ():
            if key == "Depth" and "Slab" not in name:
                continue
            value = values.get(key)
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
                return float(value) * unit
    return 0.0


def _described(shell: Any, element: Any, kind: str, unit: float, table: Materials, wall: str) -> Element:
    named, offset, sense = _material_layers(shell, element, unit)
    container = shell.util.element.get_container(element)
    made = Element(kind, element.Name or "", element.GlobalId, (container.Name or "") if container is not None else "", [])
    default = wall if kind == "IfcWall" else KINDS[kind]
    for name, thickness in named:
        meaning = table.of(name) if name else None
        made.guessed |= meaning is None
        made.layers.append(Layer(name, thickness, default if meaning is None else meaning))
    if not named:
        by_name = table.of(shell.util.element.get_type(element).Name or "") if shell.util.element.get_type(element) is not None else None
        made.guessed = True
        made.layers = [Layer("", 0.0, by_name or default)]
    if len(made.layers) > 1 and sense is not None and sense < 0:
        made.layers.reverse()  # they are listed downwards from the reference line
        offset -= sum(layer.thickness for layer in made.layers)
    made.offset = offset if sense is not None else np.nan
    properties = shell.util.element.get_psets(element)
    total, told = sum(layer.thickness for layer in made.layers), _quantity(properties, unit)
    made.thickness, made.thickness_from = (total, "layers") if total > 0 else (told, "quantity") if told > 0 else (0.0, "")
    if kind in ("IfcWindow", "IfcDoor"):
        made.panes = _panes(properties, unit)
    return made


def _meshes(shell: Any, file: Any, wanted: list[Any], told: Callable[[float], bool]) -> Iterator[tuple[Any, Any]]:
    settings = shell.geom.settings()
    settings.set("use-world-coords", True)
    settings.set("weld-vertices", True)
    iterator = shell.geom.iterator(settings, file, max(1, os.cpu_count() or 1), include=wanted)
    if not wanted or not iterator.initialize():
        return
    while True:
        shape = iterator.get()
        yield file.by_id(shape.id), shape
        if not told(iterator.progress() / 100.0):
            raise errors.Interrupted("stopped while the model was read")
        if not iterator.next():
            return


def _is_clear(style: Any) -> bool:
    """Whether the model gives a surface that lets light through, as glass does; what a reader gives by default is none."""
    if getattr(style, "name", "") in KINDS or not style.has_transparency():
        return False
    return 0.2 < float(style.transparency) <= 1.0


def _kind_of(element: Any) -> str | None:
    if element.is_a("IfcSpace"):
        return "IfcSpace"
    return next((kind for kind in reversed(KINDS) if element.is_a(kind)), None)


def read(path: PathLike, table: Materials, wall: str, told: Callable[[float], bool]) -> Model:
    """Reads a model; everything in metres. BadInput: no such file, no IFC, no walls with a shape."""
    shell = _shell()
    name = os.fspath(path)
    try:
        file = shell.open(name)
    except (OSError, RuntimeError, ValueError, shell.Error) as failure:
        raise errors.BadInput(f"'{name}' cannot be read as IFC: {failure}", what="path", value=name) from failure
    unit = float(shell.util.unit.calculate_unit_scale(file))
    storeys: list[ModelStorey] = []
    for storey in file.by_type("IfcBuildingStorey"):
        level = shell.util.placement.get_storey_elevation(storey) * unit
        storeys.append(ModelStorey(storey.Name or f"storey {len(storeys) + 1}", float(level) + 0.0))
    storeys.sort(key=lambda one: one.elevation)
    products = {
        one.id(): one for kind in (*KINDS, "IfcSpace") for one in file.by_type(kind) if getattr(one, "Representation", None) is not None
    }
    known: set[int] = set()
    elements: list[Element] = []
    spaces: list[Element] = []
    skipped: dict[str, int] = {}
    for product, shape in _meshes(shell, file, list(products.values()), told):
        kind = _kind_of(product)
        if kind is None or product.id() in known:
            continue
        known.add(product.id())
        made = (
            Element(kind, product.Name or "", product.GlobalId, "", [])
            if kind == "IfcSpace"
            else _described(shell, product, kind, unit, table, wall)
        )
        geometry = shape.geometry
        made.points = np.array(geometry.verts, dtype=np.float64).reshape(-1, 3)
        made.faces = np.array(geometry.faces, dtype=np.int64).reshape(-1, 3)
        made.parts = np.array(geometry.material_ids, dtype=np.int64)
        made.part_names = ["glass" if _is_clear(one) else getattr(one, "name", "") for one in geometry.materials]
        if len(made.faces) == 0:
            continue
        local = shell.util.placement.get_local_placement(product.ObjectPlacement) if product.ObjectPlacement else np.eye(4)
        made.axes = np.array(local, dtype=np.float64)
        made.axes[:3, 3] *= unit
        (spaces if kind == "IfcSpace" else elements).append(made)
    for identity, product in products.items():
        if identity not in known:
            kind = _kind_of(product) or product.is_a()
            skipped[f"{kind} without a shape"] = skipped.get(f"{kind} without a shape", 0) + 1
    for product in file.by_type("IfcFurnishingElement"):
        skipped["furniture"] = skipped.get("furniture", 0) + 1
    project = file.by_type("IfcProject")
    title = next((one.Name for one in (*file.by_type("IfcBuilding"), *project) if one.Name), os.path.splitext(os.path.basename(name))[0])
    if not any(one.kind in ("IfcWall", "IfcCurtainWall", "IfcPlate") for one in elements):
        raise errors.BadInput(f"'{name}' has no walls with a shape, so that it is no plan of a building", what="path", value=name)
    return Model(name, title, unit, storeys, elements, spaces, _georeference(file, unit, shell.util.unit.get_prefix_multiplier), skipped)
