#!/bin/sh
# Waves over what ends under the ceiling (`top`, `plan.over`): two cuts in one run, both in the storey answer, and what is refused. The
# law of the shares is in test_storey.c; held against three dimensions in validation/dimensions.md.
. tests/support/script.sh

# room NAME MATERIAL: a wall across a strip, up to 2 m.
room() {
    cat > "$1.yaml" << ROOM
title: A wall that ends at 2 m
plan:
  size: [4 m, 2 m]
  storey: {height: 2.6 m, floor: {material: concrete, thickness: 20 cm}, ceiling: {material: concrete, thickness: 20 cm}}
  walls: [{from: [2 m, 0 m], to: [2 m, 2 m], thickness: 10 cm, material: $2, top: 2 m}]
band: {centre: 1.2 GHz, width: 200 MHz}
grid: {cell: 2.5 cm}
stop: {after: 40 ns, decay: off}
transmitters: [{name: ap, at: [1 m, 1 m], height: 2.3 m}]
receivers: [{name: desk, at: [3 m, 1 m], height: 1 m, record: steps}]
spectra: {count: 16}
ROOM
}
loss() { sed -n 's/^path_loss,\([^,]*\),.*/\1/p' "$1/metrics.csv"; }
room metal metal
room air air

good "the forecast of a plan with a top" 'a second cut at 2\.3 m, over what ends at 2 m' run metal.yaml --backend cpu --dry-run
good "in three dimensions there is one plan" 'will take' run metal.yaml --backend cpu --set dimensions=3 --set 'grid.cell=10 cm' --set 'band={centre: 300 MHz, width: 50 MHz}' --dry-run
check "and no second cut" sh -c '! grep -q "second cut" out'
good "both are solved" 'wrote over\.h5' run metal.yaml --backend cpu -o over.h5
check "one after the other" grep -q 'first the plan at 2\.3 m, over what ends at 2 m' err
check "into one file" test ! -e over.h5.over
good "once" 'is whole already' run metal.yaml --backend cpu -o over.h5 --resume
good "the cut alone" 'wrote' run metal.yaml --backend cpu --set plan.over=none -o alone.h5
check "nothing of a second one" sh -c '! grep -q "first the plan" out err'
for name in over alone; do
    good "a link, $name" 'path loss' channel $name.h5 --rx desk --spreading storey -o $name
done
check "says so" grep -q ', over what ends at 2 m; transmitter at 2\.3 m' over/metrics.csv
check "metal from wall to wall lets nothing pass, over it a wave does" awk -v over="$(loss over)" -v alone="$(loss alone)" 'BEGIN {exit !(over < 70 && (alone == "nan" || alone > 120))}'
good "by delay" 'path loss' channel over.h5 --rx desk --spreading delay -o delay
check "says that the wall is taken for whole" grep -q 'what ends at 2 m taken as high as the storey' delay/metrics.csv
good "a map" 'wrote map.png' map over.h5 --quantity path-gain --spreading storey --receiver-height 1 -o map.png
check "has the field behind the wall" awk -F, '$1 > 2.5 && $1 < 3.5 && $3 < -60 {bad = 1} $1 > 2.5 && $1 < 3.5 {n++} END {exit bad || n < 10}' map.csv
good "pairs" 'a and tau of' channel over.h5 --spreading storey --rx desk --rx desk -o pairs.h5
check "have the loss of the link" sh -c "sed -n 's/^\"ap\",\"desk\",[^,]*,[^,]*,[^,]*,\([^,]*\),.*/\1/p' pairs.csv | head -1 | awk '{d = \$1 - $(loss over); exit !(d * d < 1e-4)}'"

good "air that ends at 2 m" 'wrote' run air.yaml --backend cpu -o over.h5 -f
good "and air alone" 'wrote' run air.yaml --backend cpu --set plan.over=none -o alone.h5 -f
for name in over alone; do
    good "a link, $name" 'path loss' channel $name.h5 --rx desk --spreading storey -o $name -f
done
check "are one" awk "BEGIN {d = $(loss over) - $(loss alone); exit !(d * d < 1e-10)}"

bad "frequencies that the spectra have not" 2 'known at the 16 frequencies of the spectra alone' channel over.h5 --rx desk --spreading storey --subcarriers 8x10MHz -o h.csv
bad "a top and z" 3 "'z' is given too" run metal.yaml --set 'plan.walls=[{from: [2, 0], to: [2, 2], thickness: 10 cm, material: brick, top: 2 m, z: [0, 1]}]' --dry-run
bad "a top over the ceiling" 3 'height 3 m lies outside' run metal.yaml --set 'plan.walls=[{from: [2, 0], to: [2, 2], thickness: 10 cm, material: brick, top: 3 m}]' --dry-run
bad "a top without a storey" 3 'is a height, and the plan has none' run metal.yaml --set 'plan={size: [4, 2], walls: [{from: [2, 0], to: [2, 2], thickness: 10 cm, material: brick, top: 2 m}]}' --dry-run
bad "a cut over the ceiling" 3 'over.* is 2\.7 m; allowed: between a floor and its ceiling' run metal.yaml --set 'plan.over=2.7 m' --dry-run
bad "a cut under the tops" 3 'the same as at its cut, 1 m' run metal.yaml --set 'plan.over=1.5 m' --dry-run
bad "a cut under the first" 3 'allowed is more than that' run metal.yaml --set 'plan.over=50 cm' --dry-run
bad "horizontal polarisation" 3 'needs vertical polarisation' run metal.yaml --set polarisation=horizontal --dry-run
bad "no spectra" 3 'needs running spectra' run metal.yaml --set spectra=off --dry-run
finish
