"""Parses the output of `cargo test`, the only report that stable Rust has. Pure."""

import re
from collections.abc import Mapping

from treadle.domain.suite_report import CaseKind, CaseOutcome, MalformedReport
from treadle.verify.reports.bounds import CUT, MOST_CASES, cut_name, refuse
from treadle.verify.reports.case_ids import ReportedCase
from treadle.verify.reports.failure_text import find_location

NAME = "the output of cargo test"
RESULT = re.compile(r"^test result: (?:ok|FAILED)\. \d+ passed;", re.MULTILINE)
_TARGET = re.compile(r"^\s*(?:Running (?:unittests )?(\S+) \((\S+)\)|(Doc-tests) (\S+))")
_COUNT = re.compile(r"^running (\d{1,7}) tests?$")
_TEST = re.compile(r"^test (.{1,2000}) \.\.\. ?(.*)$")
_VERDICT = re.compile(r"(?:^|(?<= ))(ok|FAILED|ignored)(?=$|, | <[\d.]{1,20}s>$)")
_FAILURE_HEADING = re.compile(r"^---- (\S.*) stdout ----$")
# A doc test's name contains its line, which changes with every edit above it.
_LINE = re.compile(r" \(line \d+\)")
_PANIC = " - should panic"
_OUTCOMES: Mapping[str, CaseOutcome] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}


def parse(text: str) -> tuple[ReportedCase, ...] | MalformedReport:
    """The tests of each target; those under tests/ are integration tests, as in Cargo."""
    run = _CargoRun()
    for line in text.splitlines():
        run.add_line(line)
        if len(run.cases) > MOST_CASES:
            return tuple(run.cases)
    if run.is_cut or run.is_running:
        return refuse(NAME, "fewer tests than it announced", remedy=CUT)
    return tuple(run.cases)


class _CargoRun:
    """Parser state: the target, a test without a verdict yet, and the failure being read."""

    def __init__(self) -> None:
        self.cases: list[ReportedCase] = []
        self.is_cut = False
        self._target = ""
        self._promised: int | None = None
        self._first = 0
        self._waiting = ""
        # Positions in `cases`: the test whose message is being read, and failed tests by name.
        self._failed: int | None = None
        self._red: dict[str, int] = {}

    @property
    def is_running(self) -> bool:
        """Whether tests were announced and no result of them all followed: a test ended them."""
        return self._promised is not None

    def add_line(self, line: str) -> None:
        if target := _TARGET.match(line):
            self._target = cut_name(_target(target))
        elif count := _COUNT.match(line):
            self.is_cut = self.is_cut or self.is_running
            self._begin(int(count[1]))
        elif line.startswith("test result: "):
            self._end()
        elif heading := _FAILURE_HEADING.match(line):
            self._failed = self._red.get(heading[1])
        elif self._failed is not None:
            self._add_message(self._failed, line)
        else:
            self._read_test(line)

    def _read_test(self, line: str) -> None:
        started = _TEST.match(line)
        name, rest = (started[1], started[2]) if started else (self._waiting, line)
        if not name:
            return
        # A test's own output may precede its verdict, on the same line or on lines above.
        verdicts = _VERDICT.findall(rest[-2_000:])
        self._waiting = "" if verdicts else name
        if verdicts:
            outcome = _OUTCOMES[verdicts[-1]]
            plain = cut_name(_LINE.sub("", name).removesuffix(_PANIC))
            if outcome == "failed":
                self._red[name.removesuffix(_PANIC)] = len(self.cases)
            self.cases.append(
                ReportedCase(self._target, plain, outcome, cut_name(name), kind=_kind(self._target))
            )

    def _add_message(self, failed: int, line: str) -> None:
        if line == "failures:":
            self._failed = None
        else:
            self.cases[failed] = _with_message_line(self.cases[failed], line)

    def _begin(self, promised: int | None) -> None:
        self._promised, self._first = promised, len(self.cases)
        self._waiting, self._failed, self._red = "", None, {}

    def _end(self) -> None:
        self.is_cut = self.is_cut or self._promised != len(self.cases) - self._first
        self._begin(None)


def _with_message_line(case: ReportedCase, line: str) -> ReportedCase:
    message = f"{case.message}\n{line}" if len(case.message) < 8_000 else case.message
    location = case.location if case.location.file else find_location(line)
    return ReportedCase(
        case.container, case.name, case.outcome, case.discriminator, location, message, case.kind
    )


def _target(line: re.Match[str]) -> str:
    """Crate and file, since each crate of a workspace may have a src/lib.rs."""
    if line[3]:
        return f"{line[3]} {line[4]}"
    crate = line[2].rpartition("/")[2].rpartition("-")[0]
    return f"{crate} {line[1]}".strip()


def _kind(target: str) -> CaseKind | None:
    return "integration" if " tests/" in target else None
