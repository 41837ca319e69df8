"""A walk through the page of `planwave serve` with floorplans/flat.yaml, in headless Chromium: drags the access point for some seconds as a hand
does, and prints how long after a move of the pointer the map of that place was drawn (median and 95th percentile over the previews), and how long the
full map took after the release. With a folder for pictures it leaves the frames of the walk there, on a desktop in light and dark and on a phone.

    python3 validation/live/live_walk.py build/planwave [PICTURES] [SCENARIO.yaml]

Needs chromium, chromedriver and python3-selenium. A move counts from the event of the pointer in the page, so that what selenium takes is not in it."""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    from PIL import Image
except ImportError:
    Image = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/support"))
from needs import need  # noqa: E402

need("selenium")
from browser import settle, start  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

import served

PLANWAVE = os.path.abspath(sys.argv[1])
PICTURES = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else None
SCENARIO = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else os.path.join(ROOT, "floorplans/flat.yaml"))
SECONDS, INTERVAL = 8.0, 0.033  # of dragging; between moves, as screens show them
CHROMIUM, DRIVER = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")


def serve(folder):
    """The server, on a copy of the scenario and of what lies beside it: it saves what was changed there when it ends."""
    for entry in os.scandir(os.path.dirname(SCENARIO)):
        if entry.is_file():
            shutil.copy(entry.path, folder)
    with open(os.path.join(folder, "serve.log"), "w", encoding="utf-8") as log:
        process = subprocess.Popen([PLANWAVE, "serve", os.path.basename(SCENARIO)], cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    for _ in range(300):
        with open(log.name, encoding="utf-8") as text:
            found = re.search(r"http://127\.0\.0\.1:\d+/\S+/", text.read())
        if found:
            return process, found[0]
        time.sleep(0.1)
    process.kill()
    raise SystemExit("planwave serve printed no address")


def wait_full(driver, after=-1, seconds=600):
    """Until the full map of the newest floor is on show, and that is a later one than `after`."""
    for _ in range(10 * seconds):
        if driver.execute_script("return live.state && live.state.revision > arguments[0] && live.map && live.map.full && live.map.revision === live.state.revision"
                                 " && !live.state.dragging", after):
            settle(driver)
            return
        time.sleep(0.1)
    raise SystemExit("no full map came")


def mouse(driver, kind, x, y, pressed=True):
    driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left" if pressed else "none",
                                                        "buttons": int(pressed and kind != "mouseReleased"), "clickCount": 1})


def place(driver, x, y):
    """Where a place of the floor [m] is in the window."""
    return driver.execute_script("const b = document.getElementById('map').getBoundingClientRect();"
                                 "return [b.x + toX(arguments[0], b.width), b.y + toY(arguments[1], b.height)]", x, y)


def picture(driver, name, card=None, colours=256):
    """The window, or one card of it, in so many colours: half the size, or less."""
    if PICTURES:
        settle(driver)
        path = os.path.join(PICTURES, f"live_{name}.png")
        if card:
            driver.find_element(By.CSS_SELECTOR, card).screenshot(path)
        else:
            driver.save_screenshot(path)
        if Image:
            full = Image.open(path).convert("RGB")
            palette = full.quantize(colours, method=Image.Quantize.FASTOCTREE)
            dither = Image.Dither.NONE if card else Image.Dither.FLOYDSTEINBERG
            full.quantize(colours, palette=palette, dither=dither).save(path, optimize=True)


