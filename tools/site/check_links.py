#!/usr/bin/python3
"""Checks the built site in the given folder: every internal link leads to a file and a heading that exist, and no page
loads anything from another site. To fix: correct the page that the message names."""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

SITE = Path(sys.argv[1]).resolve()
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "srcset"}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.fetched = {""}, set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get("id", ""))
        if tag == "a" and attrs.get("href"):
            self.links.add(attrs["href"])
        if attrs.get(FETCHED.get(tag)) and attrs.get("rel") != "canonical":
            self.fetched.add(attrs[FETCHED[tag]])


pages = {path: Page(path) for path in SITE.rglob("*.html") if path.name != "404.html"}
failed = set()
for path, page in pages.items():
    name = path.relative_to(SITE)
    failed.update(f"{name} fetches {url}" for url in page.fetched if urlsplit(url).netloc)
    for url in page.links | page.fetched:
        if urlsplit(url).scheme or urlsplit(url).netloc:
            continue
        parts = urlsplit(urljoin(path.as_uri(), url))
        target = Path(unquote(parts.path))
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            failed.add(f"{name}: there is no {url}")
        elif target in pages and unquote(parts.fragment) not in pages[target].ids:
            failed.add(f"{name}: there is no heading {url}")
print(*sorted(failed), f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links", sep="\n")
sys.exit(bool(failed))
