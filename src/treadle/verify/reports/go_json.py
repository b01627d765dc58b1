"""Parses the events of `go test -json`, one per line, from a file or the output. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import CUT, refuse
from treadle.verify.reports.case_ids import ReportedCase
from treadle.verify.reports.go_run import GoRun
from treadle.verify.reports.untrusted_json import as_text

LINE = re.compile(r'^\{"(?:Time|Action|ImportPath)":', re.MULTILINE)
# Before Go 1.24, a failed build is a plain line and not an event.
_NOT_BUILT = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]$")


def parse(name: str, text: str) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests in the events; other lines are skipped."""
    run = GoRun()
    for number, line in enumerate(text.splitlines(), 1):
        if failed := _NOT_BUILT.match(line):
            run.add_event("fail", (failed[1], ""))
        if not LINE.match(line):
            continue
        event = _event(line)
        if event is None:
            return refuse(name, "an event that is cut or broken", line=number)
        package = (
            as_text(event.get("Package")) or as_text(event.get("ImportPath")).partition(" ")[0]
        )
        key = (package, as_text(event.get("Test")))
        run.add_event(as_text(event.get("Action")), key, as_text(event.get("Output")))
        if run.is_full:
            return tuple(run.cases())
    if run.is_cut:
        return refuse(name, "results of tests that it does not show starting", remedy=CUT)
    return tuple(run.cases())


def _event(line: str) -> Mapping[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None
