#!/bin/sh
# The forecast of host memory against what the process then held at most, within 10 %: small scenarios in two and three dimensions, with
# and without spectra. With the argument `all` twelve of them, which takes minutes.
. tests/support/script.sh

# scenario NAME DIMENSIONS SIDE CELL FREQUENCY AFTER SPECTRA RECEIVERS TRANSMITTERS
scenario() {
    z=
    {
        echo "title: $1"
        echo "dimensions: $2"
        echo "plan:"
        echo "  size: [$3 m, $3 m]"
        if [ "$2" -eq 3 ]; then
            z=", 1.2 m"
            echo "  storey: {height: 2.5 m, floor: {material: concrete, thickness: 20 cm}}"
        fi
        echo "  walls: [{from: [0.5 m, 1 m], to: [2 m, 1 m], thickness: 12 cm, material: brick}]"
        echo "band: {centre: $5, width: 100 MHz}"
        echo "grid: {cell: $4}"
        echo "transmitters:"
        for n in $(seq "$9"); do
            echo "  - {at: [1.4 m, 1.$n m$z], power: 20 dBm}"
        done
        echo "receivers:"
        for n in $(seq "$8"); do
            echo "  - {at: [1.$((n % 90 + 10)) m, 0.$((n % 80 + 20)) m$z]}"
        done
        echo "spectra: $7"
        echo "stop: {after: $6, decay: off}"
    } > "$1.yaml"
}

# forecast NAME OPTIONS...: runs the scenario and compares.
forecast() {
    name=$1
    shift
    run run "$name.yaml" --backend cpu --progress json -f -o "$name.h5" "$@"
    told=$(sed -n 's/.*"host_bytes": \([0-9]*\).*/\1/p' out)
    run info "$name.h5" --json
    held=$(tr ',' '\n' < out | sed -n 's/.*"peak_memory": *\([0-9.e+]*\).*/\1/p')
    problem=$(awk -v told="${told:-0}" -v held="${held:-0}" 'BEGIN {
        if (told < 0.9 * held || told > 1.1 * held) printf "forecast %.1f MB, held %.1f MB", told / 1e6, held / 1e6 }')
    verdict "$name: forecast $(awk -v m="$told" 'BEGIN { printf "%.1f", m / 1e6 }') MB, held $(awk -v m="$held" 'BEGIN { printf "%.1f", m / 1e6 }') MB" "$problem"
}

scenario flat 2 6 "1 cm" "2.4 GHz" "6 ns" off 1 1
forecast flat
scenario flat_spectra 2 6 "1 cm" "2.4 GHz" "6 ns" "{count: 65, spacing: 2 cells}" 1 1
forecast flat_spectra
scenario flat_receivers 2 4 "2 cm" "1.5 GHz" "120 ns" off 20 1
forecast flat_receivers
scenario space 3 3 "6 cm" "500 MHz" "6 ns" "{count: 33, spacing: 2 cells, heights: [1.2 m]}" 1 1
forecast space
if [ "$1" = all ]; then
    scenario wide 2 14 "1 cm" "2.4 GHz" "6 ns" off 1 1
    forecast wide
    scenario wide_spectra 2 10 "1 cm" "2.4 GHz" "6 ns" "{count: 129, spacing: 2 cells}" 1 1
    forecast wide_spectra
    forecast wide_spectra --precision double
    scenario several 2 6 "1 cm" "2.4 GHz" "6 ns" "{count: 65, spacing: 2 cells}" 1 3
    forecast several
    scenario space_plain 3 4 "5 cm" "600 MHz" "6 ns" off 1 1
    forecast space_plain
    scenario space_wide 3 8 "5 cm" "600 MHz" "4 ns" off 1 1
    forecast space_wide
    scenario space_planes 3 5 "5 cm" "600 MHz" "4 ns" "{count: 65, spacing: 1 cells, heights: [0.5 m, 1.2 m, 2 m]}" 20 1
    forecast space_planes
    scenario space_double 3 4 "5 cm" "600 MHz" "4 ns" "{count: 33, spacing: 2 cells, heights: [1.2 m]}" 1 2
    forecast space_double --precision double
fi
finish
