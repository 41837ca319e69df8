"""Sections of triangle meshes by horizontal planes, and polygons cut into layers. Lengths in metres."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
GRAIN = 1e-6  # m: corners that are the same
GAP = 2e-3  # m: lines of a torn surface whose ends are nearer than this belong together
Edge = tuple[int, int]
LEVELS_MOST = 24  # of one element; one with more is cut evenly


def section(points: Floats, faces: npt.NDArray[np.int64], z: float) -> tuple[list[Floats], int]:
    """Outlines (corner, 2) in which a plane cuts a closed mesh, outer ones counterclockwise; and how many lines did not close.

    A corner of an outline lies on an edge of the mesh, by whose ends it is known, so that rounding tears nothing.
    """
    height = points[:, 2] - z
    height = np.where(np.abs(height) < 1e-7, 1e-7, height)  # a corner in the plane counts as above it
    _, same = np.unique(np.round(points / GRAIN).astype(np.int64), axis=0, return_inverse=True)
    same = same.ravel()
    crossing = faces[((height[faces] > 0).sum(axis=1) % 3) != 0]
    following: dict[Edge, list[Edge]] = {}
    place: dict[Edge, Floats] = {}
    for triangle in crossing:
        start = stop = None
        for a, b in ((0, 1), (1, 2), (2, 0)):
            p, q = int(triangle[a]), int(triangle[b])
            if (height[p] > 0) == (height[q] > 0):
                continue
            edge = (int(min(same[p], same[q])), int(max(same[p], same[q])))
            place[edge] = points[p, :2] + height[p] / (height[p] - height[q]) * (points[q, :2] - points[p, :2])
            # Outward normals turn right-handed: the edge that goes down begins the line, so that the inside lies on its left.
            start, stop = (edge, stop) if height[p] > 0 else (start, edge)
        if start is not None and stop is not None and start != stop:
            following.setdefault(start, []).append(stop)
    lines = np.array([[place[start], place[stop]] for start, stops in following.items() for stop in stops]).reshape(-1, 2, 2)
    outlines, left_open = _chained(following, place)
    return (_noded(lines) or (outlines, left_open)) if left_open > 0 else (outlines, left_open)


def _noded(lines: Floats) -> tuple[list[Floats], int] | None:
    """The same of lines that end in the middle of others, as where a shape was cut without splitting its neighbours; None without shapely.

    IfcOpenShell brings shapely along. What is enclosed counts where lines wind about it.
    """
    try:
        from shapely import LineString, unary_union
        from shapely.geometry.polygon import orient
        from shapely.ops import polygonize_full
    except ImportError:
        return None
    faces, dangles, cuts, _ = polygonize_full(unary_union([LineString(np.round(one, 6)) for one in lines]))
    inside = []
    for face in faces.geoms:
        x, y = face.representative_point().coords[0]
        low, high = lines[:, 0], lines[:, 1]
        rises = (high[:, 1] > y).astype(int) - (low[:, 1] > y).astype(int)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = low[:, 0] + (y - low[:, 1]) / (high[:, 1] - low[:, 1]) * (high[:, 0] - low[:, 0])
        if int(rises[(rises != 0) & (at > x)].sum()) != 0:
            inside.append(face)
    whole = unary_union(inside)
    outlines: list[Floats] = []
    for part in getattr(whole, "geoms", [whole]):
        if not part.is_empty:
            rings = orient(part)
            outlines += [plain(np.array(ring.coords)[:-1]) for ring in (rings.exterior, *rings.interiors)]
    return [one for one in outlines if len(one) >= 3 and abs(area(one)) > 1e-6], len(dangles.geoms) + len(cuts.geoms)


def _chained(following: dict[Edge, list[Edge]], place: dict[Edge, Floats]) -> tuple[list[Floats], int]:
    closed: list[list[Floats]] = []
    torn: list[list[Floats]] = []
    ends = {to for many in following.values() for to in many}
    while following:
        first = next((edge for edge in following if edge not in ends), next(iter(following)))  # torn lines from their beginning
        chain, at = [first], first
        while at in following:
            to = following[at].pop()
            if not following[at]:
                del following[at]
            at = to
            if at == first:
                break
            chain.append(at)
        (closed if at == first else torn).append([place[edge] for edge in chain])
    left_open = _joined(torn, closed)
    outlines = [plain(np.array(chain)) for chain in closed if len(chain) >= 3]
    return [outline for outline in outlines if len(outline) >= 3 and abs(area(outline)) > 1e-6], left_open


def _joined(torn: list[list[Floats]], closed: list[list[Floats]]) -> int:
    """Closes lines whose ends are nearer than GAP, with each other or with themselves; returns how many are left."""
    left_open = 0
    while torn:
        chain = torn.pop()
        away = [float(np.hypot(*(other[0] - chain[-1]))) for other in (*torn, chain)]
        nearest = int(np.argmin(away))
        if away[nearest] > GAP:
            left_open += 1
        elif nearest == len(torn):
            closed.append(chain)
        else:
            torn[nearest] = chain + torn[nearest]
    return left_open


def area(outline: Floats) -> float:
    """Signed area, over 0 counterclockwise."""
    x, y = outline[:, 0], outline[:, 1]
    return float(0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def plain(outline: Floats, tolerance: float = 1e-4) -> Floats:
    """Without corners on the line between their neighbours."""
    kept = [point for point in outline]
    n = 0
    while n < len(kept) and len(kept) > 3:
        before, here, after = kept[n - 1], kept[n], kept[(n + 1) % len(kept)]
        along = after - before
        reach = float(np.hypot(*along))
        off = abs(along[0] * (here - before)[1] - along[1] * (here - before)[0]) / reach if reach > 0 else 0.0
        if off < tolerance:
            del kept[n]
            n = max(n - 1, 0)
        else:
            n += 1
    return np.array(kept)


def band(outline: Floats, low: float, high: float) -> Floats:
    """The part of an outline with y between `low` and `high`; may have corners in line."""
    for limit, sign in ((low, 1.0), (high, -1.0)):
        kept: list[Floats] = []
        for n in range(len(outline)):
            here, after = outline[n], outline[(n + 1) % len(outline)]
            a, b = sign * (here[1] - limit), sign * (after[1] - limit)
            if a >= 0:
                kept.append(here)
            if (a > 0 > b) or (a < 0 < b):
                kept.append(here + a / (a - b) * (after - here))
        outline = np.array(kept)
        if len(outline) < 3:
            return np.empty((0, 2))
    return plain(outline)


def levels(points: Floats, faces: npt.NDArray[np.int64], step: float) -> Floats:
    """Heights between which sections of a mesh do not change; where its faces slope, every `step` at least."""
    heights = np.unique(np.round(points[:, 2], 4))
    apart = heights[np.concatenate([[True], np.diff(heights) > 1e-3])]
    if len(apart) > LEVELS_MOST:
        count = max(2, int(np.ceil((apart[-1] - apart[0]) / step)) + 1)
        return np.linspace(apart[0], apart[-1], min(count, 200))
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    upward = np.abs(normals[:, 2]) / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)
    sloping = corners[(upward > 0.01) & (upward < 0.9999)][:, :, 2]
    ends = [np.array([apart[0]])]
    for low, high in zip(apart[:-1], apart[1:]):
        slopes = len(sloping) > 0 and bool(np.any((sloping.min(axis=1) < high - 1e-3) & (sloping.max(axis=1) > low + 1e-3)))
        ends.append(np.linspace(low, high, (int(np.ceil((high - low) / step)) if slopes else 1) + 1)[1:])
    return np.concatenate(ends)


def is_rectangle(outline: Floats) -> bool:
    """Whether four corners lie along the axes."""
    if len(outline) != 4:
        return False
    low, high = outline.min(axis=0), outline.max(axis=0)
    return bool(np.all(np.minimum(abs(outline - low), abs(outline - high)) < 2e-3))
