#!/bin/sh
# Signals and places that run out: every signal that asks for an end saves the state; a file over the limit of the system is an error with
# a sentence; without a folder for temporary files the picture is lost and nothing else; a killed command leaves nothing for good. Also
# numbers of threads and sizes of stacks that a process cannot have.
. tests/support/script.sh
cat > room.yaml << 'END'
title: Room
plan: {size: [4 m, 3 m], walls: [{from: [2 m, 0 m], to: [2 m, 2 m], thickness: 10 cm, material: brick}]}
band: {centre: 1 GHz, width: 200 MHz}
grid: {cell: 3 cm}
transmitters: [{name: ap1, at: [1 m, 1 m], power: 20 dBm}]
receivers: [{name: near, at: [1.5 m, 2 m]}]
stop: {after: 20 ns, decay: off}
END
cpu="--backend cpu --progress none"
# shellcheck disable=SC2086
run run room.yaml $cpu -o room.h5
check "material: a result" [ "$status" -eq 0 ]

# ---- signals ----
for signal in HUP XCPU; do
    rm -f long.h5*
    # shellcheck disable=SC2086
    "$planwave" run room.yaml --set "stop.after=200 us" $cpu -o long.h5 > out 2> err &
    job=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 1
        grep -q 'will take' out && break
    done
    sleep 0.5
    kill -s $signal $job
    wait $job
    status=$?
    check "SIG$signal ends with status 6" [ $status -eq 6 ]
    check "and with the state saved" [ -s long.h5.checkpoint ]
done
(
    trap '' HUP
    # shellcheck disable=SC2086
    exec "$planwave" run room.yaml --set "stop.after=200 ns" $cpu -o nohup.h5
) > out 2> err &
job=$!
sleep 0.5
kill -s HUP $job 2> /dev/null
wait $job
check "a hang-up that was ignored before stays so" [ $? -eq 0 ]
(
    ulimit -f 8 # blocks of 512 bytes
    # shellcheck disable=SC2086
    exec "$planwave" run room.yaml $cpu -o large.h5
) > out 2> err
check "a file over the limit ends with status 4" [ $? -eq 4 ]
check "and a sentence" grep -q "large.h5.*File too large" err
check "and leaves nothing" [ -z "$(ls | grep large)" ]

# ---- no folder for temporary files ----
export TMPDIR=/nowhere/at/all
run map room.h5 -o map.png
check "a map without temporary files ends with status 4" [ "$status" -eq 4 ]
check "and says where they would have gone" grep -q "TMPDIR" err
check "its numbers are there" [ -s map.csv -a -s map.npy ]
check "and no picture" [ ! -e map.png ]
run channel room.h5 -o channel
check "so are the tables of a channel" [ "$status" -eq 4 -a -s channel/metrics.csv ]
run channel room.h5 --rx nobody -o nobody
check "a folder into which nothing came is not left" [ ! -e nobody ]
export TMPDIR="$work/tmp"
mkdir tmp

# ---- what was killed ----
"$planwave" uncertainty room.yaml --vary brick:permittivity=10% --samples 200 --backend cpu > out 2> err &
job=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    ls tmp | grep -q study && break
    sleep 0.3
done
kill -9 $job
wait $job 2> /dev/null
check "a study that was killed leaves a folder" [ -n "$(ls tmp)" ]
touch -d '1 minute ago' tmp/planwave-study-*
mkdir tmp/planwave-study-mine
run uncertainty room.yaml --vary brick:permittivity=10% --samples 8 --backend cpu -o sure.png
check "the next one removes it" [ "$(ls tmp)" = planwave-study-mine ]

# ---- an interruption that says that nothing was written ----
"$planwave" uncertainty room.yaml --vary brick:permittivity=10% --samples 200 --backend cpu -o never.png > out 2> err &
job=$!
sleep 1
kill -s INT $job
wait $job
check "a study that is interrupted ends with status 6" [ $? -eq 6 ]
check "says that nothing was written" grep -q "nothing was written" err
check "and has written nothing" [ -z "$(ls | grep never)" ]

# ---- a calibration, whose runs have files of their own ----
rm -r tmp/*
{
    echo "x,y,transmitter,power"
    awk 'BEGIN { for (n = 0; n < 40; n++) printf "%.2f,%.2f,ap1,%d\n", 0.5 + 0.04 * n + 1.4 * (n % 2), 0.4 + n * 7 % 11 * 0.2, -30 - n }'
} > walk.csv
run run room.yaml --set 'spectra={count: 9}' --set "stop.after=1 us" --backend cpu -o walked.h5
"$planwave" calibrate walked.h5 --measured walk.csv --fit brick:conductivity --backend cpu -o fitted.yaml > out 2> err &
job=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    ls tmp | grep -q study && break
    sleep 0.1
done
kill -s TERM $job
wait $job
check "a calibration that is interrupted ends with status 6" [ $? -eq 6 ]
check "and leaves neither runs nor a fit" [ -z "$(ls tmp)" -a ! -e fitted.yaml ]

# ---- threads and stacks ----
OMP_NUM_THREADS=100000 "$planwave" run room.yaml -o many.h5 > out 2> err
check "threads without number are refused" [ $? -eq 2 ]
check "with the range" grep -q "OMP_NUM_THREADS is '100000': allowed are 1 to 4096" err
OMP_NUM_THREADS=2,100000 "$planwave" run room.yaml -o many.h5 > out 2> err
check "of nested loops as well" [ $? -eq 2 ]
(
    ulimit -S -s 64
    # shellcheck disable=SC2086
    exec "$planwave" run room.yaml $cpu -o stack.h5
) > out 2> err
check "a small stack is made larger" [ $? -eq 0 ]
good "and the result has the bits of any other" identical compare room.h5 stack.h5
if [ "$(id -u)" -ne 0 ]; then
    (
        ulimit -s 256
        # shellcheck disable=SC2086
        exec "$planwave" run room.yaml $cpu -o never.h5
    ) > out 2> err
    check "one that cannot be made larger is refused" [ $? -eq 4 ]
    check "with the command that helps" grep -q "ulimit -s 8192" err
fi
finish
