#!/bin/sh
# Jobs in three dimensions, from outside: engines and thread counts with the same bits, a run that is stopped and goes on with the same
# bits, pictures on the way, planes of symmetry, and what is refused before a step is made.
. tests/support/script.sh

cell=3 steps=130 # in 6 ns the field crosses the room
cat > room.yaml << END
title: A furnished room
dimensions: 3
plan:
  size: [1.5 m, 1.2 m]
  storey: {height: 1.1 m, floor: {material: concrete, thickness: 10 cm}, ceiling: {material: concrete, thickness: 10 cm}}
  walls: [{from: [0.9, 0], to: [0.9, 0.8], thickness: 6 cm, material: brick}, {from: [0.2, 0.9], to: [0.6, 1.1], thickness: 5 cm, material: glass}]
  openings: [{from: [0.8, 0.2], to: [1, 0.5], sill: 0 m, head: 0.8 m, material: wood}]
  boxes: [{from: [0.2, 0.2, 0.4], to: [0.5, 0.5, 0.45], material: metal}]
band: {centre: 900 MHz, width: 200 MHz}
grid: {scheme: fd4o, cell: $cell cm, absorber: {cells: 8}}
transmitters:
  - {name: up, at: [0.4 m, 0.7 m, 0.8 m]}
  - {name: along, at: [0.4 m, 0.7 m, 0.8 m], polarisation: [1, 2, 0], antenna: half-wave}
receivers: [{name: near, at: [1.2 m, 0.5 m, 0.5 m]}]
spectra: {count: 5, heights: [0.5 m], components: [ex, ez], cuts: [{from: [0, 0.6], to: [1.5, 0.6]}], spacing: 2 cells}
stop: {steps: $steps}
END
good "the plain engine" 'wrote plain.h5' run room.yaml --backend reference -o plain.h5
good "the fast one on one thread" 'wrote one.h5' run room.yaml --backend cpu --threads 1 -o one.h5
good "on three threads, with pictures" 'wrote three.h5' run room.yaml --backend cpu --threads 3 --frames film -o three.h5
good "one thread has the bits of the plain engine" 'identical' compare one.h5 plain.h5
good "three threads and pictures change none" 'identical' compare three.h5 plain.h5
ls film/*up-000010.png > /dev/null 2>&1
verdict "there are pictures" "$([ $? -eq 0 ] || echo 'none in film/')"

stop_and_go 0.4 0

good "the table before the run" 'x [0-9]+ = [0-9.]+ million cells' run room.yaml --dry-run
good "half a room" 'wrote half.h5' run room.yaml --set 'grid.symmetry=[y]' --set 'transmitters=[{at: [0.4, 0, 0.8]}]' -o half.h5
good "its result leaves nothing of the room out" 'planes of symmetry; 1\.500 m x 1\.200 m' info half.h5
good "nor does its map" 'wrote half.png' map half.h5 --height 0.5 -o half.png

bad "more than there is memory for" 4 'cells of [0-9.]+ cm would fit' run room.yaml --set 'plan.size=[150 m, 120 m]' --set grid.cell=1cm --set stop.steps=2 -o x.h5
bad "a height outside the storey" 3 'over the lowest floor' run room.yaml --set 'receivers[0].at=[1, 1, 9]' -o x.h5
bad "a wall over the ceiling" 3 'z' run room.yaml --set 'plan.walls[0].z=[0 m, 9 m]' -o x.h5
bad "a head under its sill" 3 'head' run room.yaml --set 'plan.openings[0].sill=90 cm' -o x.h5
bad "no heights at all" 3 'storey' run room.yaml --set plan.storey=none -o x.h5
bad "four dimensions" 3 'dimensions' run room.yaml --set dimensions=4 -o x.h5
bad "a cut that is slanted" 3 'along' run room.yaml --set 'spectra.cuts=[{from: [0, 0], to: [1, 1]}]' -o x.h5
bad "a hard source" 3 'two dimensions' run room.yaml --set 'transmitters[0].source=hard' -o x.h5
run run room.yaml --set 'receivers[0].at=[1, 1, -0.05]' --dry-run
grep -q 'inside a wall, a slab or furniture (concrete)' err
verdict "a receiver in a slab is told" "$([ $? -eq 0 ] || echo 'no warning')"
finish
