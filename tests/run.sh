#!/bin/sh
# Runs every test program and script, shows what failed, and closes with the line "N passed, M failed".
# SKIP names programs to leave out, ONLY the ones to run, JOBS says how many run at once (default: one for each core, four at most).
# A program that ends without cmocka's summary (a crash) counts as one failure. Each has its log in the build folder.
build=${BUILD:-build}
cores=$(nproc)
jobs=${JOBS:-$((cores < 4 ? cores : 4))}
# Threads of two programs share the cores: one that waits for others sleeps, else it would take the time of what it waits for.
[ "$jobs" -le 1 ] || export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
# What takes longest begins first, in this order, so that it does not keep one core busy at the end while the other has nothing left to
# do. The figure behind each program in the output, its processor seconds, says what belongs here.
slow="test_cli.sh test_kill.sh test_ranks.sh test_gradients test_sheets test_slurm.sh test_live_page.sh test_vector_array test_metal_cut
    test_forecast test_room_faults test_ordinary_plans.sh test_uncertainty.sh test_delay_guard test_faults test_mur test_workers
    test_import_examples.sh test_metal test_thick_walls test_report.sh test_sheet_rows test_physics test_metal_ez test_volume_job.sh
    test_install.sh test_sides test_diffuse test_exports.sh test_import.sh test_cpu test_volume_cpu test_checkpoint test_parts
    test_horizontal_job.sh"
# shellcheck disable=SC2116,SC2086
slow=$(echo $slow) # one line, as listed() wants it

# listed NAME LIST: whether the name is in the list.
listed() {
    case " $2 " in *" $1 "*) return 0 ;; esac
    return 1
}

# run_one PROGRAM: runs it and prints its line; leaves "PASSED FAILED" in its .count file.
run_one() {
    name=$(basename "$1")
    room=$(basename "$(dirname "$1")") # names of tests in two rooms may be the same
    log=$build/$room-$name.log
    start=$(date +%s)
    "$1" > "$log" 2>&1
    status=$?
    times > "$log.times" # of this shell, then of what it ran: minutes and seconds of user and system
    processor=$(awk -F '[ms ]+' 'NR == 2 {print int(60 * ($1 + $3) + $2 + $4 + 0.5)}' "$log.times")
    rm -f "$log.times"
    p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{s += $1} END {print s + 0}')
    f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | awk '{s += $1} END {print s + 0}')
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    { # in one go, so that the lines of two programs do not mix
        [ "$f" -eq 0 ] || printf -- '---- %s (status %d)\n%s\n' "$1" "$status" "$(grep -vE '^\[ (RUN|      OK) ' "$log" | tail -n 40)"
        printf '%-36s %4d passed, %d failed  (%d s, %d s of processor)\n' "$name" "$p" "$f" $(($(date +%s) - start)) "$processor"
    } > "$log.told"
    cat "$log.told"
    rm -f "$log.told"
    echo "$p $f" > "$build/counts/$room-$name"
}

if [ "$1" = --one ]; then
    run_one "$2"
    exit 0
fi
rm -rf "$build/counts"
mkdir -p "$build/counts"
first='' together=''
for program in "$build"/tests/*/test_* tests/*/test_*.sh; do
    name=$(basename "$program")
    [ -x "$program" ] || continue
    # a program whose source has gone or moved is left from an earlier build
    case $program in *.sh) ;; *) [ -f "tests/${program#"$build"/tests/}.c" ] || continue ;; esac
    listed "$name" "${SKIP:-}" && continue
    listed "$name" "${ONLY:-$name}" || continue
    if listed "$name" "$slow"; then
        first="$first $program"
    else
        together="$together $program"
    fi
done
ordered=''
for name in $slow; do
    for program in $first; do
        [ "${program##*/}" != "$name" ] || ordered="$ordered $program"
    done
done
# shellcheck disable=SC2086
printf '%s\n' $ordered $together | grep . | xargs -r -n 1 -P "$jobs" "$0" --one
for count in "$build"/counts/*; do # once more where it is seen: what failed may stand pages above
    read -r _ failed < "$count" 2> /dev/null || continue
    [ "$failed" -gt 0 ] || continue
    echo "failed: $(basename "$count")"
    grep -E '^\[ ( ERROR|  LINE |  FAILED)|ERROR: |runtime error: ' "$build/$(basename "$count").log" | head -n 12
done
cat "$build"/counts/* 2> /dev/null | awk '
    { passed += $1; failed += $2 }
    END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }'
