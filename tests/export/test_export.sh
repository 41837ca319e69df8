#!/bin/bash
# planwave export from a scenario to files of other programs, and back through planwave import; what cannot be written ends with its own
# status and leaves no file.
. tests/support/script.sh
plans=$here/floorplans

good "a flat as GeoJSON" 'wrote flat.geojson' export "$plans/flat_geometry.yaml" -o flat.geojson
good "which is imported again" 'wrote flat.yaml' import flat.geojson --tx 7,7
good "as OpenIntent" 'wrote flat.openintent.json' export "$plans/flat_geometry.yaml" -o flat.openintent.json
good "which is imported again" 'wrote again.yaml' import flat.openintent.json -o again.yaml
good "as SVG" 'wrote flat.svg' export "$plans/flat_geometry.yaml" -o flat.svg
good "which is imported again" 'wrote third.yaml' import flat.svg --unit 1m --tx 7,7 -o third.yaml
good "a storey of a house" 'wrote ground.svg' export "$plans/house.yaml" --storey ground -o ground.svg
good "walls and doors of which are guessed from their names" 'm2 of brick' import ground.svg --unit 1m --tx 5,5
good "its access points" 'wrote aps.csv' export "$plans/house.yaml" -o aps.csv
check "are a line each" test "$(wc -l < aps.csv)" -eq 2
good "what an esx has" 'wrote esx.yaml' import "$plans/flat.esx" -o esx.yaml
good "becomes OpenIntent" 'wrote esx.openintent.json' export esx.yaml -o esx.openintent.json

bad "an existing file is kept" 3 'flat.svg' export "$plans/flat_geometry.yaml" -o flat.svg
bad "walls of a picture" 3 'pixels of' export "$plans/flat.yaml" -o picture.svg
check "leave no file" test ! -e picture.svg
bad "two storeys as SVG" 3 'holds one storey' export "$plans/house.yaml" -o house.svg
bad "an unknown storey" 3 'no storey' export "$plans/house.yaml" --storey attic -o house.svg
bad "an unknown ending" 3 'allowed endings are' export "$plans/house.yaml" -o house.dwg
bad "no file" 2 'say where to' export "$plans/house.yaml"
finish
