"""Plans from other programs, and for them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _abi, errors  # type: ignore[attr-defined,unused-ignore]
from ._library import address, call, captured, decoded, encoded, library, path_of, texts
from .options import Quantity, finite_pair, length
from .options import frequency as parse_frequency
from .scenario import PathLike, in_words


def export_formats() -> dict[str, str]:
    """Endings of files that `Scenario.export` writes, with a clause on each."""
    found: dict[str, str] = {}
    while (format := library.pw_plan_export_describe(len(found))).name:
        found[decoded(format.ending)] = decoded(format.description)
    return found


def _stations(transmitter: Any) -> list[tuple[Sequence[float], str]]:
    """Places, and what else is known of each as words of the library."""
    if transmitter is None:
        return []
    if isinstance(transmitter, Mapping) or np.isscalar(transmitter[0]):
        transmitter = [transmitter]
    return [
        (one["at"], ",".join(f"{key}={in_words(value)}" for key, value in one.items() if key != "at")) if isinstance(one, Mapping) else (one, "")
        for one in transmitter
    ]


def import_drawing(
    drawing: PathLike,
    yaml: PathLike,
    *,
    frequency: Quantity = 0.0,
    transmitter: Sequence[float] | Sequence[Sequence[float]] | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    windows: str | None = None,
    doors: str | None = None,
    classes: Mapping[str, str] | None = None,
    wall: str | None = None,
    page: str | None = None,
    unit: Quantity = 0.0,
    turn: float = 0.0,
    region: Sequence[float] | None = None,
    picture: Mapping[str, Any] | None = None,
    overlay: PathLike | None = None,
) -> str:
    """Reads a drawing or a picture of another program and writes a scenario in words that can be changed.

    Parameters
    ----------
    drawing : path
        Of a format of ``choices("drawing_formats")``: DXF, SVG, PDF, GeoJSON, PNG, ...
    yaml : path
        The scenario that is written; ``Scenario(yaml)`` reads it.
    frequency : float or str
        The band's centre [Hz]; default: 2.45 GHz, which is written down as a guess.
    transmitter : (x, y), a dict, or a list of them, optional
        Where access points stand [m], from the lower left corner of the plan. A dict has this under ``at``, and other keys of a
        scenario's transmitters: ``{"at": (7, 7), "name": "west", "power": "17 dBm"}``.
    windows, doors : str, optional
        What they are: ``"double glazing"``, ``"open"`` or a material; default: panes of glass, and doors open where they are
        drawn with their arc.
    classes : dict, optional
        What layers, colours or types of wall stand for: ``{"A-WALL*": "brick", "TEXT": "ignored"}``; the first that fits decides.
    wall : str, optional
        Material of walls of which nothing is known; default: brick.
    page : str, optional
        Of a file with several floors, this one.
    unit : float or str
        [m] of a unit of the drawing; of a picture, of a pixel. 0: as the file says.
    turn : float
        Degrees, counterclockwise.
    region : (x0, y0, x1, y1), optional
        In units of the drawing, after the turn.
    picture : dict, optional
        Keys of ``drawing.picture``, such as ``{"scan": "on", "tolerance": 24}``.
    overlay : path, optional
        A picture of what was understood, over what was drawn.

    Returns
    -------
    str
        Areas, guesses, and what was not taken over.

    Raises
    ------
    BadInput
        A file that is damaged or of no known format, a unit that nobody says, nothing that is a wall.
    """
    kinds, kind_count = texts([f"{name}={meaning}" for name, meaning in (classes or {}).items()])
    keys, key_count = texts([f"{name}={in_words(value)}" for name, value in (picture or {}).items()])
    corners = None if region is None else np.asarray(region, dtype=np.float64)
    if corners is not None and corners.shape != (4,):
        raise errors.UsageError(f"region is {region!r}: give x0, y0, x1, y1")
    stations = _stations(transmitter)
    at = np.array([finite_pair(pair, "transmitter") for pair, _ in stations]) if stations else None
    words, _ = texts([word for _, word in stations])
    options = _abi.pw_import_options(
        page=encoded(page),
        unit=length(unit),
        turn=turn,
        region=address(corners),
        classes=ctypes.cast(kinds, ctypes.c_void_p) if kinds else None,
        class_count=kind_count,
        pictures=ctypes.cast(keys, ctypes.c_void_p) if keys else None,
        picture_count=key_count,
        wall=encoded(wall),
        frequency=parse_frequency(frequency),
        transmitters=address(at),
        transmitter_count=len(stations),
        transmitter_words=ctypes.cast(words, ctypes.c_void_p) if words else None,
        windows=encoded(windows),
        doors=encoded(doors),
    )
    with captured() as (stream, text):
        call("pw_import", path_of(drawing), ctypes.byref(options), path_of(yaml), encoded(overlay), stream)
        return text()
