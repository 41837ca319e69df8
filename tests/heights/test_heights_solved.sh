#!/bin/sh
# Heights in two dimensions against the same empty hall solved in three: dipoles at both ends, links that rise by up to 53 degrees.
. tests/support/script.sh

cat > hall.yaml << 'END'
title: An empty hall, both ways
dimensions: 3
plan: {size: [2.4 m, 1.2 m], storey: {height: 1.6 m}}
band: {centre: 600 MHz, width: 120 MHz}
grid: {scheme: fd4o, cell: 4 cm}
transmitters: [{name: ap, at: [0.5 m, 0.6 m, 1.3 m], antenna: hertzian}]
receivers:
  - {name: near, at: [1.1 m, 0.6 m, 0.6 m]}
  - {name: middle, at: [1.6 m, 0.5 m, 0.4 m]}
  - {name: far, at: [2.2 m, 0.7 m, 0.3 m]}
spectra: {count: 12, heights: [0.4 m], spacing: 4 cells}
stop: {after: 40 ns, decay: off}
END
sed -e 's/^\(  - {name: .*\)}$/\1, antenna: hertzian, gain: 0 dBi}/' hall.yaml > flat.yaml
good "three dimensions" 'wrote three.h5' run hall.yaml --backend cpu -o three.h5
good "two" 'wrote two.h5' run flat.yaml --set dimensions=2 --backend cpu -o two.h5
good "its pairs" 'wrote three-pairs.h5' channel three.h5 --rx all -o three-pairs.h5
good "and those of two" 'wrote two-pairs.h5' channel two.h5 --rx all -o two-pairs.h5
value() { awk -F, -v name="\"$2\"" -v column="$3" '$2 == name { print $column }' "$1-pairs.csv"; }
# The nearest is 1.8 wavelengths away, where the field of a dipole is still 0.2 dB off its far field.
for place in near:0.35 middle:0.05 far:0.05; do
    at=${place%:*}
    check "$at: path loss" awk -v a="$(value two "$at" 6)" -v b="$(value three "$at" 6)" -v most="${place#*:}" \
        'BEGIN { d = a - b; exit !(a > 0 && b > 0 && d < most && d > -most) }'
    check "$at: distance" [ "$(value two "$at" 5)" = "$(value three "$at" 5)" ]
done
finish
