#!/bin/sh
# planwave walk from outside: its files, what it tells, and what it refuses.
. tests/support/script.sh

cat > room.yaml << 'END'
plan:
  size: [2 m, 1.4 m]
  walls: [{from: [0 m, 0.1 m], to: [2 m, 0.1 m], thickness: 8 cm, material: brick}]
grid: {cell: 2 cm}
band: {centre: 1.5 GHz, width: 100 MHz}
transmitters: [{name: hall, at: [0.3 m, 0.7 m]}, {name: door, at: [0.3 m, 1.2 m]}]
receivers: [{name: desk left, at: [1.7 m, 0.7 m]}, {name: far, at: [1.8 m, 1.2 m]}]
spectra: {count: 5}
stop: {after: 30 ns, decay: off}
END

good "a walk" 'wrote room-walk.h5, room-walk.npy and room-walk.png' walk room.yaml --path "1,0.5 1,1.1" --rate 40Hz --radius 10cm
check "links are told" grep -q 'hall to desk left: at most [0-9.]* dB' out
check "poses a second are told" grep -q 'poses a second after the runs' out
check "what is left out is told" grep -q 'not included: waves that go back and forth' out
check "npy: 21 poses, 5 frequencies, 2 receivers, 2 transmitters" \
    sh -c "head -c 192 room-walk.npy | grep -a -q \"'<c8', 'fortran_order': False, 'shape': (21, 5, 2, 2)\""
check "npy: all of it" [ "$(wc -c < room-walk.npy)" -eq $((192 + 21 * 5 * 4 * 8)) ]
check "the picture is one" sh -c "head -c 8 room-walk.png | grep -q PNG"
check "the file is HDF5" sh -c "head -c 8 room-walk.h5 | grep -a -q HDF"

good "what walls send back" 'run of air alone' walk room.yaml --path 1,0.9 --radius 10cm --method walls --rx far --tx door -o walls.h5
check "it is not said to be left out" sh -c "! grep -q 'not included' out"
check "runs are told" grep -q 'runs of the empty floor' out
good "links and tones that are asked for" '2 persons, 4 frequencies, 1 transmitter, 1 receiver' walk room.yaml --tx door --rx far \
    --path "1,0.5 1,0.7" --path 1.3,0.9 --subcarriers 4x10MHz --rate 40Hz --radius 10cm -o two.h5
good "a film" 'room-film.npy, film.gif and room-film.png' walk room.yaml --path "1,0.5 1,1.1" --rate 25Hz --radius 10cm -o room-film.h5 --film film.gif
check "the film is an animated GIF" sh -c "head -c 6 film.gif | grep -q GIF89a && grep -a -q NETSCAPE film.gif"
good "slow poses are told to fold" '' walk room.yaml --path "1,0.5 1,1.1" --rate 10Hz --radius 10cm -o slow.h5
check "slow poses are told to fold" grep -q 'fold at a rate of 10 Hz: --rate 25Hz or more' err

good "somebody far behind the antennas" "to far: at most 0.0 dB" walk room.yaml --set "plan={size: [9 m, 3 m]}" --path 6.5,2.2 --radius 10cm -o behind.h5
check "no level is minus nothing" sh -c "! grep -q -e '-0\\.0 dB' out"
good "receivers of the spectra stay out of it" '1 transmitter, 1 receiver' walk room.yaml --path 1,0.9 --radius 10cm --tx door \
    --set 'receivers[0].record=spectra' -o kept.h5
good "a run that ends early is told" '' walk room.yaml --path 1,0.9 --radius 10cm --set 'stop.after=4 ns' -o early.h5
check "a run that ends early is told" grep -q 'warning: .*hall.*the run ended' err

bad "what is there is kept" 3 "exists" walk room.yaml --path 1,0.9
bad "no path" 2 "--path is missing" walk room.yaml
bad "a path that is none" 2 "'1;2' is no point" walk room.yaml --path "1;2"
bad "a speed that is none" 2 "write 1.2m/s" walk room.yaml --path 1,0.9 --speed 3knots
bad "a name that is none" 2 "must end in .h5" walk room.yaml --path 1,0.9 -o walk.npy
bad "a film that is none" 2 "must end in .gif" walk room.yaml --path 1,0.9 --film film.mp4
bad "nothing to check" 2 "there is nothing for --check" walk room.yaml --path 1,0.9 --method exact --check 2
bad "no such receiver" 2 "receiver 'near' is not in the scenario" walk room.yaml --path 1,0.9 --rx near -f
bad "no such transmitter" 2 "transmitter 'near' is not in the scenario" walk room.yaml --path 1,0.9 --tx near -f
bad "a person too small for the grid" 3 "is too small for points of the field that are 0.02 m apart" walk room.yaml --path 1,0.9 --radius 1mm -f
bad "a person too large" 2 "a person of radius 2 m; allowed: above 0, at most 1 m" walk room.yaml --path 1,0.9 --radius 2m -f
bad "too many poses" 2 "6e.07 poses; allowed are 1000000" walk room.yaml --path "1,0.5 1,1.1" --speed 0.001 --rate 100kHz -f
bad "into a wall" 3 "meets a wall or a thing: it needs 0.1" walk room.yaml --path "1,0.9 1,0.2" --radius 10cm -f
bad "off the plan" 3 "is not on the plan, 2 x 1.4 m" walk room.yaml --path "1,0.9 1,1.39" --radius 10cm -f
bad "onto a station" 3 "stands on 'desk left'" walk room.yaml --path "1,0.7 1.9,0.7" --radius 10cm -f
bad "no receivers" 3 "give receivers" walk room.yaml --path 1,0.9 --set 'receivers=[]' -f
bad "no spectra" 3 "needs running spectra" walk room.yaml --path 1,0.9 --set spectra=off -f
good "horizontal polarisation" 'wrote across.h5' walk room.yaml --path 1,0.9 --radius 10cm --set polarisation=horizontal -o across.h5
bad "antennas that are no loops" 3 "'hall'.*send alike to all sides" walk room.yaml --path 1,0.9 --radius 10cm \
    --set polarisation=horizontal --set 'transmitters[0].polarisation=x' -f
cat > space.yaml << 'END'
dimensions: 3
plan: {size: [2 m, 1.4 m], storey: {height: 30 cm}}
grid: {cell: 2 cm}
band: {centre: 500 MHz, width: 100 MHz}
transmitters: [{name: hall, at: [0.3 m, 0.7 m, 25 cm]}]
receivers: [{name: far, at: [1.8 m, 1.2 m, 10 cm]}]
spectra: {count: 5}
stop: {after: 8 ns, decay: off}
END
bad "three dimensions, quickly" 3 "in three dimensions a walk solves every pose, which takes long: --method exact" walk space.yaml --path 1,0.9 -f
bad "a person higher than the room" 3 "does not stand upright in a storey of 0.3 m" walk space.yaml --path 1,0.9 --method exact -f
bad "a storey that is none" 2 "storey 'attic' is not in the plan" walk space.yaml --path 1,0.9 --method exact --storey attic -f
bad "a storey of two dimensions" 2 "a storey is for three dimensions" walk room.yaml --path 1,0.9 --storey attic -f
good "three dimensions" 'cells of 2 cm' walk space.yaml --path 1,0.9 --method exact --height 20cm -o space.h5
bad "its own input" 2 "" walk room.yaml --path 1,0.9 -f -o room.yaml

finish
