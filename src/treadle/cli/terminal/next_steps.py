"""What a person can type next, after all that a run's log says."""

from collections.abc import Iterator, Sequence

from treadle.cli.terminal.log_state import LogState
from treadle.cli.terminal.standing import Standing, proven_of
from treadle.cli.terminal.words import next_commands
from treadle.domain.ids import RunId
from treadle.domain.run import ExitReason

# So many criteria are named; whoever mends these knows how to mend the others.
NAMED = 3
# How a run ends that could not get on without somebody's help.
HELD_UP: frozenset[ExitReason] = frozenset(
    {"stuck", "max_iterations", "budget_exceeded", "time_exceeded"}
)

Command = tuple[str, str]


def next_steps(reason: ExitReason, run: RunId, story: LogState) -> tuple[Command, ...]:
    """Commands with what each is for: first what the run itself could not do."""
    proven = proven_of(story.deliverables)
    return (*_missing(reason, story), *next_commands(reason, run, proven=proven))


def _missing(reason: ExitReason, story: LogState) -> Sequence[Command]:
    pending = [each for each in story.deliverables if each.status == "pending"]
    if reason == "synced" and pending:
        return (("treadle deliver", "works on what is pending"),)
    if reason not in HELD_UP:
        return ()
    refused = (each for each in pending if each.id in story.verified.unchecked)
    wanted = [(each.id, number) for each in refused for number in _unchecked(each)]
    return tuple(
        (f"treadle check add {name} {number} -- …", "it cannot pass without one")
        for name, number in wanted[:NAMED]
    )


def _unchecked(standing: Standing) -> Iterator[int]:
    checked = {check.criterion for check in standing.checks}
    for number, criterion in enumerate(standing.criteria, 1):
        if criterion not in checked:
            yield number
