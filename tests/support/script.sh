# What the scripts of tests share, sourced from the repository's root: a folder of its own to work in, planwave from outside, verdicts that
# tests/run.sh counts. Bad input must end with its own status, a sentence that says what is wrong, and nothing left behind.
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
planwave=$build/planwave
here=$PWD
work=$(mktemp -d) || exit 1
work=$(cd "$work" && pwd -P)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0 failures=

# Whether this is a build with sanitizers, which is ten times slower.
sanitized() {
    [ -z "${build##*sanitize*}" ]
}

limit=120 # seconds that a command may take: what takes longer hangs
sanitized && limit=600

verdict() { # NAME PROBLEM
    if [ -z "$2" ]; then
        passed=$((passed + 1))
        echo "[       OK ] $1"
    else
        failed=$((failed + 1))
        failures="$failures
[  FAILED  ] $1"
        echo "[  FAILED  ] $1: $2"
        sed 's/^/    out: /' out | tail -n 5
        sed 's/^/    err: /' err | tail -n 5
    fi
}

# Runs a command of planwave; what it says goes to out and err, its exit status to $status.
run() {
    timeout "$limit" "$planwave" "$@" > out 2> err < /dev/null
    status=$?
}

# good NAME PATTERN ARGUMENTS...: ends with 0 and says PATTERN on stdout.
good() {
    name=$1 pattern=$2 problem=
    shift 2
    run "$@"
    [ "$status" -eq 0 ] || problem="status $status, not 0"
    grep -qE -e "$pattern" out || problem="$problem; stdout lacks '$pattern'"
    verdict "$name" "$problem"
}

# Every file here.
files() {
    find . | sort
}

# bad NAME STATUS PATTERN ARGUMENTS...: ends with STATUS, says PATTERN on stderr, leaves the folder as it was.
bad() {
    name=$1 expected=$2 pattern=$3 problem=
    shift 3
    : > out
    : > err
    before=$(files)
    run "$@"
    [ "$status" -eq "$expected" ] || problem="status $status, not $expected"
    grep -qE -e "$pattern" err || problem="$problem; stderr lacks '$pattern'"
    grep -q '^planwave' err || problem="$problem; no message that begins with planwave"
    [ "$(files)" = "$before" ] || problem="$problem; files appeared or went"
    verdict "$name" "$problem"
}

# check NAME CONDITION...: a plain test.
check() {
    name=$1
    shift
    if "$@"; then verdict "$name" ""; else verdict "$name" "not so: $*"; fi
}

# stop_and_go SECONDS LEAST: solves room.yaml into stopped.h5, stopped after so many seconds, then after half as many again, and so on, LEAST
# times or more, and taken up each time by the other CPU engine. The result must have the bits of plain.h5.
stop_and_go() {
    engine=reference other=cpu tries=0 seconds=$1
    run run room.yaml --backend $engine --time-limit "${seconds}s" -o stopped.h5
    while [ "$status" -eq 6 ] && [ "$tries" -lt 30 ]; do
        tries=$((tries + 1)) before=$engine
        engine=$other
        other=$before
        seconds=$(echo "$seconds" | awk '{print 1.5 * $1}')
        run run room.yaml --backend $engine --time-limit "${seconds}s" --resume -o stopped.h5
    done
    verdict "a run that is stopped goes on to its end" "$([ "$status" -eq 0 ] && [ "$tries" -ge "$2" ] || echo "status $status after $tries times")"
    good "and ends with the same bits" 'identical' compare stopped.h5 plain.h5
}

# Sets $python, one that has numpy and h5py; fails when there is none.
find_numpy() {
    for python in python3 /usr/bin/python3; do
        "$python" -B -c 'import numpy, h5py' 2> /dev/null && return 0
    done
    return 1
}

# Sets $chromium, $driver and $python, one that has selenium; fails when one of them is not here.
find_browser() {
    chromium=$(command -v chromium || command -v chromium-browser)
    driver=$(command -v chromedriver)
    for python in python3 /usr/bin/python3; do
        "$python" -B -c 'import selenium' 2> /dev/null && break
        python=
    done
    export PYTHONDONTWRITEBYTECODE=1
    [ -n "$chromium" ] && [ -n "$driver" ] && [ -n "$python" ]
}

# The summary; ends the script.
finish() {
    echo "[==========] $((passed + failed)) test(s) run."
    echo "[  PASSED  ] $passed test(s)."
    [ "$failed" -eq 0 ] && exit 0
    echo "[  FAILED  ] $failed test(s), listed below:$failures"
    exit 1
}
