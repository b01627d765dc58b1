"""What bubblewrap wrote about a command, and why one did not run. Pure but for the reads."""

import json
from pathlib import Path

from treadle.adapters.sandboxes.remedies import explained
from treadle.domain.sandbox import SandboxFailed


def read_report(report: Path, said: str) -> SandboxFailed | None:
    """Bubblewrap tells the exit code of a command that ran, and of no other."""
    try:
        text = report.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return SandboxFailed("the sandbox left no report", hint="run `treadle doctor`")
    return None if ran(text) else explained(said)


def read_first_process(report: Path) -> int | None:
    """Bubblewrap tells it as soon as it is started."""
    try:
        return number_in(report.read_text("utf-8", errors="replace"), "child-pid")
    except FileNotFoundError:
        return None


def ran(text: str) -> bool:
    """Whether the text has the record that comes last."""
    return number_in(text, "exit-code") is not None


def number_in(text: str, name: str) -> int | None:
    """The number of this name in the documents of the text, one a line."""
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue  # cut off in the middle: bubblewrap was ended
        if isinstance(document, dict) and isinstance(number := document.get(name), int):
            return number
    return None
