#!/bin/sh
# planwave as a stranger gets it: `make install` into a folder, then use_planwave.c compiled through pkg-config, against the shared and
# against the static library, and run. The header must do for a C++ compiler too, where there is one.
here=$PWD
. tests/support/script.sh

if [ -z "${build##*sanitize*}" ]; then
    echo "[  SKIPPED ] an installed copy: the sanitizers' run-time is not part of it"
    finish
fi
prefix=$work/prefix
# What stands in build/ is installed as it is: `all` counts as done.
make -C "$here" -o all install PREFIX="$prefix" > out 2> err
check "make install" [ $? -eq 0 ]
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
cc=${CC:-cc}

# use NAME PROGRAM LINKING...: compiles with the flags, runs in a folder of its own, and adds its verdicts.
use() {
    name=$1 program=$2
    shift 2
    # shellcheck disable=SC2046 disable=SC2086
    $cc -std=c17 -Wall -Wextra -Werror -o "$program" "$here/tests/install/use_planwave.c" $(pkg-config --cflags planwave) "$@" -lm > out 2> err
    check "$name: compiles and links" [ $? -eq 0 ]
    mkdir "folder-$program"
    (cd "folder-$program" && LD_LIBRARY_PATH=$prefix/lib "../$program") > out 2> err
    status=$?
    grep '^\[ .*\(OK\|FAILED\) .*\] [a-z]' out
    passed=$((passed + $(grep -c ' OK \] ' out)))
    wrong=$(grep -c 'FAILED *\] [a-z]' out)
    [ "$status" -eq 0 ] || [ "$wrong" -gt 0 ] || wrong=1
    failed=$((failed + wrong))
    [ "$wrong" -eq 0 ] || failures="$failures
[  FAILED  ] $name"
}

# shellcheck disable=SC2046
use "the shared library" shared $(pkg-config --libs planwave)
# Ours statically, the system's as they come.
# shellcheck disable=SC2046
use "the static library" static $(pkg-config --static --libs planwave | sed 's/-lplanwave/-l:libplanwave.a/')
check "the static program needs no libplanwave.so" sh -c '! ldd static | grep -q libplanwave'

if command -v c++ > /dev/null; then
    printf '#include <planwave.h>\nint main() { return PW_OK; }\n' > empty.cc
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags planwave) empty.cc > out 2> err
    check "the headers are C++ too" [ $? -eq 0 ]
fi
check "no header names a file that is not installed" sh -c "! grep -nE 'src/|physics\.md|\.c\b' $prefix/include/planwave.h $prefix/include/planwave/*.h"
finish
