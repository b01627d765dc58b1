"""The verdict on the tests in words."""

from dataclasses import replace

import pytest

from tests.unit.cli.sample_runs import RUN, START, STARTED, state_after
from tests.unit.cli.sample_verified_runs import NEW, OPEN
from treadle.domain.approval import ApprovalQuestion, make_approval
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.suite_report import SuiteObjection
from treadle.views.verification_text import suite_outcomes, suite_verdict

ASKED = make_approval(
    ApprovalQuestion("failing_tests", "May they fail?", "test_divide", "h"),
    run=RUN,
    step="ask",
    now=START,
)
ANN = ApprovalAnswered(ASKED.id, "approved", "ann")
OLD = replace(OPEN, known_red=(), flaky=())


@pytest.mark.parametrize(
    ("suite", "events", "verdict"),
    [
        (replace(OLD, accepted=(NEW,)), [ANN], "1 new failing, accepted by ann"),
        (replace(OLD, accepted=(NEW,)), [], "1 new failing, accepted by a person"),
        (
            replace(OLD, accepted=(NEW, SuiteObjection("removed", "test_round"))),
            [ANN],
            "2 objections, accepted by ann",
        ),
        (
            replace(OLD, accepted=(NEW,), objections=(NEW,)),
            [ANN],
            "1 objection, and 1 new failing, accepted by ann",
        ),
        (OLD, [ANN], "no new failures"),
        (
            replace(OLD, accepted=(NEW,)),
            [replace(ANN, verdict="denied")],
            "1 new failing, accepted by a person",
        ),
    ],
)
def test_tests_that_a_person_let_fail_are_shown_with_their_name(
    suite: SuiteFinished, events: list[Event], verdict: str
) -> None:
    state = state_after(STARTED, ApprovalAsked(ASKED), *events, suite)

    text, style = suite_verdict(suite, accepted_by=state.verified.accepted_by)

    assert text == f"{verdict}: {suite_outcomes(suite)}"
    assert style == ("bad" if suite.objections else "warning")
