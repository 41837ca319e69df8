"""The command `planwave` of the wheel: the program that lies in the package takes over, before anything of Python is loaded for it."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    spec = find_spec("planwave")
    assert spec is not None and spec.origin is not None
    program = str(Path(spec.origin).with_name("planwave"))
    os.execv(program, [program, *sys.argv[1:]])
