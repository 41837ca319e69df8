#!/bin/bash
# A run that is killed again and again, at moments that nobody chose, goes on each time and ends with the bits of a run that was left
# alone. Then Ctrl-C and SIGTERM in each phase: the right status, nothing half-written, and the way on. KILLS=N asks for more kills.
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
planwave=$build/planwave
kills=${KILLS:-20}
backend=${BACKEND:-cpu}
work=$(mktemp -d) || exit 1
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0 failures=

check() { # NAME CONDITION...
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "[       OK ] $name"
    else
        failed=$((failed + 1))
        failures="$failures
[  FAILED  ] $name"
        echo "[  FAILED  ] $name: not so: $*"
        ls -lA
        tail -n 5 log
    fi
}

# a random time from $1 to $2 ms, in seconds
moment() {
    awk -v r="$(od -An -N2 -tu2 /dev/urandom)" -v a="$1" -v b="$2" 'BEGIN {printf "%.3f", (a + (b - a) * r / 65535) / 1000}'
}

same() { # RESULT: the bits of the run that was left alone
    "$planwave" compare whole.h5 "$1" --max-error 0 > compared 2>&1
}

# What may lie beside a result that is not there yet: whole files under their names, temporary ones of processes that were killed.
only_known_files() {
    [ -z "$(ls -A | grep '^cut' | grep -vE '^cut\.h5\.(checkpoint(\.1)?|finished-[01])$|\.partial-[0-9]+$')" ]
}

cat > job.yaml << 'END'
title: A job to be killed
plan: {size: [3 m, 2 m], rectangles: [{from: [1 m, 0 m], to: [1.1 m, 1.5 m], material: brick}]}
grid: {scheme: dd4, cell: 2.5 cm, absorber: {cells: 8}}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters:
  - {name: west, at: [0.3 m, 0.5 m]}
  - {name: east, at: [2.3 m, 0.5 m]}
receivers:
  - {name: near, at: [0.3 m, 0.8 m]}
spectra: {count: 24, spacing: 2 cells}
stop: {after: 250 ns}
END
command="run job.yaml --backend $backend --threads 1 --progress none -q"

"$planwave" $command -o whole.h5 > log 2>&1
check "a run that is left alone" [ $? -eq 0 ]

# ---- SIGKILL ----
done=0 tries=0 lost=0 earliest=40 latest=700
while [ "$done" -lt "$kills" ] && [ "$tries" -lt $((4 * kills)) ]; do
    tries=$((tries + 1))
    "$planwave" $command --checkpoint 0.01s --resume -o cut.h5 >> log 2>&1 &
    child=$!
    sleep "$(moment $earliest $latest)"
    if kill -KILL $child 2> /dev/null; then
        wait $child 2> /dev/null
        [ $? -eq 137 ] && done=$((done + 1))
    else
        wait $child
        [ $? -eq 0 ] || lost=$((lost + 1))
    fi
    only_known_files || [ -e cut.h5 ] || lost=$((lost + 1))
    # It came to its end: that is as it should be, and the next one starts anew.
    if [ -e cut.h5 ]; then
        same cut.h5 || lost=$((lost + 1))
        rm -f cut.h5*
    fi
done
echo "             $done kills, $lost losses"
check "$kills kills" [ "$done" -ge "$kills" ]
check "none of them left half a file" [ "$lost" -eq 0 ]
"$planwave" $command --checkpoint 0.01s --resume -o cut.h5 >> log 2>&1
check "the run goes on after the last kill" [ $? -eq 0 ]
check "to the same bits" same cut.h5
check "and cleans up" [ "$(ls -A | grep -c '^cut')" -eq 1 ]
rm -f cut.h5

# ---- the time limit, the second generation ----
long="$command --set stop.after=200us --checkpoint 0.01s --time-limit 1.5s -o cut.h5"
"$planwave" $long > log 2>&1
check "a time limit ends a run with status 6" [ $? -eq 6 ]
check "with two generations" [ -e cut.h5.checkpoint -a -e cut.h5.checkpoint.1 ]
printf 'X' | dd of=cut.h5.checkpoint bs=1 seek=3000 conv=notrunc 2> /dev/null
"$planwave" $long --resume > log 2>&1
check "a damaged checkpoint: the one before is taken" grep -q 'going on with transmitter 1' log
check "with a warning" grep -q 'cut.h5.checkpoint.* is damaged.*passed over' log
rm -f cut.h5*

# ---- Ctrl-C and SIGTERM in each phase: reading, setting up, stepping, between transmitters, writing ----
wrong=0 half=0 different=0 stops=0
for signal in INT TERM; do
    for delay in 0.01 0.04 0.3 "$(moment 50 800)" "$(moment 300 1500)"; do
        set -m # else a shell lets its children ignore SIGINT
        "$planwave" $command -o cut.h5 > log 2>&1 &
        child=$!
        set +m
        sleep "$delay"
        kill -$signal $child 2> /dev/null
        wait $child
        status=$?
        case $status in
        0) same cut.h5 || different=$((different + 1)) ;;
        6) stops=$((stops + 1)) ;;
        130 | 143) [ -z "$(ls -A | grep '^cut')" ] || half=$((half + 1)) ;; # before it had begun
        *) wrong=$((wrong + 1)) ;;
        esac
        [ -e cut.h5 ] || only_known_files || half=$((half + 1))
        ls -A | grep -q 'partial-' && half=$((half + 1))
        if [ ! -e cut.h5 ]; then
            "$planwave" $command --resume -o cut.h5 >> log 2>&1 || wrong=$((wrong + 1))
            same cut.h5 || different=$((different + 1))
        fi
        rm -f cut.h5*
    done
done
echo "             10 signals, $stops of them while it ran"
check "every status is right" [ "$wrong" -eq 0 ]
check "nothing half-written" [ "$half" -eq 0 ]
check "every run went on to the same bits" [ "$different" -eq 0 ]
check "some of them came while it ran" [ "$stops" -gt 2 ]

echo "[==========] $((passed + failed)) test(s) run."
echo "[  PASSED  ] $passed test(s)."
if [ "$failed" -gt 0 ]; then
    echo "[  FAILED  ] $failed test(s), listed below:$failures"
    exit 1
fi
