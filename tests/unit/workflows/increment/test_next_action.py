"""A promise counts beside proof, and proof beside a promise."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.builders import RUN_LIMITS
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SignalGiven
from treadle.domain.ids import RunId
from treadle.domain.session import Completed
from treadle.session.markers import MarkerReader, PlainText
from treadle.workflows.increment.next_action import decide_increment, has_promised, why_refused
from treadle.workflows.loop.next_action import (
    DecisionRules,
    NextAction,
    Reverify,
    RunSession,
    StopRun,
)
from treadle.workflows.loop.run_progress import RunProgress

RULES = DecisionRules(replace(RUN_LIMITS, max_iterations=3), wait_for_quota=True)
PASSED, PENDING = Tally(passed=2, total=2), Tally(passed=1, total=2)
SHOWN = RunProgress(tally=PASSED, rounds=2, provable=True, verified=True, last=Completed("Done."))


@pytest.mark.parametrize(
    ("progress", "promised", "action"),
    [
        (SHOWN, True, StopRun("all_passed")),
        (SHOWN, False, RunSession("coding")),
        # The promise alone never suffices.
        (replace(SHOWN, tally=PENDING), True, RunSession("coding")),
        (replace(SHOWN, verified=False), True, Reverify()),
        (replace(SHOWN, shortfall="only claimed"), True, StopRun("unproven", "only claimed")),
        (replace(SHOWN, tally=Tally()), True, RunSession("initializer")),
        (replace(SHOWN, stopping="interrupted"), True, StopRun("interrupted")),
    ],
)
def test_an_increment_is_complete_by_promise_and_proof(
    progress: RunProgress, promised: bool, action: NextAction
) -> None:
    assert decide_increment(progress, RULES, is_promised=promised) == action


def test_work_that_nobody_calls_complete_ends_at_the_limit_of_rounds() -> None:
    ended = decide_increment(replace(SHOWN, rounds=3), RULES, is_promised=False)

    assert isinstance(ended, StopRun)
    assert ended.reason == "max_iterations"


ROUND = RoundStarted(1, "coding")
GIVEN = SignalGiven("auto_complete", "ALL  DONE", "marker")


@pytest.mark.parametrize(
    ("events", "promised"),
    [
        ((), False),
        ((ROUND,), False),
        ((ROUND, GIVEN), True),
        ((ROUND, SignalGiven("auto_complete", "DONE", "tool")), False),
        ((ROUND, SignalGiven("done", "ALL DONE", "tool")), False),
        ((ROUND, GIVEN, SignalGiven("auto_complete", "DONE", "marker")), True),
        # Of an earlier session: what came after it may have broken something.
        ((ROUND, GIVEN, ROUND), False),
    ],
)
def test_only_the_words_of_the_promise_in_the_last_session_count(
    events: tuple[Event, ...], promised: bool
) -> None:
    at = datetime(2026, 5, 4, tzinfo=UTC)
    log = [RecordedEvent(RunId("r"), n, at, event) for n, event in enumerate(events, 1)]

    assert has_promised(log, "ALL DONE") == promised


@pytest.mark.parametrize(
    ("tally", "findings", "reason"),
    [
        (PASSED, "", ""),
        (PASSED, "test_x fails", "checks or tests are red"),
        (PENDING, "", "1 of 2 deliverables are pending"),
        (Tally(), "", "nothing is planned yet"),
    ],
)
def test_a_refused_promise_says_why(tally: Tally, findings: str, reason: str) -> None:
    assert why_refused(tally, findings) == reason


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("<auto-complete>ALL DONE</auto-complete>\n", ["auto_complete"]),
        ("Then I say <auto-complete>ALL DONE</auto-complete>\n", []),
        ("`<auto-complete>ALL DONE</auto-complete>`\n", []),
        ("<AUTO-COMPLETE>ALL DONE</AUTO-COMPLETE>\n", []),
    ],
)
def test_the_promise_is_a_marker_like_others(text: str, kinds: list[str]) -> None:
    reader = MarkerReader()
    pieces = [*reader.feed(text), *reader.close()]

    assert [each.kind for each in pieces if not isinstance(each, PlainText)] == kinds
