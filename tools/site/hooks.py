"""Adapts this project's pages to mkdocs."""
import re
from pathlib import Path


def fence(match):
    return "```text" if match[2] == "refused" else f"```{match[1]}"


def on_page_markdown(markdown, page, config, **_):
    """A fence may have words for the tests after its language, as in ```sql refused. mkdocs would not recognise that as a
    fence. The pages that script/docs adds exist only on the site, and so does a link to them."""
    for added in "inspect.html", "playground.html":
        if (Path(config["docs_dir"]) / added).exists():
            above = "../" * page.file.src_uri.count("/")
            markdown = markdown.replace(f"`{added}` of the site", f"[`{added}`]({above}{added}) of the site")
    return re.sub(r"^```(\w+) ([^\n`]+)$", fence, markdown, flags=re.MULTILINE)
