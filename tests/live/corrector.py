"""A drawing is put right by hand on the page of `planwave serve`: what tests/live/test_corrector.sh starts, with rooms.yaml of an import. Walls get
other materials and go, windows, doors and access points are set, the scale too; what is saved has the bits of what was shown."""
import os
import sys

from live_browser import (
    CHROMIUM, DRIVER, ActionChains, By, Keys, Select, Server, bits, click_at, compare_map, field, notice, pixel, revision, tool,
    transmitters, until, wait_full,
)

from browser import check, finish, near, no_complaints, nothing_unnamed, settle, start, text_of

LEFT, MIDDLE, RIGHT, LOW, HIGH = 1.06, 2.32, 3.58, 1.06, 2.38  # m: middles of the walls, behind 1 m of air


def material_at(driver, x, y):
    return driver.execute_script("return materialAt([arguments[0], arguments[1]]).name", x, y)


def changed(driver, was):
    """Until the plan of a change is here, which comes before its map."""
    until(driver, "a change", "return live.state.revision > arguments[0] && live.plan.revision === live.state.revision", was)
    settle(driver)


def test_drawing(driver):
    wait_full(driver)
    one = transmitters(driver)
    check("a first access point in the middle, which nobody gave", len(one) == 1 and abs(one[0]["x"] - 2.32) < 0.3, one)
    until(driver, "the drawing", "return !document.getElementById('drawing-label').hidden")
    check("the drawing covers the plan", driver.execute_script("return underlay.width === 2400 && Math.abs(underlay.height / underlay.width - live.state.height / live.state.width) < 1e-3"))
    before = driver.execute_script("document.querySelector('#layers input[value=plan]').click(); drawMap(); return document.getElementById('map').toDataURL()")
    strong = driver.execute_script("document.getElementById('drawing').value = 1; drawMap(); return document.getElementById('map').toDataURL()")
    check("its slider is seen", strong != before)
    driver.execute_script("document.querySelector('#layers input[value=map]').click()")
    nothing_unnamed(driver)


def test_walls(driver):
    before, was = bits(driver), revision(driver)
    tool(driver, "change")
    click_at(driver, 1.6, LOW)
    until(driver, "what the wall is", "return !document.getElementById('piece').hidden")
    check("the piece between two walls", text_of(driver, "piece-text").startswith("1.16 m") and "12.0 cm" in text_of(driver, "piece-text"), text_of(driver, "piece-text"))
    check("its material is chosen", driver.find_element(By.ID, "piece-material").get_attribute("value") == "brick")
    Select(driver.find_element(By.ID, "piece-material")).select_by_value("concrete")
    changed(driver, was)
    check("that piece is of concrete now", material_at(driver, 1.6, LOW) == "concrete")
    check("and no other", material_at(driver, 3, LOW) == material_at(driver, LEFT, 1.7) == material_at(driver, MIDDLE, 1.7) == "brick")
    was = revision(driver)
    click_at(driver, MIDDLE, 1.7)
    until(driver, "what the wall is", "return !document.getElementById('piece').hidden")
    driver.find_element(By.ID, "piece-erase").click()
    changed(driver, was)
    check("the wall between the rooms is gone", material_at(driver, MIDDLE, 1.7) == "air" and material_at(driver, MIDDLE, HIGH) == "brick")
    wait_full(driver, was)
    for _ in range(2):
        was = revision(driver)
        driver.find_element(By.ID, "undo").click()
        changed(driver, was)
    wait_full(driver, was)
    check("undone: the bits of before", bits(driver) == before)
    for _ in range(2):
        was = revision(driver)
        driver.find_element(By.ID, "redo").click()
        changed(driver, was)
    click_at(driver, 0.5, 0.5)
    notice(driver, "no wall")


def test_openings(driver):
    for name, x, y, choose, expected in (("window", 3, LOW, {}, "glass"), ("door", RIGHT, 1.7, {"material": "wood", "width": "80"}, "wood")):
        was = revision(driver)
        tool(driver, name)
        if "material" in choose:
            Select(driver.find_element(By.ID, "material")).select_by_value(choose["material"])
            driver.find_element(By.ID, "width").send_keys(Keys.CONTROL + "a", Keys.NULL, choose["width"], Keys.TAB)
        click_at(driver, x, y)
        changed(driver, was)
        shapes = driver.execute_script("return live.state.shapes")[-2:]
        check(f"{name}: an opening, and what stands in it", [s["material"] for s in shapes] == ["air", expected], shapes)
    near("the door is as wide as it was said", abs(shapes[1]["points"][0][1] - shapes[1]["points"][1][1]), 0.8, 1e-5)
    near("its leaf is 4 cm", shapes[1]["thickness"], 0.04, 1e-9)
    near("its opening goes through the wall", shapes[0]["thickness"], 0.12, 1e-5)
    was = revision(driver)
    click_at(driver, 1.7, 1.7)
    notice(driver, "Click a wall: the door goes into it")
    check("beside a wall nothing happens", revision(driver) == was)


def test_access_points(driver):
    was = revision(driver)
    tool(driver, "add")
    click_at(driver, 3, 2)
    wait_full(driver, was)
    for label, text in (("Name of ap1", "hall"), ("Name of ap2", "kitchen"), ("Power of kitchen in dBm, EIRP", "14")):
        was = revision(driver)
        field(driver, label, text)
        until(driver, label, "return live.state.revision > arguments[0]", was)
        settle(driver)
    two = transmitters(driver)
    check("two access points, named, one of 14 dBm", [t["name"] for t in two] == ["hall", "kitchen"] and two[1]["power"] == 14, two)
    wait_full(driver)
    compare_map(driver, "corrected")


def test_scale(driver):
    was, width = revision(driver), driver.execute_script("return live.state.width")
    tool(driver, "scale")
    (x, y), (x2, y2) = pixel(driver, 1, 1.7), pixel(driver, 3.64, 1.7)
    ActionChains(driver, duration=30).move_to_element_with_offset(driver.find_element(By.ID, "map"), x, y).click_and_hold().move_by_offset(x2 - x, y2 - y).release().perform()
    box = until(driver, "the question", "return document.getElementById('scale-dialog').open") and driver.find_element(By.ID, "scale-length")
    near("it begins with the length as it is", float(box.get_attribute("value")), 2.64, 0.03)
    box.send_keys(Keys.CONTROL + "a", Keys.NULL, "3.3", Keys.ENTER)
    wait_full(driver, was)
    near("the plan is larger by as much", driver.execute_script("return live.state.width") / width, 1.25, 0.02)
    near("access points go with it", transmitters(driver)[1]["x"] / 3, 1.25, 0.03)
    compare_map(driver, "scaled")
    was = revision(driver)
    driver.find_element(By.ID, "undo").click()
    wait_full(driver, was)
    near("undo", driver.execute_script("return live.state.width"), width, 1e-9)


def test_page():
    global server
    server, driver = Server("rooms.yaml"), start(CHROMIUM, DRIVER, 1400, 900)
    driver.get(server.address)
    for test in (test_drawing, test_walls, test_openings, test_access_points, test_scale):
        test(driver)
        if len(sys.argv) > 5:
            driver.save_screenshot(os.path.join(sys.argv[5], f"{test.__name__}.png"))
    no_complaints(driver, "corrector")
    driver.quit()


server = None
try:
    finish((test_page,))
finally:
    if server:
        server.process.kill()
