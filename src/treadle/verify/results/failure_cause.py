"""Picks the lines that name the cause out of a failed command's output. Pure.

The last lines rarely do: package managers end with advice on where to read more.
"""

import re

from treadle.verify.reports.failure_text import ESCAPES

MAX_LINES = 8
MAX_WIDTH = 500
# Without a line that names a cause, the end is the best there is.
_LAST_LINES = 3

# Lines by which tools name an error.
_NAMED = re.compile(
    r"""^\s*(?:
        (?:npm\ (?:error|ERR!))\ (?!\s*$)
      | (?:error|fatal|ERROR|FATAL|Error|E)(?:\[\w+\])?:\ ?\S
      | (?:error|ERROR)\ (?!\s*$)
      | ERR_\w+
      | [×✖✘!]\ \S
      | \W*YN\d{4}:
      | (?:go|pip|uv|poetry|cargo|bundler|composer|make|pnpm|yarn|sh|bash|/bin/sh|/bin/bash|\S*sh)
        :\ .*\b(?:not\ found|No\ such|denied|cannot|can't|failed|Error|missing|invalid)\b
      | make:\ \*\*\*
      | \[ERROR\]\ \S
      | Could\ not\ \S | Cannot\ \S | Failed\ to\ \S
      | \w*(?:Error|Exception)\b:?
    )""",
    re.VERBOSE,
)
# Less certain ones, for when no tool names an error in its own way.
_LIKELY = re.compile(
    r"\b(?:error|fatal|failed|failure|cannot|can't|could not|unable|denied|refused|missing|invalid"
    r"|not found|no such|not installed|unsupported|conflict\w*|timed out|out of sync)\b",
    re.IGNORECASE,
)
# A cause in a tree below its headline, as uv, pip and cargo draw it.
_BELOW = re.compile(r"^\s*(?:[│├╰]|Caused by:|caused by:)")
_NOISE = re.compile(
    r"""A\ complete\ log\ of\ this\ run | ^npm\ (?:error|ERR!)\ (?:Run\ "npm\ help|Usage:|Options:
      | \[?--|\[-|aliases?:|npm\ ci\s*$|Clean\ install\ a\ project\s*$|A\ complete|\s*$)
      | ^npm\ (?:warn|notice|WARN) | \[notice\] | new\ release\ of\ pip | ^hint:\ See\ above
      | ^note:\ (?:If\ you\ believe|This\ (?:error\ originates|is\ an\ issue)) | ^\s*at\ \S+\ \(
      | ^error:\ subprocess-exited-with-error | ^WARNING: | ^\s*\d+\ errors?\s*$
      | exit\ code:\ \d+\s*$ | See\ above\ for\ output | \[end\ of\ output\]
    """,
    re.VERBOSE,
)


def cause_lines(output: str) -> tuple[str, ...]:
    """The lines that name why the command failed, in their order; of too many, the first."""
    lines = [ESCAPES.sub("", line).strip()[:MAX_WIDTH] for line in output.splitlines()]
    lines = [line for line in lines if line]
    useful = [line for line in lines if not _NOISE.search(line)]
    named = _with_causes_below(useful)
    likely = [line for line in useful if _LIKELY.search(line)]
    picked = named or likely or useful[-_LAST_LINES:] or lines[-_LAST_LINES:]
    return tuple(dict.fromkeys(picked))[:MAX_LINES]


def _with_causes_below(lines: list[str]) -> list[str]:
    picked: list[str] = []
    is_below = False
    for line in lines:
        if _NAMED.match(line):
            picked.append(line)
            is_below = True
        elif is_below and (_BELOW.match(line) or picked[-1].lower() == "caused by:"):
            picked.append(line)
        else:
            is_below = False
    return picked
