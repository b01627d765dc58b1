"""Lines covered, by file, whatever counted them, and the share of all of them together. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Lines:
    """Of so many lines that can run, how many did."""

    covered: int
    valid: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one report says: lines by file, or, where it counts none, a mere percentage."""

    files: Mapping[str, Lines] = field(default_factory=dict)
    percent: float | None = None


def total(reports: Iterable[Coverage]) -> float | None:
    """Percent of all lines of all files; of a file in several reports, the fullest count."""
    fullest: dict[str, Lines] = {}
    bare: list[float] = []
    for report in reports:
        for name, lines in report.files.items():
            known = fullest.get(name, Lines(0, 0))
            fullest[name] = max(known, lines, key=lambda each: (each.valid, each.covered))
        if not report.files and report.percent is not None:
            bare.append(report.percent)
    valid = sum(each.valid for each in fullest.values())
    if valid:
        return round(100 * sum(each.covered for each in fullest.values()) / valid, 2)
    return round(min(bare), 2) if bare else None


def lines(covered: int | None, valid: int | None) -> Lines | None:
    """Counts that can be true; None for those that cannot."""
    if covered is None or valid is None or covered > valid:
        return None
    return Lines(covered, valid)
