#!/bin/bash
# Several processes under mpirun solve one job to the bits of one: two and three dimensions, both polarisations, poles, one-way edges; saved by
# so many ranks and resumed by others and by none; a rank that is killed; signals and time limits; and what cannot be. Without mpirun or
# in a build without MPI the first half is skipped, with a message; that such a build says what it lacks is tested in any case.
. tests/support/script.sh

cat > room.yaml << 'END'
title: A room for several ranks
plan: {size: [3 m, 2 m], rectangles: [{from: [1 m, 0 m], to: [1.1 m, 1.5 m], material: brick}]}
grid: {scheme: dd4, cell: 2.5 cm, absorber: {cells: 8}}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters:
  - {name: west, at: [0.3 m, 0.5 m]}
  - {name: east, at: [2.3 m, 0.5 m]}
receivers: [{name: middle, at: [1.5 m, 1 m]}]
spectra: {count: 7, spacing: 2 cells}
stop: {after: 60 ns, decay: -30 dB}
END
cat > house.yaml << 'END'
title: A room with a ceiling
dimensions: 3
plan:
  size: [2 m, 1.5 m]
  storey: {height: 1.5 m, floor: {material: concrete, thickness: 10 cm}, ceiling: {material: concrete, thickness: 10 cm}}
  walls: [{from: [1, 0], to: [1, 1], thickness: 10 cm, material: brick}]
grid: {scheme: yee, cell: 4 cm, absorber: {cells: 6}}
band: {centre: 700 MHz, width: 200 MHz}
transmitters: [{name: ap, at: [0.5, 0.7, 0.8]}]
receivers: [{name: desk, at: [1.53, 0.74, 0.77]}]
spectra: {count: 3, spacing: 2 cells, heights: [0.75 m]}
stop: {after: 15 ns}
END

# ranks N ARGUMENTS...: planwave under mpirun; as run.
ranks() {
    count=$1
    shift
    # shellcheck disable=SC2086
    timeout "$limit" mpirun $launch -n "$count" "$planwave" "$@" > out 2> err < /dev/null
    status=$?
}

same() { # NAME A B
    "$planwave" compare "$2" "$3" > compared 2>&1
    status=$? problem=
    [ "$status" -eq 0 ] || problem="$(tail -n 1 compared)"
    verdict "$1" "$problem"
}

# solved NAME N SCENARIO OPTIONS...: N ranks give the bits of one process.
solved() {
    name=$1 n=$2 scenario=$3
    shift 3
    rm -f whole.h5 many.h5
    if [ "$1" = --cut ]; then run run "$scenario" --backend cpu -o whole.h5 -q; else run run "$scenario" "$@" --backend cpu -o whole.h5 -q; fi
    ranks "$n" run "$scenario" "$@" -o many.h5 -q
    same "$name" whole.h5 many.h5
}

# Without MPI: who is told that there are two ranks, and cannot join them, says so once and solves nothing.
alone() {
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 timeout "$limit" "$planwave" run room.yaml -o no.h5 > out 2> err
    status=$?
    [ "$status" -eq 4 ] && [ ! -s out ] && [ ! -s err ] || verdict "the other ranks are silent without MPI" "status $status, or words"
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 timeout "$limit" "$planwave" run room.yaml -o no.h5 > out 2> err
    status=$? problem=
    [ "$status" -eq 4 ] || problem="status $status, not 4"
    grep -q 'built without MPI' err || problem="$problem; does not say so"
    [ ! -e no.h5 ] || problem="$problem; wrote something"
    verdict "a build without MPI says so under mpirun" "$problem"
}

export OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0
bad "only run takes several ranks" 2 "'info' works in one process" info room.yaml
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
bad "a cut wants as many ranks" 2 "the cut '2x2' is not one into 1 parts" run room.yaml --cut 2x2
bad "a cut is two or three numbers" 2 "the cut 'two' is not one" run room.yaml --cut two
bad "and nothing behind them" 2 "the cut '1x1x' is not one" run room.yaml --cut 1x1x
bad "of a size that there is" 2 "the cut '3000000000x3000000000x3000000000' is not one" run room.yaml --cut 3000000000x3000000000x3000000000

