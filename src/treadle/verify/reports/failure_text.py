"""Cleans and shortens failure messages, and finds the file and line that they name."""

import re
from dataclasses import dataclass

from treadle.verify.reports.bounds import MOST_MESSAGE

# Colours and cursor movements in the output of test tools.
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")

_EDGE = 8_000
_LONGEST_PATH = 300
_MARK = re.compile(
    r"\.(py|[cm]?[jt]sx?|vue|svelte|go|rs|rb|php|java|kts?|exs?|cs|swift|sh|bats)"
    r"(?::|\", line )(\d{1,7})(?!\d)"
)
_BEFORE_PATH = re.compile(r"""[\s()\[\]{}<>"'`|,;=\u276f]""")
_FOREIGN = (
    *("node_modules/", "node:", "internal/", "site-packages/", "dist-packages/", "/lib/python"),
    *(
        "/src/testing/",
        "/src/runtime/",
        "/pkg/mod/",
        "/gems/",
        "vendor/",
        "/rustc/",
        "/usr/",
        "<frozen",
    ),
)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A file and a line; empty if the text names none."""

    file: str = ""
    line: int | None = None


NO_LOCATION = SourceLocation()


def clean_message(text: str) -> str:
    """At most 2,000 characters, without colours, control characters and library calls."""
    plain = _CONTROLS.sub("", ESCAPES.sub("", text[: 4 * MOST_MESSAGE].replace("\r\n", "\n")))
    kept = (line for line in plain.splitlines() if not _is_foreign_call(line))
    plain = "\n".join(kept).strip()
    return plain if len(plain) <= MOST_MESSAGE else plain[: MOST_MESSAGE - 1] + "…"


def find_location(text: str) -> SourceLocation:
    """Where a failure came from: Python lists the innermost call last, other languages first."""
    text = ESCAPES.sub("", text if len(text) <= 2 * _EDGE else text[:_EDGE] + text[-_EDGE:])
    own_locations = [each for each in map(_location_at, _MARK.finditer(text)) if _is_own(each.file)]
    if not own_locations:
        return NO_LOCATION
    return own_locations[-1] if own_locations[0].file.endswith(".py") else own_locations[0]


def _location_at(mark: re.Match[str]) -> SourceLocation:
    # Searched backwards from the mark, so the time stays linear for any text.
    before = mark.string[max(0, mark.start() - _LONGEST_PATH) : mark.start()]
    path = _BEFORE_PATH.split(before)[-1].removeprefix("file://").removeprefix("./")
    return SourceLocation(f"{path}.{mark[1]}" if path else "", int(mark[2]) or None)


def _is_foreign_call(line: str) -> bool:
    is_call = line.lstrip().startswith(("at ", "❯ ", "# "))
    return is_call and any(part in line for part in _FOREIGN)


def _is_own(path: str) -> bool:
    return path != "" and not any(part in path for part in _FOREIGN)
