#!/bin/sh
# The page of `planwave serve`, opened in headless Chromium: tests/live/live_page.py drags, draws and saves. Needs chromium, chromedriver and
# python3-selenium; without them it is skipped, with a message.
. tests/support/script.sh

if ! find_browser; then
    echo "skipped: no headless browser here (Debian: chromium chromium-driver python3-selenium)"
    printf '[==========] 0 test(s) run.\n[  PASSED  ] 0 test(s).\n'
    exit 0
fi
cat > room.yaml << 'END'
title: "Two rooms <b>&amp; a door</b>"
plan:
  size: [4.8 m, 3.6 m]
  walls:
    - {from: [0.2 m, 0.2 m], to: [4.6 m, 0.2 m], thickness: 12 cm, material: brick}
    - {from: [0.2 m, 3.4 m], to: [4.6 m, 3.4 m], thickness: 12 cm, material: brick}
    - {from: [2.4 m, 0.2 m], to: [2.4 m, 3.4 m], thickness: 10 cm, material: concrete}
  openings: [{from: [2.3 m, 1.2 m], to: [2.5 m, 2.1 m]}]
grid: {scheme: dd4, cell: 3 cm, courant: 0.5}
band: {centre: 1.2 GHz, width: 400 MHz}
transmitters:
  - {name: left, at: [1.1 m, 2.6 m], power: 20 dBm}
receivers:
  - {name: desk, at: [3.3 m, 2.4 m]}
spectra: {count: 32, spacing: 2 cells}
stop: {after: 80 ns, decay: off}
END
"$python" "$here/tests/live/live_page.py" "$planwave" "$work" "$chromium" "$driver"
