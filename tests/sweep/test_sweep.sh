#!/bin/bash
# planwave sweep: lists commands that run as they stand, runs chunks, leaves alone what is done, goes on after a stop, refuses outputs of
# something else, collects; bad sweeps end with their own status and leave no file.
. tests/support/script.sh

cat > room.yaml << 'END'
plan:
  size: [1.6 m, 1.2 m]
  walls:
    - {from: [0.8, 0.2], to: [0.8, 1], thickness: 10 cm, material: brick}
band: {centre: 900 MHz, width: 200 MHz}
grid: {scheme: fd4, cell: 4 cm, courant: 0.5, absorber: {cells: 8}}
transmitters: [{name: ap, at: [0.4 m, 0.6 m]}]
receivers: [{name: rx, at: [1.2 m, 0.6 m]}]
spectra: {count: 4, spacing: 4 cells}
stop: {after: 20 ns}
END
mkdir study
cat > study/walls.yaml << 'END'
scenario: ../room.yaml
grid:
  thickness: {key: plan.walls.0.thickness, values: [8 cm, 16 cm]}
  transmitters[0].at: [[0.4 m, 0.6 m], [0.4 m, 0.3 m], [0.3 m, 0.3 m]]
END

# ---- commands ----
good "a command for every case" "^planwave run study/\.\./room\.yaml --set 'plan.walls.0.thickness=16 cm' --set 'transmitters\[0\].at=\[0.3 m, 0.3 m\]' .*-o study/walls/case-0005.h5$" sweep list study/walls.yaml
check "as many as there are" test "$(wc -l < out)" -eq 6
sed -n 2p out > second
good "with a backend" ' --backend reference --threads 1 .*-o' sweep list study/walls.yaml --backend reference --threads 1
alias_dir=$work/bin
mkdir "$alias_dir"
ln -s "$planwave" "$alias_dir/planwave"
PATH=$alias_dir:$PATH sh second > out 2> err
check "a command runs as it stands" test -f study/walls/case-0001.h5

# ---- running ----
good "status: what there is" 'done +1: 1$' sweep status study/walls.yaml
good "a chunk" '^2 solved, 0 done before, 0 failed' sweep run study/walls.yaml --index 2 --chunk 2
good "status" 'not begun +3: 0,2-3$' sweep status study/walls.yaml
touch study/walls/case-0003.h5.checkpoint-0
good "the state that a device has left counts" 'stopped, goes on +1: 3$' sweep status study/walls.yaml
rm study/walls/case-0003.h5.checkpoint-0
good "what is not done" 'case-0003.h5$' sweep list study/walls.yaml --unfinished
check "is three cases" test "$(wc -l < out)" -eq 3
cp study/walls/case-0001.h5 kept.h5
good "all that is left" '^3 solved, 3 done before, 0 failed' sweep run study/walls.yaml --backend reference
check "what was done is left alone" cmp kept.h5 study/walls/case-0001.h5
run run room.yaml --set 'plan.walls.0.thickness=16 cm' --set 'transmitters.ap.at=[0.4 m, 0.3 m]' -o plain.h5
good "a case has the bits of its command" identical compare plain.h5 study/walls/case-0004.h5
(cd study && "$planwave" sweep run walls.yaml) > out 2> err
check "the folder from where it is run is no matter" grep -q '^0 solved, 6 done before' out

# ---- collecting ----
good "collected" 'wrote walls.h5: 4 datasets over 6 of 6 outputs' sweep collect study/walls.yaml
bad "an existing file is kept" 3 'exists' sweep collect study/walls.yaml
rm study/walls/case-0004.h5
run sweep collect study/walls.yaml --force
verdict "a missing output has its own status" "$([ "$status" -eq 7 ] && grep -q '1 of 6 outputs are missing.*cases 4' err || echo "$status")"
good "which can be expected" 'over 5 of 6' sweep collect study/walls.yaml --force --partial

# ---- outputs of something else ----
cp plain.h5 study/walls/case-0004.h5
good "a result of the same scenario is good, whoever made it" '^0 solved, 6 done before' sweep run study/walls.yaml
cp study/walls/case-0003.h5 study/walls/case-0004.h5
bad "another one is refused" 7 'case 4: .*transmitters\[0\].at\[1\] is 60 cm in the output, and 30 cm is wanted' sweep run study/walls.yaml
bad "by collect too" 3 'case 4 .*something else' sweep collect study/walls.yaml -o other.h5
bad "and by list" 7 'case 4: .*not an output of this sweep' sweep list study/walls.yaml --unfinished
good "unless it is told to" '^1 solved' sweep run study/walls.yaml --index 4 --force
sed 's/cell: 4 cm/cell: 5 cm/' room.yaml > room5.yaml
sed 's/room.yaml/room5.yaml/' study/walls.yaml > five.yaml
sed -i 's|\.\./|./|; 1a output: study/walls' five.yaml
bad "the scenario itself has changed" 7 'grid.cell is 4 cm in the output, and 5 cm is wanted' sweep run five.yaml --index 0
sed 's|\.\./||; 1a output: study/walls\nprecision: double' study/walls.yaml > double.yaml
bad "another precision" 7 'single precision, and double is wanted' sweep run double.yaml --index 0
head -c 5000 study/walls/case-0000.h5 > cut && cp cut study/walls/case-0000.h5
bad "a damaged output" 7 'case 0: .*truncated' sweep run study/walls.yaml --index 0
good "which status shows" 'damaged output +1: 0$' sweep status study/walls.yaml

