"""Writes planwave/_abi.py, the C interface of tools/planwave_tools.h for ctypes: enumerations, structures and functions.

    python python/bindings.py OUTPUT.py

The compiler's preprocessor and pycparser read the headers, so that nothing of them is written down twice. The file that is
made names the version and a checksum of the headers; planwave/_library.py compares both with what the library says of itself
and refuses one that was built from others.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pycparser import c_ast, c_parser

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

# What the public headers use of the system's, in words that need no system headers.
SYSTEM = {
    "stdbool.h": "#define bool _Bool\n#define true 1\n#define false 0\n",
    "stddef.h": "typedef unsigned long size_t;\n",
    "stdint.h": "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;\n"
    "typedef unsigned long uint64_t; typedef int int32_t; typedef long int64_t;\n",
    "stdio.h": "typedef struct FILE FILE;\n",
}
SCALARS = {
    "_Bool": "c_bool",
    "char": "c_char",
    "int": "c_int",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "uint8_t": "c_uint8",
    "uint16_t": "c_uint16",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
}


def headers() -> list[Path]:
    """The public headers, of the core and of the applications, in the order in which the Makefile sums them up."""
    found = [*(SOURCE / "api").rglob("*.h"), *(ROOT / "tools").rglob("planwave_*.h")]
    return sorted(found, key=lambda path: path.as_posix().encode())


def version() -> str:
    found = re.search(r'PW_VERSION "(.*)"', (SOURCE / "api" / "base.h").read_text())
    assert found is not None, "src/api/base.h defines no PW_VERSION"
    return found.group(1)


def checksum() -> str:
    """SHA-256 of the headers one after another, as pw_interface() has it."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in headers())).hexdigest()


