"""The page of `planwave serve` in headless Chromium: what tests/live/test_live_page.sh starts. Prints one line a check, as the other tests do,
and ends with status 0 when all hold. Arguments: planwave, a folder with room.yaml, the browser and its driver.
The maps that the page received are compared, bit for bit, with those of `planwave run` and `planwave map` of the scenario that it saved;
those programs know nothing of the server. Left out: how the page looks, and what the server does with bad messages (other tests)."""
import csv
import os
import re
import time

from live_browser import (
    CHROMIUM, DRIVER, ActionChains, By, Keys, Select, Server, bits, click_at, compare_map, field, notice, pixel, planwave, revision,
    save, tool, transmitters, until, wait_full,
)

from browser import check, dress, finish, near, no_complaints, nothing_unnamed, press, settle, start, text_of


def test_first_view(driver):
    wait_full(driver)
    check("it says that the map is full", text_of(driver, "badge-word") == "Full resolution", text_of(driver, "badge"))
    check("title", "Two rooms" in driver.title and driver.find_element(By.TAG_NAME, "h1").text == "Two rooms <b>&amp; a door</b>", driver.title)
    foreign = driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith(location.href) && !n.startsWith('data:'))")
    check("nothing from elsewhere", not foreign, foreign)
    check("everything fits", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
    nothing_unnamed(driver)
    inks = driver.execute_script("""
        const name = document.querySelector('.handle span'), found = live.map, ink = () => { drawMap(); return getComputedStyle(name).color; };
        document.documentElement.dataset.theme = 'light';
        const over = ink(); live.map = null; const without = ink(); live.map = found; drawMap();
        return [over, without];""")
    check("names are light over the map and dark over the plan before there is one", inks == ["rgb(255, 255, 255)", "rgb(16, 22, 26)"], inks)
    widths = driver.execute_script("""
        const place = document.querySelector('#transmitters span'), was = place.textContent;
        const widths = ['3.00, 3.00', '11.00, 10.00'].map((text) => { place.textContent = text; return place.getBoundingClientRect().width; });
        place.textContent = was;
        return widths;""")
    check("places of all lengths leave the fields beside them in columns", widths[0] == widths[1], widths)


def test_drag(driver):
    """A preview while the pointer is down, said to be one; the full map after it; undo gives the bits of before."""
    before, was, place = bits(driver), revision(driver), transmitters(driver)[0]
    handle = driver.find_element(By.CSS_SELECTOR, ".handle")
    chain = ActionChains(driver, duration=30).click_and_hold(handle)
    for _ in range(8):
        chain.move_by_offset(6, 4)
    chain.perform()
    until(driver, "a preview while dragging", "return live.map && !live.map.full && live.map.revision > arguments[0]", was)
    settle(driver)
    said = text_of(driver, "badge-word")
    check("it says that the map is a preview", said == "Preview, low resolution", said)
    check("its cells are larger", driver.execute_script("return live.map.values.length") < len(before) // 4)
    ActionChains(driver).release().perform()
    wait_full(driver, was)
    check("it says that the map is full again", text_of(driver, "badge-word") == "Full resolution", text_of(driver, "badge"))
    now, scale = transmitters(driver)[0], driver.execute_script("return view.scale")
    near("moved to the right", now["x"] - place["x"], 48 / scale, 0.02)
    near("moved down", now["y"] - place["y"], -32 / scale, 0.02)
    check("the map has changed", bits(driver) != before)
    compare_map(driver, "dragged")
    was = revision(driver)
    driver.find_element(By.ID, "undo").click()
    wait_full(driver, was)
    near("undo: one step for the whole drag", transmitters(driver)[0]["x"], place["x"], 1e-9)
    check("undo: the bits of the earlier map", bits(driver) == before)


def test_walls(driver):
    before, walls = bits(driver), driver.execute_script("return live.state.shapes.length")
    tool(driver, "wall")
    Select(driver.find_element(By.ID, "material")).select_by_value("concrete")
    (x, y), (x2, y2) = pixel(driver, 3.0, 0.9), pixel(driver, 4.2, 0.95)
    was = revision(driver)
    ActionChains(driver, duration=30).move_to_element_with_offset(driver.find_element(By.ID, "map"), x, y).click_and_hold().move_by_offset(x2 - x, y2 - y).release().perform()
    wait_full(driver, was)
    shapes = driver.execute_script("return live.state.shapes")
    drawn = [s for s in shapes if s["kind"] == "wall"][-1]
    check("a wall more", len(shapes) == walls + 1, shapes)
    check("nearly level is level", drawn["points"][0][1] == drawn["points"][1][1] and abs(drawn["points"][1][0] - 4.2) < 0.02, drawn)
    check("of that material and thickness", drawn["material"] == "concrete" and abs(drawn["thickness"] - 0.1) < 1e-9, drawn)
    check("the plan shows it", driver.execute_script("return materialAt([3.6, arguments[0]]).name", drawn["points"][0][1]) == "concrete")
    check("the map has changed", bits(driver) != before)
    compare_map(driver, "walled")
    tool(driver, "wall")
    middle = driver.find_element(By.ID, "map")
    ActionChains(driver, duration=30).move_to_element_with_offset(middle, x, y).click_and_hold().move_by_offset(40, 10).perform()
    press(driver, Keys.ESCAPE)
    ActionChains(driver).release().perform()
    time.sleep(0.2)
    check("Escape draws nothing", driver.execute_script("return live.state.shapes.length") == walls + 1)
    tool(driver, "erase")
    was = revision(driver)
    click_at(driver, 3.6, drawn["points"][0][1])
    wait_full(driver, was)
    check("erased: the bits of before the wall", bits(driver) == before)
    was = revision(driver)
    click_at(driver, 3.6, 2.9)
    said = notice(driver, ".")
    check("where no wall is, it says so", re.search(r"no wall|nothing", said), said)
    check("and nothing has changed", revision(driver) == was)
    tool(driver, "move")
    driver.execute_script("document.getElementById('map').focus()")
    ActionChains(driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    wait_full(driver, was)
    check("Ctrl+Z: the wall is back", driver.execute_script("return live.state.shapes.length") == walls + 1)
    was = revision(driver)
    ActionChains(driver).key_down(Keys.CONTROL).send_keys("y").key_up(Keys.CONTROL).perform()
    wait_full(driver, was)
    check("Ctrl+Y: erased again", bits(driver) == before)
    was = revision(driver)
    driver.execute_script("setCursor([3.0, 2.8])")
    press(driver, "w", Keys.ENTER, *[Keys.ARROW_RIGHT] * 8, Keys.ENTER)
    wait_full(driver, was)
    drawn = [s for s in driver.execute_script("return live.state.shapes") if s["kind"] == "wall"][-1]["points"]
    check("a wall by keys alone", drawn[0] == [3.0, 2.8] and drawn[1][1] == 2.8 and drawn[1][0] > 3.3, drawn)
    was = revision(driver)
    driver.find_element(By.ID, "undo").click()
    wait_full(driver, was)
    tool(driver, "move")


def test_keyboard(driver):
    place, was = transmitters(driver)[0], revision(driver)
    driver.execute_script("document.querySelector('.handle').focus()")
    press(driver, Keys.ARROW_RIGHT, Keys.ARROW_UP)
    ActionChains(driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    time.sleep(0.6)
    wait_full(driver, was)
    now = transmitters(driver)[0]
    near("arrow keys: ten centimetres, with Shift one", now["x"] - place["x"], 0.11, 1e-6)
    near("arrow keys: up", now["y"] - place["y"], 0.1, 1e-6)
    press(driver, Keys.DELETE)
    notice(driver, "last|transmitter")
    check("the last transmitter stays", len(transmitters(driver)) == 1)
    was = revision(driver)
    tool(driver, "add")
    click_at(driver, 3.9, 0.9)
    wait_full(driver, was)
    two = transmitters(driver)
    check("a further transmitter where it was clicked", len(two) == 2 and abs(two[1]["x"] - 3.9) < 0.02 and abs(two[1]["y"] - 0.9) < 0.02, two)
    compare_map(driver, "two")
    driver.execute_script("document.querySelectorAll('.handle')[1].focus()")
    was = revision(driver)
    press(driver, Keys.DELETE)
    wait_full(driver, was)
    check("Delete removes it", len(transmitters(driver)) == 1)


def test_material(driver):
    before, was = bits(driver), revision(driver)

    def permittivity(text):
        field = driver.find_element(By.CSS_SELECTOR, "#materials input[aria-label='Relative permittivity of brick']")
        field.send_keys(Keys.CONTROL + "a", Keys.NULL, text, Keys.ENTER)

    permittivity("0.5")
    check("a permittivity under 1 is refused in words", "1 to 1000" in notice(driver, "brick"))
    permittivity("4.5")
    wait_full(driver, was)
    check("another permittivity, another map", bits(driver) != before)
    was = revision(driver)
    driver.find_element(By.ID, "undo").click()
    wait_full(driver, was)
    check("undo: the bits of before", bits(driver) == before)


def test_views(driver):
    for word, mean in (("path-loss", True), ("rms-delay-spread", False), ("received-power", False)):
        Select(driver.find_element(By.ID, "quantity")).select_by_value(word)
        if driver.find_element(By.ID, "mean").is_selected() != mean and word != "rms-delay-spread":
            driver.find_element(By.ID, "mean").click()
        until(driver, word, "return quantityOf(live.map).word === arguments[0] && live.map.full", word)
    wait_full(driver)
    until(driver, "no local mean", "return !live.map.mean")
    said = driver.execute_script("const v = live.state.view, was = v.quantity; v.quantity = 'snr'; const mark = badgeOf(); v.quantity = was; return [mark, badgeOf()]")
    check("a map that is not yet the one chosen says so", said[0][:2] == ["old", "Still the received power"] and said[1][0] == "full", said)
    compare_map(driver, "plain")
    driver.find_element(By.ID, "report").click()
    link = until(driver, "the report", "const l = document.getElementById('notice-link'); return !l.hidden && l.href")
    page = driver.execute_async_script("const done = arguments[1]; fetch(arguments[0]).then((r) => r.text()).then(done, done)", link)
    check("the report is that of planwave report", "planwave report" in page and "Two rooms" in page, str(page)[:200])
    driver.find_element(By.ID, "notice-close").click()


def test_profile(driver):
    x, y = driver.execute_script("setCursor([3.3, 2.4]); return state.cursor")
    found = until(driver, "the profile", "return live.channel && Math.abs(live.channel.x - arguments[0]) < 0.1 && live.channel.revision === live.state.revision && live.channel", x)
    planwave("channel", "plain.h5", "--tx", "left", "--at", f"{x:.9g},{y:.9g}", "-o", "there")
    with open("there/power_delay_profile.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    expected = {round(1e12 * float(row["delay_s"])): float(row["power_dB"]) for row in rows}
    worst, compared = 0.0, 0
    for n, value in enumerate(found["power_db"]):
        delay = found["delays_ns"][n] if found.get("delays_ns") else found["delay_first_ns"] + n * found["delay_step_ns"]
        truth = expected.get(round(1e3 * delay))
        if truth is not None and value is not None:
            compared += 1
            worst = max(worst, abs(truth - value))
    check(f"{compared} bins of the profile are those of planwave channel", compared > 20 and worst < 0.01, f"{compared} compared, worst {worst} dB")


def coverage(*options):
    """What `planwave map` prints of the saved scenario, in per cent of the floor."""
    said = planwave("map", "plain.h5", "--quantity", "received-power", "--coverage", "-25", "-f", "-o", "share.png", *options)
    return float(re.search(r": ([\d.]+) % of the (?:inside|whole)", said)[1])


def test_walls_that_decide():
    """The layer Walls: a click on a receiver asks, its walls glow, and their numbers are those of planwave sensitivity."""
    with open("walls.yaml", "w", encoding="utf-8") as file:
        file.write("plan:\n  size: [3 m, 2 m]\n  walls:\n    - {from: [1.5 m, 0.2 m], to: [1.5 m, 1.8 m], thickness: 12 cm, material: brick}\n"
                   "    - {from: [2 m, 0.3 m], to: [2.7 m, 0.3 m], thickness: 10 cm, material: plasterboard}\n    - {from: [0.2 m, 0.3 m], to: [0.2 m, 1.7 m], thickness: 10 cm, material: brick}\n"
                   "grid: {scheme: fd4o, cell: 3 cm, courant: 0.5}\nband: {centre: 1.2 GHz, width: 200 MHz}\ntransmitters: [{name: left, at: [0.8 m, 1.2 m]}]\n"
                   "receivers: [{name: desk, at: [2.2 m, 1.1 m]}]\nspectra: {count: 16, spacing: 2 cells}\nstop: {after: 60 ns, decay: off}\n")
    global server
    server, driver = Server("walls.yaml"), start(CHROMIUM, DRIVER, 1400, 900)
    driver.get(server.address)
    wait_full(driver)
    driver.execute_script("document.querySelector('#layers input[value=walls]').click()")
    settle(driver)
    before = driver.execute_script("return document.getElementById('map').toDataURL()")
    click_at(driver, 2.21, 1.09)
    shown = until(driver, "an answer", "return deciding.shown")
    check("a click beside a receiver is one on it", shown["name"] == "desk" and shown["x"] == 2.2 and shown["transmitter"] == "left", shown)
    settle(driver)
    check("walls glow", driver.execute_script("return document.getElementById('map').toDataURL()") != before)
    planwave("sensitivity", "walls.yaml", "-f", "-o", "walls.png", "--walls", "told.csv", *(f"--vary={m}:{k}" for m in ("brick", "plasterboard") for k in ("permittivity", "conductivity", "thickness")))
    with open("told.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    check("as many walls", len(rows) == len(shown["walls"]) >= 3, [len(rows), shown["walls"]])
    for row, wall in list(zip(rows, shown["walls"]))[:3]:
        near(f"{wall['material']}: dB with 10 % more", wall["db_per_10_percent"], 0.1 * float(row["dB per relative change"]), 1e-3)
        near(f"{wall['material']}: dB per cm", wall["db_per_cm"], 0.01 * float(row["dB per metre"]), 1e-3)
    first = driver.execute_script("const w = deciding.shown.walls[0]; setCursor([0.3 * w.from[0] + 0.7 * w.to[0], 0.3 * w.from[1] + 0.7 * w.to[1]]); return [deciding.pointed, signed(w.db_per_10_percent)]")
    check("the wall under the pointer says its number", first[0] == 0 and text_of(driver, "value") == f"{first[1]} dB", text_of(driver, "value"))
    table = driver.execute_script("return [...document.querySelectorAll('#deciding-body tr')].map((r) => r.textContent)")
    check("and so does the table", not driver.execute_script("return document.getElementById('deciding').hidden") and first[1] in table[0], table)
    driver.execute_script("deciding.shown = null; setCursor([2.2, 1.1])")
    check("over the receiver its walls glow again", driver.execute_script("return deciding.shown && deciding.shown.name") == "desk")
    was = revision(driver)
    driver.execute_script("change({ type: 'move', transmitter: 'left', x: 0.9, y: 1.1 })")
    wait_full_layer(driver, was)
    check("after a change it says that the answer is old", text_of(driver, "badge-word") == "Before the last change", text_of(driver, "badge"))
    driver.execute_script("askDeciding([2.4, 0.8])")
    stop = driver.find_element(By.ID, "stop")
    until(driver, "Stop is offered", "return !document.getElementById('stop').hidden")
    stop.click()
    until(driver, "stopped, or done", "return deciding.place === null")
    check("no complaint about it", driver.execute_script("return document.getElementById('notice').hidden || !/stopped/.test(document.getElementById('notice-text').textContent)"))
    no_complaints(driver, "walls that decide")
    driver.quit()
    server.stop()


def test_mimo():
    """What an array carries to the cursor is that of planwave mimo with a receiver there; a transmitter alone has no such card."""
    scenario = ("plan:\n  size: [3 m, 2 m]\n  walls: [{from: [1.5 m, 0 m], to: [1.5 m, 1.2 m], thickness: 12 cm, material: brick}]\n"
                "grid: {scheme: fd4o, cell: 3 cm, courant: 0.5}\nband: {centre: 1.2 GHz, width: 200 MHz}\n"
                "transmitters: [{name: row, at: [0.8 m, 1 m], antenna: {array: ula, elements: 3, bearing: 90 deg}}, {name: alone, at: [0.5 m, 1.6 m]}]\n"
                "spectra: {count: 16, spacing: 1 cells}\nstop: {after: 60 ns, decay: off}\n")
    with open("row.yaml", "w", encoding="utf-8") as file:
        file.write(scenario)
    global server
    server, driver = Server("row.yaml"), start(CHROMIUM, DRIVER, 1400, 900)
    driver.get(server.address)
    wait_full(driver)
    driver.execute_script("const s = document.getElementById('mimo-snr'); s.value = 20; s.onchange(); setCursor([2.2, 1.4])")
    found = until(driver, "an answer", "return mimo.answer && mimo.answer.snr_db < 20.001 && mimo.answer.x === 2.2 && mimo.answer")
    with open("there.yaml", "w", encoding="utf-8") as file:
        file.write(scenario.replace(", {name: alone, at: [0.5 m, 1.6 m]}", "") + "receivers: [{name: here, at: [2.2 m, 1.4 m], antenna: {array: ula, elements: 2}}]\n")
    planwave("run", "there.yaml", "-q", "-f", "-o", "there.h5")
    planwave("mimo", "there.h5", "--snr", "20dB", "-f", "-o", "there.csv")
    with open("there.csv", encoding="utf-8") as file:
        row = list(csv.DictReader(line for line in file if not line.startswith("#")))[0]
    near("capacity", found["capacity"], float(row["capacity_bit_s_Hz"]), 0.1)
    near("the largest singular value", found["singular_db"][0], float(row["singular_1_dB"]), 0.1)
    check("the page tells it", f"{found['capacity']:.1f} bit/s/Hz" in text_of(driver, "mimo-capacity") and "3 antennas to 2" in text_of(driver, "mimo-of"), text_of(driver, "mimo"))
    driver.execute_script("change({ type: 'view', transmitter: 'alone' })")
    until(driver, "no card for a transmitter alone", "return document.getElementById('mimo').hidden")
    nothing_unnamed(driver)
    no_complaints(driver, "mimo")
    driver.quit()
    server.stop()


def wait_full_layer(driver, after):
    until(driver, "a full map", "return live.state.revision > arguments[0] && live.map.full && live.map.revision === live.state.revision", after)
    settle(driver)


def test_threshold(driver):
    picture = driver.execute_script("return pictures.map.toDataURL()")
    box = driver.find_element(By.ID, "level")
    box.send_keys(Keys.CONTROL + "a", Keys.NULL, "-25", Keys.ENTER)
    near("the share of the floor is that of planwave map", driver.execute_script("return Number(document.getElementById('share').dataset.value)"), coverage(), 0.051)
    check("and it is said", re.search(r"% of the (inside|whole).* at or over .25.0 dBm", text_of(driver, "share")), text_of(driver, "share"))
    check("what is under it has no colour", driver.execute_script("return pictures.map.toDataURL()") != picture)
    box.send_keys(Keys.CONTROL + "a", Keys.NULL, Keys.DELETE)
    check("an empty field takes it away", driver.execute_script("return state.threshold === null && pictures.map.toDataURL()") == picture)


def test_same_number(driver):
    """The live page and the report of the same scenario begin with the same number at the same place."""
    first, begun = driver.current_window_handle, ["received-power", True]
    driver.find_element(By.ID, "mean").click()
    until(driver, "local means", "return live.map.mean && live.map.full")
    wait_full(driver)
    check("as the page began", driver.execute_script("return [live.state.view.quantity, live.state.view.local_mean]") == begun)
    planwave("report", "plain.h5", "-f", "-o", "plain.html")
    driver.switch_to.new_window("window")
    dress(driver, 1280, 800)
    driver.get("file://" + os.path.join(os.path.abspath("."), "plain.html"))
    until(driver, "the report", "return document.documentElement.dataset.ready === 'true'")
    seen = driver.execute_script("return [cellX(state.cursor), cellY(state.cursor), Number(document.getElementById('value').dataset.value), state.mean]")
    report, text = driver.current_window_handle, text_of(driver, "value")
    driver.switch_to.window(first)
    driver.execute_script("setCursor(arguments[0])", seen[:2])
    near("report and live page begin with the same number", driver.execute_script("return Number(document.getElementById('value').dataset.value)"), seen[2], 0.00501)
    check("in the same words", text_of(driver, "value") == text, [text_of(driver, "value"), text])
    driver.switch_to.window(report)
    driver.close()
    driver.switch_to.window(first)


def test_hostile(driver):
    """What would kill a server or fill the machine is refused in words, and the page goes on."""
    before, was = bits(driver), revision(driver)
    driver.execute_script("line.socket.send('['.repeat(1000) + ']'.repeat(1000))")
    notice(driver, "JSON|deep|nest")
    check("brackets without end are refused, and nothing changes", revision(driver) == was and bits(driver) == before)


def test_station():
    """Power, channel and name of an access point are fields, and the scenario that is saved has them."""
    with open("wifi.yaml", "w", encoding="utf-8") as file:
        file.write("plan: {size: [1.2 m, 0.8 m]}\ngrid: {scheme: fd4o, cell: 1.5 cm}\nband: {centre: 2.45 GHz, width: 100 MHz}\n"
                   "transmitters: [{name: left, at: [0.4 m, 0.4 m]}]\nspectra: {count: 8, spacing: 2 cells}\nstop: {after: 20 ns, decay: off}\n")
    global server
    server, driver = Server("wifi.yaml"), start(CHROMIUM, DRIVER, 1400, 900)
    driver.get(server.address)
    wait_full(driver)
    was = revision(driver)
    field(driver, "Channel of left", "36")
    said = notice(driver, "channel 36")
    check("a channel that the band has not is refused", revision(driver) == was and transmitters(driver)[0]["channel"] is None, said)
    driver.execute_script("change({ type: 'band', centre: 1e12 })")
    said = notice(driver, "too coarse for the band")
    check("1 THz is refused, and says why", revision(driver) == was, said)
    name = "lobby by the stairs of floor 2"
    for label, text in (("Channel of left", "6"), ("Power of left in dBm, EIRP", "17"), ("Name of left", name)):
        was = revision(driver)
        field(driver, label, text)
        until(driver, label, "return live.state.revision > arguments[0]", was)
        settle(driver)
    station = transmitters(driver)[0]
    check("channel, power and name", station["channel"]["number"] == 6 and station["channel"]["centre"] == 2.437e9 and station["power"] == 17 and station["name"] == name, station)
    wait_full(driver)
    save(driver, "station.yaml")
    with open("station.yaml", encoding="utf-8") as file:
        text = file.read()
    check("the scenario has them", "channel: {band: 2.4 GHz, number: 6, width: 20 MHz}" in text and name in text, text[:400])
    for _ in range(3):
        was = revision(driver)
        driver.find_element(By.ID, "undo").click()
        until(driver, "undone", "return live.state.revision > arguments[0]", was)
    check("undone one by one", transmitters(driver)[0]["name"] == "left" and transmitters(driver)[0]["channel"] is None)
    check("long names leave the page no wider", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
    driver.quit()
    server.stop()


def test_two_windows(driver):
    first = driver.current_window_handle
    driver.switch_to.new_window("window")
    dress(driver, 1280, 800)
    driver.get(server.address)
    wait_full(driver)
    second, one = driver.current_window_handle, bits(driver)
    driver.switch_to.window(first)
    check("two windows, one map", bits(driver) == one)
    was = revision(driver)
    driver.execute_script("document.querySelector('.handle').focus()")
    press(driver, Keys.ARROW_LEFT)
    time.sleep(0.6)
    wait_full(driver, was)
    now, place = bits(driver), transmitters(driver)
    driver.switch_to.window(second)
    wait_full(driver, was)
    check("a change is seen in the other window", bits(driver) == now != one and transmitters(driver) == place)
    check("and it says how many there are", "2" in text_of(driver, "summary") and "windows" in text_of(driver, "summary"), text_of(driver, "summary"))
    driver.close()
    driver.switch_to.window(first)


def test_wave(driver):
    driver.execute_script("document.querySelector('#layers input[value=wave]').click()")
    first = until(driver, "a wave", "return live.wave && live.wave.seconds > 0 && live.wave.seconds")
    later = until(driver, "time goes on", "return live.wave.seconds > arguments[0] + 2e-10 && live.wave.seconds", first)
    check("the time is shown", re.fullmatch(r"[\d.]+ ns", text_of(driver, "time")), text_of(driver, "time"))
    driver.find_element(By.ID, "play").click()
    until(driver, "it is paused", "return document.getElementById('play').textContent === 'Play'")
    time.sleep(0.4)
    stands = driver.execute_script("return live.wave.seconds")
    time.sleep(0.4)
    check("it stands", driver.execute_script("return live.wave.seconds") == stands >= later)
    driver.find_element(By.ID, "play").click()
    until(driver, "it goes on", "return live.wave.seconds > arguments[0]", stands)
    driver.execute_script("document.querySelector('#layers input[value=map]').click()")


def test_connection(driver):
    driver.execute_script("line.socket.close()")
    until(driver, "it says that the line is lost", "return !document.getElementById('lost').hidden && document.getElementById('main').inert")
    until(driver, "it is back by itself", "return live.connected && document.getElementById('lost').hidden && !document.getElementById('main').inert")
    wait_full(driver)
    no_complaints(driver, "desktop")
    driver.get(re.sub(r"/[^/]+/$", "/wrong-token/", server.address))
    page = driver.find_element(By.TAG_NAME, "body").text
    check("a wrong token shows a sentence, and no plan", "token" in page and not driver.find_elements(By.ID, "map"), page)
    driver.get_log("browser")


def test_phone():
    driver = start(CHROMIUM, DRIVER, 390, 844, dark=True, touch=True)
    driver.get(server.address)
    wait_full(driver)
    check("phone: dark as the system asks", driver.execute_script("return document.documentElement.dataset.theme") == "dark")
    check("phone: no sideways scrolling", driver.execute_script("return document.documentElement.scrollWidth <= innerWidth"))
    box = driver.execute_script("const b = document.getElementById('map').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]")

    def touch(kind, *points):
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [
            {"x": box[0] + box[2] / 2 + x, "y": box[1] + box[3] / 2 + y, "id": n} for n, (x, y) in enumerate(points)]})

    place, was = transmitters(driver)[0], revision(driver)
    x, y = pixel(driver, place["x"], place["y"])
    touch("touchStart", (x + 6, y + 4))
    for n in range(1, 6):
        touch("touchMove", (x + 6 + 10 * n, y + 4))
        time.sleep(0.03)
    touch("touchEnd")
    wait_full(driver, was)
    near("phone: a finger drags a transmitter", (transmitters(driver)[0]["x"] - place["x"]) * driver.execute_script("return view.scale"), 50, 1.5)
    scale = driver.execute_script("return view.scale")
    touch("touchStart", (-40, 30), (40, 30))
    touch("touchMove", (-80, 30), (80, 30))
    touch("touchMove", (-120, 30), (120, 30))
    touch("touchEnd")
    time.sleep(0.2)
    near("phone: a pinch to three times the distance", driver.execute_script("return view.scale") / scale, 3, 0.3)
    driver.find_element(By.ID, "fit").click()
    small = driver.execute_script("""return [...document.querySelectorAll('button, select, .handle, .choice label')].filter((e) => e.offsetParent && e.getBoundingClientRect().height < 32).map((e) => e.id || e.textContent)""")
    check("phone: everything has room for a finger", not small, small)
    no_complaints(driver, "phone")
    status = server.stop()
    check("Ctrl-C ends the server", status in (0, 6, 130), status)
    until(driver, "the page says that the server is gone", "return !document.getElementById('lost').hidden && /lost/.test(document.getElementById('lost-text').textContent)")
    driver.quit()


def test_desktop():
    driver = start(CHROMIUM, DRIVER, 1280, 800)
    driver.get(server.address)
    for test in (test_first_view, test_drag, test_walls, test_keyboard, test_material, test_views, test_profile, test_threshold, test_same_number, test_hostile, test_two_windows, test_wave, test_connection):
        began = time.monotonic()
        test(driver)
        print(f"             {test.__name__}: {time.monotonic() - began:.1f} s")
        if test is test_drag:
            lags = sorted(driver.execute_script("return lags.map((l) => l.ms)"))
            print(f"             from the pointer's move to the drawn preview: median {lags[len(lags) // 2]:.0f} ms of {len(lags)}")
    driver.quit()


server = Server()
try:
    finish((test_desktop, test_phone, test_station, test_walls_that_decide, test_mimo))
finally:
    server.process.kill()  # nothing where it has ended
