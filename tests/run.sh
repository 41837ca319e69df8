#!/bin/sh
# Runs every test program and script, shows what failed, and closes with the line "N passed, M failed".
# SKIP names programs to leave out, ONLY the ones to run. A program that ends without cmocka's summary (a crash) counts as one failure.
passed=0 failed=0
build=${BUILD:-build}
for program in "$build"/tests/*/test_* tests/*/test_*.sh; do
    [ -x "$program" ] || continue
    case $program in *.d | *.o) continue ;; esac
    case " ${SKIP:-} " in *" $(basename "$program") "*) continue ;; esac
    case " ${ONLY:-$(basename "$program")} " in *" $(basename "$program") "*) ;; *) continue ;; esac
    start=$(date +%s)
    log=$build/$(basename "$program").log
    "$program" > "$log" 2>&1
    status=$?
    p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{s += $1} END {print s + 0}')
    f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{s += $1} END {print s + 0}')
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    if [ "$f" -ne 0 ]; then
        echo "---- $program (status $status)"
        grep -vE '^\[ (RUN|      OK) ' "$log" | tail -n 40
    fi
    printf '%-36s %4d passed, %d failed  (%d s)\n' "$(basename "$program")" "$p" "$f" $(($(date +%s) - start))
    passed=$((passed + p)) failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
