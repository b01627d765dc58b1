"""One prompt to one result: what is recorded of a session, shown of it and heard in it."""

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from tests.builders import types_of
from tests.unit.session.driver_harness import (
    FINE,
    FOREVER,
    SESSION,
    DriverHarness,
    make_driver_harness,
    said,
    signalled,
)
from treadle.domain.agent import (
    AgentEnded,
    Heartbeat,
    ResponseStarted,
    ResponseUsed,
    TextStreamed,
    ToolUse,
)
from treadle.domain.events.agent import (
    AgentSpoke,
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    QuotaReported,
    ToolCalled,
    ToolDecided,
    ToolFinished,
    UsageReported,
)
from treadle.domain.events.session import (
    PromptSent,
    SessionEnded,
    SessionStarted,
    SignalGiven,
    SignalRefused,
)
from treadle.domain.session import (
    Completed,
    Crashed,
    SessionResult,
)
from treadle.domain.signal import ACCEPTED_SIGNALS, SIGNAL_KINDS, TERMINAL_SIGNALS, Role, SignalKind
from treadle.domain.usage import Usage

THOUSAND = Usage(input_tokens=1_000)


async def test_a_session_is_recorded_from_its_prompt_to_its_result() -> None:
    harness = make_driver_harness(
        AgentStarted("claude-sonnet", "2.1", ("Bash",)),
        ResponseStarted(),
        AgentThought("hm"),
        *said("Looking."),
        ToolUse("1", "Bash", {"command": "ls"}),
        ResponseUsed("sonnet", THOUSAND),
        ApiRetried(1, 2, 0.5, 529, "overloaded"),
        QuotaReported("allowed", "five_hour", None, 0.5),
        MessageSkipped("novelty"),
        Heartbeat(),
        AgentEnded(Completed("all is well"), cost_usd=0.25, usage=Usage(1, 2, 3, 4), turns=7),
    )

    result = await harness.run()

    assert result == SessionResult(
        SESSION, Completed("all is well"), 0.25, Usage(1, 2, 3, 4), turns=7, duration_s=0.0
    )
    assert harness.events == [
        SessionStarted(SESSION, "implementer", "sonnet"),
        PromptSent("Do it."),
        AgentStarted("claude-sonnet", "2.1", ("Bash",)),
        AgentThought("hm"),
        AgentSpoke("Looking."),
        ToolCalled("1", "Bash", {"command": "ls"}),
        ToolDecided("1", "Bash", "allow", ""),
        ToolFinished("1", "", is_error=False),
        UsageReported("sonnet", THOUSAND, 0.002),
        ApiRetried(1, 2, 0.5, 529, "overloaded"),
        QuotaReported("allowed", "five_hour", None, 0.5),
        MessageSkipped("novelty"),
        SessionEnded(result),
    ]
    assert harness.agent.closed == 1


async def test_the_session_is_recorded_before_the_agent_is_started() -> None:
    harness = make_driver_harness(FINE)
    recorded: list[tuple[str, int]] = []
    harness.record = lambda event: recorded.append((event.type, len(harness.agent.briefs)))

    await harness.run()

    assert recorded == [("session.started", 0), ("prompt.sent", 0), ("session.ended", 1)]


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (("Hello",), ["Hello"]),
        (("Hel", "lo ", "there\n"), ["Hello there"]),
        (("\n\n",), []),
        (("<NOTE>tests first</NOTE>",), []),
        (("Before\n<NO", "TE>tests first</NOTE>\nafter"), ["Before", "after"]),
        (("x" * 4001,), ["x" * 4000 + "… (1 more)"]),
    ],
)
async def test_text_is_shown_once_without_its_markers(
    pieces: tuple[str, ...], shown: list[str]
) -> None:
    harness = make_driver_harness(*(TextStreamed(piece) for piece in pieces), *said(""), FINE)

    await harness.run()

    assert [event.text for event in harness.recorded if isinstance(event, AgentSpoke)] == shown


async def test_text_that_was_never_closed_is_shown_at_the_end() -> None:
    harness = make_driver_harness(TextStreamed("half a sent"), AgentEnded(Crashed("gone", 1)))

    await harness.run()

    assert harness.recorded == [AgentSpoke("half a sent")]


WITH_ROLES: list[tuple[Role, SignalKind]] = [
    (role, kind) for role, kinds in ACCEPTED_SIGNALS.items() for kind in SIGNAL_KINDS if kinds
]


@pytest.mark.parametrize(("role", "kind"), WITH_ROLES)
async def test_a_signal_means_the_same_by_marker_and_by_tool(role: Role, kind: SignalKind) -> None:
    tag = "auto-complete" if kind == "auto_complete" else kind.upper()
    by_marker = make_driver_harness(*said(f"<{tag}>so it is</{tag}>"), FINE, role=role)
    by_tool = make_driver_harness(signalled(kind, "so it is"), FINE, role=role)

    results = [await by_marker.run(), await by_tool.run()]

    accepted, ends = kind in ACCEPTED_SIGNALS[role], kind in TERMINAL_SIGNALS
    outcome = Completed("so it is") if accepted and ends else Completed("all is well")
    assert [result.outcome for result in results] == [outcome, outcome]
    ways: list[tuple[DriverHarness, Literal["marker", "tool"]]] = [
        (by_marker, "marker"),
        (by_tool, "tool"),
    ]
    for harness, via in ways:
        heard = [e for e in harness.recorded if isinstance(e, SignalGiven | SignalRefused)]
        given, refused = SignalGiven(kind, "so it is", via), SignalRefused(kind, role, via)
        assert heard == [given if accepted else refused]


@pytest.mark.parametrize(
    ("arguments", "reply"),
    [
        ({"kind": "note", "text": "x"}, ("Recorded.", False)),
        (
            {"kind": "approved", "text": "x"},
            (
                "In the role implementer you cannot give the signal 'approved', only: note,"
                " spec_issue, progress, done, auto_complete.",
                True,
            ),
        ),
        (
            {"kind": "sing"},
            (
                "Unknown signal 'sing'. Known: note, spec_issue, progress, done, auto_complete.",
                True,
            ),
        ),
        (
            {},
            ("Unknown signal None. Known: note, spec_issue, progress, done, auto_complete.", True),
        ),
        ({"kind": "note"}, ("Pass `text`: what you want to say, in full.", True)),
        ({"kind": "note", "text": 1}, ("Pass `text`: what you want to say, in full.", True)),
    ],
)
async def test_the_signal_tool_answers_what_it_did_or_why_not(
    arguments: Mapping[str, Any], reply: tuple[str, bool]
) -> None:
    harness = make_driver_harness(ToolUse("s", "mcp__treadle__signal", arguments), FINE)

    await harness.run()

    (finished,) = [event for event in harness.recorded if isinstance(event, ToolFinished)]
    assert (finished.output, finished.is_error) == reply


async def test_what_comes_after_a_terminal_signal_is_not_waited_for() -> None:
    harness = make_driver_harness(*said("<DONE>built</DONE>"), FOREVER, FINE)

    result = await harness.run()

    assert result.outcome == Completed("built")
    assert types_of(harness.recorded) == ["signal.given"]
    assert harness.agent.closed == 1


async def test_of_two_terminal_signals_the_first_one_counts() -> None:
    harness = make_driver_harness(
        TextStreamed("<DONE>one</DONE>\n<PROGRESS>two</PROGRESS>\n"), FINE
    )

    assert (await harness.run()).outcome == Completed("one")
