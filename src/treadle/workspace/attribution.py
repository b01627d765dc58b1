"""Removes the lines of a commit message that credit an AI, in Python and in a git hook."""

import re
from typing import Literal

Attribution = Literal["removed", "allowed"]

# For a message that consists only of credits: git refuses an empty one.
FALLBACK = "Changes without a message"

# How Claude Code credits itself. Matched in lower case by Python and by awk, so the syntax is
# limited to what both support, without a slash. A surname after "Claude" means a person.
_CREDITED = (
    r"^[ \t]*[a-z]+(-[a-z]+)*-by[ \t]*:[ \t]*"
    r"(.*anthropic\.com|claude[ \t]*((code|ai|agent|opus|sonnet|haiku|[0-9(]).*)?(<|$))"
)
_ADVERTISED = r"^[ \t]*(🤖|generated (with|by) \[?claude|claude-session[ \t]*:)"
_PATTERN = re.compile(f"{_CREDITED}|{_ADVERTISED}")


def strip_attribution(message: str) -> str:
    """The message without lines that credit an AI; human co-authors stay."""
    kept = [line for line in message.splitlines() if not credits_an_ai(line)]
    return "\n".join(kept).strip() or FALLBACK


def credits_an_ai(line: str) -> bool:
    return bool(_PATTERN.search(line.lower()))


# Installed twice: `commit --no-verify` skips commit-msg but not prepare-commit-msg. Written for
# awk, because every system has one.
HOOK = f"""\
#!/bin/sh
# Takes lines that credit an AI out of the message; people who co-authored it stay.
LC_ALL=C awk '
  tolower($0) ~ /{_CREDITED}/ || tolower($0) ~ /{_ADVERTISED}/ {{ removed = 1; next }}
  {{ print; if ($0 !~ /^#/ && $0 ~ /[^ \\t]/) said = 1 }}
  END {{ if (removed && !said) print "{FALLBACK}" }}
' "$1" >"$1.treadle" && cat "$1.treadle" >"$1"
rm -f "$1.treadle"
exit 0
"""
