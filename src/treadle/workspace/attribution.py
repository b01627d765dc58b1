"""Removes the lines of a commit message in which an agent credits itself, in Python and in a git
hook.

The patterns are those of the agent's kind. They match lines in lower case and are read by Python
and by awk.
"""

import re
from collections.abc import Sequence

# For a message that consists only of credits: git refuses an empty one.
FALLBACK = "Changes without a message"


def strip_credits(message: str, patterns: Sequence[str]) -> str:
    """The message without lines that credit an agent; human co-authors stay."""
    kept = [line for line in message.splitlines() if not is_credit(line, patterns)]
    return "\n".join(kept).strip() or FALLBACK


def is_credit(line: str, patterns: Sequence[str]) -> bool:
    return any(re.search(pattern, line.lower()) for pattern in patterns)


def hook_script(patterns: Sequence[str]) -> str:
    """The hook that does the same in git. Written for awk, because every system has one."""
    found = " || ".join(f"tolower($0) ~ /{pattern}/" for pattern in patterns)
    return f"""\
#!/bin/sh
# Takes lines that credit an AI out of the message; people who co-authored it stay.
LC_ALL=C awk '
  {found} {{ removed = 1; next }}
  {{ print; if ($0 !~ /^#/ && $0 ~ /[^ \\t]/) said = 1 }}
  END {{ if (removed && !said) print "{FALLBACK}" }}
' "$1" >"$1.treadle" && cat "$1.treadle" >"$1"
rm -f "$1.treadle"
exit 0
"""