if "$planwave" --version | grep -q 'MPI  *not in'; then
    alone
fi
if ! command -v mpirun > /dev/null || "$planwave" --version | grep -q 'MPI  *not in'; then
    echo "skipped: no mpirun here, or planwave is built without MPI (Debian: openmpi-bin libopenmpi-dev)"
    finish
fi
launch=
if mpirun --version 2>&1 | grep -q 'Open MPI\|Open-MPI\|OpenRTE'; then
    launch="--oversubscribe --bind-to none"
    [ "$(id -u)" -ne 0 ] || launch="$launch --allow-run-as-root"
fi
export OMP_NUM_THREADS=1
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" # of MPI's own

# ---- the same bits ----
run run room.yaml --backend cpu -o one.h5 -q
for n in $(sanitized && echo 2 || echo 1 2 3); do
    ranks $n run room.yaml -o many.h5 -f -q
    same "$n ranks in two dimensions" one.h5 many.h5
done
solved "cut along x and y" 4 room.yaml --cut 2x2
if sanitized; then # the rest shows them nothing new
    solved "three dimensions" 3 house.yaml
    finish
fi
solved "horizontal polarisation" 3 room.yaml --set polarisation=horizontal --set grid.scheme=yee
solved "one-way edges, and poles" 2 room.yaml --set 'grid.absorber={kind: mur, order: 2}' \
    --set 'plan.rectangles=[{from: [1 m, 0.5 m], to: [1.1 m, 1.5 m], material: {name: wet, relative_permittivity: 3, poles: [{kind: debye, strength: 2, relaxation_time: 100 ps}]}}]'
solved "three dimensions" 3 house.yaml
solved "three dimensions, cut along all axes" 4 house.yaml --cut 1x2x2
ranks 3 run room.yaml --backend reference -o many.h5 -f -q
same "the reference backend" one.h5 many.h5

# ---- saved and resumed ----
long="--set stop.after=1us --set stop.decay=-300dB"
# shellcheck disable=SC2086
run run room.yaml $long -o long.h5 -q --backend cpu

# taken_up RANKS FILE: the checkpoint beside FILE, by so many ranks or by one process without mpirun (0), must lead to the bits of long.h5.
taken_up() {
    # shellcheck disable=SC2086
    if [ "$1" -eq 0 ]; then
        run run room.yaml $long -o "$2" --resume --progress none --backend cpu
    else
        ranks "$1" run room.yaml $long -o "$2" --resume --progress none
    fi
    [ "$status" -eq 0 ] || problem="$problem; resumed with status $status"
    grep -q 'continuing with transmitter' err || problem="$problem; began anew"
    "$planwave" compare long.h5 "$2" -q || problem="$problem; other bits"
}

# shellcheck disable=SC2086
ranks 2 run room.yaml $long -o stopped.h5 --time-limit 0.5s -q
problem=
[ "$status" -eq 6 ] || problem="status $status, not 6"
[ -f stopped.h5.checkpoint ] || problem="$problem; no checkpoint"
[ "$(grep -c 'the state is saved' err)" -eq 1 ] || problem="$problem; not said once"
taken_up 0 stopped.h5
verdict "saved by 2 ranks, resumed by one process" "$problem"

# The same in three dimensions, in pieces of which each crosses a cut.
after=80
for _ in $(seq 8); do # time limits are looked at every fifth of a second: a job that takes longer on any machine
    longer="--set stop.after=${after}ns --set stop.decay=-300dB"
    since=$(date +%s%N)
    # shellcheck disable=SC2086
    run run house.yaml $longer -o whole.h5 -f -q --backend cpu
    [ $((($(date +%s%N) - since) / 1000000)) -ge 1000 ] && break
    after=$((2 * after))
