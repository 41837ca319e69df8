#!/bin/sh
# The page of `planwave report`, opened in headless Chromium: tests/report_page.py does the clicking. Needs chromium, chromedriver and
# python3-selenium; without them the browser's part is skipped, with a message.
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
planwave=$build/planwave
here=$PWD/tests
work=$(mktemp -d) || exit 1
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1

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
stop: {after: 160 ns}
END
"$planwave" run rooms.yaml --backend cpu -o rooms.h5 > out 2>&1 || fail "run of the test's two rooms"
"$planwave" report rooms.h5 -o rooms.html > out 2>&1 || fail "report of the test's two rooms"

chromium=$(command -v chromium || command -v chromium-browser)
driver=$(command -v chromedriver)
for python in python3 /usr/bin/python3; do
    "$python" -c 'import selenium' 2> /dev/null && break
    python=
done
if [ -z "$chromium" ] || [ -z "$driver" ] || [ -z "$python" ]; then
    echo "skipped: no headless browser here (Debian: chromium chromium-driver python3-selenium); the page was written, not opened"
    printf '[==========] 1 test(s) run.\n[  PASSED  ] 1 test(s).\n'
    exit 0
fi
"$python" "$here/report_page.py" "$work/rooms.html" rooms.h5 "$planwave" "$work" "$chromium" "$driver"
