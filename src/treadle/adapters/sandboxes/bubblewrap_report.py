"""Reads the report that bubblewrap writes about a command."""

import json
from pathlib import Path

from treadle.adapters.sandboxes.bubblewrap_errors import explain_error
from treadle.domain.sandbox import SandboxFailed


def read_report(report: Path, error_output: str) -> SandboxFailed | None:
    """Bubblewrap reports an exit code only for a command that ran."""
    try:
        text = report.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return SandboxFailed("the sandbox left no report", hint="run `treadle doctor`")
    return None if has_exit_code(text) else explain_error(error_output)


def read_first_process(report: Path) -> int | None:
    """The id of the first process inside, which bubblewrap reports as soon as it starts."""
    try:
        return find_number(report.read_text("utf-8", errors="replace"), "child-pid")
    except FileNotFoundError:
        return None


def has_exit_code(text: str) -> bool:
    """Whether the report holds its last record, the exit code."""
    return find_number(text, "exit-code") is not None


def find_number(text: str, name: str) -> int | None:
    """The number with this name in a report, which holds one JSON document in each line."""
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue  # incomplete, because bubblewrap was killed
        if isinstance(document, dict) and isinstance(number := document.get(name), int):
            return number
    return None
