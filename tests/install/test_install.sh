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
use "the static library" static $(pkg-config --static --libs planwave | sed 's/-lplanwave\b/-l:libplanwave.a/g')
check "of the system it asks for nothing that Debian's packages do not bring along" sh -c '! pkg-config --static --libs planwave | grep -q bz2'
check "the static program needs no libplanwave.so" sh -c '! ldd static | grep -q libplanwave'

if command -v c++ > /dev/null; then
    printf '#include <planwave.h>\nint main() { return PW_OK; }\n' > empty.cc
    # shellcheck disable=SC2046
    c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags planwave) empty.cc > out 2> err
    check "the headers are C++ too" [ $? -eq 0 ]
fi
check "no header names a file that is not installed" sh -c "! grep -nE 'src/|api/|README|physics|\.md|\.c\b' $prefix/include/planwave.h $prefix/include/planwave/*.h $prefix/include/planwave/*/*.h"

# ---- the shared library ----
nm -D --defined-only "$prefix/lib/libplanwave.so" | awk '{print $3}' > symbols
check "the shared library exports the interface" grep -qx pw_run symbols
check "and no other name" sh -c '! grep -vq "^pw_" symbols'
cat "$prefix"/include/planwave/*.h "$prefix"/include/planwave/*/*.h > headers.txt
while read -r symbol; do grep -qE "\\b$symbol\\(" headers.txt || echo "$symbol"; done < symbols > undeclared
check "every exported function is declared" [ ! -s undeclared ]
grep -oE '\bpw_[a-z0-9_]+\(' headers.txt | tr -d '(' | sort -u > declared
sort symbols | comm -13 - declared > missing
check "every declared function is exported" [ ! -s missing ]
version=$("$prefix/bin/planwave" --version | sed -n '1s/^planwave \([^ ]*\) .*/\1/p')
check "its name carries the version" [ -f "$prefix/lib/libplanwave.so.$version" ]
major=${version%%.*}
[ "$major" != 0 ] || major=${version%.*}
check "its soname is what may not break: 0.MINOR, or MAJOR" sh -c "readelf -d $prefix/lib/libplanwave.so | grep -q 'soname: \[libplanwave.so.$major\]'"
if command -v python3 > /dev/null; then
    cp "$here/packaging/abi.txt" abi.txt
    abi() { # what the check says of the list abi.txt
        python3 "$here/packaging/abi.py" "$prefix/include" "$prefix/lib/libplanwave.so" --hold abi.txt > out 2> err
    }
    abi
    check "no function and no type has changed since packaging/abi.txt ($(head -n 2 out | tr '\n' ' '))" [ $? -eq 0 ]
    sed 's/^sizeof(pw_metrics) = .*/sizeof(pw_metrics) = 8/' "$here/packaging/abi.txt" > abi.txt
    abi
    check "a type of another size is seen" sh -c '[ $1 -ne 0 ] && grep -q "sizeof(pw_metrics)" out' sh $?
fi
for example in link.c link.cc; do
    compiler=$cc
    [ $example = link.c ] || compiler=c++
    command -v $compiler > /dev/null || continue
    # shellcheck disable=SC2046
    $compiler "$prefix/share/doc/planwave/docs/examples/$example" -o "$example.out" $(pkg-config --cflags --libs planwave) > out 2> err
    check "$example builds by pkg-config alone" [ $? -eq 0 ]
    LD_LIBRARY_PATH=$prefix/lib "./$example.out" > "$example.power" 2> err
    check "$example runs" grep -qE '^-[0-9]+\.[0-9]{3} dBm$' "$example.power"
done
check "and both say the same" sh -c '[ ! -f link.cc.power ] || cmp link.c.power link.cc.power'
check "pkg-config knows the version" [ "$(pkg-config --modversion planwave)" = "$version" ]
check "pkg-config knows the folder" [ "$(pkg-config --variable=libdir planwave)" = "$prefix/lib" ]
"$prefix/bin/planwave" --version > out
for fact in compiler CUDA HDF5 FFTW; do
    check "--version tells of $fact" grep -qE "^ +$fact +[a-z0-9]" out
done

