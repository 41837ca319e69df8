"""The page of `planwave report` in headless Chromium: what tests/program/test_report.sh starts. Prints one line a check, as the other tests do,
and ends with status 0 when all hold. Arguments: the page, the result, planwave, a folder for what planwave writes, the browser and its
driver, and page and result of three dimensions.

Left out: how the page looks. Numbers are compared with `planwave channel` and `planwave map`, which do not know the page."""
import csv
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from needs import need  # noqa: E402

need("selenium")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402

from browser import check, finish, near, no_complaints, nothing_unnamed, press, settle, start, text_of  # noqa: E402

PAGE, RESULT, PLANWAVE, FOLDER, CHROMIUM, DRIVER, SPACE_PAGE, SPACE_RESULT = sys.argv[1:9]


def browser(width, height, dark=False, touch=False, before=None, page=PAGE):
    driver = start(CHROMIUM, DRIVER, width, height, dark, touch)
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions",
                           {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    if before:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": before})
    driver.get("file://" + page)
    WebDriverWait(driver, 60).until(lambda d: d.execute_script("return document.documentElement.dataset.ready"))
    return driver


def plot(driver):
    settle(driver)
    return driver.execute_script("return document.getElementById('plot').toDataURL()")


def cursor(driver):
    return driver.execute_script("return [cellX(state.cursor), cellY(state.cursor)]")


def table(driver):
    """Columns of the table, cursor first, as {row name: value}."""
    return driver.execute_script("""
        const rows = [...document.querySelectorAll('#table tbody tr')], columns = [];
        for (const row of rows) [...row.querySelectorAll('td')].forEach((cell, n) => {
            columns[n] = columns[n] || {};
            const value = Number(cell.dataset.value);
            columns[n][row.querySelector('th').firstChild.textContent.trim()] = Number.isFinite(value) ? value : null;
        });
        return columns;""")


def planwave(*arguments):
    done = subprocess.run([PLANWAVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=300, check=False)
    check("planwave " + arguments[0] + " runs", done.returncode == 0, done.stdout)
    return done.stdout


# What `planwave channel` prints, and what the page calls it.
METRICS = {
    "distance": "Distance", "gain over free space at 1 m": "Gain over free space at 1 m", "received power": "Received power",
    "mean excess delay": "Mean excess delay", "rms delay spread": "RMS delay spread",
    "maximum excess delay": "Maximum excess delay", "Rician K": "Rician K",
    "coherence bandwidth at 0.5": "Coherence bandwidth, 50\u00a0%", "coherence bandwidth at 0.9": "Coherence bandwidth, 90\u00a0%",
}


def compare_angles(driver, transmitter):
    """The rose of the receiver next to the cursor, and the text beside it, against `planwave channel --rx`."""
    settle(driver)
    receiver, angles = driver.execute_script("const r = nearestReceiver(); return [r.name, r.angles]")
    folder = f"{FOLDER}/angles-{transmitter}"
    planwave("channel", RESULT, "--tx", transmitter, "--rx", receiver, "-o", folder)
    with open(folder + "/angles.csv", encoding="utf-8") as file:
        lines = file.readlines()
    level = [float(row["arrival_dB"]) for row in csv.DictReader(line for line in lines if not line.startswith("#"))]
    peaks = re.findall(r"arrival peak \d+: azimuth (\S+), bearing \S+ degrees, (\S+) dB", "".join(lines))
    worst = max(abs(min(40, max(level) - value) - shown) for value, shown in zip(level, angles["under"]))
    check(f"{transmitter}: the rose", len(angles["under"]) == 360 and worst <= 0.501, f"off by {worst} dB")
    near(f"{transmitter}: azimuth of the first peak", angles["peaks"][0][0], float(peaks[0][0]), 0.0501)
    near(f"{transmitter}: its level", angles["peaks"][0][1], float(peaks[0][1]), 0.0501)
    text = text_of(driver, "angles-text")
    check(f"{transmitter}: it is said", text.startswith(f"{float(peaks[0][0]):.0f}\u00b0: "), text)


def compare_channel(driver, transmitter, name, *options, result=RESULT):
    """Metrics and profile under the cursor against `planwave channel --at`."""
    x, y = cursor(driver)
    folder = f"{FOLDER}/channel-{transmitter}-{name}"
    printed = planwave("channel", result, "--tx", transmitter, "--at", f"{x:.9g},{y:.9g}", "-o", folder, *options)
    shown = table(driver)[0]
    for line, row in METRICS.items():
        found = re.search(rf"^ *{line} +(\S+)( [\d.]+)?", printed, re.M)
        if found and found[1] == "<":
            check(f"{name}, {transmitter}: {line} is below the resolution", shown[row] < float(found[2]), shown[row])
            continue
        expected = None if found is None or found[1] in ("not", ">") else float(found[1])
        near(f"{name}, {transmitter}: {line}", shown[row], expected, 0.0101)  # both are rounded to 0.01
    with open(folder + "/power_delay_profile.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    expected = {round(1e12 * float(row["delay_s"])): float(row["power_dB"]) for row in rows}
    peak = max(expected.values())
    power, first, step = driver.execute_script(
        "return [[...profile(state.cursor)].map((v) => Number.isNaN(v) ? null : v), state.site.first_delay, state.site.bin]")
    worst = compared = 0
    for n, value in enumerate(power):
        truth = expected.get(round(1e3 * (first + n * step)))
        if truth is None:
            worst = 1e9
        elif value is not None:
            compared += 1
            worst = max(worst, abs(value - truth))
        elif truth > peak - 63.5:
            worst = 1e9
    check(f"{name}, {transmitter}: {compared} bins of the profile", compared > 20 and worst < 0.135,
          f"{compared} bins compared, worst difference {worst} dB")


def compare_coverage(driver, quantity, level, *options, result=RESULT):
    printed = planwave("map", result, "--quantity", quantity, "--coverage", str(level), "-f", "-o",
                       f"{FOLDER}/{quantity}.png", *options)
    found = re.search(r": ([\d.]+) % of the (?:inside|whole)", printed)
    box = driver.find_element(By.ID, "level")
    box.clear()
    box.send_keys(str(level))
    share = driver.execute_script("return Number(document.getElementById('share').dataset.value)")
    near(f"coverage, {quantity} {' '.join(options)}", share, found and float(found[1]), 0.12)
    check("and the page says so", f"{share:.1f} %" in text_of(driver, "share"), text_of(driver, "share"))


def choose(driver, identifier, value):
    Select(driver.find_element(By.ID, identifier)).select_by_value(value)


def pixels(driver):
    settle(driver)
    return driver.execute_script("return document.getElementById('map').toDataURL()")


def test_desktop():
    driver = browser(1280, 800)
    stage = driver.find_element(By.ID, "map")
    check("title", "Two rooms" in driver.title and driver.find_element(By.TAG_NAME, "h1").text == "Two rooms <b>&amp; a door</b>",
          driver.title)
    check("nothing was fetched", driver.execute_script("return performance.getEntriesByType('resource').length") == 0)
    check("warnings are shown", "warning" in text_of(driver, "warnings"), text_of(driver, "warnings"))
    check("everything fits", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
    said = driver.execute_script("return [number(-0.004), number(-0.4, 0), number(-0.006), number(0)]")
    check("no number says -0", said == ["0.00", "0", "\u22120.01", "0.00"], said)
    nothing_unnamed(driver)

    begun = driver.execute_script("return [document.getElementById('quantity').value, document.getElementById('mean').checked]")
    check("it begins as the live page does", begun == ["best_signal", True], begun)
    compare_coverage(driver, "received-power", -30, "--local-mean")
    choose(driver, "quantity", "received_power")
    driver.find_element(By.ID, "mean").click()
    compare_channel(driver, "left", "first view")
    compare_angles(driver, "left")
    before, reading = plot(driver), text_of(driver, "value")
    ActionChains(driver).move_to_element_with_offset(stage, 60, -40).perform()
    check("the mouse changes the profile", plot(driver) != before)
    check("and the reading", text_of(driver, "value") != reading)
    compare_channel(driver, "left", "under the mouse")
    near("the reading is the table's received power",
         driver.execute_script("return Number(document.getElementById('value').dataset.value)"),
         table(driver)[0]["Received power"], 1e-9)

    for n, (dx, dy) in enumerate(((60, -40), (-90, 70), (-60, -90), (100, 80), (0, 20))):
        ActionChains(driver).move_to_element_with_offset(stage, dx, dy).click().perform()
        check(f"click {n + 1}: {min(n + 1, 4)} pins", len(table(driver)) == 1 + min(n + 1, 4), len(table(driver)))
    pinned = plot(driver)
    check("pins are compared by number", len({column["Gain over free space at 1 m"] for column in table(driver)[1:]}) > 1)
    driver.find_element(By.CSS_SELECTOR, "#table thead button").click()
    check("a pin can be removed", len(table(driver)) == 4 and plot(driver) != pinned)

    test_keyboard(driver, stage)
    test_quantities(driver)
    theme = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    driver.find_element(By.ID, "theme").click()
    check("light turns dark", driver.execute_script("return getComputedStyle(document.body).backgroundColor") != theme)
    no_complaints(driver, "desktop")
    driver.quit()


def test_keyboard(driver, stage):
    driver.execute_script("arguments[0].focus()", stage)
    x, y = cursor(driver)
    press(driver, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_UP)
    pitch = driver.execute_script("return [state.site.pitch_x, state.site.pitch_y]")
    moved = cursor(driver)
    near("arrow keys: one cell to the right", moved[0] - x, pitch[0], 1e-9)
    near("arrow keys: two cells up", moved[1] - y, 2 * pitch[1], 1e-9)
    time.sleep(0.5)
    check("the read-out is spoken", f"{moved[0]:.2f} m" in text_of(driver, "live"), text_of(driver, "live"))
    pins = len(table(driver))
    press(driver, Keys.ENTER)
    check("Enter pins", len(table(driver)) == pins + 1)
    scale = driver.execute_script("return view.scale")
    picture = pixels(driver)
    press(driver, "+")
    check("plus zooms in", driver.execute_script("return view.scale") > 1.3 * scale and pixels(driver) != picture)
    press(driver, "0")
    near("0 shows everything", driver.execute_script("return view.scale"), scale, 1e-9)
    press(driver, Keys.ESCAPE)
    check("Escape clears", len(table(driver)) == 1)
    box = stage.rect
    driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": box["x"] + 200, "y": box["y"] + 150,
                                                        "deltaX": 0, "deltaY": -240})
    time.sleep(0.3)
    zoomed = driver.execute_script("return [view.scale, view.x, view.y]")
    check("the wheel zooms", zoomed[0] > 1.2 * scale, zoomed)
    ActionChains(driver).move_to_element(stage).click_and_hold().move_by_offset(60, 30).release().perform()
    dragged = driver.execute_script("return [view.scale, view.x, view.y]")
    near("dragging pans by as much", zoomed[1] - dragged[1], 60 / zoomed[0], 0.03)
    check("without a pin", len(table(driver)) == 1)
    press(driver, "0")


def test_quantities(driver):
    compare_coverage(driver, "received-power", -30, "--tx", "left")
    picture = pixels(driver)
    driver.execute_script("const s = document.getElementById('slider'); s.value = -20; s.oninput()")
    check("the slider recolours", pixels(driver) != picture)
    near("and sets the threshold", float(driver.find_element(By.ID, "level").get_attribute("value")), -20, 1e-9)
    driver.find_element(By.ID, "mean").click()
    compare_coverage(driver, "received-power", -31.5, "--local-mean", "--tx", "left")
    driver.find_element(By.ID, "mean").click()
    for value, quantity, level in (("path_gain", "path-gain", -12), ("rms_delay_spread", "rms-delay-spread", 4),
                                   ("mean_excess_delay", "mean-delay", 2), ("rician_k", "k-factor", 3)):
        choose(driver, "quantity", value)
        compare_coverage(driver, quantity, level, "--tx", "left")
    choose(driver, "quantity", "sinr")
    compare_coverage(driver, "sinr", 6)
    choose(driver, "quantity", "best_signal")
    compare_coverage(driver, "received-power", -25, "--tx", "best")
    choose(driver, "site", "1")
    time.sleep(0.5)
    compare_channel(driver, "right", "the other transmitter")
    compare_angles(driver, "right")
    choose(driver, "quantity", "gain")
    seen = set()
    for n in range(3):
        driver.execute_script("const f = document.getElementById('frequency'); f.value = arguments[0]; f.oninput()", 4 * n)
        seen.add((text_of(driver, "frequency-text"), text_of(driver, "value")))
    check("three frequencies, three values", len(seen) == 3, seen)
    choose(driver, "quantity", "best_server")
    check("best server by name", text_of(driver, "value") in ("left", "right"), text_of(driver, "value"))
    printed = planwave("map", RESULT, "--quantity", "best-server", "-f", "-o", f"{FOLDER}/best.png")
    for name, share in re.findall(r"^ *(left|right) +serves +([\d.]+) %", printed, re.M):
        shown = re.search(rf"{name}: ([\d.]+) %", text_of(driver, "servers"))
        near(f"{name} serves {share} %", shown and float(shown[1]), float(share), 0.15)  # steps of 0.01 dB tie some cells


def test_phone():
    driver = browser(390, 844, dark=True, touch=True)
    check("phone: dark as the system asks", driver.execute_script("return document.documentElement.dataset.theme") == "dark")
    check("phone: no sideways scrolling", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
    box = driver.execute_script("const b = document.getElementById('map').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]")

    def touch(kind, *points):
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": box[0] + x * box[2], "y": box[1] + y * box[3], "id": n} for n, (x, y) in enumerate(points)]})

    before = cursor(driver)
    touch("touchStart", (0.3, 0.6))
    touch("touchEnd")
    time.sleep(0.2)
    check("phone: a tap moves the cursor", cursor(driver) != before and len(table(driver)) == 1)
    touch("touchStart", (0.3, 0.6))
    touch("touchEnd")
    time.sleep(0.2)
    check("phone: a second tap pins", len(table(driver)) == 2)
    scale = driver.execute_script("return view.scale")
    touch("touchStart", (0.4, 0.5), (0.6, 0.5))
    touch("touchMove", (0.3, 0.5), (0.7, 0.5))
    touch("touchMove", (0.2, 0.5), (0.8, 0.5))
    touch("touchEnd")
    time.sleep(0.2)
    near("phone: a pinch to three times the distance", driver.execute_script("return view.scale") / scale, 3, 0.3)
    no_complaints(driver, "phone")
    driver.quit()


def test_space():
    """Heights and vertical cuts of a result in three dimensions."""
    driver = browser(1280, 860, page=SPACE_PAGE)
    compare_channel(driver, "left", "low", "--height", "0.8", result=SPACE_RESULT)
    driver.execute_script("const h = document.getElementById('height'); h.value = 1; h.oninput()")
    time.sleep(0.5)
    compare_channel(driver, "left", "high", "--height", "1.4", result=SPACE_RESULT)
    driver.find_element(By.ID, "map").click()
    check("a pin", len(table(driver)) == 2)
    planes = [entry.text for entry in Select(driver.find_element(By.ID, "plane")).options]
    check("heights and both cuts", planes == ["Horizontal", "Cut at y = 1.20 m", "Cut at x = 3.00 m"], planes)
    low = pixels(driver)
    for number in (1, 2):
        Select(driver.find_element(By.ID, "plane")).select_by_index(number)
        time.sleep(0.5)
        check(f"cut {number}: another picture", pixels(driver) != low)
        check(f"cut {number}: no pins of another plane, no height", len(table(driver)) == 1 and
              driver.execute_script("return document.getElementById('height-label').hidden"))
        extent = driver.execute_script("return [left, right, bottom, top_]")
        expected = [0, 3.6 if number == 1 else 2.4, -0.15, 1.8]
        check(f"cut {number}: it reaches from floor to roof", all(abs(a - b) < 0.3 for a, b in zip(extent, expected)), extent)
        compare_channel(driver, "left", f"cut {number}", "--cut", str(number), result=SPACE_RESULT)
        across = "y 1.20 m" if number == 1 else "x 3.00 m"
        check(f"cut {number}: it says where", across in text_of(driver, "place"), text_of(driver, "place"))
    choose(driver, "component", str(driver.execute_script("return sheets.findIndex((s) => s.normal === 0 && s.component === 'Ex')")))
    time.sleep(0.5)
    compare_channel(driver, "left", "across", "--cut", "2", "--component", "ex", result=SPACE_RESULT)
    Select(driver.find_element(By.ID, "plane")).select_by_index(0)
    time.sleep(0.5)
    check("back to the heights", not driver.execute_script("return document.getElementById('height-label').hidden") and
          "height 1.4" in text_of(driver, "place"), text_of(driver, "place"))
    no_complaints(driver, "space")
    driver.quit()


def test_walls():
    """Over a receiver its walls glow, and table and map say what planwave sensitivity says."""
    driver = browser(1280, 800, page=os.path.join(FOLDER, "walls.html"))
    with open(os.path.join(FOLDER, "walls.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["receiver"] == "door"]
    driver.execute_script("setCursor(cellAt(2.6, 1.6))")
    settle(driver)
    before = driver.execute_script("return document.getElementById('map').toDataURL()")
    check("away from receivers no wall glows", not driver.execute_script("return deciding.glows"))
    driver.execute_script("setCursor(cellAt(1.9, 0.6))")
    settle(driver)
    shown = driver.execute_script("return deciding.shown")
    check("over a receiver its walls glow", driver.execute_script("return deciding.glows && document.getElementById('map').toDataURL()") != before and shown["receiver"] == "door", shown)
    check("as many walls", len(shown["walls"]) == len(rows) == 2, [shown, rows])
    for row, wall in zip(rows, shown["walls"]):
        near(f"{wall['material']}: dB with 10 % more", wall["db_per_10_percent"], 0.1 * float(row["dB per relative change"]), 1e-3)
        near(f"{wall['material']}: dB per cm", wall["db_per_cm"], 0.01 * float(row["dB per metre"]), 1e-3)
    told = driver.execute_script("return [signed(deciding.shown.walls[0].db_per_10_percent), document.querySelector('#deciding-body tr').textContent]")
    check("the table says so", told[0] in told[1] and text_of(driver, "deciding-of") == "door, from left", told)
    driver.execute_script("setCursor(cellAt(2.6, 1.6)); document.getElementById('deciding-stays').click()")
    check("and it can stay", driver.execute_script("return deciding.glows"))
    no_complaints(driver, "walls")
    driver.quit()


def test_arrays():
    """The link nearest to the cursor, its curves, and capacity on the map."""
    driver = browser(1280, 800, page=os.path.join(FOLDER, "arrays.html"))
    with open(os.path.join(FOLDER, "arrays.csv"), encoding="utf-8") as file:
        rows = {row["receiver"]: row for row in csv.DictReader(line for line in file if not line.startswith("#"))}
    for name, place in (("user", "2.5, 1"), ("other", "1, 1.4")):
        driver.execute_script(f"setCursor(cellAt({place}))")
        settle(driver)
        table_ = driver.execute_script("return Object.fromEntries([...document.querySelectorAll('#mimo-table tbody tr')].map((r) => [r.firstChild.firstChild.textContent.trim(), Number(r.children[1].dataset.value)]))")
        near(f"{name}: capacity", table_["Capacity, equal power"], float(rows[name]["capacity_bit_s_Hz"]), 1e-3)
        near(f"{name}: rank", table_["Rank"], float(rows[name]["rank"]), 1e-3)
        check(f"{name}: it is said which link", text_of(driver, "mimo-at") == f"2 × 2, ap to {name}", text_of(driver, "mimo-at"))
    drawn = driver.execute_script("return ['mimo-plot', 'mimo-values'].map((id) => { const c = document.getElementById(id); return new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size; })")
    check("both curves are drawn", all(colours > 3 for colours in drawn), drawn)
    before = driver.execute_script("return document.getElementById('map').toDataURL()")
    driver.execute_script("document.getElementById('mimo-marks').click()")
    settle(driver)
    check("capacity on the map", driver.execute_script("return document.getElementById('map').toDataURL()") != before)
    nothing_unnamed(driver)
    no_complaints(driver, "arrays")
    driver.quit()


def test_old_browser():
    total = "let sum = 0; state.site.profiles.forEach((v, n) => { sum += v * (n % 97); }); return sum"
    driver = browser(1280, 800)
    expected = driver.execute_script(total)
    driver.quit()
    driver = browser(1280, 800, before="delete window.DecompressionStream;")
    check("a browser that cannot inflate", driver.execute_script("return typeof DecompressionStream") == "undefined"
          and driver.execute_script(total) == expected)
    no_complaints(driver, "old browser")
    driver.quit()


finish((test_desktop, test_phone, test_space, test_walls, test_arrays, test_old_browser))
