#!/bin/sh
# planwave sensitivity from outside: its table agrees with two runs per parameter, the picture and the table are there, and what it
# cannot do is said.
. tests/support/script.sh

cat > room.yaml << 'END'
plan:
  size: [2 m, 1 m]
  walls: [{from: [1.03 m, 0 m], to: [1.03 m, 0.7 m], thickness: 8 cm, material: brick}]
  rectangles: [{from: [0.1 m, 0.8 m], to: [0.2 m, 0.9 m], material: metal}]
grid: {scheme: fd4o, cell: 3 cm}
band: {centre: 1 GHz, width: 200 MHz}
transmitters: [{name: hall, at: [0.4 m, 0.5 m]}]
receivers: [{name: desk left, at: [1.6 m, 0.5 m]}, {name: far, at: [1.8 m, 0.2 m]}]
spectra: {count: 5}
stop: {after: 60 ns, decay: off}
END

good "one wall and a place" 'hall:x' sensitivity room.yaml --precision double --check -o place.png \
    --vary 'walls[0]:permittivity' --vary hall:x
cp out told
check "the wall is all of its material" sh -c "'$planwave' sensitivity room.yaml --precision double -q -f -o all.png --vary brick:permittivity &&
    [ \"\$(grep ':permittivity' place.csv | cut -d , -f 7)\" = \"\$(grep ':permittivity' all.csv | cut -d , -f 7)\" ]"
check "two runs say the same of the place" sh -c "awk '/hall:x/ {
    for (i = 1; i < NF; i++) { if (\$(i + 1) == \"dB\" && \$i != \"-\" && !seen[NR]++) a = \$i; if (\$i == \"runs:\") b = \$(i + 1) }
    d = a - b; d = d < 0 ? -d : d; s = b < 0 ? -b : b
    rows++; if (d > 0.02 * s + 0.0005) bad++ } END { exit rows != 2 || bad > 0 }' told"

# In an empty plan the received power is that of Friis: 20/(ln 10 d) dB per metre nearer, d the straight line, times the share of it along x
cat > empty.yaml << 'END'
plan: {size: [2 m, 1 m]}
grid: {cell: 2 cm}
band: {centre: 1 GHz, width: 200 MHz}
transmitters: [{name: hall, at: [0.4 m, 0.5 m], height: 2.3 m}]
receivers: [{name: level, at: [1.6 m, 0.5 m]}, {name: under, at: [1.6 m, 0.5 m], height: 1.1 m}]
spectra: {count: 5}
stop: {after: 60 ns, decay: off}
END
good "a place in free space" 'hall:x' sensitivity empty.yaml --precision double --check -o empty.png --vary hall:x
cp out told
check "Friis, level and from above" sh -c "awk -F, '\$3 == \"hall:x\" { friis = 20/log(10) * 1.2/(1.44 + (\$2 == \"under\" ? 1.44 : 0))
    d = \$8/friis - 1; rows++; if (d * d > 0.01 * 0.01) bad++ } END { exit rows != 2 || bad > 0 }' empty.csv"
check "two runs say Friis too" sh -c "awk '/two runs/ { friis = 20/log(10) * 1.2/(rows > 0 ? 2.88 : 1.44) * 0.01
    for (i = 1; i < NF; i++) { if (\$i == \"runs:\") d = \$(i + 1)/friis - 1 }
    rows++; if (d * d > 0.01 * 0.01) bad++ } END { exit rows != 2 || bad > 0 }' told"

good "materials and thickness" 'wrote room-sensitivity.png' sensitivity room.yaml --precision double --check \
    --vary brick:permittivity --vary brick:conductivity --vary brick:thickness
cp out told
check "six rows" [ "$(grep -c 'two runs' told)" -eq 6 ]
# changes by 10 % and what two runs with 1 % say of them: within 1 % and a thousandth of a dB
check "two runs say the same" sh -c "awk '/two runs/ {
    for (i = 1; i < NF; i++) { if (\$(i + 1) == \"dB\" && !seen[NR]++) a = \$i; if (\$i == \"runs:\") b = \$(i + 1) }
    d = a - b; d = d < 0 ? -d : d; s = b < 0 ? -b : b
    rows++; if (d > 0.01 * s + 0.001) bad++ } END { exit rows != 6 || bad > 0 }' told"
check "the walls that decide" grep -q 'brick  *8 cm  (1.03, 0.00) to (1.03, 0.70) m .* dB per cm' told
check "the picture is one" sh -c "head -c 8 room-sensitivity.png | grep -q PNG"
check "the table has both links" [ "$(grep -c '^hall,' room-sensitivity.csv)" -eq 6 ]

good "wall by wall" 'and walls.csv' sensitivity room.yaml -f --walls walls.csv
# one wall: its line is what the materials do together, permittivity and conductivity
check "the only wall is all" sh -c "awk -F, 'FNR == 1 { next } FILENAME == \"walls.csv\" { one[\$2] += \$9 }
    FILENAME != \"walls.csv\" { all[\$2] += \$7 } END { for (r in all) { d = one[r] - all[r]; if (d * d > 1e-4 * all[r] * all[r]) bad++; n++ }
    exit n != 2 || bad > 0 }' walls.csv room-sensitivity.csv"
# beside metal the equations themselves change: left out of what nobody named, and counted; refused where it is named
beside='plan.rectangles=[{from: [1.07 m, 0.2 m], to: [1.2 m, 0.43 m], material: metal}]'
good "nodes beside metal are counted" 'nodes beside metal are left out' sensitivity room.yaml -f --set "$beside" -o beside.png
bad "and refused of a material that is named" 3 "beside metal" sensitivity room.yaml -f --set "$beside" --vary brick:permittivity -o beside.png
bad "what is there is kept" 3 "exists" sensitivity room.yaml
bad "no such receiver" 2 "no such receiver. The first is 'desk left'" sensitivity room.yaml --rx near -f
bad "no such parameter" 2 "'brick:colour' is no parameter" sensitivity room.yaml --vary brick:colour
bad "no such transmitter" 3 "no transmitter 'loft'" sensitivity room.yaml --vary loft:x -f
bad "no such material" 3 "the plan has no material 'marble'" sensitivity room.yaml --vary marble:permittivity -f
bad "no such wall" 3 "the plan has 1, and the last is 'walls.0.'" sensitivity room.yaml --vary 'walls[9]:permittivity' -f
bad "no such list of shapes" 3 "the plan has no polygons" sensitivity room.yaml --vary 'polygons[0]:permittivity' -f
bad "a receiver that looks somewhere" 3 "receiver 'far' has a pattern" sensitivity room.yaml -f \
    --set 'receivers[1].antenna={pattern: tr38901, bearing: 270 deg}'
bad "no receivers" 3 "give receivers" sensitivity room.yaml --set 'receivers=[]' -f
bad "no spectra" 3 "need running spectra" sensitivity room.yaml --set 'spectra=off' -f
bad "metal has nothing to vary" 3 "perfect conductor" sensitivity room.yaml --vary metal:permittivity -f
bad "its own input" 2 "" sensitivity room.yaml -f -o room.yaml

finish
