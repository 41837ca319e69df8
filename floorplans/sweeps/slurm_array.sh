#!/bin/bash
# A sweep as a Slurm job array, a chunk of cases to a task:
#
#     sbatch --array=0-2 floorplans/sweeps/slurm_array.sh floorplans/sweeps/walls.yaml 3
#
# 3 is the number of cases to a chunk, and --array counts the chunks. Half a minute before the time limit Slurm sends SIGTERM; planwave
# then saves the state of the case that it is at and ends with status 6, and the task puts itself back into the queue, where it goes on.
#SBATCH --job-name=sweep
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --time=01:00:00
#SBATCH --signal=B:TERM@30
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=sweep-%A_%a.log
sweep=${1:?which sweep?}
chunk=${2:-1}
planwave sweep run "$sweep" --index "$SLURM_ARRAY_TASK_ID" --chunk "$chunk" --threads "$SLURM_CPUS_PER_TASK" &
solving=$!
trap 'kill -TERM "$solving"' TERM
wait "$solving"
status=$?
if [ "$status" -gt 128 ]; then # the trap ended the wait, not planwave
    wait "$solving"
    status=$?
fi
[ "$status" -ne 6 ] || scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
exit "$status"
