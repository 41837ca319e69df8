#!/bin/bash
# One large job on several nodes: the grid is cut into a part for each rank. Two minutes before the time limit, or when the job is
# cancelled by SIGTERM, the state is saved and the job puts itself back into the queue, where it goes on.
#   sbatch floorplans/ranks/slurm_ranks.sh SCENARIO.yaml RESULT.h5
#   LAUNCH='srun --mpi=pmix' sbatch ...      where Slurm starts the ranks itself
#SBATCH --job-name=planwave
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append

scenario=${1:?which scenario?} result=${2:?which result?}
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
${LAUNCH:-mpirun --bind-to none} planwave run "$scenario" -o "$result" --resume --checkpoint 30min --progress none &
launcher=$!
trap 'kill -USR1 $launcher' USR1 TERM # handed on to the ranks, and rank 0 saves the state; TERM would end them at once
wait $launcher
status=$?
while kill -0 $launcher 2> /dev/null; do # the trap ends `wait`, not mpirun
    wait $launcher
    status=$?
done
[ $status -eq 6 ] && scontrol requeue "$SLURM_JOB_ID" # interrupted, with a state to go on from
exit $status
