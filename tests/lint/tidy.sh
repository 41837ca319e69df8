#!/bin/sh
# clang-tidy over C files; every finding is an error. A file without findings is remembered by what decides them: its preprocessed text
# with its comments, the flags, the checks and the version of clang-tidy. It is looked at again when one of these has changed.
#   FLAGS='-Isrc ...' tests/lint/tidy.sh FILE...
cache=${XDG_CACHE_HOME:-$HOME/.cache}/planwave-tidy
checks=$({ clang-tidy --version; cat .clang-tidy; } | sha256sum)
failed=0
mkdir -p "$cache"
for file; do
    # shellcheck disable=SC2086
    seen=$cache/$({ echo "$checks $FLAGS" && clang $FLAGS -E -C "$file"; } 2>&1 | sha256sum | cut -c 1-64)
    [ ! -e "$seen" ] || continue
    # shellcheck disable=SC2086
    if clang-tidy --quiet "$file" -- $FLAGS 2> /dev/null; then
        : > "$seen"
    else
        failed=1
    fi
done
exit $failed
