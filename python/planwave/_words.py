"""The library's sentences in Python's words: `force=True` where the program's user types ``--force``."""

from __future__ import annotations

import re
from typing import NamedTuple

_FLAGS = {"force", "resume", "strict", "accurate", "partial", "local-mean"}
_METHODS = {"first-order"}
_NAMES = {  # option of the program -> how Python's functions call it
    "backend": "backend",
    "candidates": "candidates",
    "class": "classes",
    "doors": "doors",
    "frequencies": "frequencies",
    "from-levels": "read_levels",
    "height": "height",
    "memory": "memory",
    "method": "method",
    "page": "page",
    "picture": "picture",
    "region": "region",
    "rx-height": "receiver_height",
    "scale": "scale",
    "set": "set",
    "size": "size",
    "spreading": "spreading",
    "storey": "storey",
    "tx": "transmitter",
    "tx-height": "transmitter_height",
    "unit": "unit",
    "wall": "wall",
    "windows": "windows",
}
_LISTS = {"region", "scale", "tx"}
_TABLES = {"class", "picture", "set"}
_COMMANDS = {"info --backends": "planwave.backends()", "info --materials": "planwave.materials()", "import": "planwave.import_drawing"}

_GIVEN = re.compile(r"--set ([^=\s]+)=(.*?): ")  # what a change was, before what is wrong with it
_OPTION = re.compile(
    r"--([a-z]+(?:-[a-z]+)*)(?:[ =]('[^']*'|cpu|cuda|reference|exact|[\w.*+-]*[\w*](?:[,=][\w.*+-]*[\w*]|='[^']*')+|\d[\w.]*\w))?"
)


def _option(match: re.Match[str]) -> str:
    name, value = match.group(1), match.group(2)
    if name in _FLAGS:
        return f"{name.replace('-', '_')}=True" + (f" {value}" if value else "")
    if name in _METHODS:
        return f'method="{name}"'
    if name not in _NAMES:
        return match.group(0)
    keyword = _NAMES[name]
    if value is None:
        return keyword
    if name in _TABLES:
        key, _, meaning = value.strip("'").partition("=")
        meaning = meaning.strip("'")
        return f'{keyword}={{"{key}": "{meaning}"}}' if meaning else f'{keyword}={{"{key}": ...}}'
    if name in _LISTS:
        numbers, _, length = value.strip("'").partition("=")
        return f"{keyword}=({numbers.replace(',', ', ')}{f', {chr(34)}{length}{chr(34)}' if length else ''})"
    return f'{keyword}="{value.strip(chr(39))}"'


def in_python(message: str) -> str:
    """A sentence of the library with keyword arguments in place of the program's options."""
    message = _GIVEN.sub(lambda found: f'set={{"{found.group(1)}": "{found.group(2)}"}}: ', message)
    message = _OPTION.sub(_option, message)
    for command, call in _COMMANDS.items():
        message = re.sub(rf"`?planwave {command}\b`?", call, message)
    return message


class Parts(NamedTuple):
    what: str | None
    value: str | None
    allowed: str | None


_PLACE = r"(?:[^:\n]*:\d+: |set=\{.*?\}: )?"
_SHAPES = [  # from the most telling to the least
    re.compile(_PLACE + r"(?P<what>[\w.\[\]-]+) = '(?P<value>[^']*)': "),
    re.compile(_PLACE + r"(?P<what>[\w.\[\]-]+): '(?P<value>[^']*)' "),
    re.compile(r"(?P<what>[A-Za-z_][\w.]*) is (?P<value>.+?)(?:: give |: it must |, and must | and must )"),
    re.compile(r"(?P<what>(?:[A-Za-z_]+ ){0,2})'(?P<value>[^']*)'"),
]
_ALLOWED = re.compile(
    r"(?:allowed: |allowed are |with one of the units |there (?:are|is) (?:only )?|: give |must be |must lie )(?P<allowed>.+)", re.DOTALL
)


def parts(message: str) -> Parts:
    """What a sentence is about, the value that is wrong and what is allowed, as far as it says so."""
    found = next((found for shape in _SHAPES if (found := shape.match(message) or shape.search(message))), None)
    allowed = _ALLOWED.search(message)
    what = found.group("what").strip() if found else ""
    return Parts(what or None, found.group("value") if found else None, allowed.group("allowed") if allowed else None)