# ---- manual pages and completions ----
commands=$("$prefix/bin/planwave" --list-commands | awk -F '\t' '$1 == "command" {print $2}')
for page in planwave.1 planwave-scenario.5 planwave-metrics.7 $(printf 'planwave-%s.1 ' $commands); do
    file=$prefix/share/man/man${page##*.}/$page
    # every line of the help is there, but for what the page says in its own words
    check "$page: it has a name and a text" sh -c "grep -A 1 '^.SH NAME' $file | grep -q ' .- [a-zA-Z]' && [ \$(wc -l < $file) -gt 10 ]"
    ! command -v groff > /dev/null || check "$page: groff has nothing to say" sh -c "[ -z \"\$(groff -man -ww -Tutf8 $file 2>&1 > page.txt)\" ]"
done
for command in $commands; do
    missing=
    for option in $("$prefix/bin/planwave" "$command" --list-options | cut -f 1 | grep '^--' | grep -vxE -e '--(quiet|verbose|help-all)'); do
        "$prefix/bin/planwave" "$command" --help-all | grep -qE -e "^  (-., |    )$option( |\$)" || missing="$missing $option"
        sed 's/\\-/-/g' "$prefix/share/man/man1/planwave-$command.1" | grep -qE -e "^\.B (-., )?$option( |\$)" || missing="$missing $option"
    done
    check "$command: the help and the manual have every option ($missing)" [ -z "$missing" ]
    # options begin in one column and are explained in another
    "$prefix/bin/planwave" "$command" --help-all | grep -E '^  (-., |    )--' | awk 'length($0) > 120 || substr($0, 25, 2) !~ /^ [^ ]$|^  $/ || substr($0, 27, 1) == " "' > out
    check "$command: the help keeps its columns" sh -c '! grep -q . out'
done
if command -v bash > /dev/null; then
    cat > complete.bash << 'END'
. "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_planwave
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
END
    touch a.yaml b.h5
    complete() { # NAME EXPECTED WORDS...
        name=$1 expected=$2
        shift 2
        bash complete.bash "$prefix/share/bash-completion/completions/planwave" "$prefix/bin/planwave" "$@" > out 2> err
        check "bash completes $name" [ "$(cat out)" = "$expected" ]
    }
    complete "commands" "rasterize report run " r
    complete "a command" "rasterize " ra
    complete "an option" "--threads " run --thr
    complete "the words of an option" "received-power " map --quantity rec
    complete "the schemes of this program" "$("$prefix/bin/planwave" help scenario | sed -n 's/.*\(dd2\), \(dd3\), \(dd4\).*/\1 \2 \3 /p')" bench --scheme dd
    complete "scenarios" "a.yaml " run a
    complete "results" "b.h5 " map b
    complete "topics of the help" "scenario " help sce
fi
if command -v zsh > /dev/null; then
    check "zsh can read its completion" zsh -n "$prefix/share/zsh/site-functions/_planwave"
fi
if command -v fish > /dev/null; then
    check "fish completes options and their words" [ "$(PATH=$prefix/bin:$PATH fish --no-config -c "source $prefix/share/fish/vendor_completions.d/planwave.fish
        complete --do-complete 'planwave run --thr'; complete --do-complete 'planwave map --quantity rec'" 2> err | tr '\n' ' ')" = "--threads received-power " ]
fi

# ---- away again ----
touch "$prefix/share/doc/planwave/mine" "$prefix/bin/other"
make -C "$here" uninstall PREFIX="$prefix" > out 2> err
check "make uninstall" [ $? -eq 0 ]
check "nothing is left but what others put there" [ "$(cd "$prefix" && find . ! -type d | sort | tr '\n' ' ')" = "./bin/other ./share/doc/planwave/mine " ]
check "its own folders are gone" [ ! -d "$prefix/include/planwave" ]

# ---- as a package would be made ----
make -C "$here" -o all install DESTDIR="$work/package" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu > out 2> err
check "make install with DESTDIR and LIBDIR" [ $? -eq 0 ]
check "the library is in the folder of its machine" [ -e package/usr/lib/x86_64-linux-gnu/libplanwave.so ]
check "no installed file names the folder of the package" sh -c '! grep -rlI "$PWD/package" package'
check "pkg-config does not either" grep -qx 'libdir=/usr/lib/x86_64-linux-gnu' package/usr/lib/x86_64-linux-gnu/pkgconfig/planwave.pc
make -C "$here" uninstall DESTDIR="$work/package" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu > out 2> err
check "and away again" [ "$(find package ! -type d | wc -l)" -eq 0 ]
finish
