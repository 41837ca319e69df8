#!/bin/sh
# Shows that two builds of planwave give the same bits: solves the five floor plans in the seven schemes with few and with many
# frequencies on every backend, with both programs, and compares all that the results hold but their timing.
#   tests/same_bits.sh [OPTION...] OLD NEW [BACKEND...]
#       OLD NEW        the two programs; - for OLD when its results are all kept
#       BACKEND        reference, cpu (on one thread and on two) or cuda; without one: all that work here
#       --keep DIR     keeps the results of OLD in DIR, and takes those that lie there instead of solving anew
#       --full         cells as the floor plans have them, for a GPU; without it cells of 6 cm: minutes on two cores
#       --plans LIST, --schemes LIST, --counts LIST   some of them, as in --schemes 'yee dd4'
# Prints a table of verdicts; the exit status is 0 when every bit of every result agrees.
usage() {
    sed -n '4,10s/^# *//p' "$0"
    exit 2
}

cd "$(dirname "$0")/.." || exit 1
plans='empty_room corridor flat flat_geometry office'
schemes='yee dd2 dd3 dd4 fd4 fd6 fd8'
counts='9 70' # frequencies: summed one by one, and by transforms of groups of samples
kept='' full=''
while [ $# -gt 0 ]; do
    case $1 in
    --keep) kept=$2 && shift ;;
    --plans) plans=$2 && shift ;;
    --schemes) schemes=$2 && shift ;;
    --counts) counts=$2 && shift ;;
    --full) full=yes ;;
    -?*) usage ;;
    *) break ;;
    esac
    shift
done
[ $# -ge 2 ] || usage
old=$1 new=$2
shift 2

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "${kept:=$work}" || exit 1

works() { # BACKEND: whether the new program can use it here
    ! "$new" info --backends | grep -A 1 "^$1 " | grep -q 'not available'
}
engines=''
[ $# -gt 0 ] || set -- reference cpu cuda
for backend in "$@"; do
    case $backend in
    reference) engines="$engines reference" ;;
    cpu) engines="$engines cpu-1 cpu-2" ;;
    cuda)
        if works cuda; then engines="$engines cuda"; else echo "cuda: skipped, it does not work here"; fi
        ;;
    *) usage ;;
    esac
done

# solve PROGRAM PLAN SCHEME COUNT ENGINE FILE. The Courant number is one that every scheme and averaging allows.
solve() {
    backend=${5%-[12]} threads=${5#cpu}
    set -- "$6" "$1" run "floorplans/$2.yaml" --set "grid.scheme=$3" --set "spectra.count=$4" --set grid.courant=0.35
    if [ -n "$full" ]; then
        set -- "$@" --set 'stop={after: 20 ns}'
    else
        set -- "$@" --set 'stop={after: 30 ns}' --set 'grid.cell=6 cm' --set 'band={centre: 700 MHz, width: 400 MHz}'
    fi
    [ "$backend" = cpu ] && set -- "$@" --threads "${threads#-}"
    output=$1
    shift
    "$@" --backend "$backend" --progress none --checkpoint off -q -f -o "$output"
}

# judge PLAN SCHEME COUNT ENGINE: solves with both programs; leaves one word in $work/ENGINE.verdict, and what was said in $work/ENGINE.log.
judge() {
    before=$kept/$1-$2-$3-$4${full:+-full}.h5
    after=$work/$4.h5
    verdict=same
    {
        if [ ! -f "$before" ] && ! solve "$old" "$@" "$before"; then
            verdict=OLD-FAILS
        elif ! solve "$new" "$@" "$after"; then
            verdict=NEW-FAILS
        elif ! "$new" compare "$after" "$before" --max-error 0; then
            verdict=DIFFERENT
        fi
    } > "$work/$4.log" 2>&1
    echo "$verdict" > "$work/$4.verdict"
    rm -f "$after"
    [ "$kept" != "$work" ] || rm -f "$before"
}

different=0 same=0
printf '%-14s %-5s %11s  %s\n' plan scheme frequencies verdicts
for plan in $plans; do
    for scheme in $schemes; do
        for count in $counts; do
            for engine in $engines; do
                judge "$plan" "$scheme" "$count" "$engine" &
            done
            wait
            verdicts=''
            for engine in $engines; do
                verdict=$(cat "$work/$engine.verdict")
                verdicts="$verdicts $engine:$verdict"
                if [ "$verdict" = same ]; then
                    same=$((same + 1))
                else
                    different=$((different + 1))
                    grep -v warning "$work/$engine.log" | tail -n 4 >&2
                fi
                rm -f "$work/$engine.verdict"
            done
            printf '%-14s %-5s %11s %s\n' "$plan" "$scheme" "$count" "$verdicts"
        done
    done
done
echo "$same results with the same bits, $different without"
[ "$different" -eq 0 ] && [ "$same" -gt 0 ]
