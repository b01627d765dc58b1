"""What a run was not allowed or left out, for its report. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.views.run_details import DeniedToolUse, RunDetails


@dataclass(frozen=True, slots=True)
class RefusalEntry:
    """What a run was not allowed, or left out, and how often."""

    run: str
    text: str
    reason: str
    times: int


def refusals_of(row: RunRow, details: RunDetails) -> Iterable[RefusalEntry]:
    """Denied tool uses and withheld files; what happened several times is counted."""
    name = short_id(row.id)
    for denial, times in Counter(details.denials).items():
        yield RefusalEntry(name, _denied_text(denial), denial.reason, times)
    for file in details.state.tool_files:
        if file.effect == "withheld":
            yield RefusalEntry(name, f"left out {file.path}", file.why, 1)


def _denied_text(denial: DeniedToolUse) -> str:
    return f"{denial.tool} {denial.argument}".rstrip()
