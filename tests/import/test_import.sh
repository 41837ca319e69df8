#!/bin/bash
# planwave import from a file to a map: what it writes is a scenario that runs, in words that can be changed, and a change shows in
# --diff. What is wrong ends with its own status and leaves everything as it was.
. tests/support/script.sh

# A room of 6 x 4 m beside one of 4 x 4 m, outer walls of concrete, a door between the rooms; in metres.
cat > rooms.geojson << 'END'
{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "local metres"}}, "features": [
 {"type": "Feature", "properties": {"indoor": "wall", "material": "concrete"},
  "geometry": {"type": "LineString", "coordinates": [[0, 0], [10, 0], [10, 4], [0, 4], [0, 0]]}},
 {"type": "Feature", "properties": {"indoor": "wall"}, "geometry": {"type": "LineString", "coordinates": [[6, 0], [6, 4]]}},
 {"type": "Feature", "properties": {"door": "yes"}, "geometry": {"type": "LineString", "coordinates": [[6, 1], [6, 2]]}}]}
END
good "a drawing becomes a scenario" 'm2 of concrete' import rooms.geojson --frequency 800MHz --tx 3,3
check "which is there" test -s rooms.yaml
check "with a picture beside it" test -s rooms-import.png
check "and says what is a guess" grep -q 'guess' rooms.yaml
good "it runs" 'wrote' run rooms.yaml -o rooms.h5 --progress none --set 'accuracy=4 dB'
good "and has a map" 'wrote' map rooms.h5 -o rooms.png
check "nothing of which has a partial left" test -z "$(ls -A | grep partial)"
good "the scenario is the same from another folder" '.' import rooms.geojson -o "$PWD/there.yaml" --overlay "$PWD/there.png" --tx 3,3
good "nothing differs from itself" 'nothing differs' import --diff rooms.yaml there.yaml
good "a class is said" 'stands for' import rooms.geojson -o said.yaml --overlay said.png --class 'indoor=wall=glass' --tx 3,3
good "and differs where it stood" 'm2 from brick to glass' import --diff rooms.yaml said.yaml -o changes.png
check "and says where it is drawn" grep -q '^wrote changes.png' out
check "which is drawn" test -s changes.png

bad "an existing scenario is kept" 3 'rooms.yaml' import rooms.geojson
bad "a file that is not there" 3 'nothere' import nothere.dxf
echo nonsense > nonsense.bin
bad "a file of no format" 3 'is not a' import nonsense.bin -o x.yaml
bad "a class without its words" 2 'NAME=MATERIAL' import rooms.geojson -o x.yaml --class WALL
bad "an unknown material" 3 'unknown material' import rooms.geojson -o x.yaml --class '*=cheese'
bad "an unknown material of walls" 2 'no material' import rooms.geojson -o x.yaml --wall cheese
bad "nothing that is a wall" 3 'was understood as a wall' import rooms.geojson -o x.yaml --class '*=ignored'
bad "an unknown floor" 3 'no floor' import rooms.geojson -o x.yaml --page attic
bad "a scale of one point" 2 'scale' import rooms.geojson -o x.yaml --scale 1,1,1,1=3m
bad "a region that is none" 2 'region' import rooms.geojson -o x.yaml --region 1,1,0,0
bad "a transmitter that is none" 2 'tx' import rooms.geojson -o x.yaml --tx 3
bad "a transmitter outside the drawing" 3 '\(30, 3\) m.*outside the plan.*from 0 to 12 m and y from 0 to 6 m' import rooms.geojson -o x.yaml --tx 30,3
bad "an unknown key of pictures" 3 'unknown key' import rooms.geojson -o x.yaml --picture skan=on
bad "two files" 2 'one file' import rooms.geojson rooms.geojson
bad "a difference of one" 2 'two scenarios' import --diff rooms.yaml
bad "a difference of what is no scenario" 3 'nonsense' import --diff rooms.yaml nonsense.bin
finish
