"""The structures of _abi.py are those of the compiler, and a library of other headers is refused."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
from planwave import _abi

SOURCE = Path(__file__).resolve().parents[2] / "src"
TOOLS = SOURCE.parent / "tools"


def test_every_structure_is_laid_out_as_the_compiler_does(compiler: str, tmp_path: Path) -> None:
    lines, ours = [], {}
    for struct in _abi.STRUCTURES:
        name = struct.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        ours[name] = ctypes.sizeof(struct)
        for field, *_ in struct._fields_:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
            descriptor = getattr(struct, field)
            ours[f"{name}.{field}"] = (descriptor.offset, descriptor.size)
    program = tmp_path / "probe.c"
    program.write_text('#include "planwave_tools.h"\n#include <stdio.h>\nint main(void)\n{\n' + "\n".join(lines) + "\nreturn 0;\n}\n")
    subprocess.run([compiler, "-std=c17", f"-I{SOURCE}", f"-I{TOOLS}", "-o", tmp_path / "probe", program], check=True)
    output = subprocess.run([tmp_path / "probe"], check=True, stdout=subprocess.PIPE, text=True).stdout
    theirs = {}
    for line in output.splitlines():
        name, *numbers = line.split()
        theirs[name] = int(numbers[0]) if len(numbers) == 1 else tuple(map(int, numbers))
    assert len(ours) > 400
    assert ours == theirs


def test_constants_are_those_of_the_compiler(compiler: str, tmp_path: Path) -> None:
    constants = {name: value for name, value in vars(_abi).items() if name.startswith("PW_") and isinstance(value, int)}
    checks = "\n".join(f'_Static_assert({name} == {value}, "{name}");' for name, value in constants.items())
    program = tmp_path / "constants.c"
    program.write_text(f'#include "planwave_tools.h"\n{checks}\n')
    subprocess.run([compiler, "-std=c17", f"-I{SOURCE}", f"-I{TOOLS}", "-fsyntax-only", program], check=True)
    assert len(constants) > 80


def test_the_installed_interface_is_that_of_the_source() -> None:
    import bindings

    assert _abi.INTERFACE == bindings.checksum()
    assert _abi.VERSION == bindings.version()


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ("", "does not say its version"),
        ('const char *pw_version(void) { return "99.0"; } const char *pw_interface(void) { return ""; }', "is planwave 99.0"),
        (
            f'const char *pw_version(void) {{ return "{_abi.VERSION}"; }} const char *pw_interface(void) {{ return "0"; }}',
            "from other headers",
        ),
    ],
)
def test_another_library_is_refused(compiler: str, tmp_path: Path, functions: str, words: str) -> None:
    source, library = tmp_path / "other.c", tmp_path / "other.so"
    source.write_text(functions + "\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    done = subprocess.run(
        [sys.executable, "-c", "import planwave"],
        env={**os.environ, "PLANWAVE_LIBRARY": str(library)},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert words in done.stderr


def test_importing_needs_numpy_alone(tmp_path: Path) -> None:
    code = "import sys, planwave; print([m for m in ('matplotlib', 'xarray', 'h5py', 'skrf', 'scipy', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout.strip() == "[]"
