#!/usr/bin/python3
"""Opens the page that says what an id is in a browser, from a disk: try_inspect.py PAGE PROGRAM. Checks that its answers
are those of the table of examples, and for every vector those of the program. Checks that it works by keyboard, on a
phone and in dark mode, that a link carries what was typed, and that nothing leaves the page."""
import csv
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from browser import WIDE, Browser

PAGE, PROGRAM = Path(sys.argv[1]).resolve().as_uri(), sys.argv[2]
VECTORS = Path(__file__).resolve().parents[2] / "test/vectors"


def rows(name):
    with open(VECTORS / name, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def texts_of_vectors():
    """Every id of every vector that fits on a line, valid and invalid."""
    texts = {row["input"] for row in rows("inspect.examples.tsv")}
    for path in sorted(VECTORS.glob("*.tsv")):
        for row in rows(path.name):
            for column in row:
                if column == "input_json_string":
                    texts.add(json.loads(row[column]))
                elif column in {"text", "hex", "id", "cuid", "typeid", "input", "canonical", "ulid", "uuid", "hash"}:
                    texts.add(row[column])
    return sorted(text for text in texts if 0 < len(text.encode()) <= 200 and not set(text) & set("\0\r\n"))


def open_page(fragment=""):
    driver.get("about:blank")
    driver.get(f"{PAGE}{fragment}")
    WebDriverWait(driver, 60).until(lambda d: d.execute_script("return document.body.dataset.ready") == "yes")


def type_into(selector, text):
    field = find(selector)
    field.clear()
    field.send_keys(text)


def shown():
    return driver.execute_script("return document.getElementById('answers').innerText")


def same_as_examples(answers):
    for row in rows("inspect.examples.tsv"):
        findings = answers[row["input"]]["findings"]
        if row["formats"] == "nothing":
            demand(not findings, f"{row['input']}: {findings}")
            continue
        names = [f"{f['format']}:{f['confidence']}" for f in findings]
        wanted = [name for name in row["formats"].split(",") if not name.endswith(":no")]
        refused = [name[:-3] for name in row["formats"].split(",") if name.endswith(":no")]
        demand([name for name in names if name in wanted] == wanted, f"{row['input']}: {names}, not {wanted}")
        demand(not any(f["format"] in refused for f in findings), f"{row['input']}: {names}")
        if row["time"]:
            time = row["time"].split(" ")[0]
            first = next(f for f in findings if f["format"] == wanted[0].split(":")[0])
            demand(first["time"] == (time if "." in time else time.replace("Z", ".000Z")), f"{row['input']}: {first}")


def same_as_program():
    texts = texts_of_vectors()
    said = subprocess.run([PROGRAM, "inspect", "--json"], input="\n".join(texts).encode(), capture_output=True, check=False)
    program = [json.loads(line) for line in said.stdout.decode().splitlines()]
    page = [json.loads(answer) for answer in
            driver.execute_script("return arguments[0].map((id) => inspect(id, 'default'))", texts)]
    demand(len(program) == len(texts), f"the program has {len(program)} answers to {len(texts)} texts")
    different = [text for text, a, b in zip(texts, program, page) if a != b]
    demand(not different, f"page and program differ on {different[:5]}")
    return dict(zip(texts, page))


def works_by_keyboard():
    open_page()
    demand(driver.switch_to.active_element.get_attribute("id") == "ids", "the page is ready to be typed into")
    driver.switch_to.active_element.send_keys("175928847299117063\n86Rf07\n x")
    demand("2016-04-30T11:18:25.796Z" in shown() and "Not an id that snowid knows" in shown() and "white space" in shown(), shown())
    seen = []
    for _ in range(14):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.append(driver.switch_to.active_element.get_attribute("id"))
    demand(all(name in seen for name in ("link", "preset", "layout", "from", "until")), f"tab leads to {seen}")


def carries_what_was_typed():
    Select(find("#preset")).select_by_visible_text("discord")
    link = find("#link").get_attribute("href")
    demand(parse_qs(urlsplit(link).fragment) == {"id": ["175928847299117063", "86Rf07", " x"], "layout": ["discord"]}, link)
    open_page("#" + urlsplit(link).fragment)
    demand(find("#ids").get_attribute("value") == "175928847299117063\n86Rf07\n x", "the link carries the ids")
    demand(find("#layout").get_attribute("value").startswith("epoch=2015-01-01"), "and the layout")
    first = driver.execute_script("return document.querySelector('article li').innerText")
    demand("snowflake by discord likely 2016-04-30T11:18:25.796Z" in first, first)


def shows_bits():
    open_page("#id=382458686519406592")
    WebDriverWait(driver, 60).until(lambda d: d.find_elements(By.CSS_SELECTOR, "article li:nth-child(2) details td"))
    first, second = driver.execute_script("return [...document.querySelectorAll('article li')].slice(0, 2).map((li) => li.innerText.split('\\n')[0].trim())")
    demand(first == "one of snowflake, snowflake/twitter, snowflake/discord likely", first)
    demand(second == "snowflake by default likely 2026-11-21T09:14:16.605Z", second)
    bits = driver.execute_script("return [...document.querySelectorAll('article li:nth-child(2) details td:last-child')].map((e) => e.innerText).join('')")
    demand(int(bits, 2) == 382458686519406592 and len(bits) == 63, f"the bits are {bits}")
    type_into("#layout", "epoch=2015-01-01,tick=1ms,time=42,node=10,sequence=12")
    first = driver.execute_script("return document.querySelector('article li').innerText")
    demand("2017-11-21T09:14:16.605Z" in first and "node" in first, first)
    type_into("#layout", "epoch=2015-01-01,tick=1ms,time=42")
    demand('"sequence" is missing.' in find("#layout-says").text, find("#layout-says").text)


def says_what_a_column_is():
    open_page()
    type_into("#ids", "\n".join(row["id"] for row in rows("inspect.real.tsv") if row["layout"] == "twitter"))
    first = driver.execute_script("return document.querySelector('.together tr:nth-child(2)').innerText.split('\\t').slice(0, 3)")
    demand(first == ["snowflake/twitter", "likely", "17"], first)


def shows_ranges():
    open_page()
    type_into("#from", "2026-11-21T09:14:16.605Z")
    type_into("#until", "2026-11-21T09:14:16.607Z")
    demand(find("#range tr:nth-child(9)").text == "sno none none", "no unit of 4 ms begins in these two")
    type_into("#until", "2026-11-22")
    for format, row in zip(("snowflake", "ulid", "sno"), ("tr:nth-child(2)", "tr:nth-child(4)", "tr:nth-child(9)")):
        first, last = (cell.text for cell in driver.find_elements(By.CSS_SELECTOR, f"#range {row} td"))
        bound = subprocess.run([PROGRAM, "bound", format, "2026-11-21T09:14:16.605Z"], capture_output=True, text=True, check=True)
        demand(first == bound.stdout.strip() and last > first, f"{format}: {first} to {last}")
    type_into("#from", "yesterday")
    demand("not a UTC time" in find("#range").text, find("#range").text)


def keeps_to_itself():
    open_page("#id=1")
    demand(driver.execute_script("return performance.getEntriesByType('resource').length") == 0, "the page has fetched something")
    fetched = driver.execute_async_script("const done = arguments[0]; fetch('data:,x').then(() => done('fetched'), () => done('refused'))")
    demand(fetched == "refused", "the page may fetch")
    for entry in driver.get_log("browser"):
        demand("data:,x" in entry["message"] or "connect" in entry["message"], entry["message"])


def fits_and_follows():
    ids = "1541815603606036480", "175928847299117063", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "user_01h455vb4pex5vsknk084sn02q", "86Rf07"
    driver.demand_fit_and_colours("inspect", lambda: open_page("#" + "&".join(f"id={id}" for id in ids)))


driver = Browser()
demand, find = driver.demand, driver.find
try:
    driver.resize(WIDE)
    open_page()
    answers = same_as_program()
    same_as_examples(answers)
    for check in works_by_keyboard, carries_what_was_typed, shows_bits, says_what_a_column_is, shows_ranges, keeps_to_itself, fits_and_follows:
        check()
finally:
    driver.quit()
driver.end(f"{len(answers)} texts have the answers of the program")
