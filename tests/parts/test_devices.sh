#!/bin/bash
# --devices and --device-memory: what is no such text is refused on every machine, and so is what this one has not; without CUDA, or without a
# GPU, that is said. That parts on GPUs have the bits of the whole is tested where there is one (test_gpu_parts.c, tests/gpu.sh).
. tests/support/script.sh

cat > room.yaml << 'END'
plan: {size: [1 m, 0.8 m]}
grid: {scheme: yee, cell: 5 cm, absorber: {cells: 4}}
band: {centre: 600 MHz, width: 200 MHz}
transmitters: [{name: a, at: [0.2 m, 0.4 m]}]
stop: {steps: 10}
END
for text in x 0 -1 1.5 , 0, ,0 0,,1 0,1x 65 '1 ' 99999999999999999999; do
    bad "'$text' are no devices" 2 "--devices '$text': allowed are all, how many" run room.yaml --devices "$text" -o a.h5
done
for text in x 0GB 2 2gb GB -1GB 1e99GB '2 GB s' 1e-3kB; do
    bad "'$text' is no size" 2 "--device-memory '$text': it is a number over zero" run room.yaml --device-memory "$text" -o a.h5
done
bad "so many GPUs there are not" 4 'GPU|CUDA|NVIDIA driver' run room.yaml --devices 63 -o a.h5
bad "nor of that number" 4 'GPU|CUDA|NVIDIA driver' run room.yaml --devices 0,998 -o a.h5
bad "nor so much memory" 4 'GPU|CUDA|NVIDIA driver|free on the device' run room.yaml --device-memory 900TB -o a.h5
bad "sweeps take them, too" 2 "--devices 'two'" sweep run --devices two room.yaml
export OMPI_COMM_WORLD_SIZE=1 # one process is no job of several
bad "one process of mpirun may have several" 4 'GPU|CUDA|NVIDIA driver' run room.yaml --devices 63 -o a.h5
finish
