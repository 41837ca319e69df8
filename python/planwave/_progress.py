"""A bar for ``progress=True``: tqdm's where it is installed, in notebooks too, else a line on stderr."""

from __future__ import annotations

import sys
import time
from typing import Any


class Bar:
    """Per cent of the work, and a clause beside it."""

    def __init__(self) -> None:
        self._done, self._begin, self._printed = 0.0, time.monotonic(), False
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=100.0, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")

    def tell(self, share: float, clause: str = "") -> None:
        """`share` of the work is done, 0 to 1; it never falls."""
        self._done = max(self._done, min(share, 1.0))
        if self._bar is not None:
            self._bar.set_postfix_str(clause, refresh=False)
            self._bar.update(100.0 * self._done - self._bar.n)
            return
        spent = time.monotonic() - self._begin
        left = f", {spent * (1.0 / self._done - 1.0):.0f} s to go" if self._done > 0.0 else ""
        sys.stderr.write(f"\r{100.0 * self._done:3.0f} %{left}{', ' if clause else ''}{clause}   ")
        sys.stderr.flush()
        self._printed = True

    def end(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._printed:
            sys.stderr.write("\n")
        self._printed = False
