#!/usr/bin/python3
"""Opens the page that runs PostgreSQL in a browser: try_playground.py SITE PSQL ARGUMENT... Its statements
must have the answers that they have with the extension, on the server that psql connects to: the same columns, types and numbers
of rows, and no errors. Checks that the page says its size and fetches nothing before it is told to, that it works by keyboard,
on a phone and in dark mode, that it keeps what was typed, and that it can be stopped."""
import csv
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser import PHONE, WIDE, Browser, serve

SITE, *PSQL = sys.argv[1:]
SITE = Path(SITE).resolve()
MISSING = "42883"
TYPES = {"snowflake": "bigint"}  # what the plain file has in the place of the extension's


def state():
    return driver.execute_script("return document.body.dataset.state")


def wait_for(wanted, seconds=120):
    WebDriverWait(driver, seconds).until(lambda _: state() == wanted, f"the page is {state()}: {find('#says').text}")


def answered(act):
    """What the page shows after something was done: for each result its columns, types and number of rows, or the error."""
    before = driver.execute_script("return Number(document.body.dataset.answers ?? 0)")
    act()
    WebDriverWait(driver, 60).until(lambda d: d.execute_script("return Number(document.body.dataset.answers ?? 0)") > before)
    return driver.execute_script("""return [...document.querySelectorAll("#answer > .result, #answer > .bad")].map((made) =>
        made.dataset.code ?? [[...made.querySelectorAll("th")].map((th) => [...th.querySelectorAll("span")].map((e) => e.textContent)),
            Number(made.dataset.rows ?? 0)])""")


def type_and_run(text):
    find("#sql").clear()
    find("#sql").send_keys(text)
    return answered(lambda: find("#sql").send_keys(Keys.CONTROL, Keys.ENTER))


def of_the_extension(blocks):
    """The same of psql, which describes each statement before it runs it."""
    script = ["CREATE EXTENSION snowid;", r"\pset format csv"]
    for block in blocks:
        script.append(r"\qecho ~block")
        for statement in re.findall(r"[^;]+(?=;)", block):
            script += [r"\qecho ~statement", rf"{statement.strip()} \gdesc", r"\qecho ~rows", f"{statement.strip()};", r"\qecho ~ :ERROR :SQLSTATE"]
    said = subprocess.run([*PSQL, "-Xqf", "-"], input="\n".join(script), capture_output=True, text=True, timeout=120, check=True).stdout
    answers = []
    for block in said.split("~block\n")[1:]:
        results = []
        for statement in block.split("~statement\n")[1:]:
            described, rows, error, code = re.fullmatch(r"(.*?)~rows\n(.*?)~ (\w+) (\w+)\n", statement, re.S).groups()
            columns = list(csv.reader(StringIO(described)))[1:] if described.startswith("Column,Type\n") else []
            results.append(code if error == "true" else [[[name, TYPES.get(kind, kind)] for name, kind in columns],
                                                         len(list(csv.reader(StringIO(rows)))) - 1 if columns else 0])
        answers.append(results)
    return answers


def starts_when_told():
    fetched = driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    demand(not any("pglite" in name for name in fetched), f"fetched before it was told to: {fetched}")
    size = sum(path.stat().st_size for path in (SITE / "playground").rglob("*") if "pgcrypto" not in path.name) / 1e6
    demand(find("#size").text == f"{size:.0f} MB" == re.search(r"\d+ MB", find("#start").text)[0], f"it has {size} MB and says {find('#size').text}")
    demand(not find("#run").is_enabled() and not find(".statement").is_enabled(), "nothing runs before PostgreSQL does")
    find("#start").send_keys(Keys.ENTER)
    WebDriverWait(driver, 60).until(lambda _: state() == "ready" or find("#loading").is_displayed(), "progress is shown")
    wait_for("ready")
    value, most = driver.execute_script("const e = document.getElementById('loading'); return [e.value, e.max]")
    demand(value == most, f"{value} of {most} bytes were fetched")
    demand(driver.switch_to.active_element.get_attribute("id") == "sql", "the page is ready to be typed into")


def same_as_the_extension():
    buttons = driver.find_elements(By.CSS_SELECTOR, ".statement")
    blocks = [button.get_attribute("textContent") for button in buttons]
    demand(len(blocks) >= 12, f"there are {len(blocks)} statements")
    for button, block, wanted in zip(buttons, blocks, of_the_extension(blocks)):
        got = answered(button.click)
        demand(not any(isinstance(result, str) for result in wanted), f"the extension refuses {block}: {wanted}")
        demand(got == wanted, f"{block}\n    page       {got}\n    extension  {wanted}")
        if block.startswith("EXPLAIN"):
            demand("Index Cond: (id >= " in find(".plan").text, f"{block} shows {find('.plan').text}")
    return len(blocks)


