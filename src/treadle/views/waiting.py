"""What waits for a person, and what to type: questions, unmerged work. Loads no events."""

from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.approval import ApprovalRecord
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow, UnlandedRun
from treadle.views.approval_view import answer_commands, question_parts

# Of what an agent wants to do; `treadle approvals` has all of it.
USE_MOST = 200


@dataclass(frozen=True, slots=True)
class WaitingEntry:
    """What waits for a person, and what to type."""

    run: str
    text: str
    commands: tuple[str, ...]


def waiting_entries(
    rows: Sequence[RunRow], questions: Sequence[ApprovalRecord], unlanded: UnlandedRun | None
) -> tuple[WaitingEntry, ...]:
    """What waits in a project: questions first. Questions of runs that are not in `rows` are left
    out."""
    runs = {row.id for row in rows}
    asked = [question_entry(each) for each in questions if each.approval.run in runs]
    lost = [lost_entry(row) for row in rows if row.state == "lost"]
    return (*asked, *lost, *([] if unlanded is None else [_unlanded_entry(unlanded)]))


def question_entry(record: ApprovalRecord) -> WaitingEntry:
    approval = record.approval
    asked = question_parts(approval)[0]
    if approval.kind == "gate":
        # Without the command nobody can answer.
        use = approval.subject.partition("\n")[0]
        cut = f"{use[:USE_MOST]}…" if len(use) > USE_MOST else use
        asked = f"{cut} · {asked}"
    return WaitingEntry(short_id(approval.run), asked, answer_commands(approval))


def lost_entry(row: RunRow) -> WaitingEntry:
    name = short_id(row.id)
    return WaitingEntry(name, "its process is gone", (f"treadle resume {name}",))


def unmerged_entry(run: str, reason: str) -> WaitingEntry:
    text = f"finished work is not merged: {reason}"
    return WaitingEntry(run, text, (f"treadle land {run}",))


def _unlanded_entry(unlanded: UnlandedRun) -> WaitingEntry:
    row, name = unlanded.row, short_id(unlanded.row.id)
    if row.state == "succeeded":
        return unmerged_entry(name, unlanded.reason)
    return WaitingEntry(
        name,
        f"unfinished work on {row.branch}",
        (f"treadle resume {name}", f"treadle land {name}"),
    )
