"""Reads the report that bubblewrap writes about a command."""

import json
from pathlib import Path

from treadle.adapters.sandboxes.bubblewrap_errors import explain_error
from treadle.domain.sandbox import SandboxFailed


def read_report(report: Path, said: str) -> SandboxFailed | None:
    """Bubblewrap tells the exit code of a command that ran, and of no other."""
    try:
        text = report.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return SandboxFailed("the sandbox left no report", hint="run `treadle doctor`")
    return None if has_exit_code(text) else explain_error(said)


def read_first_process(report: Path) -> int | None:
    """Bubblewrap tells it as soon as it is started."""
    try:
        return find_number(report.read_text("utf-8", errors="replace"), "child-pid")
    except FileNotFoundError:
        return None


def has_exit_code(text: str) -> bool:
    """Whether the text has the record that comes last."""
    return find_number(text, "exit-code") is not None


def find_number(text: str, name: str) -> int | None:
    """The number of this name in the documents of the text, one a line."""
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue  # cut off in the middle: bubblewrap was ended
        if isinstance(document, dict) and isinstance(number := document.get(name), int):
            return number
    return None