done
# shellcheck disable=SC2086
ranks 3 run house.yaml $longer -o halted.h5 --cut 1x1x3 --time-limit 0.01s -q
problem=
[ "$status" -eq 6 ] || problem="status $status, not 6"
ranks 2 run house.yaml $longer -o halted.h5 --cut 2x1x1 --resume --progress none
[ "$status" -eq 0 ] || problem="$problem; resumed with status $status"
grep -q 'continuing with transmitter' err || problem="$problem; began anew"
"$planwave" compare whole.h5 halted.h5 -q || problem="$problem; other bits"
verdict "three dimensions, saved by 3 ranks, resumed by 2 of another cut" "$problem"

# begin RANKS OPTIONS...: the long job under mpirun, by itself; returns when it has saved its first checkpoint.
begin() {
    count=$1
    shift
    rm -f lost.h5*
    # shellcheck disable=SC2086
    timeout "$limit" mpirun $launch -n "$count" "$planwave" run room.yaml "$@" -o lost.h5 --checkpoint 0.1s -q > out 2> err < /dev/null &
    launcher=$!
    for _ in $(seq 3000); do
        [ -f lost.h5.checkpoint ] && break
        sleep 0.02
    done
}

# The ranks at work in this folder: other jobs on the machine are not of concern.
ranks_here() {
    for id in $(pgrep -x planwave); do
        [ "$(readlink "/proc/$id/cwd")" != "$work" ] || echo "$id"
    done
}

# rank_here NUMBER: the process of that rank.
rank_here() {
    for id in $(ranks_here); do
        ! tr '\0' '\n' < "/proc/$id/environ" 2> /dev/null | grep -qE "^(OMPI_COMM_WORLD_RANK|PMI_RANK)=$1\$" || echo "$id"
    done
}

# The rank that is killed is not rank 0; the others must not go on without it, and what was saved before leads to the bits of a run that
# nobody disturbed, on another number of ranks.
killed() {
    # shellcheck disable=SC2086
    begin 3 $long
    kill -9 "$(rank_here 1)"
    wait $launcher
    status=$?
    problem=
    for _ in $(seq 100); do
        [ -n "$(ranks_here)" ] && sleep 0.05
    done
    [ "$status" -ne 0 ] || problem="status 0"
    [ -f lost.h5.checkpoint ] || problem="$problem; no checkpoint"
    [ ! -f lost.h5 ] || problem="$problem; a result"
    [ -s err ] || [ -s out ] || problem="$problem; nothing is said" # MPICH's says it on standard output
    [ -z "$(ranks_here)" ] || problem="$problem; ranks are left"
    verdict "a killed rank ends the others with an error" "$problem"
    problem=
    taken_up 2 lost.h5
    verdict "what 3 ranks had saved, 2 ranks take up to the same bits" "$problem"
}
killed

# mpirun hands USR1 on to the ranks, and rank 0 saves; TERM it does not hand on, but what rank 0 gets by itself has it save as well.
signalled() { # SIGNAL
    begin 2 --set 'stop.after=40 us' --set 'stop.decay=-300 dB'
    if [ "$1" = USR1 ]; then kill -USR1 "$(pgrep -P $launcher)"; else kill -"$1" "$(rank_here 0)"; fi
    wait $launcher
    status=$?
    problem=
    # MPICH's mpirun ends with 0 after a signal that it has handed on.
    [ "$status" -eq 6 ] || [ "$1,$status,$launch" = USR1,0, ] || problem="status $status, not 6"
    [ "$(grep -c 'the state is saved' err)" -eq 1 ] || problem="$problem; nothing saved"
    verdict "signal $1 ends in a checkpoint" "$problem"
}
signalled USR1
signalled TERM