# ---- the picture of a plan is part of it ----
cp "$here/floorplans/empty_room.png" plan.png
cat > picture.yaml << 'END'
plan: {image: plan.png, pixel: 8 mm, legend: {"#ffffff": air, "#b5523b": brick}, tolerance: 255}
band: {centre: 300 MHz, width: 60 MHz}
grid: {scheme: fd4, cell: 10 cm, absorber: {cells: 8}}
transmitters: [{at: [2 m, 2 m]}]
spectra: {count: 2, spacing: 4 cells}
stop: {after: 10 ns}
END
printf 'scenario: picture.yaml\ngrid: {"transmitters.0.at": [[2 m, 2 m], [2.5 m, 2 m]]}\n' > pictures.yaml
good "cases of a picture" '^2 solved' sweep run pictures.yaml
state=$(ls "$(dirname "$(find . -name 'case-0000.h5' -path '*pictures*' | head -n 1)")"/case-0000.h5).finished-0
: > "$state" # as a kill between the result and the removal of what it was made of leaves it
good "are done" '^0 solved, 2 done' sweep run pictures.yaml
check "and what a kill left beside them goes" [ ! -e "$state" ]
cp "$here/floorplans/flat.png" plan.png
bad "until the picture changes" 7 'the file plan.png is not the one that was read' sweep run pictures.yaml --index 0

# ---- stopping ----
cat > long.yaml << 'END'
scenario: room.yaml
set: {stop: {after: 4.8 us, decay: off}, grid.cell: 2 cm, spectra.spacing: 2 cells, spectra.count: 40}
grid: {"transmitters.0.at": [[0.4 m, 0.6 m], [0.5 m, 0.6 m]]}
END
good "without a pause" '^1 solved' sweep run long.yaml --index 0
mv long/case-0000.h5 whole.h5
tries=0 part=500
run sweep run long.yaml --index 0 --time-limit "${part}ms"
while [ "$status" -eq 0 ] && [ "$part" -gt 10 ]; do # solved before it could be stopped: a quick machine
    rm long/case-0000.h5
    part=$((part / 2))
    run sweep run long.yaml --index 0 --time-limit "${part}ms"
done
[ "$status" -eq 6 ] && stopped=1 || stopped=0
good "status of a stopped case" 'stopped, goes on +1: 0' sweep status long.yaml
# Longer each time: a busy machine may need half a second for the start alone.
status=6
while [ "$status" -eq 6 ] && [ "$tries" -lt 20 ]; do
    tries=$((tries + 1)) part=$((part * 3 / 2))
    run sweep run long.yaml --index 0 --time-limit "${part}ms"
done
verdict "a stopped case goes on" "$([ "$status" -eq 0 ] && [ "$stopped" -eq 1 ] || echo "status $status after $tries")"
good "and has the same bits" identical compare whole.h5 long/case-0000.h5
# Longer than any machine solves before the signal comes.
sed 's/4.8 us/60 us/' long.yaml > longer.yaml
"$planwave" sweep run longer.yaml > out 2> err &
running=$!
for _ in $(seq 100); do
    [ -s err ] && break # the first case's warning: the sweep has begun
    sleep 0.05
done
sleep 0.5
kill -TERM $running
wait $running
verdict "SIGTERM stops the sweep" "$([ $? -eq 6 ] && grep -q '2 of 2 cases to go' err || echo "status $?")"

# ---- failures ----
printf 'scenario: room.yaml\ngrid: {"transmitters.0.at": [[0.4 m, 0.6 m], [9 m, 9 m], [0.5 m, 0.6 m]]}\n' > fails.yaml
run sweep run fails.yaml
verdict "a failed case does not keep the others" "$([ "$status" -eq 7 ] && grep -q '^2 solved, 0 done before, 1 failed' out && grep -q 'case 1: .*outside the plan' err && grep -q 'failed: cases 1$' err || echo "$status")"
bad "alone it has the same status" 7 'case 1: ' sweep run fails.yaml --index 1
printf 'scenario: room.yaml\ngrid: {grid.cell: [4 cm, 5 cm]}\n' > cells.yaml
good "cells of two sizes" '^2 solved' sweep run cells.yaml
bad "make no common array" 3 'grid.cell = 4 cm there, 5 cm here' sweep collect cells.yaml

