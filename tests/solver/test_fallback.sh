#!/bin/sh
# A program with kernels for GPUs, where no GPU is usable: it computes on the CPU and says why in one line, or ends where cuda was asked for.
. tests/support/script.sh
cat > room.yaml << 'END'
title: A room
plan: {size: [2 m, 1.5 m]}
band: {centre: 1 GHz, width: 200 MHz}
grid: {cell: 4 cm}
transmitters: [{name: ap, at: [0.8 m, 1 m]}]
receivers: [{name: desk, at: [1.5 m, 0.6 m]}]
END
run run room.yaml -o plain.h5 --backend cpu --quiet
check "a program for the CPU solves it" [ "$status" -eq 0 ]

# What is said on stderr, whole.
told() {
    [ "$status" -eq 0 ] && [ "$(cat err)" = "$1" ]
}
why="planwave: computing on the CPU, because no NVIDIA driver was found: install one"
with_kernels() { # what $planwave, which has kernels, does without a GPU
    rm -f fallen.h5 asked.h5
    run run room.yaml -o fallen.h5 --progress none
    check "the CPU computes in place of a GPU, and one line says why" told "$why"
    check "the table names the CPU" grep -q '^  backend       cpu on ' out
    run run room.yaml -o fallen.h5 --force --quiet --backend auto
    check "also with --backend auto and --quiet" told "$why"
    run compare fallen.h5 plain.h5 --quiet
    check "with the bits of the CPU" [ "$status" -eq 0 ]
    run run room.yaml -o asked.h5 --quiet --backend cpu
    check "who asks for the CPU is told nothing" told ""
    bad "who asks for cuda gets an error" 4 "${why#*because }" run room.yaml -o cuda.h5 --backend cuda
    check "which says nothing of the CPU" sh -c '! grep -q CPU err'
    bad "a mistake in the options is told alone" 2 '^planwave: ' run room.yaml --cells 3
    check "without the fallback" sh -c '! grep -q CPU err'
    run run --help
    check "help is help" told ""
    run bench --size 96 --steps 20 --batches 1
    check "other commands say it, too" told "$why"
}
planwave=$build/tests/solver/planwave_no_gpu
with_kernels

planwave=$build/planwave
if "$planwave" --version | grep -q 'CUDA.*not in this build'; then
    run run room.yaml -o none.h5 --quiet
    check "a program without kernels expects no GPU" told ""
else
    CUDA_VISIBLE_DEVICES=
    export CUDA_VISIBLE_DEVICES
    run info --backends
    why="planwave: computing on the CPU, because $(sed -n '/^cuda/{n;s/.*not available: //p;}' out)"
    check "why no GPU is usable" [ "${#why}" -gt 60 ]
    with_kernels
fi
finish
