#!/bin/sh
# A few hard plans (metal, coated glass, thick concrete) with nothing set but plan, band and transmitter: the forecast of the
# error is right. `make validate CASE=hard_plans` does it for a hundred.
set -u
build=${BUILD:-build}
echo '[==========] 1 test(s) run.'
if "$build"/tests/hard_plans/hard_plans --first 100 --plans 4 --every 3 --work 1e9 --backend cpu; then
    echo '[  PASSED  ] 1 test(s).'
else
    echo '[  FAILED  ] 1 test(s), listed below:'
    exit 1
fi
