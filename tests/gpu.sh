#!/bin/sh
# What only a machine with a GPU can show: the engines agree bit for bit, faults of the runtime and of the device, kills and signals, and
# small runs under compute-sanitizer where that is. Says "skipped" and ends with 0 where no GPU works.
#   tests/gpu.sh [bits|sanitize]        one half alone: two GPUs can do them side by side
build=${BUILD:-build}
only=$1
failed=0
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log".yaml "$log".large.yaml "$log".h5' EXIT

step() {
    echo "---- $*"
    began=$(date +%s)
    "$@" || failed=$((failed + 1))
    echo "$(($(date +%s) - began)) s"
}

cat > "$log.yaml" << 'END'
plan: {size: [1 m, 0.8 m], rectangles: [{from: [0.4 m, 0 m], to: [0.5 m, 0.5 m], material: brick}]}
grid: {scheme: dd4, cell: 2.5 cm, absorber: {cells: 8}}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters: [{name: a, at: [0.2 m, 0.4 m]}]
receivers: [{name: r, at: [0.8 m, 0.4 m]}]
spectra: {count: 4, spacing: 2 cells}
stop: {steps: 60}
END
# Large enough for several steps as one launch, with rows beside metal.
cat > "$log.large.yaml" << 'END'
dimensions: 3
plan:
  size: [1 m, 0.8 m]
  storey: {height: 2 m}
  rectangles:
    - {from: [0.4 m, 0 m], to: [0.5 m, 0.5 m], material: brick}
    - {from: [0.6 m, 0.6 m], to: [0.75 m, 0.7 m], material: metal, top: 1.2 m}
grid: {scheme: fd4o, cell: 4.5 mm, absorber: {cells: 8}}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters: [{name: a, at: [0.2 m, 0.4 m, 1 m]}]
receivers: [{name: r, at: [0.8 m, 0.4 m, 1 m]}]
spectra: {count: 4, heights: [1 m]}
stop: {steps: 150}
END

engines() {
    "$build/tests/solver/test_gpu" > "$log" 2>&1
    status=$?
    cat "$log"
    if grep -q '^skipped' "$log"; then
        exit 0
    fi
    return $status
}

# Runs that are shared among devices have the bits that they have on one: the first GPU, named twice, is two of them.
share() {
    shared=0
    for devices in 1 0,0; do
        "$build/planwave" place "$log.yaml" --set stop.steps=400 --candidates '0.2,0.2;0.7,0.2;0.2,0.6;0.7,0.6' --best 2 --backend cuda \
            --devices $devices --levels "$log.$devices.csv" -f -q || shared=1
    done
    cmp "$log.1.csv" "$log.0,0.csv" || shared=1
    rm -f "$log.1.csv" "$log.0,0.csv"
    return $shared
}

# Transmitters that are solved beside each other, two at a time and the last one cut, have the bits of one after another; also those of a run
# that was ended on the way and gone on with on one device.
beside() {
    beside=0
    set -- "$build/planwave" run "$log.yaml" --backend cuda -q --set stop.steps=20000 \
        --set 'transmitters=[{at: [0.2, 0.4]}, {at: [0.7, 0.2]}, {at: [0.8, 0.6]}]'
    "$@" -f -o "$log.h5" && "$@" --devices 0,0 -o "$log.2.h5" && "$build/planwave" compare -q "$log.h5" "$log.2.h5" || beside=1
    rm -f "$log.2.h5"
    "$@" --devices 0,0 --time-limit 0.1s -o "$log.2.h5"
    [ $? -eq 6 ] && "$@" --resume -o "$log.2.h5" && "$build/planwave" compare -q "$log.h5" "$log.2.h5" || beside=1
    rm -f "$log".2.h5*
    return $beside
}

# A grid in three dimensions, whole and in two parts: the same bits.
halves() {
    halves=0
    for devices in 1 0,0; do
        "$build/planwave" run "$log.large.yaml" --backend cuda -q -f --devices $devices -o "$log.$devices.h5" || halves=1
    done
    "$build/planwave" compare -q "$log.1.h5" "$log.0,0.h5" || halves=1
    rm -f "$log.1.h5" "$log.0,0.h5"
    return $halves
}

bits() {
    step engines
    for test in solver/test_gpu_state solver/test_gpu_compute volume/test_gpu_volume volume/test_gpu_half poles/test_gpu_poles boundary/test_gpu_boundary \
        parts/test_gpu_parts study/test_gpu_gradients solver/test_gpu_faults; do
        step "$build/tests/$test"
    done
    step env BACKEND=cuda "$build/tests/study/test_variants"
    step env BACKEND=cuda tests/program/test_kill.sh
    step share
    step beside
    step halves
}

# A run under a tool of compute-sanitizer: TOOL PROGRAM SCENARIO OPTIONS...
watch() {
    tool=$1 program=$2 scenario=$3
    shift 3
    [ "$tool" = memcheck ] && tool="memcheck --leak-check full"
    # shellcheck disable=SC2086
    step compute-sanitizer --error-exitcode 9 --launch-timeout 100 --tool $tool "$build/$program" run "$scenario" --force -q -o "$log.h5" "$@"
}

sanitize() {
    for tool in memcheck racecheck; do
        program=planwave
        [ $tool = racecheck ] && program=planwave_racecheck
        for scheme in yee dd2 dd4; do
            watch "$tool" "$program" "$log.yaml" --set grid.scheme="$scheme" --backend cuda
        done
        # Spectra by a transform.
        watch "$tool" "$program" "$log.yaml" --set spectra.count=70 --set spectra.every=1 --set stop.steps=300 --backend cuda
    done
    watch memcheck planwave "$log.yaml" --devices 0,0
    watch memcheck planwave "$log.yaml" --device-memory 60MB --set grid.cell=2.5mm --set stop.steps=40
    for tool in memcheck synccheck; do
        watch "$tool" planwave "$log.large.yaml" --set grid.cell=5.5mm --set stop.steps=12 --set grid.storage=half --backend cuda
        watch "$tool" planwave "$log.large.yaml" --set grid.cell=5.5mm --set stop.steps=12 --backend cuda
    done
}

if [ "$only" != sanitize ]; then
    bits
fi
if [ "$only" = bits ]; then
    :
elif command -v compute-sanitizer > /dev/null; then
    sanitize
else
    echo "skipped: compute-sanitizer is not here"
fi
[ "$failed" -eq 0 ]
