"""What the pages of this project need beyond mkdocs."""
import re


def fence(match):
    return "```text" if match[2] == "refused" else f"```{match[1]}"


def on_page_markdown(markdown, **_):
    """A fence may say more than its language, to who runs it: ```sql refused. To mkdocs it would be none."""
    return re.sub(r"^```(\w+) ([^\n`]+)$", fence, markdown, flags=re.MULTILINE)
