"""Parses Cobertura XML (coverage.py, Istanbul, PHPUnit and many others). Pure."""

import math
from collections.abc import Mapping

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.coverage import Coverage, LineCounts, make_line_counts
from treadle.verify.reports.xml_parser import visit_elements


def parse(name: str, content: bytes) -> Coverage | MalformedReport:
    """The lines of each file, or the report's totals if it lists no lines."""
    counter = _CoberturaCounter()
    if malformed := visit_elements(name, content, counter):
        return malformed
    coverage = counter.coverage()
    return coverage or refuse(name, "no lines and no line-rate in it")


class _CoberturaCounter:
    """Counts each line of a file once, although methods repeat the lines of their class."""

    def __init__(self) -> None:
        self._root: Mapping[str, str] | None = None
        self._file = ""
        self._valid: dict[str, set[int]] = {}
        self._covered: dict[str, set[int]] = {}

    def start_element(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._root is None:
            self._root = attributes
        elif tag == "class":
            self._file = attributes.get("filename", "") or attributes.get("name", "")
        elif tag == "line" and self._file:
            self._line(whole_number(attributes.get("number", "")), attributes.get("hits", ""))

    def end_element(self, tag: str, text: str) -> None:
        if tag == "class":
            self._file = ""

    def _line(self, number: int | None, hits: str) -> None:
        if number is None:
            return
        self._valid.setdefault(self._file, set()).add(number)
        if whole_number(hits):
            self._covered.setdefault(self._file, set()).add(number)

    def coverage(self) -> Coverage | None:
        if self._valid:
            return Coverage(
                {
                    file: LineCounts(len(self._covered.get(file, ())), len(numbers))
                    for file, numbers in self._valid.items()
                }
            )
        root = self._root or {}
        totals = make_line_counts(
            whole_number(root.get("lines-covered", "")), whole_number(root.get("lines-valid", ""))
        )
        if totals and totals.valid:
            return Coverage({"": totals})
        rate = _rate(root.get("line-rate", ""))
        return None if rate is None else Coverage(percent=100 * rate)


def _rate(text: str) -> float | None:
    try:
        rate = float(text)
    except ValueError:
        return None
    return rate if math.isfinite(rate) and 0 <= rate <= 1 else None
