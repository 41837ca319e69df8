#!/bin/sh
# Jobs with horizontal polarisation, from outside: engines with the same bits, a run that is stopped and goes on with the same bits, media
# with poles, maps, the report page and calibration of such a result.
. tests/support/script.sh

cat > room.yaml << 'END'
title: A room
polarisation: horizontal
plan:
  size: [1.5 m, 1.2 m]
  walls:
    - {from: [0.9, 0], to: [0.9, 0.8], thickness: 6 cm, material: brick}
    - {from: [0.2, 0.9], to: [0.6, 1.1], thickness: 5 cm, material: glass}
band: {centre: 1.2 GHz, width: 200 MHz}
grid: {scheme: fd4o, cell: 2 cm, absorber: {cells: 8}}
transmitters: [{name: loop, at: [0.4 m, 0.7 m]}, {name: along, at: [0.4 m, 0.7 m], polarisation: [1, 2]}]
receivers: [{name: near, at: [1.2 m, 0.5 m]}, {name: slanted, at: [1.2 m, 0.5 m], polarisation: [3, 4]}]
spectra: {count: 5, components: [ex, ey, hz], spacing: 2 cells}
stop: {steps: 700}
END
good "the plain engine" 'wrote plain.h5' run room.yaml --backend reference -o plain.h5
good "the fast one, with pictures" 'wrote three.h5' run room.yaml --backend cpu --threads 3 --frames film --frames-every 100 -o three.h5
good "has the same bits" 'identical' compare three.h5 plain.h5
ls film/*loop-000003.png > /dev/null 2>&1
verdict "there are pictures" "$([ $? -eq 0 ] || echo 'none in film/')"

stop_and_go 0.1 1

good "what it holds, for people" 'spectra \(5, [0-9]+, [0-9]+\) of Hz, Ey, Ex,' info plain.h5
good "and for programs" '"name": "hz", "component": "hz"' info plain.h5 --json
good "which way its antennas point" '"name": "slanted".*"polarisation": \[0.6, 0.8, 0\]' info plain.h5 --json

good "a map of E" 'wrote map.png' map plain.h5 --component total -o map.png
good "the report" 'wrote page.html' report plain.h5 -o page.html

# Points "measured" 7 dB under what the result itself has, on nodes of Hz in the spectra: the offset is found.
for x in 09 13 17 21 25 29 33 45 49 53 57 61; do
    run channel plain.h5 --tx loop --at "0.$x,0.21" -f -o points
    power=$(sed -n 's/^.*received power *\(-*[0-9.]*\) dBm.*/\1/p' out)
    echo "0.$x,0.21,$(echo "$power" | awk '{print $1 - 7}')"
done > points.csv
good "calibration finds the offset" 'global offset of -7\.00 dB' calibrate plain.h5 --tx loop --measured points.csv --mean 1cm

run channel plain.h5 --tx loop --rx near -o near
check "a channel does not say that it is of Ez" sh -c '! grep -q Ez near/transfer_function.csv'

# In metal there is no field, whatever differences leave there that reach over its surface: 15 cm of radius less a cell's diagonal.
for scheme in fd4o dd4; do
    run run room.yaml --set 'plan.circles=[{centre: [1.2 m, 0.9 m], radius: 15 cm, material: metal}]' --set "grid.scheme=$scheme" \
        --set spectra.spacing=1 --backend cpu -o post.h5 -f -q
    for component in hz total; do
        run map post.h5 --tx loop --component "$component" --quantity received-power -f -o post.png
        awk -F, '!/^[#x]/ && ($1 - 1.2) ^ 2 + ($2 - 0.9) ^ 2 < 0.121 ^ 2 {n++; bad += $3 != "nan"} END {exit !(n > 50 && bad == 0)}' post.csv
        verdict "no field in a post of metal, $scheme, $component" "$([ $? -eq 0 ] || echo 'some places in it have one')"
    done
done

pole='plan.walls[0].material={name: wall, relative_permittivity: 2, poles: [{kind: debye, strength: 2, relaxation_time: 50 ps}]}'
good "a wall with a pole" 'wrote pole.h5' run room.yaml --set "$pole" --backend cpu -o pole.h5
good "and on the plain engine" 'wrote pole_plain.h5' run room.yaml --set "$pole" --backend reference -o pole_plain.h5
good "has the same bits" 'identical' compare pole.h5 pole_plain.h5
finish
