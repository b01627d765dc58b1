"""What `go test -v` prints. Without -v it names no test that passed. Pure."""

import re

from treadle.domain.testing import Malformed
from treadle.verify.reports.bounds import CUT, refuse
from treadle.verify.reports.go_run import GoRun
from treadle.verify.reports.told import Told

NAME = "the output of go test"
PACKAGE = re.compile(r"^(ok  |FAIL)\t([^\s\[]+)(?:\t| \[)", re.MULTILINE)
VERBOSE = re.compile(r"^=== RUN   \S", re.MULTILINE)
_MARK = re.compile(r"^=== (RUN|CONT|NAME|PAUSE) +(\S.*)?$")
_RESULT = re.compile(r"^ *--- (PASS|FAIL|SKIP): (.+) \(\d+\.\d+s\)$")
_BUILDING = re.compile(r"^# (\S+)")


def parse(text: str) -> tuple[Told, ...] | Malformed:
    """The tests of each package. Its name comes last, behind all that its tests said."""
    reading = _Reading()
    for line in text.splitlines():
        reading.take(line)
    # Without a name at their end these tests belong to a package that was killed.
    reading.end_package("fail", "")
    if reading.run.is_cut:
        return refuse(NAME, "results of tests that it does not show starting", remedy=CUT)
    return tuple(reading.run.told())


class _Reading:
    """What was said since the last package ended, and by which test."""

    def __init__(self) -> None:
        self.run = GoRun()
        self._said: list[tuple[str, str, str]] = []
        self._test = ""
        self._building = ""

    def take(self, line: str) -> None:
        if package := PACKAGE.match(line):
            self.end_package("pass" if package[1] == "ok  " else "fail", package[2])
        elif mark := _MARK.match(line):
            self._test = "" if mark[1] == "PAUSE" else mark[2] or ""
            self._building = ""
            if mark[1] == "RUN":
                self._said.append(("run", self._test, ""))
        elif result := _RESULT.match(line):
            self._test = result[2]
            self._said.append((result[1].lower(), self._test, ""))
        elif building := _BUILDING.match(line):
            self._building = building[1]
        elif line in ("PASS", "FAIL"):
            self._test = ""
        elif self._building:
            self.run.take("output", (self._building, ""), f"{line}\n")
        else:
            self._said.append(("output", self._test, f"{line}\n"))

    def end_package(self, action: str, package: str) -> None:
        if not package and not any(said for said, _, _ in self._said if said != "output"):
            return
        for said, test, output in self._said:
            self.run.take(said, (package, test), output)
        self.run.take(action, (package, ""))
        self._said, self._test, self._building = [], "", ""