# ---- who works together ----
commit=$("$planwave" --version | sed -n '1s/.*(\([0-9a-f]*\).*/\1/p')
LC_ALL=C sed "s/$commit/$(echo "$commit" | tr 0-9a-f 1-9a-f0)/g" "$planwave" > other-planwave
chmod +x other-planwave
# shellcheck disable=SC2086
timeout "$limit" mpirun $launch -n 1 "$planwave" run room.yaml -o no.h5 : -n 1 ./other-planwave run room.yaml -o no.h5 > out 2> err < /dev/null
status=$? problem=
[ "$status" -eq 4 ] || problem="status $status, not 4"
[ "$(grep -c 'the ranks are not of one build of planwave: rank 0 on .*, rank 1 on .*; install' err)" -eq 1 ] || problem="$problem; not said once"
[ ! -e no.h5 ] || problem="$problem; wrote something"
verdict "ranks of two builds are told apart" "$problem"

# An mpirun of another MPI says how many there are by its own names, and each process finds itself alone.
foreign() { # RANK STATUS
    if "$planwave" --version | grep -q 'Open MPI'; then
        PMI_SIZE=2 PMI_RANK=$1 timeout "$limit" "$planwave" run room.yaml -o no.h5 > out 2> err
    else
        OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$1 timeout "$limit" "$planwave" run room.yaml -o no.h5 > out 2> err
    fi
    status=$?
    [ "$status" -eq "$2" ] || problem="$problem; rank $1: status $status, not $2"
    [ ! -e no.h5 ] || problem="$problem; wrote something"
}
problem=
foreign 1 0
[ ! -s err ] || problem="$problem; rank 1 says something"
foreign 0 4
grep -q '2 processes were started together, but to .* they are 1: start them by the mpirun of that MPI' err || problem="$problem; not said"
verdict "an mpirun of another MPI is refused" "$problem"

# srun --mpi=pmix tells the rank by PMIX_RANK alone, and Slurm how many there are.
if [ -n "$launch" ]; then
    rm -f many.h5
    # shellcheck disable=SC2086
    timeout "$limit" mpirun $launch -n 3 sh -c 'unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK; SLURM_STEP_NUM_TASKS=3 exec "$@"' sh "$planwave" \
        run room.yaml -o many.h5 -q > out 2> err < /dev/null
    same "three ranks as srun starts them" one.h5 many.h5
fi

# ---- before the run ----
ranks 2 run room.yaml --dry-run
problem=
grep -qE 'ranks  *2, the grid cut into . x . parts that overlap by [0-9.]+ %; [0-9.]+ .?B exchanged every [0-9]+ steps' out || problem="no line of ranks"
[ "$(grep -c 'A room for several ranks' out)" -eq 1 ] || problem="$problem; said more than once"
verdict "the dry run knows the ranks" "$problem"

# ---- what cannot be ----
refused() { # NAME N STATUS PATTERN ARGUMENTS...
    name=$1 n=$2 expected=$3 pattern=$4 problem=
    shift 4
    before=$(files)
    ranks "$n" "$@"
    [ "$status" -eq "$expected" ] || problem="status $status, not $expected"
    [ "$(grep -cE -e "$pattern" err)" -eq 1 ] || problem="$problem; '$pattern' not said once"
    [ "$(files)" = "$before" ] || problem="$problem; files appeared or went"
    verdict "$name" "$problem"
}
refused "more ranks than the grid has room for" 3 2 'cannot be cut into 3 parts in the way that is asked for: at most' \
    run house.yaml --set 'plan.size=[0.6 m, 1.5 m]' --set 'plan.walls=[]' --set 'transmitters=[{name: ap, at: [0.3, 0.7, 0.8]}]' \
    --set 'receivers=[]' --cut 3x1 -o no.h5
refused "a cut for other ranks" 2 2 "the cut '3x1' is not one into 2 parts" run room.yaml --cut 3x1 -o no.h5
refused "a scenario that is not there" 2 3 'nothere.yaml' run nothere.yaml -o no.h5
refused "another command" 2 2 "works in one process" map one.h5 -o no.png
finish
