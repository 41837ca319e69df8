#!/bin/sh
# Holds what `make deb` made: lintian finds no error, and the demo's flat has the same bits from the Debian packages as from build/planwave,
# and from the wheel, where `make test-python` has installed one. A program in C that stands on the packages gives the
# power that docs/install.md names.
set -eu
build=${BUILD:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `make deps` and the Debian packages name the same libraries to compile with. Ubuntu has no libjpeg62-turbo-dev, which one of them named.
libraries() { grep -oE '[a-z0-9.+-]+-dev\b' | grep -vxE 'libcmocka-dev|libplanwave-dev' | sort -u; } # cmocka is for tests
sed -n '/^PACKAGES :=/,/[^\\]$/p' Makefile | libraries > "$work/deps"
for field in Build-Depends Depends:.libplanwave; do
    sed -n "s/^$field//p" packaging/debian/control | libraries | diff "$work/deps" - || { echo "make deps has other libraries than $field" && exit 1; }
done
lintian --allow-root --fail-on error "$build"/release/*.deb > "$work/lintian" || { cat "$work/lintian" && exit 1; }
for package in "$build"/release/*.deb; do
    dpkg-deb -x "$package" "$work/unpacked"
done
library=$(dirname "$(find "$work/unpacked/usr/lib" -name libplanwave.so)")
cc docs/examples/link.c -o "$work/link" -I"$work/unpacked/usr/include" "$library/libplanwave.so"
[ "$(LD_LIBRARY_PATH=$library "$work/link")" = "-27.232 dBm" ] || { echo "docs/examples/link.c says another power" && exit 1; }

"$build/planwave" run floorplans/flat.yaml --quiet -o "$work/build.h5"
solve() { # NAME PROGRAM
    "$2" run floorplans/flat.yaml --quiet -o "$work/$1.h5"
    "$build/planwave" compare "$work/$1.h5" "$work/build.h5" --quiet || { echo "the flat has other bits from $1" && exit 1; }
    echo "$1: $("$2" --version | head -n 1), the bits of $build/planwave"
}
solve packages "$work/unpacked/usr/bin/planwave"
wheel=$build/python/environment/bin/planwave
[ ! -x "$wheel" ] || solve wheel "$wheel"
