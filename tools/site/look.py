#!/usr/bin/python3
"""Opens the built site in the folder given in a browser. Checks that no page scrolls sideways on a phone, that the search
finds a function, and that colours follow the system. --shots FOLDER saves screenshots of each page."""
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = Path(sys.argv[1]).resolve()
SHOTS = Path(sys.argv[3]) if sys.argv[2:3] == ["--shots"] else None
WANTED = "snowflake_lower_bound"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def browser():
    options = webdriver.ChromeOptions()
    options.page_load_strategy = "eager"
    for option in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(option)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def see(driver, page, width, scheme="light"):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    driver.get(f"http://127.0.0.1:{server.server_port}/{page}")
    if SHOTS:
        SHOTS.mkdir(parents=True, exist_ok=True)
        driver.save_screenshot(str(SHOTS / f"{page.replace('/', '-').split('?')[0]}-{width}-{scheme}.png"))


server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
threading.Thread(target=server.serve_forever, daemon=True).start()
failed = []
driver = browser()
try:
    pages = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
    for page in pages:
        see(driver, page, 390)
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        if wide > 390:
            failed.append(f"{page} is {wide} pixels wide on a phone of 390")
        if SHOTS:
            see(driver, page, 1280)
    for scheme, colours in ("light", "default"), ("dark", "slate"):
        see(driver, "index.html", 1280, scheme)
        shown = driver.find_element(By.TAG_NAME, "body").get_attribute("data-md-color-scheme")
        if shown != colours:
            failed.append(f"where the system is {scheme}, the colours are those of {shown}")
    see(driver, f"index.html?q={WANTED}", 1280)
    try:
        WebDriverWait(driver, 10).until(lambda d: d.find_elements(By.CSS_SELECTOR, "a.md-search-result__link"))
    except Exception:
        pass
    found = [link.get_attribute("href") for link in driver.find_elements(By.CSS_SELECTOR, "a.md-search-result__link")]
    if not any("reference.html" in link for link in found):
        failed.append(f"the search for {WANTED} does not find the reference, but {found}")
finally:
    driver.quit()
print(*failed, f"{len(pages)} pages, {len(found)} places have {WANTED}", sep="\n")
sys.exit(bool(failed))
