"""The commands that a person is offered next."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_runs import RUN, state_after
from tests.unit.cli.sample_verified_runs import (
    DIVIDE,
    DIVIDE_GRADED,
    ERROR,
    WRITTEN,
    checked,
    passed,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import CheckAdded, ClaimRefused
from treadle.domain.events.work import DeliverableCreated
from treadle.domain.exit_reasons import ExitReason
from treadle.views.next_steps import NEXT_COMMANDS, next_steps

FAILS_BEFORE = checked(DIVIDE, ERROR, "before", 1)
UNCHECKED = ClaimRefused(DIVIDE.id, DIVIDE.description, 0, unchecked=1)


@pytest.mark.parametrize(
    ("reason", "events", "commands"),
    [
        ("stuck", [UNCHECKED], ["treadle check list", "treadle logs"]),
        ("max_iterations", [UNCHECKED], ["treadle check list", "treadle resume"]),
        ("stuck", [UNCHECKED, CheckAdded(DIVIDE.id, WRITTEN)], ["treadle logs", "treadle retry"]),
        ("stuck", [replace(UNCHECKED, unchecked=0)], ["treadle logs", "treadle retry"]),
        ("stuck", [UNCHECKED, passed(DIVIDE)], ["treadle logs", "treadle retry"]),
        ("interrupted", [UNCHECKED], ["treadle resume", "treadle show"]),
        ("synced", [], ["treadle deliver", "treadle status"]),
        ("synced", [passed(DIVIDE)], ["treadle status", "treadle show"]),
        ("unproven", [passed(DIVIDE)], ["treadle diff", "treadle land"]),
    ],
)
def test_what_to_type_next_begins_with_what_the_run_could_not_do(
    reason: ExitReason, events: list[Event], commands: list[str]
) -> None:
    state = state_after(DeliverableCreated(DIVIDE), *events)

    typed = [command for command, _ in next_steps(reason, RUN, state)]

    assert [each.removesuffix(f" {RUN[-8:]}").partition(" 7c01")[0] for each in typed][:2] == (
        commands
    )


@pytest.mark.parametrize(
    ("reason", "command"),
    [
        ("max_iterations", f"treadle resume {RUN[-8:]} -n 200"),
        ("budget_exceeded", f"treadle resume {RUN[-8:]} --max-cost 40"),
        ("time_exceeded", f"treadle resume {RUN[-8:]} --max-minutes 960"),
    ],
)
def test_a_run_at_its_limit_is_offered_twice_as_much_in_a_line_to_copy(
    reason: ExitReason, command: str
) -> None:
    assert next_steps(reason, RUN, state_after())[0][0] == command


@pytest.mark.parametrize(
    ("events", "is_offered"),
    [
        ([passed(DIVIDE)], False),
        ([FAILS_BEFORE], False),
        # Self-tested or better is evidence that can be looked at once more.
        ([FAILS_BEFORE, passed(DIVIDE)], True),
        ([FAILS_BEFORE, DIVIDE_GRADED, passed(DIVIDE)], True),
    ],
)
def test_what_a_check_stands_behind_can_be_run_once_more(
    events: list[Event], is_offered: bool
) -> None:
    state = state_after(DeliverableCreated(DIVIDE), *events)

    offered = (f"treadle verify {RUN[-8:]}", "runs its checks again")

    assert (offered in next_steps("all_passed", RUN, state)) is is_offered


@pytest.mark.parametrize("reason", NEXT_COMMANDS)
def test_what_is_offered_next_is_whole_in_a_terminal_of_80_columns(reason: ExitReason) -> None:
    steps = next_steps(reason, RUN, state_after())
    longest = max(len(command) for command, _ in steps)

    assert [purpose for _, purpose in steps if 16 + longest + 4 + len(purpose) > 80] == []
