#!/bin/sh
# Installs the package into an environment of its own in the build folder and runs its tests and mypy over it. Says why it skips what
# cannot be done here: without pip, or without a package index. The last line is "N passed, M failed".
#   BUILD=build python/tests/run.sh
build=${BUILD:-build}
environment=$build/python/environment
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
mkdir -p "$build/python"

skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed"
    exit 0
}

[ -x "$environment/bin/python" ] || python3 -m venv "$environment" > "$build/python/venv.log" 2>&1 ||
    skip "python3 -m venv does not work here ($(tail -n 1 "$build/python/venv.log"))"
wanted='hatchling pycparser numpy pytest mypy typing_extensions xarray h5netcdf h5py matplotlib scikit-rf tqdm shapely ifcopenshell'
# shellcheck disable=SC2086
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check $wanted > "$build/python/pip.log" 2>&1 ||
    skip "pip cannot install what the tests need ($(grep -i error "$build/python/pip.log" | tail -n 1))"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --force-reinstall . || exit 1
"$environment/bin/python" -m mypy --python-executable "$environment/bin/python" -p planwave || exit 1
log=$build/python/tests.log
"$environment/bin/python" -m pytest python/tests "$@" > "$log" 2>&1
status=$?
cat "$log"
passed=$(grep -oE '[0-9]+ passed' "$log" | tail -n 1)
failed=$(grep -oE '[0-9]+ failed' "$log" | tail -n 1)
echo "${passed:-0 passed}, ${failed:-0 failed}"
exit $status
