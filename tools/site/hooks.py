"""Adapts this project's pages to mkdocs."""
import re


def fence(match):
    return "```text" if match[2] == "refused" else f"```{match[1]}"


def on_page_markdown(markdown, **_):
    """A fence may have words for the tests after its language, as in ```sql refused. mkdocs would not recognise that as a
    fence. The page that script/docs adds exists only on the site, and so does a link to it."""
    markdown = markdown.replace("`inspect.html` of the site", "[`inspect.html`](../inspect.html) of the site")
    return re.sub(r"^```(\w+) ([^\n`]+)$", fence, markdown, flags=re.MULTILINE)
