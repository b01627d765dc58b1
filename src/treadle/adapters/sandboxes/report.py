"""What bubblewrap wrote about a command, and why one did not run. Pure but for one read."""

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


def ran(text: str) -> bool:
    """Whether the documents in `text`, one a line, have the record that comes last."""
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue  # cut off in the middle: bubblewrap was ended
        if isinstance(document, dict) and isinstance(document.get("exit-code"), int):
            return True
    return False
