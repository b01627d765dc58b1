"""Line coverage by file and in total, and coverage.py's JSON report. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.untrusted_json import as_object


@dataclass(frozen=True, slots=True)
class LineCounts:
    """Of so many lines that can run, how many did."""

    covered: int
    valid: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one report says: lines by file, or, where it counts none, a mere percentage."""

    files: Mapping[str, LineCounts] = field(default_factory=dict)
    percent: float | None = None


def total_percent(reports: Iterable[Coverage]) -> float | None:
    """Percent of all lines of all files; of a file in several reports, the fullest count."""
    fullest: dict[str, LineCounts] = {}
    bare: list[float] = []
    for report in reports:
        for name, lines in report.files.items():
            known = fullest.get(name, LineCounts(0, 0))
            fullest[name] = max(known, lines, key=lambda each: (each.valid, each.covered))
        if not report.files and report.percent is not None:
            bare.append(report.percent)
    valid = sum(each.valid for each in fullest.values())
    if valid:
        return round(100 * sum(each.covered for each in fullest.values()) / valid, 2)
    return round(min(bare), 2) if bare else None


def make_line_counts(covered: int | None, valid: int | None) -> LineCounts | None:
    """Counts that can be true; None for those that cannot."""
    if covered is None or valid is None or covered > valid:
        return None
    return LineCounts(covered, valid)


def parse_coverage_json(name: str, found: Mapping[str, Any]) -> Coverage | MalformedReport:
    """The lines of each file; branches do not count, as in the other reports."""
    by_file = {}
    for file, entry in as_object(found.get("files")).items():
        summary = as_object(as_object(entry).get("summary"))
        counted = make_line_counts(
            whole_number(summary.get("covered_lines")), whole_number(summary.get("num_statements"))
        )
        if counted is None:
            return refuse(name, f"the counts of {file[:200]} cannot be right")
        by_file[file] = counted
    return Coverage(by_file) if by_file else refuse(name, "no files in it")
