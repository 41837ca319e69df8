"""need("numpy", "PIL"): ends a script with one sentence and status 77, which says skipped, where a package of Python is not there."""
import importlib.util
import os
import sys

DEBIAN = {"PIL": "python3-pil"}  # where it is not python3- and the package's name


def need(*packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        debian = " ".join(DEBIAN.get(name, "python3-" + name) for name in missing)
        print(f"skipped: {os.path.basename(sys.argv[0])} needs {' and '.join(missing)} (Debian: {debian})", file=sys.stderr)
        sys.exit(77)
