#!/bin/sh
# Planes of symmetry and Mur's condition in two dimensions, from outside: half a plan has the channel of the whole, its result says so, and
# what cannot be done is refused with its reason.
. tests/support/script.sh

plan() { # FILE WIDTH SHAPES SYMMETRY TX RX
    cat > "$1" << END
plan: {size: [$2 m, 0.8 m], rectangles: [$3]}
grid: {scheme: fd4, cell: 2 cm, averaging: moment, absorber: {cells: 16}$4}
band: {centre: 1.5 GHz, width: 300 MHz}
transmitters: [{at: [$5, 0.2]}]
receivers: [{at: [$6, 0.5]}]
stop: {after: 15 ns, decay: off}
END
}
plan half.yaml 1 '{from: [0.4, 0.3], to: [0.5, 0.8], material: brick}, {from: [0, 0.6], to: [0.4, 0.65], material: concrete}' ', symmetry: [x]' 0 0.7
plan whole.yaml 2 '{from: [1.4, 0.3], to: [1.5, 0.8], material: brick}, {from: [0.5, 0.3], to: [0.6, 0.8], material: brick}, {from: [0.6, 0.6], to: [1.4, 0.65], material: concrete}' '' 1 1.7
good "the whole plan" 'wrote whole.h5' run whole.yaml --precision double -o whole.h5
good "half of it" 'wrote half.h5' run half.yaml --precision double -o half.h5
good "the half says where it ends" 'on every side but the planes of symmetry; 1.000 m x 0.800 m inside' info half.h5
good "channel of the whole" . channel whole.h5 -o whole
good "channel of the half" . channel half.h5 -o half
paste -d, half/transfer_function.csv whole/transfer_function.csv > both.csv
verdict "they are the same" "$(awk -F, '/^[0-9]/ { for (i = 1; i <= NF / 2; i++) { a = $i; b = $(i + NF / 2); d = a - b; if (d < 0) d = -d; if (d > 1e-9 * (a < 0 ? -a : a)) bad++ } n++ }
    END { if (n < 4 || bad) print bad + 0 " of the values of " n + 0 " lines differ" }' both.csv)"
warning='begins or ends within [0-9.]* cells of a plane of symmetry'
run run half.yaml --dry-run
verdict "no face is near the plane: no warning" "$(grep "$warning" err)"
run run half.yaml --dry-run --set 'plan.rectangles=[{from: [0, 0.3], to: [0.03, 0.5], material: brick}]'
verdict "a face near the plane is warned of" "$(grep -q "$warning" err || echo 'no warning')"
run run half.yaml --dry-run --set 'plan.rectangles=[{from: [0.3, 0.03], to: [0.5, 0.5], material: brick}]' --set 'grid.symmetry=[y]'
verdict "along the other axis too" "$(grep -q "$warning" err || echo 'no warning')"
good "Mur's condition" 'wrote mur.h5' run half.yaml --set 'grid.absorber={kind: mur, order: 1}' -o mur.h5
good "it is named" 'absorber cells \(mur\)' info mur.h5
bad "an order that there is not" 3 'order.*allowed: from 1 to at most 2' run half.yaml --set 'grid.absorber={kind: mur, order: 3}' -o no.h5
bad "edges too near" 3 'must stand at least 7 cells off the plan' run half.yaml --set 'grid.absorber={kind: mur, cells: 4}' -o no.h5
finish
