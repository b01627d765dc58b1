"""Parses lcov tracefiles (Istanbul, cargo-llvm-cov and others). Pure."""

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.coverage import Coverage, LineCounts


def parse(name: str, content: bytes) -> Coverage | MalformedReport:
    """The lines of each source file; one that is told again is counted with all that was told."""
    counting = _LcovCounter()
    for number, line in enumerate(content.decode("utf-8-sig", errors="replace").splitlines(), 1):
        if reason := counting.add_line(line.strip()):
            return refuse(name, reason, line=number)
    if counting.source:
        return refuse(name, f"it ends within {counting.source[:200]}")
    found = counting.coverage()
    return found if found.files else refuse(name, "no lines in it")


class _LcovCounter:
    """The lines of each file so far, and the file that is being told."""

    def __init__(self) -> None:
        self.source = ""
        self._hit: dict[str, dict[int, bool]] = {}

    def add_line(self, line: str) -> str:
        """Take one line of the file; why, if that cannot be."""
        key, _, value = line.partition(":")
        if key == "SF":
            self.source = value
        elif key == "end_of_record":
            self.source = ""
        elif key == "DA" and self.source:
            # A checksum may stand behind the two numbers.
            at, hits = (whole_number(part) for part in (*value.split(","), "")[:2])
            if at is None or hits is None:
                return "a line count that cannot be read (DA:)"
            lines = self._hit.setdefault(self.source, {})
            lines[at] = lines.get(at, False) or hits > 0
        return ""

    def coverage(self) -> Coverage:
        return Coverage(
            {file: LineCounts(sum(lines.values()), len(lines)) for file, lines in self._hit.items()}
        )
