"""Adapts this project's pages to mkdocs."""
import re


def fence(match):
    return "```text" if match[2] == "refused" else f"```{match[1]}"


def on_page_markdown(markdown, **_):
    """A fence may have words after its language for the tests, as in ```sql refused. mkdocs would not take it as a fence.
    The page that script/docs adds is there only on the site, and so is a link to it."""
    markdown = markdown.replace("`inspect.html` of the site", "[`inspect.html`](../inspect.html) of the site")
    return re.sub(r"^```(\w+) ([^\n`]+)$", fence, markdown, flags=re.MULTILINE)
