"""Makes untrusted text fit for a prompt: visible, in a fence that it cannot close. Pure."""

import re

_RUNS = re.compile("`+")
# Nobody sees them on the page of an issue or a pull request.
_COMMENTS = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def in_fence(text: str) -> str:
    """The text between two fences that are longer than any inside."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def visible_text(text: str) -> str:
    """The text without comments and characters that a reader of its page does not see."""
    shown = _COMMENTS.sub("", text.replace("\r\n", "\n"))
    return "".join(c for c in shown if c.isprintable() or c in "\n\t").strip()
