#!/bin/sh
# From a floor plan to maps and channels, end to end, into demo/: what a newcomer would type, with every command shown.
# PLANWAVE is the program, default build/planwave.
set -eu
planwave=${PLANWAVE:-build/planwave}
scenario=floorplans/flat.yaml
mkdir -p demo

show() {
    printf '\n$ planwave %s\n' "$*"
    "$planwave" "$@"
}

if command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; then
    if "$planwave" info --backends | grep -A 1 '^cuda' | grep -q 'not available'; then
        echo "There is a GPU here that planwave cannot use ('planwave info --backends' says why); this runs on the CPU."
    else
        echo "There is a GPU here: $(nvidia-smi -L | head -n 1 | sed 's/ (UUID.*//'). It will be used."
    fi
else
    echo "No GPU here: this runs on the CPU."
fi

show rasterize $scenario -o demo/plan.png --force
show run $scenario -o demo/flat.h5 --force
show map demo/flat.h5 --quantity path-gain -o demo/path-gain.png --force
show map demo/flat.h5 --quantity received-power --local-mean -o demo/coverage.png --force
show coverage demo/flat.h5 --threshold -30dBm,-40dBm,-50dBm,-67dBm --local-mean -o demo/coverage-table.csv --force
# The receivers of the scenario, by name.
receivers=$(sed -n '/^receivers:/,/^[a-z]/s/.*name: *\([A-Za-z0-9_-]*\).*/\1/p' $scenario | head -n 4)
for receiver in $receivers; do
    show channel demo/flat.h5 --rx "$receiver" -o "demo/channel-$receiver" --force
done

show report demo/flat.h5 -o demo/flat.html --force

printf '\nLook at\n'
echo "  demo/flat.html                     all of it in a browser: maps, the delay profile under the mouse"
echo "  demo/plan.png                      what was solved"
echo "  demo/coverage.png                  received power over the flat"
echo "  demo/coverage-table.csv            which part of the flat is over which level"
echo "  demo/path-gain.png                 path gain, without local averaging"
for receiver in $receivers; do
    printf '  %-34s power-delay profile and transfer function at %s; angles of arrival in angles.png\n' \
        "demo/channel-$receiver/channel.png" "$receiver"
done
