"""How objects look in a notebook."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from html import escape
from typing import Any


def png_of(figure: Any) -> bytes:
    """A figure of matplotlib as PNG; it is closed."""
    from matplotlib import pyplot

    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=110, bbox_inches="tight")
    pyplot.close(figure)
    return stream.getvalue()


def table(title: str, rows: Mapping[str, Any], picture: bytes | None = None, text: str = "") -> str:
    """A heading, a line for each fact, then a picture or a text."""
    lines = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    image = "" if picture is None else f"<img alt='{escape(title)}' src='data:image/png;base64,{base64.b64encode(picture).decode()}'>"
    more = f"<pre>{escape(text)}</pre>" if text else ""
    return f"<div><b>{escape(title)}</b><table>{lines}</table>{image}{more}</div>"
