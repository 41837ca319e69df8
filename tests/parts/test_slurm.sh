#!/bin/bash
# The recipe for Slurm, with commands in place of Slurm's: what the time limit or a cancelled job sends to the script saves the state and puts
# the job back into the queue; begun again, it goes on to the bits of a run that nobody disturbed. Ranks come by mpirun and by a srun that
# starts them as Slurm's does with PMIx. Skipped without Open MPI.
. tests/support/script.sh
recipe=$here/floorplans/ranks/slurm_ranks.sh

if ! mpirun --version 2> /dev/null | grep -q 'Open MPI\|Open-MPI\|OpenRTE' || ! "$planwave" --version | grep -q 'Open MPI'; then
    echo "skipped: no Open MPI here, or planwave is built without it"
    finish
fi
cat > room.yaml << 'END'
title: A room on a cluster
plan: {size: [3 m, 2 m], rectangles: [{from: [1 m, 0 m], to: [1.1 m, 1.5 m], material: brick}]}
grid: {scheme: yee, cell: 2.5 cm, absorber: {cells: 8}}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters: [{name: west, at: [0.3 m, 0.5 m]}]
receivers: [{name: middle, at: [1.5 m, 1 m]}]
spectra: {count: 7, spacing: 2 cells}
stop: {after: 1200 ns, decay: -300 dB}
END
mkdir bin
ln -s "$planwave" bin/planwave
real=$(command -v mpirun)
root=$([ "$(id -u)" -ne 0 ] || echo --allow-run-as-root)
cat > bin/mpirun << END
#!/bin/sh
exec $real --oversubscribe $root -n 2 "\$@"
END
cat > bin/srun << END
#!/bin/sh
[ "\$1" = --mpi=pmix ] || exit 9
shift
exec $real --oversubscribe --bind-to none $root -n 2 sh -c 'unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK; SLURM_STEP_NUM_TASKS=2 exec "\$@"' sh "\$@"
END
printf '#!/bin/sh\necho "$@" >> queue\n' > bin/scontrol
chmod +x bin/mpirun bin/srun bin/scontrol
export PATH="$PWD/bin:$PATH" SLURM_JOB_ID=4711 SLURM_CPUS_PER_TASK=1
# Long enough on any machine for the signal to come in the middle: simulated time is doubled until a run takes a second and a half.
after=1200
for _ in $(seq 8); do
    since=$(date +%s%N)
    run run room.yaml -o whole.h5 -f -q --backend cpu --threads 1
    [ $((($(date +%s%N) - since) / 1000000)) -ge 1500 ] && break
    sed -i "s/after: $after ns/after: $((2 * after)) ns/" room.yaml
    after=$((2 * after))
done

# interrupted SIGNAL: the recipe gets the signal in the middle of its run, and is begun again.
interrupted() {
    rm -f job.h5* queue
    timeout "$limit" bash "$recipe" room.yaml job.h5 > out 2> err < /dev/null &
    job=$!
    for _ in $(seq 500); do
        ls job.h5.partial-* > /dev/null 2>&1 && break
        sleep 0.02
    done
    sleep 0.2
    kill -"$1" "$(pgrep -P $job)"
    wait $job
    status=$? problem=
    [ "$status" -eq 6 ] || problem="status $status, not 6: $(tail -n 3 err)"
    [ -f job.h5.checkpoint ] || problem="$problem; no checkpoint"
    [ "$(cat queue)" = "requeue 4711" ] || problem="$problem; the queue was told '$(cat queue)'"
    timeout "$limit" bash "$recipe" room.yaml job.h5 > out 2> err < /dev/null
    status=$?
    [ "$status" -eq 0 ] || problem="$problem; begun again with status $status"
    grep -q 'continuing with transmitter' err || problem="$problem; began anew"
    "$planwave" compare whole.h5 job.h5 -q || problem="$problem; other bits"
    verdict "$2" "$problem"
}
interrupted USR1 "the time limit, ranks by mpirun"
export LAUNCH='srun --mpi=pmix'
interrupted TERM "a cancelled job, ranks by srun"
finish