def processor_seconds(root):
    """Of a process and all that it has started, as far as the system tells: seconds of processor."""
    parents, used = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
            used[int(entry)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    total, found = 0.0, {root}
    while found:
        total += sum(used.get(one, 0) for one in found)
        found = {one for one, parent in parents.items() if parent in found}
    return total


def drag(driver, preview_name=None):
    """The first transmitter on a circle of a metre and back; the lags of its previews, and of the full map after the release."""
    x, y = driver.execute_script("const t = live.state.transmitters[0]; return [t.x, t.y]")
    mouse(driver, "mouseMoved", *place(driver, x, y), False)
    mouse(driver, "mousePressed", *place(driver, x, y))
    began = time.monotonic()
    processor = [processor_seconds(process.pid), processor_seconds(driver.service.process.pid)]
    while time.monotonic() - began < SECONDS:
        part = 2 * math.pi * (time.monotonic() - began) / SECONDS
        mouse(driver, "mouseMoved", *place(driver, x + 1.2 * math.sin(part), y + 0.9 * (1 - math.cos(part))))
        time.sleep(INTERVAL)
        if preview_name and time.monotonic() - began > SECONDS / 3:
            picture(driver, preview_name)
            preview_name = None
    took = time.monotonic() - began
    print(f"of processor a second while dragging: {(processor_seconds(process.pid) - processor[0]) / took:.2f} s the server, "
          f"{(processor_seconds(driver.service.process.pid) - processor[1]) / took:.2f} s the browser")
    at = place(driver, x + 0.4, y)
    mouse(driver, "mouseMoved", *at)
    was = driver.execute_script("return live.state.revision")
    mouse(driver, "mouseReleased", *at)
    released = time.monotonic()
    wait_full(driver, was)
    return [lag for lag in driver.execute_script("return lags") if not lag["full"]], time.monotonic() - released


def spread(values):
    values = sorted(values)
    return values[len(values) // 2], values[math.ceil(0.95 * len(values)) - 1]


def tell(lags, full):
    if lags:
        for text, values in (("from the pointer's move to the drawn preview", [lag["ms"] for lag in lags]), ("of it for the solve", [lag["solve"] for lag in lags]),
                             ("of it from the move to its message", [lag["wait"] for lag in lags]), ("of it from the message to the map's arrival, without the solve", [lag["line"] for lag in lags]),
                             ("of it from the map's arrival to the drawn picture", [lag["paint"] for lag in lags])):
            print(f"{text}: median {spread(values)[0]:.0f} ms, 95th percentile {spread(values)[1]:.0f} ms, of {len(lags)} in {SECONDS:.0f} s")
    print(f"from the release to the full map: {full:.1f} s")


def walk(address):
    driver = start(CHROMIUM, DRIVER, 1280, 800)
    driver.get(address)
    wait_full(driver)
    mouse(driver, "mouseMoved", *place(driver, 4.0, 11.0), False)
    time.sleep(1)
    picture(driver, "desktop")
    tell(*drag(driver, "preview"))
    if PICTURES:
        driver.execute_script("document.querySelector('#tools input[value=wall]').click()")
        Select(driver.find_element(By.ID, "material")).select_by_value("concrete")
        mouse(driver, "mouseMoved", *place(driver, 8.6, 4.0), False)
        mouse(driver, "mousePressed", *place(driver, 8.6, 4.0))
        mouse(driver, "mouseMoved", *place(driver, 10.4, 4.05))
        mouse(driver, "mouseMoved", *place(driver, 12.4, 4.05))
        was = driver.execute_script("return live.state.revision")
        mouse(driver, "mouseReleased", *place(driver, 12.4, 4.05))
        wait_full(driver, was)
        time.sleep(1)
        picture(driver, "wall")
    driver.quit()
    if not PICTURES:
        return
    driver = start(CHROMIUM, DRIVER, 1280, 800, dark=True)
    driver.get(address)
    wait_full(driver)
    driver.execute_script("document.querySelector('#layers input[value=wave]').click(); askWave({ on: true, speed: 8 });"
                          "view.scale *= 1.9; view.x = 8.4; view.y = 6.6; viewClamp(); draw()")
    for _ in range(600):
        if driver.execute_script("return live.wave && live.wave.seconds > 18e-9"):
            break
        time.sleep(0.1)
    driver.execute_script("askWave({ paused: true })")
    time.sleep(0.5)
    picture(driver, "wave", ".map.card", 96)
    driver.execute_script("askWave({ on: false })")
    driver.quit()
    driver = start(CHROMIUM, DRIVER, 390, 844, dark=True, touch=True)
    driver.get(address)
    wait_full(driver)
    time.sleep(1)
    picture(driver, "phone")
    driver.quit()


with tempfile.TemporaryDirectory() as folder:
    process, address = serve(folder)
    try:
        walk(address)
    finally:
        served.end(process)
