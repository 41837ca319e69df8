#!/usr/bin/env python3
"""The binary interface of libplanwave.so: what a program that was compiled against its headers relies on.

    packaging/abi.py INCLUDE LIBRARY             prints it: each function, and each type with its bytes
    packaging/abi.py INCLUDE LIBRARY --hold LIST fails where something that stands in LIST has changed or is gone

What is added breaks no program, and is let through; `make abi` writes the list anew.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def declarations(include: str) -> list[str]:
    """Declarations of the interface, one a line, as the preprocessor leaves them."""
    source = "#include <planwave_tools.h>\n"
    text = subprocess.run(
        [compiler(), "-std=c17", f"-I{include}", "-E", "-P", "-x", "c", "-"], input=source, text=True, check=True, stdout=subprocess.PIPE
    ).stdout
    out, depth, begun = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            out.append(" ".join(text[begun : at + 1].split()))
            begun = at + 1
    return sorted({line for line in out if re.search(r"\bpw_\w+(\(|;|\)\()|^enum \{ PW_", line)})


def sizes(include: str, lines: list[str]) -> list[str]:
    """Bytes of each type that is no handle."""
    names = [line.split()[-1][:-1] for line in lines if re.match(r"typedef (struct|enum|union)[^;]*\{", line)]
    asked = "".join(f'    printf("sizeof({name}) = %zu\\n", sizeof({name}));\n' for name in names)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sizes.c"
        path.write_text(f"#include <planwave_tools.h>\n#include <stdio.h>\nint main(void)\n{{\n{asked}}}\n")
        subprocess.run([compiler(), "-std=c17", f"-I{include}", "-o", f"{folder}/sizes", str(path)], check=True)
        return subprocess.run([f"{folder}/sizes"], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()


def compiler() -> str:
    return os.environ.get("CC", "cc")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("include", help="folder of planwave.h")
    parser.add_argument("library", help="libplanwave.so")
    parser.add_argument("--hold", type=Path, help="a list that was printed before")
    given = parser.parse_args()
    soname = re.search(
        r"soname: \[(.*)\]", subprocess.run(["readelf", "-d", given.library], check=True, text=True, stdout=subprocess.PIPE).stdout
    )[1]
    lines = declarations(given.include)
    now = [soname, *lines, *sizes(given.include, lines)]
    if given.hold is None:
        print("\n".join(now))
        return
    before = given.hold.read_text().splitlines()
    gone = [line for line in before if line not in set(now)]
    if gone and before[0] == soname:
        print("\n".join(f"changed or gone: {line}" for line in gone))
        sys.exit(
            f"programs that were compiled against {soname} would break. Has it been released? Then PW_VERSION must name a new one "
            f"(in 0.MINOR.PATCH a new MINOR, later a new MAJOR). `make abi` writes {given.hold} anew."
        )
    added = [line for line in now if line not in set(before)]
    print(f"{soname}: {len(now)} facts, {len(added)} of them not in {given.hold.name} yet")


if __name__ == "__main__":
    main()
