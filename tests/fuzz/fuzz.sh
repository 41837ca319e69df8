#!/bin/sh
# fuzz.sh SECONDS PROGRAM...: runs each fuzz target on its corpus for that long, one after the other. What is new and good is kept in
# build/, not in the corpus; what breaks something is named, and ends it with 1.
build=${BUILD:-build}
seconds=$1 failed=0
shift
for program in "$@"; do
    name=$(basename "$program")
    kind=${name#fuzz_}
    mkdir -p "$build/corpus/$kind" "$build/findings"
    log=$build/$name.log
    "$program" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3000 -max_len=262144 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$kind-" "$build/corpus/$kind" "tests/corpus/$kind" > "$log" 2>&1
    status=$?
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    verdict="no finding"
    if [ "$status" -ne 0 ]; then
        failed=1
        verdict="FAILED (status $status), see $log"
        grep -E 'ERROR|SUMMARY|Test unit written|runtime error|fuzz_.*\.c:' "$log" | head -n 8
    fi
    printf '%-18s %10s executions, %6s edges: %s\n' "$name" "${executions:-?}" "${coverage:-?}" "$verdict"
done
exit $failed
