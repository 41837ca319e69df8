#!/bin/sh
# The page of `planwave report`, opened in headless Chromium: tests/program/report_page.py does the clicking. Needs chromium, chromedriver and
# python3-selenium; without them the browser's part is skipped, with a message.
. tests/support/script.sh

fail() {
    echo "[  FAILED  ] $1"
    sed 's/^/    /' out | tail -n 5
    printf '[==========] 1 test(s) run.\n[  PASSED  ] 0 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] %s\n' "$1"
    exit 1
}

cat > rooms.yaml << 'END'
title: "Two rooms <b>&amp; a door</b>"
plan:
  size: [4.8 m, 3.6 m]
  walls:
    - {from: [0.2 m, 0.2 m], to: [4.6 m, 0.2 m], thickness: 12 cm, material: brick}
    - {from: [0.2 m, 3.4 m], to: [4.6 m, 3.4 m], thickness: 12 cm, material: brick}
    - {from: [0.2 m, 0.2 m], to: [0.2 m, 3.4 m], thickness: 12 cm, material: brick}
    - {from: [4.6 m, 0.2 m], to: [4.6 m, 3.4 m], thickness: 12 cm, material: brick}
    - {from: [2.4 m, 0.2 m], to: [2.4 m, 3.4 m], thickness: 10 cm, material: concrete}
  openings: [{from: [2.3 m, 1.2 m], to: [2.5 m, 2.1 m]}]
grid: {scheme: dd4, cell: 3 cm, courant: 0.5}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters:
  - {name: left, at: [1.1 m, 2.6 m], power: 20 dBm}
  - {name: right, at: [3.9 m, 0.9 m], power: 17 dBm}
receivers:
  - {name: desk, at: [3.3 m, 2.4 m]}
spectra: {count: 64, spacing: 2 cells}
stop: {after: 160 ns, decay: off}
END
"$planwave" run rooms.yaml --backend cpu -o rooms.h5 > out 2>&1 || fail "run of the test's two rooms"
"$planwave" report rooms.h5 -o rooms.html > out 2>&1 || fail "report of the test's two rooms"
grep -q '^wrote rooms.html (' out || fail "report says what it wrote"

