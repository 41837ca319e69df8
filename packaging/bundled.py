#!/usr/bin/env python3
"""The libraries that a wheel carries: their licences as files, and the list of them, a bill of materials in CycloneDX.

    packaging/bundled.py LIBRARY FOLDER     FOLDER/NAME.txt for each, and FOLDER/sbom.cdx.json
    packaging/bundled.py --hold WHEEL...    a wheel carries what its list says and nothing else, readable for all

The libraries are those that auditwheel finds, which puts them into the wheel. A library of the system is told by dpkg, where
PLANWAVE_ROOT=FOLDER names a system for another processor. One that packaging/libraries.sh built has its licence in `licences` beside its folder.
What nobody could patch in a wheel is refused.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

# auditwheel leaves these to the system, where docs/install.md asks for them.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|gcc_s|resolv|stdc\+\+|z|expat)\.so)")
REFUSED = re.compile(r"^lib(curl|krb5|ldap|ssh|ssl|crypto|gssapi|gnutls|nghttp)")


def printed(*command: str) -> str:
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def libraries(library: str) -> list[Path]:
    from auditwheel.lddtree import ldd

    found = {name: known.path for name, known in ldd(Path(library)).libraries.items() if not SYSTEM.match(name)}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        raise SystemExit(f"{library} needs {', '.join(missing)}, which is in no folder of libraries")
    return sorted(Path(path) for path in found.values())


def owner(path: Path) -> tuple[str, str, str, Path]:
    """Name, version, package URL and licence of what a library belongs to."""
    for copying in (path.parent.parent / "licences").glob("*.txt"):
        name, version = copying.stem.rsplit("-", 1)
        if name in path.name:
            return name, version, f"pkg:generic/{name}@{version}", copying
    root = Path(os.environ.get("PLANWAVE_ROOT", "/")).resolve()
    query = ["dpkg-query", f"--admindir={root / 'var/lib/dpkg'}"]
    # Since /lib is /usr/lib, dpkg may know it by either name.
    real = "/" + str(path.resolve().relative_to(root))
    for known in (real, real.removeprefix("/usr")):
        told = subprocess.run([*query, "-S", known], text=True, capture_output=True, check=False).stdout
        if told:
            package = told.split(":")[0]
            version = printed(*query, "-W", "-f", "${Version}\n", package).split()[0]
            return package, version, f"pkg:deb/debian/{package}@{version}", root / "usr/share/doc" / package / "copyright"
    raise SystemExit(f"{path} belongs to no package: nobody knows its licence")


def licence(text: str) -> str:
    """The name of it: of a copyright file in Debian's format what it says of all files."""
    named = re.search(r"^Files: *\*.*?^License: *(\S[^\n]*)", text, flags=re.M | re.S)
    return named[1] if named else "in the file of its name"


def hold(path: str) -> None:
    with zipfile.ZipFile(path) as wheel:
        names = [Path(name).name for name in wheel.namelist() if ".libs/lib" in name]
        bill = json.loads(wheel.read("planwave/licences/sbom.cdx.json"))
        licences = {Path(name).stem for name in wheel.namelist() if re.search(r"/licences/.*\.txt$", name)}
        closed = [info.filename for info in wheel.infolist() if info.external_attr >> 16 & 0o044 != 0o044]
    carried = {re.sub(r"-[0-9a-f]{8}\.so.*", "", name) for name in names}
    listed = {part["name"].split(".so")[0] for component in bill["components"] for part in component.get("components", [])}
    owners = {component["name"] for component in bill["components"] if "components" in component}
    if licences != owners:
        raise SystemExit(f"{path}: of {sorted(licences ^ owners)} there is a licence alone, or none")
    if closed:
        raise SystemExit(f"{path}: not everyone may read {closed}")
    if not carried or carried != listed:
        raise SystemExit(f"{path} carries {sorted(carried - listed)} that its list lacks, and lacks {sorted(listed - carried)} of it")


def main() -> None:
    if sys.argv[1] == "--hold":
        for path in sys.argv[2:]:
            hold(path)
        return
    library, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    components = {}
    for path in libraries(library):
        if REFUSED.match(path.name):
            raise SystemExit(f"{library} needs {path.name}, which no wheel should carry (packaging/libraries.sh builds HDF5 and libzip without it)")
        name, version, url, copying = owner(path)
        text = copying.read_text(errors="replace")
        (folder / f"{name}.txt").write_text(text)
        part = {"name": path.name, "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]}
        component = {"type": "library", "name": name, "version": version, "purl": url, "licenses": [{"license": {"name": licence(text)}}]}
        components.setdefault(name, component).setdefault("components", []).append({"type": "file", **part})
    if os.environ.get("PLANWAVE_CUDA") == "1":  # linked statically, so that ldd does not show it
        told = re.search(r"release ([0-9.]+)", printed("nvcc", "--version"))
        assert told is not None
        terms = {"name": "NVIDIA CUDA Toolkit EULA", "url": "https://docs.nvidia.com/cuda/eula"}
        components["cudart"] = {"type": "library", "name": "cudart_static", "version": told[1], "licenses": [{"license": terms}]}
    version = re.search(r'PW_VERSION "(.*)"', Path("src/api/base.h").read_text())
    assert version is not None
    planwave = {"type": "application", "name": "planwave", "version": version[1], "licenses": [{"license": {"id": "GPL-3.0-or-later"}}]}
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": planwave}}
    (folder / "sbom.cdx.json").write_text(json.dumps({**bill, "components": list(components.values())}, indent=1) + "\n")


if __name__ == "__main__":
    main()
