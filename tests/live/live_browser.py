"""What the tests of the page of `planwave serve` have in common: a server, and hands on the page. Arguments: planwave, a folder to work in, the
browser and its driver."""
import os
import re
import signal
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from needs import need  # noqa: E402

need("selenium")
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402,F401 (of the tests that stand on this)

from browser import check, settle, text_of  # noqa: E402

PLANWAVE, FOLDER, CHROMIUM, DRIVER = sys.argv[1:5]
PATIENCE = 60  # s: for builds with sanitizers; a plain one takes well under a second for anything here
os.chdir(FOLDER)


class Server:
    """`planwave serve` of a scenario, on a port of its own choice."""

    def __init__(self, scenario="room.yaml", *options):
        self.log = open("serve.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen([PLANWAVE, "serve", scenario, *options], stdout=self.log,
                                        stderr=subprocess.STDOUT)
        self.address = self.wait_for_address()

    def wait_for_address(self):
        for _ in range(10 * PATIENCE):
            with open("serve.log", encoding="utf-8") as log:
                found = re.search(r"http://127\.0\.0\.1:\d+/\S+/", log.read())
            if found:
                return found[0]
            time.sleep(0.1)
        raise RuntimeError("planwave serve printed no address")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def until(driver, what, script, *arguments):
    """Waits until the script gives something true, and returns it; a check that fails when it never does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = driver.execute_script(script, *arguments)
        if found:
            return found
        time.sleep(0.03)
    check(what, False, f"not within {PATIENCE} s; the page says: {text_of(driver, 'badge')} {text_of(driver, 'notice-text')}")
    raise RuntimeError(what)


def revision(driver):
    return driver.execute_script("return live.state.revision")


def wait_full(driver, after=-1):
    """Until the full map of the newest floor is on show."""
    until(driver, "a full map", "return live.state && live.state.revision > arguments[0] && live.map && live.map.full && live.map.revision === live.state.revision"
          " && !live.state.dragging", after)
    settle(driver)


def bits(driver):
    """The map that the page has, as bytes of float32."""
    words = driver.execute_script("return [...new Uint32Array(live.map.values.slice().buffer)]")
    return struct.pack(f"<{len(words)}I", *words)


def planwave(*arguments):
    done = subprocess.run([PLANWAVE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
    check("planwave " + arguments[0] + " runs", done.returncode == 0, done.stdout)
    return done.stdout


def save(driver, name):
    driver.find_element(By.ID, "save").click()
    field = driver.find_element(By.ID, "save-name")
    field.send_keys(Keys.CONTROL + "a", Keys.NULL, name, Keys.ENTER)
    until(driver, "saved", "return document.getElementById('notice-text').textContent === arguments[0]", f"Saved as {name}.")


def compare_map(driver, name):
    """Saves the scenario through the page, solves it with the program, and compares."""
    save(driver, name + ".yaml")
    shown = driver.execute_script("return [live.state.view.quantity, live.state.view.transmitter, live.map.mean, live.map.rows, live.map.columns]")
    planwave("run", name + ".yaml", "-q", "-f", "-o", name + ".h5")
    planwave("map", name + ".h5", "--quantity", shown[0], "--tx", shown[1], *(["--local-mean"] if shown[2] else []), "-f", "-o", name + ".png")
    with open(name + ".npy", "rb") as file:
        stored = file.read()
    check(f"{name}: the shape", f"({shown[3]}, {shown[4]})".encode() in stored[:128], stored[:128])
    check(f"{name}: the page has the bits of planwave map", len(stored) > 1128 and stored[128:] == bits(driver))


def pixel(driver, x, y):
    """Where a place of the floor [m] is, from the middle of the canvas."""
    return driver.execute_script("const b = document.getElementById('map').getBoundingClientRect();"
                                 "return [toX(arguments[0], b.width) - b.width / 2, toY(arguments[1], b.height) - b.height / 2].map(Math.round)", x, y)


def click_at(driver, x, y):
    ActionChains(driver, duration=20).move_to_element_with_offset(driver.find_element(By.ID, "map"), *pixel(driver, x, y)).click().perform()


def tool(driver, name):
    driver.execute_script("document.querySelector(`#tools input[value=\"${arguments[0]}\"]`).click()", name)


def transmitters(driver):
    return driver.execute_script("return live.state.transmitters")


def notice(driver, pattern):
    said = until(driver, f"a notice /{pattern}/", "const n = document.getElementById('notice'); return !n.hidden && new RegExp(arguments[0]).test(n.textContent) && n.textContent", pattern)
    driver.find_element(By.ID, "notice-close").click()
    return said


def field(driver, label, text):
    driver.execute_script("const box = document.querySelector(`#transmitters input[aria-label='${arguments[0]}']`); box.value = arguments[1]; box.onchange()", label, text)
