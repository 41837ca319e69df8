"""Says which packages of Python and which programs the tests, the validation and the pictures of the plans use, and whether they are here.

    make check-tools

What a script imports is read from the script. With --hold it checks instead that each script asks for its packages (support/needs.py) before it
imports them, so that it ends with a sentence where one is missing."""
import ast
import importlib.util
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = {"gnuplot": "pictures", "pdftocairo": "drawings in PDF", "ffmpeg": "films of runs", "mpirun": "runs on several machines",
            "chromium": "tests of the pages", "chromedriver": "tests of the pages", "nvcc": "the CUDA backend",
            "clang-format": "make lint", "clang-tidy": "make lint"}
# python/tests/run.sh and make docs bring what they need into environments of their own.
SCRIPTS = sorted(path for folder in ("tests", "validation", "floorplans") for path in (ROOT / folder).rglob("*.py"))


def imports(tree):
    """(line, package, whether the script goes on without it) of everything that is neither Python's own nor a script beside it."""
    own = {path.stem for path in SCRIPTS} | set(sys.stdlib_module_names)
    tried = {inner for node in ast.walk(tree) if isinstance(node, ast.Try) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        for name in (name.split(".")[0] for name in names):
            if name not in own:
                yield node.lineno, name, node in tried


def asked(tree):
    """The line at which need() is asked for each package."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "need"]
    return {argument.value: call.lineno for call in calls for argument in call.args}


def main():
    users, wrong = {}, []
    for path in SCRIPTS:
        tree, name = ast.parse(path.read_text(encoding="utf-8")), str(path.relative_to(ROOT))
        need = asked(tree)
        for line, package, optional in imports(tree):
            users.setdefault(package, set()).add(name)
            if not optional and need.get(package, line) >= line:
                wrong.append(f"{name}:{line}: imports {package}, and does not ask for it before: need({package!r})")
    if "--hold" in sys.argv:
        sys.exit("\n".join(wrong) or 0)
    for package, files in sorted(users.items()):
        print(f"{package:<14} {'here' if importlib.util.find_spec(package) else 'missing':<8} {', '.join(sorted(files))}")
    for program, purpose in PROGRAMS.items():
        print(f"{program:<14} {'here' if shutil.which(program) else 'missing':<8} {purpose}")


main()