# ---- bad sweeps ----
refuse() { # NAME PATTERN TEXT [ACTION]
    printf '%b' "$3" > bad.yaml
    bad "$1" 3 "$2" sweep "${4:-list}" bad.yaml
}
base='scenario: room.yaml\n'
refuse "no text" 'nothing is written here' ''
refuse "no scenario" "'scenario' is missing" 'grid: {grid.cell: [1 cm]}'
refuse "no design" "'grid', 'cases' or 'hypercube'" "$base"
refuse "two designs" "one of 'grid'" "${base}grid: {grid.cell: [1 cm]}\ncases: [{grid.cell: 1 cm}]"
refuse "an unknown key of the sweep" "bad.yaml:2: gird: unknown key; did you mean 'grid'" "${base}gird: {grid.cell: [1 cm]}"
refuse "a scenario that is not there" "case 0 .*nothere.yaml'" 'scenario: nothere.yaml\ngrid: {grid.cell: [1 cm]}'
refuse "an unknown key of the scenario" "gird: unknown key; did you mean 'grid'" "${base}grid: {gird.cell: [1 cm, 2 cm]}"
refuse "a value that is not allowed" "bad.yaml:2: 'grid_cell', value 1: .*2 parsec" "${base}grid: {grid.cell: [4 cm, 2 parsec]}"
refuse "an empty axis" 'bad.yaml:2: .*has no values' "${base}grid: {grid.cell: []}"
refuse "a value twice" '0.04 m twice' "${base}grid: {grid.cell: [4 cm, 40 mm]}"
refuse "one axis undoes another" 'make the same scenario' "${base}grid: {\"transmitters[0].power\": [1 dBm, 2 dBm], p: {key: transmitters.ap.power, values: [1 dBm, 2 dBm]}}"
refuse "a part before its whole" "would undo 'grid.cell' of line 2" "${base}grid: {grid.cell: [4 cm, 5 cm], all: {key: grid, values: [{cell: 4 cm}, {cell: 5 cm}]}}"
refuse "a million by mistake" '1000 x 1000 = 1000000 cases.*most_cases: 1000000' "${base}grid:\n  grid.cell: {from: 1 cm, to: 2 cm, count: 1000}\n  band.centre: {from: 1 GHz, to: 2 GHz, count: 1000}"
refuse "two axes of one name" 'axis of line 3' "${base}grid:\n  plan.walls.0.thickness: [1 cm]\n  plan_walls.0.thickness: [1 cm]"
refuse "a name that is taken" "'frequency' is taken" "${base}grid: {frequency: {key: grid.cell, values: [1 cm]}}"
refuse "two cases of one name" "have the name 'A'" "${base}cases: [{name: a, grid.cell: 4 cm}, {name: A, grid.cell: 5 cm}]"
refuse "a case twice" 'cases 0 and 1 are the same' "${base}cases: [{name: a, grid.cell: 4 cm}, {name: b, grid.cell: 40 mm}]"
refuse "a name that is none" 'is no name' "${base}cases: [{name: a/b, grid.cell: 4 cm}]"
refuse "a range backwards" "must be over 'from'" "${base}hypercube: {samples: 2, keys: {grid.cell: {from: 2 cm, to: 1 cm}}}"
refuse "a range of two kinds" 'not two quantities' "${base}hypercube: {samples: 2, keys: {grid.cell: {from: 2 cm, to: 1 s}}}"
refuse "a logarithm of nothing" 'over zero' "${base}hypercube: {samples: 2, keys: {grid.cell: {from: 0 cm, to: 1 cm, scale: log}}}"
refuse "no samples" 'out of range' "${base}hypercube: {samples: 0, keys: {grid.cell: {from: 1 cm, to: 2 cm}}}"
refuse "no keys" "keys" "${base}hypercube: {samples: 3, keys: {}}"
refuse "a seed twice" 'given twice' "${base}hypercube: {samples: 3, seeds: [1, 1], keys: {grid.cell: {from: 1 cm, to: 2 cm}}}"
head -c 3000 /dev/urandom > bad.yaml
bad "rubbish" 3 'bad.yaml' sweep list bad.yaml
bad "no file" 3 'cannot read the sweep' sweep list nothere.yaml
bad "a chunk that is not there" 3 '\-\-index goes from 0 to 2' sweep run study/walls.yaml --index 3 --chunk 2
bad "a chunk of what" 2 'needs --index' sweep run study/walls.yaml --chunk 2
bad "an unknown action" 2 "did you mean 'list'" sweep lst study/walls.yaml
bad "no action" 2 'missing' sweep study/walls.yaml
bad "an option of another action" 2 'not for' sweep list study/walls.yaml --index 1
finish