def shows_plans_errors_and_bits():
    demand(type_and_run("SELECT 1/0") == ["22012"], "an error has its code")
    demand("division by zero" in find("#answer").text, find("#answer").text)
    demand(type_and_run("BEGIN; SELECT 1/0") == ["22012"] and type_and_run("SELECT 2") == [[[["?column?", "integer"]], 1]], "an error ends its transaction")
    demand(type_and_run("SELECT nothing_like_this()") == [MISSING] and find("#answer .note a").get_attribute("href").endswith("#differs"), "what is missing is linked")
    find("#sql").clear()
    find("#sql").send_keys("SELECT * FROM orders WHERE id = 5")
    demand(answered(find("#explain").click)[0][0] == [["QUERY PLAN", "text"]] and "Index Cond: (id = 5)" in find(".plan").text, find("#answer").text)
    find("#sql").clear()
    find("#sql").send_keys(" explain (COSTS off) SELECT * FROM orders WHERE id >= snowflake_lower_bound('2026-11-01')")
    answered(find("#explain").click)
    demand("Index Cond: (id >= '375071440896000000'::bigint)" in find("#answer").text, f"a plan of a plan: {find('#answer').text}")
    for condition, said in ("false", "Done."), ("item = 'tea'", "Done, 1 row."), ("true", "Done, 2 rows."):
        type_and_run(f"UPDATE orders SET item = item WHERE {condition}")
        demand(find("#answer").text == said, f"{find('#answer').text} and not {said}")
    type_and_run("SELECT 382458686519406592 AS id, NULL AS nothing")
    demand("NULL" in find("#answer").text, "NULL is shown")
    drawn = find("#drawn").text
    demand("2026-11-21T09:14:16.605Z" in drawn and "worker, 10 bits" in drawn, drawn)
    bits = "".join(e.text for e in driver.find_elements(By.CSS_SELECTOR, ".part code"))
    demand(len(bits) == 63 and int(bits, 2) == 382458686519406592, f"the bits are {bits}")
    demand(find("#drawn a").get_attribute("href").endswith("/inspect.html#id=382458686519406592"), "the page about ids is linked")
    statement = find(".statement:nth-of-type(6)")
    answered(lambda: statement.send_keys(Keys.ENTER))
    demand(driver.switch_to.active_element == statement, "the keyboard stays where it was")
    type_and_run("SELECT snowflake_next() FROM generate_series(1, 2)")
    made = driver.find_elements(By.CSS_SELECTOR, "td .id")[1]
    made.send_keys(Keys.ENTER)
    demand(find("figcaption").text == made.text and "7" in find(".part.worker strong").text, find("#drawn").text)


def fits_and_follows():
    driver.resize(PHONE)
    answered(find(".statement:nth-of-type(6)").click)
    top = driver.execute_script("return document.getElementById('answer').getBoundingClientRect().top")
    demand(0 <= top < 1000, f"on a phone the answer is at {top}")
    driver.demand_fit_and_colours("playground")


def stops_and_keeps():
    driver.resize(WIDE)
    find("#sql").clear()
    find("#sql").send_keys("SELECT count(*) FROM generate_series(1, 100000000000)" + Keys.CONTROL + Keys.ENTER)
    wait_for("busy", 10)
    find("#stop").send_keys(Keys.ENTER)
    wait_for("off", 10)
    driver.refresh()
    demand("100000000000" in find("#sql").get_attribute("value"), "what was typed is kept")


def keeps_to_itself():
    names = driver.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    demand(all(name.startswith(address) for name in names), f"fetched {names}")
    for entry in driver.get_log("browser"):
        demand(entry["level"] != "SEVERE" or "favicon" in entry["message"], entry["message"])


address = serve(SITE)
driver = Browser()
demand, find = driver.demand, driver.find
try:
    driver.resize(WIDE)
    driver.get(f"{address}playground.html")
    starts_when_told()
    count = same_as_the_extension()
    for check in shows_plans_errors_and_bits, keeps_to_itself, fits_and_follows, stops_and_keeps:
        check()
finally:
    driver.quit()
driver.end(f"{count} statements have the answers of the extension")
