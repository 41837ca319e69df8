#!/bin/bash
# A run that is killed again and again, at moments that nobody chose, goes on each time and ends with the bits of a run that was left
# alone. Then Ctrl-C and SIGTERM in each phase: the right status, nothing half-written, and the way on. The length of the job and the
# moments follow the speed of the machine. KILLS=N asks for more kills, BACKEND=cuda for kills on a GPU.
. tests/support/script.sh
kills=${KILLS:-12}
backend=${BACKEND:-cpu}

# a random time from $1 to $2 ms, in seconds
moment() {
    awk -v r="$(od -An -N2 -tu2 /dev/urandom)" -v a="$1" -v b="$2" 'BEGIN {printf "%.3f", (a + (b - a) * r / 65535) / 1000}'
}

# the time $2 ms * $1, in seconds
part() {
    awk -v p="$1" -v t="$2" 'BEGIN {printf "%.3f", p * t / 1000}'
}

now() { # in ms
    echo $(($(date +%s%N) / 1000000))
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
stop: {after: 250 ns, decay: off}
END
# Not quiet: where a run goes on is part of what is looked at.
base="run job.yaml --backend $backend --threads 1 --progress none"

# Steps enough for half a second, and what of the time is not stepping.
timed() { # ARGUMENTS...: of a whole run; its ms go to $took
    rm -f whole.h5
    local start
    start=$(now)
    "$planwave" $base "$@" -o whole.h5 > out 2> err
    status=$?
    took=$(($(now) - start))
}
timed --set stop.steps=1 # the first run of a machine is slow
timed --set stop.steps=1
start=$took
nanoseconds=250
timed --set "stop.after=$nanoseconds ns"
while [ "$status" -eq 0 ] && [ $((took - start)) -lt 500 ] && [ "$nanoseconds" -lt 1000000 ]; do
    nanoseconds=$((2 * nanoseconds))
    timed --set "stop.after=$nanoseconds ns"
done
whole=$took
sed -i "s/after: 250 ns/after: $nanoseconds ns/" job.yaml
check "a run that is left alone" [ "$status" -eq 0 ]
[ "$status" -eq 0 ] || finish
echo "             $nanoseconds ns of the field in $whole ms, $start ms of them not stepping"

# ---- SIGKILL ----
done=0 tries=0 lost=0 resumed=0 latest=$whole
while { [ "$done" -lt "$kills" ] || [ "$resumed" -lt 3 ]; } && [ "$tries" -lt $((4 * kills)) ]; do
    tries=$((tries + 1))
    "$planwave" $base --checkpoint 0.01s --resume -o cut.h5 > out 2> err &
    child=$!
    sleep "$(moment $((start / 2)) "$latest")"
    if kill -KILL $child 2> /dev/null; then
        wait $child 2> /dev/null
        [ $? -eq 137 ] && done=$((done + 1))
    else
        wait $child
        [ $? -eq 0 ] || lost=$((lost + 1))
    fi
    grep -q 'continuing with\|was solved before' err && resumed=$((resumed + 1))
    only_known_files || [ -e cut.h5 ] || lost=$((lost + 1))
    # It came to its end: that is as it should be, and the next one starts anew. The moments follow what others do to the machine.
    if [ -e cut.h5 ]; then
        same cut.h5 || lost=$((lost + 1))
        rm -f cut.h5*
        latest=$((latest * 3 / 4 > start ? latest * 3 / 4 : start + 100))
    elif [ ! -e cut.h5.checkpoint ]; then
        latest=$((latest * 5 / 4))
    fi
done
echo "             $backend: $done kills, $resumed runs that went on from a checkpoint, $lost losses"
check "$kills kills" [ "$done" -ge "$kills" ]
check "several of them while it ran" [ "$resumed" -ge 3 ]
check "none of them left half a file" [ "$lost" -eq 0 ]
"$planwave" $base --checkpoint 0.01s --resume -o cut.h5 > out 2> err
check "the run goes on after the last kill" [ $? -eq 0 ]
check "to the same bits" same cut.h5
check "and cleans up" [ "$(ls -A | grep -c '^cut')" -eq 1 ]
rm -f cut.h5

# ---- the time limit, the second generation ----
long="$base --set stop.after=60us --checkpoint 0.01s --time-limit $(part 1 $((2 * start + 1000)))s -o cut.h5"
"$planwave" $long > out 2> err
check "a time limit ends a run with status 6" [ $? -eq 6 ]
check "with two generations" [ -e cut.h5.checkpoint -a -e cut.h5.checkpoint.1 ]
printf 'X' | dd of=cut.h5.checkpoint bs=1 seek=3000 conv=notrunc 2> /dev/null
"$planwave" $long --resume > out 2> err
check "a damaged checkpoint: the one before is taken" grep -q 'continuing with transmitter 1' err
check "with a warning" grep -q 'cut.h5.checkpoint.* is damaged.*is ignored' err
rm -f cut.h5*

# ---- Ctrl-C and SIGTERM in each phase ----
wrong=0 half=0 different=0 stops=0 signals=0

# Starts a run in the background, with ARGUMENTS; its number goes to $child.
begin() {
    set -m # else a shell lets its children ignore SIGINT
    "$planwave" $base "$@" -o cut.h5 > out 2> err &
    child=$!
    set +m
}

# interrupt SIGNAL ARGUMENTS...: sends it to the run, looks at what it leaves, and goes on to the end with ARGUMENTS.
interrupt() {
    local signal=$1
    shift
    kill -"$signal" $child 2> /dev/null
    wait $child
    status=$?
    signals=$((signals + 1))
    case $status in
    0) same cut.h5 || different=$((different + 1)) ;;
    6) stops=$((stops + 1)) ;;
    130 | 143) [ -z "$(ls -A | grep '^cut')" ] || half=$((half + 1)) ;; # before it had begun
    *) wrong=$((wrong + 1)) ;;
    esac
    [ -e cut.h5 ] || only_known_files || half=$((half + 1))
    ls -A | grep -q 'partial-' && half=$((half + 1))
    if [ ! -e cut.h5 ]; then
        "$planwave" $base "$@" --resume -o cut.h5 >> out 2>> err || wrong=$((wrong + 1))
        same cut.h5 || different=$((different + 1))
    fi
    rm -f cut.h5*
}

# until_there PATTERN: waits until a file is there, or the run is over.
until_there() {
    while ! ls -A | grep -qE "$1" && jobs -r | grep -q .; do
        sleep 0.005
    done
}

for signal in INT TERM; do
    for delay in 0.01 "$(part 0.5 "$start")" "$(moment 50 500)" "$(moment "$start" "$whole")"; do
        begin
        sleep "$delay"
        interrupt $signal
    done
    begin --checkpoint 0.01s # the first checkpoint: while it steps
    until_there 'cut.h5.checkpoint$'
    interrupt $signal --checkpoint 0.01s
    begin --set 'stop.decay=-300 dB' --checkpoint 0.01s # with a stop by decay transmitters go one by one: between the two
    until_there 'cut.h5.finished-0'
    interrupt $signal --set 'stop.decay=-300 dB' --checkpoint 0.01s
done
echo "             $signals signals, $stops of them while it ran"
check "every status is right" [ "$wrong" -eq 0 ]
check "nothing half-written" [ "$half" -eq 0 ]
check "every run went on to the same bits" [ "$different" -eq 0 ]
check "some of them came while it ran" [ "$stops" -gt 2 ]
finish
