"""Builds what the wheel carries besides Python: the library and the program by the Makefile, and _abi.py from the headers.

A Makefile and not CMake builds planwave, with flags of their own for each instruction set, so that hatchling and this hook stand
where scikit-build-core would stand: there is one description of the build. The environment may say PLANWAVE_CUDA=1 (or CUDA=1:
kernels take minutes, so that they are left out unless asked for), ISA (default: native, for this machine's processor alone; ISA=all
for a wheel that goes to other machines), CC, SMS, PLANWAVE_JOBS and PLANWAVE_BUILD (the folder that make
builds in). The wheel serves every Python 3 on this kind of machine (py3-none-linux_x86_64).

pip shows nothing of what a build prints, except with --verbose. A build takes about a minute, so its progress also goes to the
terminal, if there is one: a line for each tenth of the files. PLANWAVE_QUIET=1 leaves that out.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any, TextIO

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def terminal() -> TextIO | None:
    """The terminal of whoever waits, or None: pip keeps standard output to itself."""
    if os.environ.get("PLANWAVE_QUIET") or sys.stdout.isatty():
        return None
    try:
        return open("/dev/tty", "w")
    except OSError:
        return None


class Progress:
    """Says on the terminal how much of a build is done."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.told = total, 0, 0
        self.start = time.monotonic()
        self.terminal = terminal()

    def tell(self, text: str) -> None:
        if self.terminal is not None:
            print(f"\r  planwave: {text}", file=self.terminal, flush=True)

    def step(self) -> None:
        self.done += 1
        tenth = min(10 * self.done // max(self.total, 1), 10)
        if tenth > self.told:
            self.told = tenth
            self.tell(f"compiled {self.done} of {self.total} files, {time.monotonic() - self.start:.0f} s")


class PlanwaveBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc]
    """Runs before the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        made = root / os.environ.get("PLANWAVE_BUILD", "build") / "python"
        library, program, bindings = made / "libplanwave.so", made / "planwave", made / "_abi.py"
        self.make(root, made, ["libplanwave.so", "planwave"])
        subprocess.run([sys.executable, str(root / "python" / "bindings.py"), str(bindings)], check=True)
        platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        for file in (bindings, library, program):
            if version == "editable":  # the source folder itself is imported
                shutil.copy2(file, root / "python" / "planwave")
            else:
                build_data["force_include"][str(file)] = f"planwave/{file.name}"
        licences = os.environ.get("PLANWAVE_LICENCES")  # of libraries that are to be put into the wheel
        if licences:
            subprocess.run([sys.executable, "packaging/bundled.py", str(library), licences], cwd=root, check=True)
            build_data["force_include"][str(root / licences)] = "planwave/licences"

    def make(self, root: Path, made: Path, wanted: list[str]) -> None:
        jobs = os.environ.get("PLANWAVE_JOBS") or str(os.cpu_count() or 1)
        cuda = os.environ.get("PLANWAVE_CUDA") or os.environ.get("CUDA") or "0"
        settings = [f"{name}={os.environ[name]}" for name in ("SMS", "CC") if name in os.environ]
        settings += [f"CUDA={cuda}", f"ISA={os.environ.get('ISA', 'native')}", f"BUILD={made.parent.relative_to(root)}"]
        command = ["make", f"-j{jobs}", *settings, *(str((made / name).relative_to(root)) for name in wanted)]
        try:
            planned = subprocess.run([*command, "--dry-run"], cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout
            progress = Progress(sum(" -c -o " in line for line in planned.splitlines()))
            kernels = "without CUDA: PLANWAVE_CUDA=1 compiles it, in minutes" if cuda == "0" else "with CUDA"
            progress.tell(f"compiling {progress.total} files, {jobs} at a time, {kernels}")
            with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as make:
                assert make.stdout is not None
                for line in make.stdout:
                    print(line, end="", flush=True)
                    if line.rstrip().endswith(".o"):
                        progress.step()
            if make.returncode != 0:
                raise subprocess.CalledProcessError(make.returncode, command)
        except FileNotFoundError:
            sys.exit("planwave is built by make and a C compiler; on Debian: apt-get install make gcc")
        except subprocess.CalledProcessError:
            sys.exit("the library of planwave did not build; `make deps` installs the libraries that it needs on Debian and Ubuntu")
