"""What a process knows of a run that another began: the fold of its log, event by event."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import EVENTS, NOON, RUN, RUN_LIMITS, claimed, deliverable, run_started
from treadle.domain.approval import ApprovalId, ApprovalQuestion, make_approval
from treadle.domain.deliverable import Tally
from treadle.domain.events.agent import AgentSpoke, ToolDecided, UsageReported
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.events.run import (
    InterruptRequested,
    RoundFailed,
    RoundStarted,
    RunEnded,
    RunPaused,
    RunRecovered,
    RunReopened,
    RunResumed,
    RunWarned,
)
from treadle.domain.events.session import PromptSent, SessionEnded, SessionStarted
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkCommitted,
    WorkContinued,
    WorkImported,
    WorkKept,
    WorkspacePrepared,
)
from treadle.domain.ids import RunId, SessionId
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, SessionResult
from treadle.domain.usage import Usage
from treadle.session.session_timer import SessionTime
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.loop.session_record import SessionRecord

ONE, TWO = SessionId("session-1"), SessionId("session-2")
STARTED = run_started()
PREPARED = WorkspacePrepared("/clone", "treadle/x", "head", "main", "snapshot")
CONTINUED = WorkContinued(RunId("earlier"), "treadle/x", "c3" * 20)
IMPORTED = WorkImported("treadle/x", "a1" * 20, 1)
PLANNING = RoundStarted(1, "initializer")
CODING = RoundStarted(2, "coding")
RESULT = RunResult("max_iterations", 1, Tally(total=1), 0.5, Usage(), 60.0, "one round")
FIRST, SECOND = deliverable("DL-1"), deliverable("DL-2")
PASSED = DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "claimed")
BACK = DeliverableChanged("DL-1", "What DL-1 is about", "passed", "pending")


def log(*told: Event | float) -> list[RecordedEvent]:
    """The events of a run; a number lets so many seconds pass."""
    moment, recorded = NOON, list[RecordedEvent]()
    for each in told:
        if isinstance(each, float):
            moment += timedelta(seconds=each)
        else:
            recorded.append(RecordedEvent(RUN, len(recorded) + 1, moment, each))
    return recorded


def begun(session: SessionId, *, resumed: bool = False) -> SessionStarted:
    return SessionStarted(session, "implementer", "sonnet", resumed)


def used(tokens: int, cost_usd: float) -> UsageReported:
    return UsageReported("sonnet", Usage(output_tokens=tokens), cost_usd)


def over(session: SessionId) -> SessionResult:
    return SessionResult(session, Completed("done"), 0.5, Usage(), 3, 60.0)


def known(told: Sequence[Event], **facts: object) -> RunHistory:
    last = told[-1].type if told else ""
    return replace(RunHistory(event_count=len(told), last_event=last), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "facts"),
    [
        ([], {}),
        # what only tells people or other commands something
        ([STARTED], {}),
        ([RunWarned("careful")], {}),
        ([InterruptRequested("cancel")], {}),
        ([WorkCommitted("a1" * 20, "Round 1")], {}),
        ([WorkKept("treadle/x", "why", "command")], {}),
        ([RunPaused("quota", NOON), RunResumed()], {}),
        ([AgentSpoke("before any round")], {}),
        # what the run stands on; of the workspace, the last of each counts
        ([PlanMade("hash")], {"planned": True}),
        ([CONTINUED], {"continued": CONTINUED}),
        ([PREPARED], {"prepared": PREPARED}),
        ([IMPORTED], {"imported": IMPORTED}),
        (
            [IMPORTED, replace(IMPORTED, commits=2)],
            {"imported": replace(IMPORTED, commits=2)},
        ),
        # deliverables as the log has them, and the rounds' own passes
        ([DeliverableCreated(FIRST)], {"deliverables": (FIRST,)}),
        (
            [DeliverableCreated(FIRST), DeliverableCreated(SECOND)],
            {"deliverables": (FIRST, SECOND)},
        ),
        (
            [StatusAdopted((FIRST,), "earlier_run"), StatusAdopted((SECOND,), "hand_edit")],
            {"deliverables": (SECOND,)},
        ),
        (
            [DeliverableCreated(FIRST), DeliverableCreated(SECOND), PASSED],
            {
                "deliverables": (claimed("DL-1"), SECOND),
                "changes": (PASSED,),
                "passed_this_round": ("DL-1",),
            },
        ),
        (
            [DeliverableCreated(FIRST), PASSED, BACK],
            {"deliverables": (FIRST,), "changes": (PASSED, BACK)},
        ),
        (
            [DeliverableCreated(FIRST), PASSED, BACK, PASSED],
            {
                "deliverables": (claimed("DL-1"),),
                "changes": (PASSED, BACK, PASSED),
                "passed_this_round": ("DL-1",),
            },
        ),
        (
            [DeliverableCreated(FIRST), PASSED, CODING],
            {
                "deliverables": (claimed("DL-1"),),
                "changes": (PASSED,),
                "session_records": (SessionRecord(2),),
            },
        ),
        # the end, and the legs
        ([RunEnded(RESULT)], {"result": RESULT}),
        (
            [PREPARED, PLANNING, RunEnded(RESULT), RunReopened("retry", RUN_LIMITS)],
            {"leg": 2, "previous_result": RESULT, "prepared": PREPARED, "reopened_by": "retry"},
        ),
        (
            [
                RunEnded(RESULT),
                RunReopened("retry", RUN_LIMITS),
                CODING,
                RunEnded(replace(RESULT, rounds=2)),
                RunReopened("resume", RUN_LIMITS),
            ],
            {"leg": 3, "previous_result": replace(RESULT, rounds=2), "reopened_by": "resume"},
        ),
    ],
)
def test_each_event_adds_what_the_next_process_needs(
    told: list[Event], facts: dict[str, object]
) -> None:
    assert read_history(log(*told)) == known(told, **facts)


def turns(*told: Event | float) -> tuple[SessionRecord, ...]:
    return read_history(log(*told)).session_records


def test_a_round_that_has_begun_is_a_turn_without_a_session() -> None:
    assert turns(PLANNING, 5.0, RunWarned("no CLAUDE.md")) == (SessionRecord(1),)


def test_a_session_that_was_cut_off_is_known_with_what_it_had_used() -> None:
    cut = turns(
        PLANNING, 1.0, begun(ONE), 2.0, PromptSent("Plan."), 10.0, used(100, 0.25), 20.0,
        used(50, 0.125), 3.0, AgentSpoke("and then"),
    )  # fmt: skip

    assert cut == (
        SessionRecord(
            1,
            ONE,
            usage=Usage(output_tokens=150),
            cost_usd=0.375,
            started_at=NOON + timedelta(seconds=1),
            last_event_at=NOON + timedelta(seconds=36),
        ),
    )
    assert cut[0].seconds == 35.0


def test_a_session_that_ended_is_known_by_its_result_and_what_came_after_is_not_its_time() -> None:
    (turn,) = turns(
        PLANNING, begun(ONE), 60.0, ToolDecided("1", "Write", "allow", ""), SessionEnded(over(ONE)),
        9.0, WorkCommitted("a1" * 20, "Round 1"), RoundFailed(1, "why", 1, 3),
    )  # fmt: skip

    assert (turn.session, turn.result, turn.seconds) == (ONE, over(ONE), 60.0)


QUESTION = ApprovalQuestion("gate", "May it?", "npm publish", "hash", timedelta(hours=1))
ASKED = make_approval(QUESTION, run=RUN, step="gate 1", now=NOON)
ALSO_ASKED = replace(ASKED, id=ApprovalId("another"))


def test_waiting_for_a_person_is_no_time_of_the_session() -> None:
    (turn,) = turns(
        PLANNING, begun(ONE), 10.0, ApprovalAsked(ASKED), 3600.0,
        ApprovalAnswered(ASKED.id, "approved", "ada"), 5.0, AgentSpoke("on"),
    )  # fmt: skip

    assert turn.seconds == 15.0


def test_several_questions_at_once_are_one_wait() -> None:
    (turn,) = turns(
        PLANNING, begun(ONE), 10.0, ApprovalAsked(ASKED), 100.0, ApprovalAsked(ALSO_ASKED), 100.0,
        ApprovalLapsed(ASKED.id, "denied"), 100.0, ApprovalVoided(ALSO_ASKED.id, "why"), 5.0,
        AgentSpoke("on"),
    )  # fmt: skip

    assert turn.seconds == 15.0


def test_a_session_cut_while_it_waited_goes_on_waiting() -> None:
    cut = read_history(log(PLANNING, begun(ONE), 10.0, ApprovalAsked(ASKED), 50.0, AgentSpoke("?")))
    again = (
        PLANNING, begun(ONE), 10.0, ApprovalAsked(ASKED), 50.0, RunRecovered(RUN_LIMITS), 7.0,
        begun(ONE, resumed=True), 900.0, AgentSpoke("?"),
    )  # fmt: skip
    answered = (*again, ApprovalAnswered(ASKED.id, "denied", "ada"), 5.0, AgentSpoke("on"))

    later = cut.extended_to(NOON + timedelta(hours=9)).session_records[0]
    assert (cut.session_records[0].seconds, later.seconds) == (10.0, 10.0)
    assert [turns(*told)[0].seconds for told in (again, answered)] == [10.0, 15.0]


def test_the_time_that_a_process_measured_counts_and_not_a_clock_that_jumped() -> None:
    a_day_on = (PLANNING, begun(ONE), 86_400.0, AgentSpoke("on"))
    recovered = (*a_day_on, RunRecovered(RUN_LIMITS), 7.0, begun(ONE, resumed=True))
    for told in (a_day_on, recovered):
        history = read_history(log(*told))
        measured = history.with_session_time(SessionTime(ONE, 90.0))
        assert (measured.session_records[0].seconds, measured.running_s) == (90.0, 90.0)
        assert history.with_session_time(SessionTime(TWO, 90.0)) == history


def test_a_clock_that_is_set_back_takes_no_time_away() -> None:
    (turn,) = turns(PLANNING, begun(ONE), -86_400.0, AgentSpoke("on"))

    assert turn.seconds == 0.0


def test_an_answer_that_allowed_a_use_is_known_as_used() -> None:
    told: list[Event] = [
        PLANNING,
        begun(ONE),
        ToolDecided("1", "Bash", "allow", "ada allowed it", "gate", "q1"),
        ToolDecided("2", "Bash", "deny", "no", "gate", "q2"),
        ToolDecided("3", "Bash", "allow", "", "shell"),
    ]

    assert read_history(log(*told)).used_approvals == {"q1"}


def test_every_session_has_its_turn_in_the_order_they_began() -> None:
    found = read_history(
        log(
            PLANNING, begun(ONE), SessionEnded(over(ONE)), CODING, begun(TWO), used(10, 0.5),
            RoundStarted(2, "coding"),
        )
    )  # fmt: skip

    assert [(turn.number, turn.session, turn.result) for turn in found.session_records] == [
        (1, ONE, over(ONE)),
        (2, TWO, None),
        (2, None, None),
    ]
    assert [found.session_record(index) for index in (0, 2, 3)] == [
        found.session_records[0],
        SessionRecord(2),
        None,
    ]


def test_the_turns_are_counted_from_the_start_of_each_leg_and_the_sessions_are_of_all() -> None:
    found = read_history(
        log(
            PLANNING, begun(ONE), SessionEnded(over(ONE)), RunEnded(RESULT),
            RunReopened("resume", RUN_LIMITS), CODING, begun(TWO),
        )
    )  # fmt: skip

    assert [(turn.number, turn.session) for turn in found.session_records] == [(2, TWO)]
    assert found.sessions == (begun(ONE), begun(TWO))


def test_a_session_that_is_gone_on_with_counts_on_but_not_the_time_when_nobody_worked_on_it() -> (
    None
):
    night = 8 * 3600.0
    (turn,) = turns(
        CODING, begun(ONE), 30.0, used(100, 0.25),
        night, RunRecovered(), 2.0, RunWarned("a word"), begun(ONE, resumed=True), 12.0, used(1, 1),
        night, RunRecovered(), begun(ONE, resumed=True), 5.0, used(1, 1),
    )  # fmt: skip

    assert (turn.session, turn.seconds) == (ONE, 30.0 + 12.0 + 5.0)
    assert (turn.usage, turn.cost_usd) == (Usage(output_tokens=102), 2.25)


def test_a_process_that_died_before_it_could_go_on_adds_no_time() -> None:
    (turn,) = turns(CODING, begun(ONE), 30.0, used(1, 1), 900.0, RunRecovered(), 9.0, RunWarned(""))

    assert turn.seconds == 30.0


@pytest.mark.parametrize(
    ("told", "worked"),
    [
        ([], False),
        ([STARTED, PREPARED], False),
        ([PREPARED, PLANNING], True),
        ([PREPARED, PLANNING, begun(ONE)], True),
        # ended before it had begun, as one that is cancelled in the queue
        ([RunEnded(RESULT), RunReopened("resume", RUN_LIMITS)], False),
        ([PLANNING, begun(ONE), RunEnded(RESULT), RunReopened("resume", RUN_LIMITS)], True),
    ],
)
def test_a_run_has_worked_once_a_session_of_any_leg_was_begun(
    told: list[Event], worked: bool
) -> None:
    assert read_history(log(*told)).has_worked == worked


@given(st.lists(EVENTS, max_size=30))
def test_any_log_at_all_can_be_recollected(events: list[Event]) -> None:
    found = read_history(log(*events))

    assert found.event_count == len(events)
    assert all(turn.seconds >= 0 for turn in found.session_records)
