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
from treadle.views.next_steps import next_steps

FAILS_BEFORE = checked(DIVIDE, ERROR, "before", 1)
UNCHECKED = ClaimRefused(DIVIDE.id, DIVIDE.description, 0, unchecked=1)


@pytest.mark.parametrize(
    ("reason", "events", "commands"),
    [
        ("stuck", [UNCHECKED], ["treadle check add DL-002 2 -- …", "treadle logs"]),
        ("max_iterations", [UNCHECKED], ["treadle check add DL-002 2 -- …", "treadle resume"]),
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

    offered = (f"treadle verify {RUN[-8:]}", "runs its checks once more")

    assert (offered in next_steps("all_passed", RUN, state)) is is_offered
