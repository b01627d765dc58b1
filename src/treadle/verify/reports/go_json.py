"""The events of `go test -json`, one to a line, in a file or on standard output. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from treadle.domain.testing import Malformed
from treadle.verify.reports.bounds import CUT, refuse
from treadle.verify.reports.go_run import GoRun
from treadle.verify.reports.json_reading import worded
from treadle.verify.reports.told import Told

LINE = re.compile(r'^\{"(?:Time|Action|ImportPath)":', re.MULTILINE)
# Before Go 1.24 this is no event.
_NOT_BUILT = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]$")


def parse(name: str, text: str) -> tuple[Told, ...] | Malformed:
    """All tests that the events tell of; lines that are none are passed over."""
    run = GoRun()
    for number, line in enumerate(text.splitlines(), 1):
        if failed := _NOT_BUILT.match(line):
            run.take("fail", (failed[1], ""))
        if not LINE.match(line):
            continue
        event = _event(line)
        if event is None:
            return refuse(name, "an event that is cut or broken", line=number)
        package = worded(event.get("Package")) or worded(event.get("ImportPath")).partition(" ")[0]
        key = (package, worded(event.get("Test")))
        run.take(worded(event.get("Action")), key, worded(event.get("Output")))
    if run.is_cut:
        return refuse(name, "results of tests that it does not show starting", remedy=CUT)
    return tuple(run.told())


def _event(line: str) -> Mapping[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