def preprocessed() -> str:
    compiler = os.environ.get("CC", "cc").split()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SYSTEM.items():
            (Path(folder) / name).write_text(f"#pragma once\n{text}")
        command = [*compiler, "-E", "-P", "-std=c17", "-nostdinc", "-D__attribute__(x)=", f"-I{folder}", f"-I{SOURCE}", f"-I{ROOT / 'tools'}", "-x", "c", str(ROOT / "tools" / "planwave_tools.h")]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Writer:
    """Turns declarations into lines of Python, in the order of the headers."""

    def __init__(self) -> None:
        self.constants: dict[str, int] = {}
        self.enums: set[str] = set()
        self.structs: dict[str, str] = {}  # typedef name or "struct tag" -> Python class
        self.callbacks: set[str] = set()
        self.names: list[str] = []
        self.lines: list[str] = []

    # ---- constants ----

    def value(self, node: c_ast.Node) -> int:
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.ID):
            return self.constants[node.name]
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            return -self.value(node.expr)
        if isinstance(node, c_ast.BinaryOp):
            left, right = self.value(node.left), self.value(node.right)
            operations = {"+": left + right, "-": left - right, "*": left * right, "<<": left << right if node.op == "<<" else 0}
            return operations[node.op]
        raise NotImplementedError(f"a constant of the kind {type(node).__name__}")

    def enumerate(self, enum: c_ast.Enum) -> None:
        following = 0
        for item in enum.values.enumerators:
            following = self.value(item.value) if item.value is not None else following
            self.constants[item.name] = following
            self.lines.append(f"{item.name} = {following}")
            following += 1

    # ---- types ----

    def type_of(self, node: c_ast.Node, argument: bool = False) -> str:
        if isinstance(node, c_ast.TypeDecl):
            return self.type_of(node.type)
        if isinstance(node, c_ast.IdentifierType):
            name = node.names[-1]
            if name in self.enums:
                return "c_int"
            if name in self.structs:
                return self.structs[name]
            return name if name in self.callbacks else SCALARS[name]
        if isinstance(node, c_ast.Enum):
            return "c_int"
        if isinstance(node, c_ast.Struct):
            return self.structs["struct " + node.name]
        if isinstance(node, c_ast.ArrayDecl):
            # An array as an argument is a pointer; in a structure it stands there itself.
            return self.pointer_to(node.type) if argument else f"{self.type_of(node.type)} * {self.value(node.dim)}"
        if isinstance(node, c_ast.PtrDecl):
            return self.pointer_to(node.type)
        raise NotImplementedError(f"a type of the kind {type(node).__name__}")

    def pointer_to(self, node: c_ast.Node) -> str:
        if isinstance(node, c_ast.FuncDecl):
            return self.function_type(node)
        inner = node.type if isinstance(node, c_ast.TypeDecl) else node
        if isinstance(inner, c_ast.IdentifierType):
            name = inner.names[-1]
            if name == "char":
                return "c_char_p"
            if name == "void":
                return "c_void_p"
            # Handles and streams are addresses, and numbers go by address so that numpy's buffers can be handed over.
            if name in SCALARS or name in self.enums or name not in self.structs:
                return "c_void_p"
            return f"POINTER({self.structs[name]})"
        if isinstance(inner, c_ast.Struct):
            tag = "struct " + inner.name
            return f"POINTER({self.structs[tag]})" if tag in self.structs else "c_void_p"
        return "c_void_p"  # a pointer to a pointer

    def function_type(self, function: c_ast.FuncDecl) -> str:
        return f"CFUNCTYPE({', '.join([self.result_of(function), *self.arguments_of(function)])})"

    def result_of(self, function: c_ast.FuncDecl) -> str:
        inner = function.type.type if isinstance(function.type, c_ast.TypeDecl) else None
        if isinstance(inner, c_ast.IdentifierType) and inner.names == ["void"]:
            return "None"
        return self.type_of(function.type)

    def arguments_of(self, function: c_ast.FuncDecl) -> list[str]:
        parameters = function.args.params if function.args is not None else []
        kinds = [parameter.type for parameter in parameters]
        alone = kinds[0].type if len(kinds) == 1 and isinstance(kinds[0], c_ast.TypeDecl) else None
        if isinstance(alone, c_ast.IdentifierType) and alone.names == ["void"]:
            return []
        return [self.type_of(kind, argument=True) for kind in kinds]

    # ---- declarations ----

    def declare(self, node: c_ast.Node) -> None:
        if isinstance(node, c_ast.Typedef):
            self.define(node)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.Enum):
            self.enumerate(node.type)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            if any(isinstance(one, c_ast.EllipsisParam) for one in node.type.args.params):
                return  # pw_fail() is for C
            arguments = ", ".join(self.arguments_of(node.type))
            self.lines.append(f'FUNCTIONS["{node.name}"] = ({self.result_of(node.type)}, ({arguments}{"," if arguments else ""}))')
        else:
            raise NotImplementedError(f"a declaration of the kind {type(node).__name__}: {node}")

    def define(self, node: c_ast.Typedef) -> None:
        inner = node.type.type if isinstance(node.type, c_ast.TypeDecl) else None
        if isinstance(inner, c_ast.Enum):
            self.enums.add(node.name)
            self.enumerate(inner)
        elif isinstance(inner, c_ast.Struct) and inner.decls is not None:
            self.structure(node.name, inner)
        elif isinstance(node.type, c_ast.PtrDecl) and isinstance(node.type.type, c_ast.FuncDecl):
            self.lines.append(f"{node.name} = {self.function_type(node.type.type)}")
            self.callbacks.add(node.name)

    def structure(self, name: str, struct: c_ast.Struct) -> None:
        fields = [f'        ("{field.name}", {self.type_of(field.type)}),' for field in struct.decls]
        self.lines += ["", f"class {name}(Structure):", "    _fields_ = [", *fields, "    ]", "", f"STRUCTURES.append({name})", ""]
        self.structs[name] = name
        if struct.name is not None:
            self.structs["struct " + struct.name] = name


def text() -> str:
    writer = Writer()
    for node in c_parser.CParser().parse(preprocessed()).ext:
        if node.name in SCALARS or node.name == "FILE":
            continue
        writer.declare(node)
    head = [
        '"""The C interface of planwave for ctypes. Made by python/bindings.py from tools/planwave_tools.h; not to be edited."""',
        "",
        "# mypy: ignore-errors",
        "from ctypes import (",
        "    CFUNCTYPE, POINTER, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t,",
        "    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p,",
        ")",
        "",
        "from .errors import Structure",
        "",
        f'VERSION = "{version()}"',
        f'INTERFACE = "{checksum()}"',
        "STRUCTURES = []  # every one, for the test that compares them with the compiler's",
        "FUNCTIONS = {}  # name: (type of the result, types of the arguments)",
        "",
    ]
    return "\n".join(head + writer.lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bindings.py OUTPUT.py")
    output = Path(sys.argv[1])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text())
