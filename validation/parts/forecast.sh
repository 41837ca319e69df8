#!/bin/bash
# What a dry run says about time and memory of several ranks, against what a run then takes. Two and three dimensions, three schemes, one
# thread each rank. A line for each run; the exit status is 1 when a time is off by more than a quarter.
#   validation/parts/forecast.sh [CASE:RANKS...]      PLANWAVE=build/planwave MPIRUN='mpirun --bind-to core' SPAN=1
# Cases: yee-2d dd4-2d fd4o-2d yee-3d dd4-3d fd4o-3d. SPAN makes runs longer. Needs as many quiet cores as ranks, and awk.
PLANWAVE=$(realpath "${PLANWAVE:-build/planwave}")
MPIRUN=${MPIRUN:-mpirun --bind-to core}
SPAN=${SPAN:-1}
export OMP_NUM_THREADS=1
[ $# -gt 0 ] || set -- {yee-2d,dd4-2d,fd4o-2d,yee-3d,dd4-3d,fd4o-3d}:{1,2,4}
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT

cat > plane.yaml << 'END'
title: A hall
plan:
  size: [23 m, 25 m]
  rectangles: [{from: [12 m, 0 m], to: [12.2 m, 18 m], material: concrete}, {from: [14 m, 16 m], to: [22 m, 16.1 m], material: brick}]
grid: {cell: 1 cm, absorber: {cells: 10}}
band: {centre: 2.4 GHz, width: 400 MHz}
transmitters: [{name: ap, at: [10.3 m, 12.5 m]}]
receivers: [{name: desk, at: [20.5 m, 11 m]}]
spectra: {count: 16, spacing: 6 cells}
stop: {decay: -300 dB}
END
cat > room.yaml << 'END'
title: A room
dimensions: 3
plan:
  size: [2.4 m, 2 m]
  storey: {height: 2 m, floor: {material: concrete, thickness: 10 cm}, ceiling: {material: concrete, thickness: 10 cm}}
  walls: [{from: [1, 0], to: [1, 1], thickness: 10 cm, material: brick}]
grid: {cell: 1 cm, absorber: {cells: 10}}
band: {centre: 2.4 GHz, width: 400 MHz}
transmitters: [{name: ap, at: [0.5, 0.7, 0.8]}]
receivers: [{name: desk, at: [1.53, 0.74, 0.77]}]
spectra: {count: 16, spacing: 4 cells, heights: [0.75 m]}
stop: {decay: -300 dB}
END

# after CASE: simulated time [ps] of a run of some seconds on one core.
after() {
    case $1 in
    yee-2d) echo 40000 ;;
    fd4o-2d) echo 20000 ;;
    dd4-2d) echo 8000 ;;
    yee-3d) echo 1600 ;;
    *) echo 900 ;;
    esac
}

# The most that each rank but the first has held, while `mpirun` with this id runs: MB of the largest.
watch_memory() {
    most=0
    while kill -0 "$1" 2> /dev/null; do
        for id in $(pgrep -x planwave); do
            (tr "\0" "\n" < "/proc/$id/environ") 2> /dev/null | grep -qE '^(OMPI_COMM_WORLD_RANK|PMI_RANK)=[1-9]' || continue
            held=$(awk '/^VmHWM/ { print $2 }' "/proc/$id/status" 2> /dev/null)
            [ "${held:-0}" -gt "$most" ] && most=$held
        done
        echo "$most" > held
        sleep 0.1
    done
}

number() { # NAME FILE: the last value of a name in JSON.
    grep -oE "\"$1\": *[-0-9.e+]+" "$2" | tail -n 1 | sed 's/.*: *//'
}

printf '%-8s %5s  %9s %9s %6s  %9s %8s %8s %8s  %9s %9s  %9s %9s\n' case ranks 'said s' 'took s' ratio 'exch said' stepped packed waited \
    '0 said MB' 'held MB' '1 said MB' 'held MB'
worst=1
for job in "$@"; do
    name=${job%:*} ranks=${job#*:} scenario=plane.yaml
    [ "${name#*-}" = 3d ] && scenario=room.yaml
    echo 0 > held
    # shellcheck disable=SC2086
    timeout 120 $MPIRUN -n "$ranks" "$PLANWAVE" run $scenario --set grid.scheme="${name%-*}" \
        --set stop.after="$(($(after "$name") * SPAN)) ps" --backend cpu --checkpoint off --progress json -o result.h5 -f > out 2> err < /dev/null &
    watch_memory $!
    wait $! || { echo "$job failed:" && cat err; continue; }
    "$PLANWAVE" info --json result.h5 > facts
    shares=$(grep -o 'busiest: .*' err | tail -n 1 | grep -oE '[0-9.]+ %' | tr -d '%\n')
    awk -v name="$name" -v ranks="$ranks" -v said="$(number seconds_predicted out)" -v took="$(number solve facts)" \
        -v share="$(number exchange_share out)" -v shares="${shares:-100 0 0}" -v first="$(number first_rank_bytes out)" \
        -v all="$(number host_bytes out)" -v other="$(number rank_bytes out)" -v held="$(number peak_memory facts)" \
        -v held_other="$(cat held)" '
        BEGIN {
            split(shares, share_of, " ")
            printf "%-8s %5d  %9.2f %9.2f %6.2f  %8.1f%% %7.0f%% %7.1f%% %7.1f%%  %9.0f %9.0f  %9.0f %9.0f\n", name, ranks, said, took,
                said / took, 100 * share, share_of[1], share_of[2], share_of[3], (first > 0 ? first : all) / 1e6, held / 1e6, other / 1e6,
                held_other / 1e3
        }'
    worst=$(awk -v worst="$worst" -v said="$(number seconds_predicted out)" -v took="$(number solve facts)" 'BEGIN {
        ratio = said > took ? said / took : took / said
        print (ratio > worst ? ratio : worst) }')
done
echo "the worst forecast of a time is off by a factor of $worst"
awk -v worst="$worst" 'BEGIN { exit worst > 1.25 }'
