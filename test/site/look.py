#!/usr/bin/python3
"""Opens the built site in the given folder in a browser. Checks that no page scrolls sideways and no code is cut off on a phone and on two
screens, that the search finds a function, and that colours follow the system. --shots FOLDER saves screenshots of each page."""
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browser import browser

SITE = Path(sys.argv[1]).resolve()
SHOTS = Path(sys.argv[3]) if sys.argv[2:3] == ["--shots"] else None
WANTED = "snowflake_lower_bound"
FOUND = """document.querySelector(".md-search__scrollwrap").scrollTo(0, 1e6);
    return [...document.querySelectorAll("a.md-search-result__link")].map(link => link.href).join()"""
PHONE, SCREENS = 360, (1280, 1920)
CUT_OFF = """return [...document.querySelectorAll("pre > code")].filter(code => code.scrollWidth > code.clientWidth + 1)
    .map(code => code.innerText.slice(0, 80))"""


class Site(SimpleHTTPRequestHandler):
    """Only the page that searches gets the index: every page that does builds a search of it, which takes longer than all else."""
    has_index = False

    def do_GET(self):
        if self.has_index or "search_index" not in self.path:
            super().do_GET()
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


def resize(driver, width):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})


def shoot(driver, page, width, scheme="light"):
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
        driver.save_screenshot(str(SHOTS / f"{page.replace('/', '-').split('?')[0]}-{width}-{scheme}.png"))


def check(driver, page, width):
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    if wide > width:
        failed.append(f"{page} is {wide} pixels wide on a screen of {width}")
    failed.extend(f"{page} cuts off this code at {width} pixels: {code}" for code in driver.execute_script(CUT_OFF))
    shoot(driver, page, width)


def see(driver, page, width, scheme="light"):
    resize(driver, width)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    driver.get(f"http://127.0.0.1:{server.server_port}/{page}")


server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(SITE)))
threading.Thread(target=server.serve_forever, daemon=True).start()
failed = []
driver = browser()
try:
    pages = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
    for page in pages:
        see(driver, page, SCREENS[0])
        for width in *SCREENS, PHONE:
            resize(driver, width)
            check(driver, page, width)
    for scheme, colours in ("light", "default"), ("dark", "slate"):
        see(driver, "index.html", 1280, scheme)
        shoot(driver, "index.html", 1280, scheme)
        shown = driver.find_element(By.TAG_NAME, "body").get_attribute("data-md-color-scheme")
        if shown != colours:
            failed.append(f"where the system is {scheme}, the colours are those of {shown}")
    Site.has_index = True
    see(driver, f"index.html?q={WANTED}", 1280)
    try:
        # More places appear once the visible ones have been scrolled through.
        WebDriverWait(driver, 60).until(lambda d: "reference.html" in d.execute_script(FOUND))
    except TimeoutException:
        failed.append(f"the search for {WANTED} does not find the reference")
finally:
    driver.quit()
print(*failed, f"{len(pages)} pages", sep="\n")
sys.exit(bool(failed))