# refused STATUS PATTERN ARGUMENTS...: ends with that status, says why, leaves nothing behind.
refusals=0
refused() {
    expected=$1 pattern=$2
    shift 2
    "$planwave" report "$@" > out 2>&1
    status=$?
    [ "$status" -eq "$expected" ] || fail "report $*: status $status, not $expected"
    grep -qE -e "$pattern" out || fail "report $*: does not say '$pattern'"
    refusals=$((refusals + 1))
    echo "[       OK ] refused: report $*"
}
refused 3 "exists" rooms.h5 -o rooms.html
refused 3 "ap9.*left" rooms.h5 --tx ap9 -o other.html
refused 3 "MB are allowed" rooms.h5 --max-size 0.05 -o other.html
refused 2 "max-size" rooms.h5 --max-size tiny -o other.html
refused 2 "allowed are hann" rooms.h5 --window hamming -o other.html
refused 2 "missing" -o other.html
refused 3 "nowhere.h5" nowhere.h5 -o other.html
refused 3 "rooms.yaml.*not" rooms.yaml -o other.html
refused 3 "dispersive" rooms.h5 --sensitivity -o other.html
refused 4 "cannot write" rooms.h5 -o nowhere/other.html
[ "$(ls)" = "out
rooms.h5
rooms.html
rooms.yaml" ] || fail "refusals left something behind"
"$planwave" report rooms.h5 --tx left --max-size 1 -f -q -o rooms.html > out 2>&1 || fail "report with --force"
[ -s out ] && fail "report -q is silent"
"$planwave" report rooms.h5 -f -o rooms.html > out 2>&1 || fail "report with --force"
printf '[==========] %d test(s) run.\n[  PASSED  ] %d test(s).\n' $((refusals + 2)) $((refusals + 2))

if ! find_browser; then
    echo "skipped: no headless browser here (Debian: chromium chromium-driver python3-selenium); the page was written, not opened"
    printf '[==========] 1 test(s) run.\n[  PASSED  ] 1 test(s).\n'
    exit 0
fi
# With --sensitivity the walls that decide at each receiver, as planwave sensitivity has them.
cat > walls.yaml << 'END'
plan:
  size: [3 m, 2 m]
  walls:
    - {from: [1.5 m, 0.2 m], to: [1.5 m, 1.8 m], thickness: 12 cm, material: brick}
    - {from: [2 m, 0.3 m], to: [2.7 m, 0.3 m], thickness: 10 cm, material: plasterboard}
grid: {scheme: fd4o, cell: 3 cm, courant: 0.5}
band: {centre: 1.2 GHz, width: 200 MHz}
transmitters: [{name: left, at: [0.8 m, 1.2 m]}]
receivers: [{name: desk, at: [2.2 m, 1.1 m]}, {name: door, at: [1.9 m, 0.6 m]}]
spectra: {count: 16, spacing: 2 cells}
stop: {after: 60 ns, decay: off}
END
"$planwave" run walls.yaml --backend cpu -o walls.h5 > out 2>&1 || fail "run of the test's two walls"
"$planwave" report walls.h5 --sensitivity -o walls.html > out 2>&1 || fail "report with --sensitivity"
"$planwave" sensitivity walls.yaml --walls walls.csv --vary brick:permittivity --vary brick:conductivity --vary plasterboard:permittivity \
    --vary plasterboard:conductivity --vary brick:thickness --vary plasterboard:thickness > out 2>&1 || fail "sensitivity of the test's two walls"
cat > arrays.yaml << 'END'
plan: {size: [3 m, 2 m], walls: [{from: [1.6, 0], to: [1.6, 1.2], thickness: 10 cm, material: brick}]}
grid: {scheme: fd4o, cell: 3 cm}
band: {centre: 1.2 GHz, width: 200 MHz}
transmitters: [{name: ap, at: [0.5 m, 1 m], antenna: {array: ula, elements: 2, bearing: 90 deg}}]
receivers:
  - {name: user, at: [2.5 m, 1 m], antenna: {array: ula, elements: 2, spacing: 8 cm}}
  - {name: other, at: [1 m, 1.5 m], antenna: {array: ula, elements: 2, spacing: 8 cm}}
spectra: {count: 16, spacing: 2 cells}
stop: {after: 40 ns, decay: off}
END
"$planwave" run arrays.yaml --backend cpu -o arrays.h5 > out 2>&1 || fail "run of the test's arrays"
"$planwave" report arrays.h5 -o arrays.html > out 2>&1 || fail "report of the test's arrays"
"$planwave" mimo arrays.h5 -o arrays.csv > out 2>&1 || fail "mimo of the test's arrays"
cat > space.yaml << 'END'
title: Two rooms with heights
dimensions: 3
plan:
  size: [3.6 m, 2.4 m]
  storey: {height: 1.8 m, floor: {material: concrete, thickness: 15 cm}}
  walls: [{from: [1.8, 0], to: [1.8, 1.4], thickness: 0.12, material: brick}]
band: {centre: 500 MHz, width: 200 MHz}
grid: {scheme: fd4, cell: 6 cm, absorber: {cells: 6}}
transmitters:
  - {name: left, at: [0.6, 1.2, 1.5], power: 20 dBm}
  - {name: right, at: [3, 0.7, 1.2], power: 17 dBm}
receivers: [{name: desk, at: [2.6, 1.6, 0.8]}]
spectra:
  count: 32
  spacing: 2 cells
  heights: [0.8 m, 1.4 m]
  components: [ex, ez]
  cuts: [{from: [0, 1.2], to: [3.6, 1.2]}, {from: [3, 0], to: [3, 2.4]}]
stop: {after: 60 ns, decay: off}
END
"$planwave" run space.yaml --backend cpu -o space.h5 > out 2>&1 || fail "run of the test's rooms with heights"
"$planwave" report space.h5 -o space.html > out 2>&1 || fail "report of the test's rooms with heights"
"$python" "$here/tests/program/report_page.py" "$work/rooms.html" rooms.h5 "$planwave" "$work" "$chromium" "$driver" "$work/space.html" space.h5
