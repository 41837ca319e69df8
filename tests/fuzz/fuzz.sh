#!/bin/sh
# fuzz.sh SECONDS PROGRAM...: runs each fuzz target on its corpus for that long, as many at once as there are cores. What is new and good
# is kept in build/, not in the corpus; an input that breaks something is named, and the exit status is 1.
build=${BUILD:-build}

# fuzz_one SECONDS PROGRAM: prints its line; leaves a file .failed when there is a finding.
fuzz_one() {
    name=$(basename "$2")
    kind=${name#fuzz_}
    mkdir -p "$build/corpus/$kind" "$build/findings"
    log=$build/$name.log
    rm -f "$log.failed"
    "$2" -max_total_time="$1" -timeout=25 -rss_limit_mb=3000 -max_len=262144 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$kind-" "$build/corpus/$kind" "tests/corpus/$kind" > "$log" 2>&1
    status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    verdict="no finding"
    if [ "$status" -ne 0 ]; then
        : > "$log.failed"
        verdict="FAILED (status $status), see $log"
        grep -E 'ERROR|SUMMARY|Test unit written|runtime error|fuzz_.*\.c:' "$log" | head -n 8
    fi
    printf '%-18s %10s executions, %6s edges: %s\n' "$name" "${executions:-?}" "${coverage:-?}" "$verdict"
}

if [ "$1" = --one ]; then
    fuzz_one "$2" "$3"
    exit 0
fi
seconds=$1
shift
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" "$0" --one "$seconds"
failed=0
for program in "$@"; do
    [ ! -e "$build/$(basename "$program").log.failed" ] || failed=1
done
exit $failed
