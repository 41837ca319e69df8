"""The version of the package: that of the library, and of a build with kernels for GPUs the CUDA that they were compiled with behind it.

So 0.1.0+cuda13 stands beside 0.1.0. PLANWAVE_CUDA=1 (or CUDA=1) asks for such a build, as python/build_hook.py has it.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path


def version() -> str:
    header = (Path(__file__).parent.parent / "src" / "api" / "base.h").read_text(encoding="utf-8")
    number = re.search(r'PW_VERSION "([^"]+)"', header)
    assert number is not None
    if (os.environ.get("PLANWAVE_CUDA") or os.environ.get("CUDA")) != "1":
        return number[1]
    told = subprocess.run(["nvcc", "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout
    major = re.search(r"release (\d+)", told)
    assert major is not None, told
    return f"{number[1]}+cuda{major[1]}"


__version__ = version()
