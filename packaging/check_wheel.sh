#!/bin/sh
# Tries a wheel in a clean root of Debian 12 for the processor that it is for; qemu-user runs what this machine cannot. The root holds
# Python and nothing of planwave. There the wheel is installed, two small scenarios have the bits of build/planwave, and docs/examples/link.py
# gives the power that docs/install.md names. Takes minutes; as root, for chroot.
#   packaging/check_wheel.sh WHEEL       MIRROR=URL: Debian's
set -eu
[ $# -eq 1 ] || { echo "usage: packaging/check_wheel.sh WHEEL" >&2; exit 2; }
wheel=$1 build=${BUILD:-build}
case $wheel in
    *_x86_64.whl) processor=x86_64 debian=amd64 ;;
    *_aarch64.whl) processor=aarch64 debian=arm64 ;;
    *) echo "$wheel: for no processor that is known here" >&2; exit 2 ;;
esac
root=$(mktemp -d)
# What is mounted in the root below is gone with the process that mounted it. Were it not, only this file system would be cleared.
trap 'rm -rf --one-file-system "$root"' EXIT
debootstrap --arch=$debian --variant=minbase --include=python3-venv bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" > "$root.log" ||
    { tail -n 3 "$root.log"; exit 1; }
rm "$root.log"
# numpy comes by this machine's pip, which knows its index and its certificates.
"$build/packing/environment/bin/python" -m pip download --quiet --no-deps --dest "$root/wheels" --python-version 3.11 --only-binary :all: \
    --platform "manylinux_2_28_$processor" --platform "manylinux_2_27_$processor" --platform "manylinux_2_17_$processor" numpy
cp "$wheel" "$root/wheels"
cp docs/examples/link.py floorplans/lorentz_slab.yaml floorplans/plasma_wall.yaml "$root"
inside() { # COMMAND: in the root, with what is in it alone
    # shellcheck disable=SC2016
    unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" env -i PATH=/usr/bin:/bin sh -ec "$2"' sh "$root" "$1"
}
inside 'python3 -m venv /environment && /environment/bin/pip install --quiet --no-index --find-links /wheels planwave'
# shellcheck disable=SC2016
inside 'echo "$(uname -m): $(/environment/bin/planwave --version | head -n 1)"'
for scenario in lorentz_slab plasma_wall; do
    inside "/environment/bin/planwave run /$scenario.yaml --quiet -o /$scenario.h5"
    "$build/planwave" run floorplans/$scenario.yaml --quiet -o "$root/here.h5" --force
    told=$("$build/planwave" compare "$root/$scenario.h5" "$root/here.h5") || { echo "$told"; echo "$scenario has other bits there"; exit 1; }
    echo "$scenario: ${told##*
}"
done
[ "$(inside '/environment/bin/python /link.py 2> /dev/null')" = "-27.232 dBm" ] || { echo "docs/examples/link.py says another power" && exit 1; }
echo "docs/examples/link.py: -27.232 dBm"
