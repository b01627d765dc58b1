"""Increments as people read them: their status, why they wait, and their graph. Pure."""

import re
from collections.abc import Iterator, Mapping

from treadle.domain.increment import Increment, IncrementList, IncrementStatus
from treadle.views.safe_text import one_spaced, sanitize
from treadle.views.style import Style

STATUS_STYLES: Mapping[IncrementStatus, Style] = {
    "broken": "bad",
    "waiting": "quiet",
    "ready": "plain",
    "working": "strong",
    "done": "good",
    "failed": "bad",
    "skipped": "quiet",
}
# Fill and border of a box of each status; readable on white and on black.
_COLOURS: Mapping[IncrementStatus, str] = {
    "broken": "fill:#fde2e1,stroke:#c0352b,color:#1f1f1f",
    "waiting": "fill:#eeeeee,stroke:#888888,color:#1f1f1f",
    "ready": "fill:#ffffff,stroke:#555555,color:#1f1f1f",
    "working": "fill:#dceafd,stroke:#2f6fd0,color:#1f1f1f",
    "done": "fill:#dff3e0,stroke:#2e8b3d,color:#1f1f1f",
    "failed": "fill:#fde2e1,stroke:#c0352b,color:#1f1f1f",
    "skipped": "fill:#eeeeee,stroke:#888888,color:#1f1f1f",
}
_LONGEST_LABEL = 60


def waiting_text(increment: Increment, statuses: Mapping[str, IncrementStatus]) -> str:
    """What an increment waits for; empty if for nothing."""
    needed = [name for name in increment.depends_on if statuses.get(name) != "done"]
    return "needs " + ", ".join(_with_status(name, statuses) for name in needed) if needed else ""


def _with_status(name: str, statuses: Mapping[str, IncrementStatus]) -> str:
    status = statuses.get(name)
    return f"{name} ({status})" if status in ("failed", "skipped", "broken", "working") else name


def mermaid_graph(found: IncrementList, statuses: Mapping[str, IncrementStatus]) -> Iterator[str]:
    """A flowchart that GitHub draws: an arrow leads from what is needed to what needs it."""
    yield "flowchart TD"
    for each in found.increments:
        status = statuses.get(each.name, "ready")
        label = f"{each.name}<br/>{_plain(each.title)} ({status})"
        yield f'    {_node(each.name)}["{label}"]:::{status}'
    for problem in found.problems:
        if re.fullmatch(r"[0-9]{4}-[a-z0-9-]+", problem.name):
            yield f'    {_node(problem.name)}["{_plain(problem.name)} (broken)"]:::broken'
    for each in found.increments:
        yield from (f"    {_node(needed)} --> {_node(each.name)}" for needed in each.depends_on)
    used = dict.fromkeys(statuses.values())
    yield from (f"    classDef {status} {_COLOURS[status]}" for status in used)


def _node(name: str) -> str:
    return "i" + re.sub(r"[^A-Za-z0-9]", "_", name)


def _plain(text: str) -> str:
    """Text of a file without anything that Mermaid or HTML obeys."""
    line = one_spaced(sanitize(text))[:_LONGEST_LABEL]
    return re.sub(r'["<>&#;`\[\]{}()|\\]', " ", line)
