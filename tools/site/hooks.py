"""Adapts this project's pages to mkdocs."""
import re
from pathlib import Path

from mkdocs.structure.nav import Link

# The pages that script/docs adds exist only on the site, the playground not on every one.
ADDED = {"playground.html": "Try it in the browser", "inspect.html": "What is this id?"}


def added(config):
    return {page: title for page, title in ADDED.items() if (Path(config["docs_dir"]) / page).exists()}


def on_nav(nav, config, **_):
    nav.items[1:1] = [Link(title, page) for page, title in added(config).items()]


def fence(match):
    return "```text" if match[2] == "refused" else f"```{match[1]}"


def on_page_markdown(markdown, page, config, **_):
    """A fence may have words for the tests after its language, as in ```sql refused. mkdocs would not recognise that as a
    fence. What the pages say of those that are added becomes a link, and the overview begins with them."""
    above = "../" * page.file.src_uri.count("/")
    for name in added(config):
        markdown = markdown.replace(f"`{name}` of the site", f"[`{name}`]({above}{name}) of the site")
    if page.is_homepage:
        buttons = " ".join(f'<a class="md-button" href="{name}">{title}</a>' for name, title in added(config).items())
        markdown = markdown.replace("\n\n![", f"\n\n{buttons}\n\n![", 1)
    return re.sub(r"^```(\w+) ([^\n`]+)$", fence, markdown, flags=re.MULTILINE)
