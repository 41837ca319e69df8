#!/bin/sh
# A drawing is imported, put right by hand on the page of `planwave serve` in headless Chromium, saved and solved again:
# tests/live/corrector.py. Needs chromium, chromedriver and python3-selenium; without them it is skipped, with a message.
. tests/support/script.sh

if ! find_browser; then
    echo "skipped: no headless browser here (Debian: chromium chromium-driver python3-selenium)"
    printf '[==========] 0 test(s) run.\n[  PASSED  ] 0 test(s).\n'
    exit 0
fi
# Two rooms of 1.2 m: walls of 12 cm that are one area, and a wall of 8 cm between them.
cat > rooms.svg << 'END_SVG'
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 264 144"><g id="walls" fill="#222222">
<path fill-rule="evenodd" d="M0 0H264V144H0Z M12 12V132H252V12Z"/><path d="M128 12H136V132H128Z"/></g></svg>
END_SVG
"$planwave" import rooms.svg --unit 1cm --frequency 900MHz --wall brick -q || exit 1
"$python" "$here/tests/live/corrector.py" "$planwave" "$work" "$chromium" "$driver"
