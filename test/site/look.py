#!/usr/bin/python3
"""Opens the built site in the given folder in a browser. Checks that no page scrolls sideways and no code is cut off on a phone and on two
screens, that what programs print and shells read keeps its lines, that the pages to try it lead the menu and the first screen, that the
search finds a function, and that colours follow the system until the reader chooses others."""
import sys
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browser import PHONE, WIDE, Browser, serve

SITE = Path(sys.argv[1]).resolve()
WANTED = "snowflake_lower_bound"
FOUND = """document.querySelector(".md-search__scrollwrap").scrollTo(0, 1e6);
    return [...document.querySelectorAll("a.md-search-result__link")].map(link => link.href).join()"""
CUT_OFF = """return [...document.querySelectorAll("pre > code")]
    .filter(code => code.scrollWidth > code.clientWidth + 1 && getComputedStyle(code).overflowX !== "auto").map(code => code.innerText.slice(0, 80))"""
WRAPPED = """return [...document.querySelectorAll(".language-output code, .language-sh code")]
    .filter(code => getComputedStyle(code).whiteSpace !== "pre").map(code => code.innerText.slice(0, 80))"""
SCHEMES = """return [document.body.dataset.mdColorScheme, getComputedStyle(document.querySelector("img")).colorScheme]"""
TRIED = "playground.html", "inspect.html"


class Site(SimpleHTTPRequestHandler):
    """Only the page that searches gets the index: every page that does builds a search of it, which takes longer than all else."""
    has_index = False

    def do_GET(self):
        if self.has_index or "search_index" not in self.path:
            super().do_GET()
        else:
            self.send_error(404)


def demand_readable(page, width):
    driver.resize(width)
    driver.demand_fit(width, page)
    for fault, script in ("cuts off", CUT_OFF), ("wraps", WRAPPED):
        driver.failed.extend(f"{page} {fault} this at {width} pixels: {code}" for code in driver.execute_script(script))
    driver.shoot(f"{page.replace('/', '-')}-{width}")


def each_page(pages):
    driver.prefer("light")
    for page in pages:
        driver.resize(WIDE)
        driver.get(f"{address}{page}")
        for width in WIDE, 1920, PHONE:
            demand_readable(page, width)


def leads_to_what_can_be_tried():
    for width in WIDE, PHONE:
        driver.resize(width)
        driver.get(f"{address}index.html")
        for page in TRIED:
            links = driver.find_elements(By.CSS_SELECTOR, f"article a[href='{page}']")
            driver.demand(any(link.rect["y"] < 500 for link in links), f"the first screen of {width} pixels has no {page}")
    driver.get(f"{address}doc/types.html")
    for page in TRIED:
        driver.demand(driver.find_elements(By.CSS_SELECTOR, f".md-nav--primary a[href='../{page}']"), f"the menu has no {page}")


def follows_the_system_or_the_reader():
    def demand_scheme(scheme, when):
        shown = driver.execute_script(SCHEMES)
        wanted = {"light": ["default", "light"], "dark": ["slate", "dark"]}[scheme]
        driver.demand(shown == wanted, f"{when}, the colours are {shown}, not {wanted}")

    driver.resize(WIDE)
    for scheme in "light", "dark":
        driver.prefer(scheme)
        driver.get(f"{address}index.html")
        demand_scheme(scheme, f"where the system is {scheme}")
        driver.shoot(f"index-{scheme}")
    switch = [label for label in driver.find_elements(By.CSS_SELECTOR, "[data-md-component=palette] label") if label.is_displayed()]
    driver.demand(len(switch) == 1, f"{len(switch)} buttons switch the colours")
    if switch:
        switch[0].click()
        demand_scheme("light", "when the reader has chosen light colours")
        driver.get(f"{address}doc/many-machines.html")
        demand_scheme("light", "on the next page")
        next(label for label in driver.find_elements(By.CSS_SELECTOR, "[data-md-component=palette] label") if label.is_displayed()).click()
        driver.prefer("light")
        driver.get(f"{address}index.html")
        demand_scheme("light", "when the reader has gone back to the system's")


def finds_a_function():
    Site.has_index = True
    driver.resize(WIDE)
    driver.get(f"{address}index.html?q={WANTED}")
    try:
        # More places appear once the visible ones have been scrolled through.
        WebDriverWait(driver, 60).until(lambda d: "reference.html" in d.execute_script(FOUND))
    except TimeoutException:
        driver.failed.append(f"the search for {WANTED} does not find the reference")


address = serve(SITE, Site)
driver = Browser()
try:
    pages = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
    each_page(pages)
    for check in leads_to_what_can_be_tried, follows_the_system_or_the_reader, finds_a_function:
        check()
finally:
    driver.quit()
driver.end(f"{len(pages)} pages")
