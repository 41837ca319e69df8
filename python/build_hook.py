"""Builds what the wheel carries besides Python: the library and the program by the Makefile, and _abi.py from the headers.

A Makefile and not CMake builds planwave, with flags of their own for each instruction set, so that hatchling and this hook stand
where scikit-build-core would stand: there is one description of the build. The environment may say CUDA=0 or 1 (default: with
CUDA when nvcc is there), CC, SMS and PLANWAVE_JOBS. The wheel serves every Python 3 on this kind of machine (py3-none-linux_x86_64).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlanwaveBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc]
    """Runs before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        self.make(root)
        bindings = root / "build" / "python" / "_abi.py"
        subprocess.run([sys.executable, str(root / "python" / "bindings.py"), str(bindings)], check=True)
        library = root / "build" / "python" / "libplanwave.so"
        subprocess.run(["strip", "--strip-unneeded", "-o", str(library), str(root / "build" / "libplanwave.so")], check=True)
        program = root / "build" / "python" / "planwave"
        subprocess.run(["strip", "-o", str(program), str(root / "build" / "planwave")], check=True)
        platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        build_data["shared_scripts"][str(program)] = "planwave"
        if version == "editable":  # the source folder itself is imported
            for made in (bindings, library):
                shutil.copy2(made, root / "python" / "planwave")
        else:
            build_data["force_include"][str(bindings)] = "planwave/_abi.py"
            build_data["force_include"][str(library)] = "planwave/libplanwave.so"

    def make(self, root: Path) -> None:
        jobs = os.environ.get("PLANWAVE_JOBS") or str(os.cpu_count() or 1)
        settings = [f"{name}={os.environ[name]}" for name in ("CUDA", "SMS", "CC") if name in os.environ]
        command = ["make", f"-j{jobs}", *settings, "build/planwave", "build/libplanwave.so"]
        try:
            subprocess.run(command, cwd=root, check=True)
        except FileNotFoundError:
            sys.exit("planwave is built by make and a C compiler; on Debian: apt-get install make gcc")
        except subprocess.CalledProcessError:
            sys.exit("the library of planwave did not build; `make deps` installs the libraries that it needs on Debian and Ubuntu")
