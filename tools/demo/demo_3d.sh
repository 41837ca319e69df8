#!/bin/sh
# The flat of the demo with its floor, its ceiling and its doors' lintels, solved in three dimensions at 868 MHz, into demo/: what a
# newcomer would type, with every command shown. PLANWAVE is the program, default build/planwave.
set -eu
planwave=${PLANWAVE:-build/planwave}
mkdir -p demo

show() {
    printf '\n$ planwave'
    printf " '%s'" "$@" | sed "s/ '\([A-Za-z0-9_.,/=-]*\)'/ \1/g"
    printf '\n'
    "$planwave" "$@"
}

set -- floorplans/flat.yaml --set dimensions=3 --set 'band={centre: 868 MHz, width: 100 MHz}'
show rasterize "$@" -o demo/flat-3d.png --force
show run "$@" --set 'spectra={heights: [0.5 m, 1.5 m], cuts: [{from: [0 m, 7.68 m], to: [15.36 m, 7.68 m]}]}' \
    -o demo/flat-3d.h5 --force
show map demo/flat-3d.h5 --quantity received-power --height 1.5 -o demo/flat-3d-1.5m.png --force
show map demo/flat-3d.h5 --quantity received-power --height 0.5 -o demo/flat-3d-0.5m.png --force
show map demo/flat-3d.h5 --quantity received-power --cut 1 -o demo/flat-3d-cut.png --force
show channel demo/flat-3d.h5 --rx north -o demo/channel-3d-north --force

printf '\nLook at\n'
echo "  demo/flat-3d.png                   what was solved, the ceiling lifted off"
echo "  demo/flat-3d-1.5m.png              received power at 1.5 m, and in flat-3d-0.5m.png at 0.5 m"
echo "  demo/flat-3d-cut.png               received power from the floor to the ceiling"
echo "  demo/channel-3d-north              a receiver in three dimensions, with its cross-polar ratio"
