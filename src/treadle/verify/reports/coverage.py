"""Line coverage by file and in total, and coverage.py's JSON report. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.untrusted_json import as_object


@dataclass(frozen=True, slots=True)
class LineCounts:
    """The executable lines of a file, and how many of them ran."""

    covered: int
    valid: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """One report: lines by file, or only a percentage if it counts no lines."""

    files: Mapping[str, LineCounts] = field(default_factory=dict)
    percent: float | None = None


def total_percent(reports: Iterable[Coverage]) -> float | None:
    """Percent of covered lines; for a file in several reports the largest count is used."""
    largest: dict[str, LineCounts] = {}
    percentages: list[float] = []
    for report in reports:
        for name, lines in report.files.items():
            known = largest.get(name, LineCounts(0, 0))
            largest[name] = max(known, lines, key=lambda each: (each.valid, each.covered))
        if not report.files and report.percent is not None:
            percentages.append(report.percent)
    valid = sum(each.valid for each in largest.values())
    if valid:
        return round(100 * sum(each.covered for each in largest.values()) / valid, 2)
    return round(min(percentages), 2) if percentages else None


def make_line_counts(covered: int | None, valid: int | None) -> LineCounts | None:
    """The counts, or None if they are inconsistent."""
    if covered is None or valid is None or covered > valid:
        return None
    return LineCounts(covered, valid)


def parse_coverage_json(name: str, report: Mapping[str, Any]) -> Coverage | MalformedReport:
    """The lines of each file; branches do not count, as in the other formats."""
    by_file = {}
    for file, entry in as_object(report.get("files")).items():
        summary = as_object(as_object(entry).get("summary"))
        counts = make_line_counts(
            whole_number(summary.get("covered_lines")), whole_number(summary.get("num_statements"))
        )
        if counts is None:
            return refuse(name, f"the counts of {file[:200]} cannot be right")
        by_file[file] = counts
    return Coverage(by_file) if by_file else refuse(name, "no files in it")
