#!/bin/bash
# What a dry run says about time and memory of several ranks, against what a run then takes: two and three dimensions, three schemes, one
# thread each rank. A line for each run; the exit status is 1 when a time is off by more than a quarter,
# or a run fails.
#   validation/parts/forecast.sh [CASE:RANKS[:weak]...]      PLANWAVE=build/planwave MPIRUN='mpirun --bind-to core' SPAN=1
# Cases: yee-2d dd4-2d fd4o-2d yee-3d dd4-3d fd4o-3d; :weak makes the plan as many times longer as there are ranks. SPAN makes runs longer.
# Runs are long against the time that a wave takes to cross the plan, so that what is still at rest counts little. Needs as many quiet
# cores as ranks, and awk.
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
  size: [10 m, 11 m]
  rectangles: [{from: [5 m, 0 m], to: [5.2 m, 8 m], material: concrete}, {from: [6 m, 7 m], to: [9 m, 7.1 m], material: brick}]
grid: {cell: 1 cm, absorber: {cells: 10}}
band: {centre: 2.4 GHz, width: 400 MHz}
transmitters: [{name: ap, at: [4.3 m, 5.5 m]}]
receivers: [{name: desk, at: [8.5 m, 5 m]}]
spectra: {count: 16, spacing: 6 cells}
stop: {decay: -300 dB}
END
cat > room.yaml << 'END'
title: A room
dimensions: 3
plan:
  size: [1.1 m, 1 m]
  storey: {height: 1 m, floor: {material: concrete, thickness: 10 cm}, ceiling: {material: concrete, thickness: 10 cm}}
  walls: [{from: [0.6, 0], to: [0.6, 0.5], thickness: 10 cm, material: brick}]
grid: {cell: 1 cm, absorber: {cells: 10}}
band: {centre: 2.4 GHz, width: 400 MHz}
transmitters: [{name: ap, at: [0.3, 0.6, 0.4]}]
receivers: [{name: desk, at: [0.93, 0.74, 0.57]}]
spectra: {count: 16, spacing: 4 cells, heights: [0.5 m]}
stop: {decay: -300 dB}
END

# after CASE: simulated time [ps] of a run of some seconds on one core.
after() {
    case $1 in
    yee-2d) echo 160000 ;;
    fd4o-2d) echo 70000 ;;
    dd4-2d) echo 32000 ;;
    yee-3d) echo 9000 ;;
    *) echo 4000 ;;
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
worst=1 failed=0
for job in "$@"; do
    IFS=: read -r name ranks weak << END
$job
END
    scenario=plane.yaml size='[10 m, %d m]' length=11
    [ "${name#*-}" = 3d ] && scenario=room.yaml size='[1.1 m, %d m]' length=1
    # shellcheck disable=SC2059
    size=$(printf "$size" $((length * (${weak:+1} + 0 ? ranks : 1))))
    echo 0 > held
    # shellcheck disable=SC2086
    timeout 120 $MPIRUN -n "$ranks" "$PLANWAVE" run $scenario --set grid.scheme="${name%-*}" --set plan.size="$size" \
        --set stop.after="$(($(after "$name") * SPAN)) ps" --backend cpu --checkpoint off --progress json -o result.h5 -f > out 2> err < /dev/null &
    watch_memory $!
    wait $! || { echo "$job failed:" && cat err && failed=1; continue; }
    "$PLANWAVE" info --json result.h5 > facts
    shares=$(grep -o 'busiest: .*' err | tail -n 1 | grep -oE '[0-9.]+ %' | tr -d '%\n')
    awk -v name="$name" -v ranks="$ranks" -v weak="${weak:+ w}" -v said="$(number seconds_predicted out)" -v took="$(number solve facts)" \
        -v share="$(number exchange_share out)" -v shares="${shares:-100 0 0}" -v first="$(number first_rank_bytes out)" \
        -v all="$(number host_bytes out)" -v other="$(number rank_bytes out)" -v held="$(number peak_memory facts)" \
        -v held_other="$(cat held)" '
        BEGIN {
            split(shares, share_of, " ")
            printf "%-8s %3d%2s  %9.2f %9.2f %6.2f  %8.1f%% %7.0f%% %7.1f%% %7.1f%%  %9.0f %9.0f  %9.0f %9.0f\n", name, ranks, weak, said, took,
                said / took, 100 * share, share_of[1], share_of[2], share_of[3], (first > 0 ? first : all) / 1e6, held / 1e6, other / 1e6,
                held_other / 1e3
        }'
    worst=$(awk -v worst="$worst" -v said="$(number seconds_predicted out)" -v took="$(number solve facts)" 'BEGIN {
        ratio = said > took ? said / took : took / said
        print (ratio > worst ? ratio : worst) }')
done
echo "the worst forecast of a time is off by a factor of $worst"
awk -v worst="$worst" -v failed="$failed" 'BEGIN { exit failed || worst > 1.25 }'
