"""What the tests of planwave's pages share: headless Chromium, checks that print a line each as the other tests do, and their count."""
import sys

from needs import need

need("selenium")
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402

failures = []
count = 0


def check(name, holds, detail=""):
    global count
    count += 1
    print(f"[       OK ] {name}" if holds else f"[  FAILED  ] {name}: {detail}", flush=True)
    if not holds:
        failures.append(name)


def near(name, value, expected, tolerance):
    undefined = value is None and expected is None
    check(name, undefined or (value is not None and expected is not None and abs(value - expected) <= tolerance),
          f"{value} on the page, {expected} expected")


def start(chromium, chromedriver, width, height, dark=False, touch=False):
    """A browser with a window of that size; with `touch` a phone with two pixels to one of CSS."""
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    if touch:
        metrics = {"width": width, "height": height, "pixelRatio": 2, "touch": True}
        options.add_experimental_option("mobileEmulation", {"deviceMetrics": metrics})
    driver = webdriver.Chrome(service=Service(chromedriver), options=options)
    dress(driver, width, height, dark, touch)
    return driver


def dress(driver, width, height, dark=False, touch=False):
    """Size and colours of the window that is in front."""
    if not touch:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                               {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def no_complaints(driver, name):
    log = driver.get_log("browser")
    check(f"{name}: no console messages", not log, str(log)[:300])


def nothing_unnamed(driver):
    unnamed = driver.execute_script("""return [...document.querySelectorAll('button, select, input, canvas')].filter((e) =>
        !(e.getAttribute('aria-label') || e.textContent.trim() && e.tagName === 'BUTTON' || e.labels && e.labels.length)).map((e) => e.id)""")
    check("every control has a name", not unnamed, unnamed)


def settle(driver):
    driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")


def text_of(driver, identifier):
    return driver.execute_script("return document.getElementById(arguments[0]).textContent", identifier)


def press(driver, *keys):
    ActionChains(driver).send_keys(*keys).perform()
    settle(driver)


def finish(tests):
    """Runs them, prints the summary, ends the program. A page that hangs or lacks an element fails its test, not the run."""
    for test in tests:
        try:
            test()
        except Exception as failure:
            check(test.__name__, False, f"{type(failure).__name__}: {str(failure)[:400]}")
    print(f"[==========] {count} test(s) run.\n[  PASSED  ] {count - len(failures)} test(s).")
    if failures:
        print(f"[  FAILED  ] {len(failures)} test(s), listed below:")
        print("\n".join(f"[  FAILED  ] {name}" for name in failures))
    sys.exit(1 if failures else 0)
