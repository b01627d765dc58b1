"""A session is ended by the nearest of its time limits, and never while it shows signs of life."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.agent import (
    AgentEnded,
    AgentEvent,
    Heartbeat,
    ResponseStarted,
    ResponseUsed,
    TextClosed,
    TextStreamed,
)
from treadle.domain.events.agent import (
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    QuotaReported,
    ToolCalled,
    ToolFinished,
)
from treadle.domain.limits import SessionLimits
from treadle.domain.session import Completed
from treadle.domain.usage import Usage
from treadle.session.time_limits import (
    Deadline,
    OpenTool,
    SessionClocks,
    advance_clocks,
    apply_event,
    apply_processor_time,
    next_deadline,
    start_clocks,
)

LIMITS = SessionLimits(
    max_cost_usd=1, max_turns=9, wall_s=10_000, first_byte_s=300, idle_s=600, tool_s=3600
)

STARTED = AgentStarted("opus", "2.1", ())
RESPONSE = ResponseStarted()
TEXT = TextStreamed("hi")
THOUGHT = AgentThought("hm")
USED = ResponseUsed("opus", Usage())
QUOTA = QuotaReported("allowed", "five_hour", None, None)
BEAT = Heartbeat()


def call(tool: str, parent: str | None = None) -> ToolCalled:
    return ToolCalled(tool, "Bash", {}, parent)


def done(tool: str) -> ToolFinished:
    return ToolFinished(tool, "", is_error=False)


def retry(delay_s: float) -> ApiRetried:
    return ApiRetried(1, 2, delay_s, 529, "overloaded")


def watch_over(*seen: tuple[float, AgentEvent]) -> SessionClocks:
    watch = start_clocks(0.0)
    for at, event in seen:
        watch = apply_event(watch, event, at)
    return watch


@pytest.mark.parametrize(
    ("seen", "due"),
    [
        ([], Deadline(300, "first_byte", 300)),
        ([(1, STARTED)], Deadline(300, "first_byte", 300)),
        ([(200, BEAT)], Deadline(300, "first_byte", 300)),  # alive, but the model is silent
        ([(200, QUOTA), (250, MessageSkipped("x"))], Deadline(300, "first_byte", 300)),
        ([(9, RESPONSE)], Deadline(609, "idle", 600)),
        ([(9, TEXT)], Deadline(609, "idle", 600)),
        ([(9, THOUGHT)], Deadline(609, "idle", 600)),
        ([(9, RESPONSE), (500, BEAT)], Deadline(1100, "idle", 600)),
        ([(9, RESPONSE), (20, TEXT), (21, TextClosed())], Deadline(621, "idle", 600)),
        ([(9, RESPONSE), (30, USED)], Deadline(630, "idle", 600)),  # no response is owed
        ([(9, RESPONSE), (9600, BEAT)], Deadline(10_000, "wall", 10_000)),
    ],
)
def test_a_response_has_to_begin_and_then_to_go_on(
    seen: list[tuple[float, AgentEvent]], due: Deadline
) -> None:
    assert next_deadline(watch_over(*seen), LIMITS) == due


@pytest.mark.parametrize(
    ("seen", "due"),
    [
        ([(10, call("a"))], Deadline(3610, "tool", 3600)),
        ([(10, call("a")), (3000, BEAT)], Deadline(3610, "tool", 3600)),
        ([(10, call("a")), (20, call("b"))], Deadline(3610, "tool", 3600)),
        ([(10, call("a")), (20, call("b")), (30, done("a"))], Deadline(3620, "tool", 3600)),
        ([(10, call("a")), (20, call("a"))], Deadline(3610, "tool", 3600)),  # said twice
        ([(10, call("a")), (99, done("a"))], Deadline(399, "first_byte", 300)),
        ([(10, call("a")), (99, done("a")), (200, BEAT)], Deadline(399, "first_byte", 300)),
        (
            [(10, call("a")), (20, call("b")), (30, done("a")), (99, done("b"))],
            Deadline(399, "first_byte", 300),
        ),
        ([(10, call("a")), (99, done("a")), (120, RESPONSE)], Deadline(720, "idle", 600)),
        ([(10, RESPONSE), (11, done("unheard"))], Deadline(611, "idle", 600)),
        ([(9000, call("a"))], Deadline(10_000, "wall", 10_000)),
    ],
)
def test_an_open_tool_is_a_sign_of_life_with_a_limit_of_its_own(
    seen: list[tuple[float, AgentEvent]], due: Deadline
) -> None:
    assert next_deadline(watch_over(*seen), LIMITS) == due


def test_a_result_given_while_the_response_streams_starts_the_clock_at_its_end() -> None:
    early = watch_over((1, RESPONSE), (2, call("a")), (3, done("a")), (4, TEXT))

    assert next_deadline(early, LIMITS) == Deadline(604, "idle", 600)
    assert next_deadline(apply_event(early, USED, 50), LIMITS) == Deadline(350, "first_byte", 300)


def test_a_subagent_is_one_long_tool_call_of_its_parent() -> None:
    inside = watch_over(
        (10, call("task")),
        (20, RESPONSE),
        (30, call("child", parent="task")),
        (40, USED),
        (50, done("child")),
    )

    assert inside.open_tools == (OpenTool("task", 10),)
    assert next_deadline(inside, LIMITS) == Deadline(3610, "tool", 3600)


def test_what_a_subagent_left_open_is_over_with_it() -> None:
    over = watch_over(
        (10, call("task")),
        (20, call("child", parent="task")),
        (30, call("grandchild", parent="child")),
        (40, call("other")),
        (50, done("task")),
    )

    assert over.open_tools == (OpenTool("other", 40),)


@pytest.mark.parametrize(
    ("seen", "due"),
    [
        ([(100, retry(5))], Deadline(405, "first_byte", 300)),
        ([(100, retry(900))], Deadline(1300, "first_byte", 300)),  # the pause is not silence
        ([(100, retry(900)), (200, BEAT)], Deadline(1300, "first_byte", 300)),
        ([(100, retry(5)), (110, retry(5))], Deadline(415, "first_byte", 300)),
        ([(9, RESPONSE), (100, retry(5))], Deadline(405, "first_byte", 300)),  # lost mid-way
        ([(100, retry(5)), (120, RESPONSE)], Deadline(720, "idle", 600)),
        ([(9, call("task")), (100, retry(5))], Deadline(3609, "tool", 3600)),  # a subagent's
        ([(100, retry(-5))], Deadline(400, "first_byte", 300)),
        ([(100, retry(1e9))], Deadline(10_000, "wall", 10_000)),
    ],
)
def test_a_retry_starts_the_clocks_when_the_request_is_sent_again(
    seen: list[tuple[float, AgentEvent]], due: Deadline
) -> None:
    assert next_deadline(watch_over(*seen), LIMITS) == due


def test_of_limits_that_end_together_the_most_telling_is_named() -> None:
    same = SessionLimits(
        max_cost_usd=1, max_turns=9, wall_s=60, first_byte_s=60, idle_s=60, tool_s=50
    )

    assert next_deadline(start_clocks(0), same).limit == "first_byte"
    assert next_deadline(watch_over((0, RESPONSE)), same).limit == "idle"
    assert next_deadline(watch_over((10, call("a"))), same).limit == "tool"


def test_the_end_is_no_more_than_a_sign_of_life() -> None:
    watch = watch_over((9, RESPONSE), (10, AgentEnded(Completed("done"))))

    assert watch == SessionClocks(0, 10, awaiting_since=None, response_due=False, responding=True)


@pytest.mark.parametrize(
    ("seen", "due"),
    [
        ([], Deadline(300, "first_byte", 300)),
        ([(9, RESPONSE)], Deadline(609, "idle", 600)),
        ([(9, RESPONSE), (10, call("a"))], Deadline(3610, "tool", 3600)),
        ([(100, retry(900))], Deadline(1300, "first_byte", 300)),
        ([(9, RESPONSE), (9600, BEAT)], Deadline(10_000, "wall", 10_000)),
    ],
)
def test_time_that_nobody_was_awake_in_counts_for_no_limit(
    seen: list[tuple[float, AgentEvent]], due: Deadline
) -> None:
    last = seen[-1][0] if seen else 0.0
    awake = replace(watch_over(*seen), updated_at=last)
    night = 8 * 3600.0

    assert next_deadline(awake, LIMITS) == due
    later = next_deadline(advance_clocks(awake, last + night), LIMITS)
    assert later == Deadline(due.at + night, due.limit, due.after_s)


def test_looks_that_come_a_little_late_are_no_sleep() -> None:
    watch = start_clocks(0.0)
    for now in (5.0, 34.0, 64.0, 93.0):  # a busy machine
        watch = advance_clocks(watch, now)

    assert next_deadline(watch, LIMITS) == Deadline(300, "first_byte", 300)


@pytest.mark.parametrize(
    ("readings", "due"),
    [
        ([(500, 70.0)], Deadline(609, "idle", 600)),  # nothing to compare it with
        ([(500, 70.0), (505, 70.4)], Deadline(609, "idle", 600)),  # it only waits
        ([(500, 70.0), (505, 70.5)], Deadline(1105, "idle", 600)),
        ([(500, 70.0), (505, 90.0), (510, 90.0)], Deadline(1105, "idle", 600)),
        ([(500, 70.0), (505, 3.0)], Deadline(609, "idle", 600)),  # a process of it has ended
        ([(500, 70.0), (500, 70.0)], Deadline(609, "idle", 600)),
    ],
)
def test_processes_that_compute_are_alive(
    readings: list[tuple[float, float]], due: Deadline
) -> None:
    watch = watch_over((9, RESPONSE))
    for now, seconds in readings:
        watch = apply_processor_time(watch, seconds, now)

    assert next_deadline(watch, LIMITS) == due


def test_computing_is_no_answer_of_the_model() -> None:
    watch = apply_processor_time(apply_processor_time(start_clocks(0.0), 0.0, 100.0), 60.0, 200.0)

    assert next_deadline(watch, LIMITS) == Deadline(300, "first_byte", 300)


EVENTS = st.sampled_from(
    [
        *(RESPONSE, TEXT, THOUGHT, USED, BEAT, QUOTA, TextClosed(), retry(3)),
        *(call("a"), call("b"), call("c", parent="a"), done("a"), done("b"), done("c")),
    ]
)


@given(st.lists(EVENTS, max_size=30))
def test_there_is_always_a_deadline_within_the_wall_limit(events: list[AgentEvent]) -> None:
    watch = watch_over(*((float(n), event) for n, event in enumerate(events)))

    assert next_deadline(watch, LIMITS).at <= LIMITS.wall_s
    assert (watch.awaiting_since is None) or not watch.open_tools
