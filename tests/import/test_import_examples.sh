#!/bin/bash
# The commands of floorplans/README.md that import plans as people have them, as they stand there: each makes a scenario that can be run.
. tests/support/script.sh
mkdir floorplans
ln -s "$here"/floorplans/* floorplans/
sed -n 's/^    planwave import //p' floorplans/README.md > commands
check "there are commands" test "$(wc -l < commands)" -ge 10
sanitized && grep -v '\.png\|\.jpg' commands > few && mv few commands # pictures take minutes there
while read -r command; do
    set -f
    eval "set -- $command"
    set +f
    stem=$(basename "$1" | sed 's/\.[^.]*$//')
    good "$1 becomes a scenario" 'the plan has' import "$@" -f
    sed -i 's/, channel: [^,}]*//' "$stem.yaml" # of Wi-Fi, which the band of the run is not
    good "which runs" 'wrote' run "$stem.yaml" -o result.h5 -f --progress none --set 'grid={cell: 10 cm, scheme: yee}' --set band=500MHz \
        --set 'stop={steps: 20}'
done < commands
finish
