#!/bin/sh
# Many receivers in two dimensions: the nodes beside them are not kept for every step. The series have the same bits as where they are (by
# the reference backend, and by a few receivers at a time), a stopped run goes on with them on another backend, and a thousand receivers
# over 40 000 steps take less than 1 GB.
. tests/support/script.sh

# room COUNT FIRST: a room with so many receivers; the same number is always at the same place.
room() {
    cat << 'END'
title: Many receivers
plan: {size: [2 m, 1.5 m], walls: [{from: [1 m, 0 m], to: [1 m, 1 m], thickness: 10 cm, material: brick}]}
band: {centre: 1 GHz, width: 400 MHz}
grid: {cell: 3 cm, scheme: dd4}
transmitters: [{name: ap1, at: [0.4 m, 0.7 m], power: 20 dBm}]
spectra: {count: 9, spacing: 3 cells}
receivers:
END
    awk -v count="$1" -v first="$2" 'BEGIN {
        for (n = first; n < first + count; n++)
            printf "  - {name: r%d, at: [%.4f m, %.4f m]}\n", n, 0.21 + (n * 37 % 1009) * 1.57 / 1009, 0.21 + (n * 61 % 1013) * 1.07 / 1013 }'
}
room 100 0 > room.yaml
stop='stop={after: 60 ns, decay: off}'
cpu="--progress none --backend cpu"

# shellcheck disable=SC2086
good "a hundred receivers" wrote run room.yaml --set "$stop" $cpu -o plain.h5
good "on the reference backend" wrote run room.yaml --set "$stop" --progress none --backend reference -o reference.h5
good "have the same bits" identical compare plain.h5 reference.h5
room 3 17 > few.yaml
# shellcheck disable=SC2086
good "three of them" wrote run few.yaml --set "$stop" $cpu -o few.h5
for result in plain few; do
    run channel $result.h5 --rx r18 -o $result-r18
    grep -v "^# result" $result-r18/impulse_response.csv > $result.csv
done
check "have the same channel" cmp plain.csv few.csv

# ---- stopped and taken up by the other engine ----
sed 's/^receivers:/stop: {after: 400 ns, decay: off}\nreceivers:/' room.yaml > long.yaml
mv room.yaml short.yaml
mv long.yaml room.yaml
rm plain.h5
# shellcheck disable=SC2086
good "a longer run" wrote run room.yaml $cpu -o plain.h5
stop_and_go 0.7 1

# ---- memory ----
room 1000 0 > thousand.yaml
run run thousand.yaml --set 'stop={steps: 40484, decay: off}' --backend cpu --progress json --dry-run
bytes=$(sed -n 's/.*"host_bytes": \([0-9]*\).*/\1/p' out)
check "a thousand receivers: forecast $bytes bytes" [ "${bytes:-9999999999}" -lt 1000000000 ]
finish
