#!/bin/sh
# A few ordinary plans with nothing set but plan, transmitter and frequency: none is refused, and the forecast of the small
# ones is right. `build/tests/ordinary/ordinary_plans --plans 240 --solve 240 --work 3e12 --backend cuda` does it for all.
set -u
build=${BUILD:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '[==========] 1 test(s) run.'
if "$build"/tests/ordinary/ordinary_plans --plans 24 --solve 5 --work 3e9 --folder "$folder"; then
    echo '[  PASSED  ] 1 test(s).'
else
    echo '[  FAILED  ] 1 test(s), listed below:'
    exit 1
fi
