"""What the tests of the site share: Chromium without a window, a server of the site, and what was found to be wrong. With SHOTS=FOLDER
in the environment, they save screenshots there."""
import base64
import os
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

WIDE, PHONE = 1280, 360
SHOTS = os.environ.get("SHOTS")


def serve(site, handler=SimpleHTTPRequestHandler):
    """Serves a folder, and returns its address."""
    class Quiet(handler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Browser(webdriver.Chrome):
    def __init__(self):
        options = webdriver.ChromeOptions()
        options.page_load_strategy = "eager"
        for option in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(option)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        super().__init__(service=Service("/usr/bin/chromedriver"), options=options)
        self.set_page_load_timeout(60)
        self.set_script_timeout(60)
        self.failed = []

    def demand(self, holds, what):
        if not holds:
            self.failed.append(what)

    def find(self, selector):
        return self.find_element(By.CSS_SELECTOR, selector)

    def resize(self, width):
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                             {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600})

    def prefer(self, scheme):
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def demand_fit(self, width, name):
        wide = self.execute_script("return document.documentElement.scrollWidth")
        self.demand(wide <= width, f"{name} is {wide} pixels wide on a screen of {width}")

    def shoot(self, name, whole=False):
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            clip = {"x": 0, "y": 0, "scale": 1, **self.execute_script(
                "return {width: innerWidth, height: arguments[0] ? document.documentElement.scrollHeight : innerHeight}", whole)}
            picture = self.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": whole, "clip": clip})
            (Path(SHOTS) / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def demand_fit_and_colours(self, name, show=lambda: None):
        """That the page fits a screen and a phone, in the colours that the system has."""
        colours = set()
        for width in WIDE, PHONE:
            for scheme in "light", "dark":
                self.resize(width)
                self.prefer(scheme)
                show()
                self.demand_fit(width, name)
                colours.add(self.execute_script("return getComputedStyle(document.body).backgroundColor"))
                self.shoot(f"{name}-{width}-{scheme}", whole=True)
        self.demand(len(colours) == 2, f"{name} has the colours {colours} in light and dark")

    def end(self, told):
        print(*self.failed, told, sep="\n")
        sys.exit(bool(self.failed))
