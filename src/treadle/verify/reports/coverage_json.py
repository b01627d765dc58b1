"""The JSON report of coverage.py. Pure."""

from collections.abc import Mapping
from typing import Any

from treadle.domain.testing import Malformed
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.coverage import Coverage, lines
from treadle.verify.reports.json_reading import table


def parse(name: str, found: Mapping[str, Any]) -> Coverage | Malformed:
    """The lines of each file; branches do not count, as in the other reports."""
    by_file = {}
    for file, entry in table(found.get("files")).items():
        summary = table(table(entry).get("summary"))
        counted = lines(
            whole_number(summary.get("covered_lines")), whole_number(summary.get("num_statements"))
        )
        if counted is None:
            return refuse(name, f"the counts of {file[:200]} cannot be right")
        by_file[file] = counted
    return Coverage(by_file) if by_file else refuse(name, "no files in it")
