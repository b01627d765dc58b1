"""Parses lcov tracefiles (Istanbul, cargo-llvm-cov and others). Pure."""

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.coverage import Coverage, LineCounts


def parse(name: str, content: bytes) -> Coverage | MalformedReport:
    """The lines of each source file; repeated records of a file are merged."""
    counter = _LcovCounter()
    for number, line in enumerate(content.decode("utf-8-sig", errors="replace").splitlines(), 1):
        if reason := counter.add_line(line.strip()):
            return refuse(name, reason, line=number)
    if counter.source:
        return refuse(name, f"it ends within {counter.source[:200]}")
    coverage = counter.coverage()
    return coverage if coverage.files else refuse(name, "no lines in it")


class _LcovCounter:
    """Counts the lines of each file, and holds the file of the current record."""

    def __init__(self) -> None:
        self.source = ""
        self._hit: dict[str, dict[int, bool]] = {}

    def add_line(self, line: str) -> str:
        """Add one line of the tracefile; returns the reason if it is malformed."""
        key, _, value = line.partition(":")
        if key == "SF":
            self.source = value
        elif key == "end_of_record":
            self.source = ""
        elif key == "DA" and self.source:
            # A checksum may follow the two numbers.
            line_number, hits = (whole_number(part) for part in (*value.split(","), "")[:2])
            if line_number is None or hits is None:
                return "a line count that cannot be read (DA:)"
            lines = self._hit.setdefault(self.source, {})
            lines[line_number] = lines.get(line_number, False) or hits > 0
        return ""

    def coverage(self) -> Coverage:
        return Coverage(
            {file: LineCounts(sum(lines.values()), len(lines)) for file, lines in self._hit.items()}
        )
