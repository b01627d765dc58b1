"""Parses the output of `go test -v`; without -v it lists no passed test. Pure."""

import re

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import CUT, cut_name, refuse
from treadle.verify.reports.case_ids import ReportedCase
from treadle.verify.reports.go_run import GoRun

NAME = "the output of go test"
PACKAGE = re.compile(r"^(ok  |FAIL)\t([^\s\[]+)(?:\t| \[)", re.MULTILINE)
VERBOSE = re.compile(r"^=== RUN   \S", re.MULTILINE)
_MARK = re.compile(r"^=== (RUN|CONT|NAME|PAUSE) +(\S.*)?$")
_RESULT = re.compile(r"^ *--- (PASS|FAIL|SKIP): (.+) \(\d+\.\d+s\)$")
_BUILDING = re.compile(r"^# (\S+)")


def parse(text: str) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of each package; go prints the package's name after the output of its tests."""
    reader = _GoTextReader()
    for line in text.splitlines():
        reader.add_line(line)
    # Tests without a package name after them belong to a package that was killed.
    reader.end_package("fail", "")
    if reader.run.is_cut:
        return refuse(NAME, "results of tests that it does not show starting", remedy=CUT)
    return tuple(reader.run.cases())


class _GoTextReader:
    """The events since the last package ended, and the test that prints now."""

    def __init__(self) -> None:
        self.run = GoRun()
        self._events: list[tuple[str, str, str]] = []
        self._test = ""
        self._building = ""

    def add_line(self, line: str) -> None:
        if package := PACKAGE.match(line):
            self.end_package("pass" if package[1] == "ok  " else "fail", package[2])
        elif mark := _MARK.match(line):
            self._test = "" if mark[1] == "PAUSE" else mark[2] or ""
            self._building = ""
            if mark[1] == "RUN":
                self._events.append(("run", self._test, ""))
        elif result := _RESULT.match(line):
            self._test = result[2]
            self._events.append((result[1].lower(), self._test, ""))
        elif building := _BUILDING.match(line):
            self._building = building[1]
        elif line in ("PASS", "FAIL"):
            self._test = ""
        elif self._building:
            self.run.add_event("output", (self._building, ""), f"{line}\n")
        else:
            self._events.append(("output", self._test, f"{line}\n"))

    def end_package(self, action: str, package: str) -> None:
        if not package and not any(
            event_action for event_action, _, _ in self._events if event_action != "output"
        ):
            return
        package = cut_name(package)
        for event_action, test, output in self._events:
            if self.run.is_full:
                break
            self.run.add_event(event_action, (package, test), output)
        self.run.add_event(action, (package, ""))
        self._events, self._test, self._building = [], "", ""
