"""The commands a person can type next, chosen from the state of a run. Pure."""

from collections.abc import Iterator, Sequence

from treadle.domain.ids import RunId
from treadle.domain.run import ExitReason
from treadle.views.deliverable_view import DeliverableView, count_proven
from treadle.views.log_state import LogState
from treadle.views.outcome_text import next_commands

# So many criteria are named; whoever mends these knows how to mend the others.
MOST_CRITERIA = 3
# How a run ends that could not get on without somebody's help.
NEEDS_HELP: frozenset[ExitReason] = frozenset(
    {"stuck", "max_iterations", "budget_exceeded", "time_exceeded"}
)

Command = tuple[str, str]


def next_steps(reason: ExitReason, run: RunId, story: LogState) -> tuple[Command, ...]:
    """Commands with what each is for: first what the run itself could not do."""
    proven = count_proven(story.deliverables)
    return (*_steps_for_pending(reason, story), *next_commands(reason, run, proven=proven))


def _steps_for_pending(reason: ExitReason, story: LogState) -> Sequence[Command]:
    pending = [each for each in story.deliverables if each.status == "pending"]
    if reason == "synced" and pending:
        return (("treadle deliver", "works on what is pending"),)
    if reason not in NEEDS_HELP:
        return ()
    refused = (each for each in pending if each.id in story.verified.unchecked)
    wanted = [(each.id, number) for each in refused for number in _unchecked_criteria(each)]
    return tuple(
        (f"treadle check add {name} {number} -- …", "it cannot pass without one")
        for name, number in wanted[:MOST_CRITERIA]
    )


def _unchecked_criteria(standing: DeliverableView) -> Iterator[int]:
    checked = {check.criterion for check in standing.checks}
    for number, criterion in enumerate(standing.criteria, 1):
        if criterion not in checked:
            yield number
