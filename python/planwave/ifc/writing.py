"""Shapes of a model -> the text of a scenario."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .materials import Substance
from .shapes import Shape


def _metres(value: float) -> str:
    return f"{round(float(value), 4):.10g} m"


def _point(point: Any) -> str:
    return f"[{_metres(point[0])}, {_metres(point[1])}]"


def _substance(substance: Substance) -> str:
    return substance if isinstance(substance, str) else json.dumps(dict(substance))


def _shape(one: Shape) -> tuple[str, str]:
    """The list it stands in, and its line."""
    height = f", z: [{_metres(one.z[0])}, {_metres(one.z[1])}]" if one.z is not None else ""
    if not one.layers:
        corners = ", ".join(_point(point) for point in one.outline)
        return "polygons", f"{{points: [{corners}], material: {_substance(one.substance)}{height}}}"
    ends = f"from: {_point(one.outline[0])}, to: {_point(one.outline[1])}"
    if len(one.layers) == 1:
        return "walls", f"{{{ends}, thickness: {_metres(one.layers[0][1])}, material: {_substance(one.layers[0][0])}{height}}}"
    layers = ", ".join(f"{{material: {_substance(substance)}, thickness: {_metres(thick)}}}" for substance, thick in one.layers)
    return "walls", f"{{{ends}, layers: [{layers}]{height}}}"


def scenario_text(
    title: str,
    heading: Sequence[str],
    size: tuple[float, float],
    shapes: Sequence[Shape],
    storeys: Sequence[Mapping[str, Any]],
    band: str,
    transmitters: Sequence[Mapping[str, Any]],
) -> str:
    """YAML that people can change; `storeys` make it one of three dimensions."""
    lists: dict[str, list[str]] = {"polygons": [], "walls": []}
    for one in shapes:
        name, line = _shape(one)
        lists[name].append(line)
    lines = [f"# {line}" for line in heading]
    lines += [f"title: {json.dumps(title, ensure_ascii=False)}"]
    if storeys:
        lines.append("dimensions: 3")
    lines += ["plan:", f"  size: [{_metres(size[0])}, {_metres(size[1])}]"]
    if storeys:
        lines.append("  storeys:")
        lines += [f"    - {json.dumps(dict(storey), ensure_ascii=False)}" for storey in storeys]
    for name, entries in lists.items():
        if entries:
            lines += [f"  {name}:", *(f"    - {entry}" for entry in entries)]
    lines += [f"band: {band}", "transmitters:", *(f"  - {json.dumps(dict(one), ensure_ascii=False)}" for one in transmitters)]
    return "\n".join(lines) + "\n"
