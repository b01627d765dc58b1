"""What every agent keeps to, whether it is a process or a recording."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.adapters.agents.claude.real_sessions import (
    BUNDLED,
    OLDER,
    agent_on,
    api_of,
    brief_in,
)
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.replay.agent import ReplayAgent, ReplayStep
from treadle.domain.agent import (
    AgentEnded,
    AgentEvent,
    Allow,
    Decision,
    Deny,
    Fault,
    LeftoverProcess,
    SessionBrief,
    TextClosed,
    TextStreamed,
    Tool,
    ToolReply,
    ToolUse,
)
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.ports import Agent
from treadle.domain.session import Completed

# One worker, because the session is started once for the module.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("agent-contract")]

BINARIES = {"newest": BUNDLED, "oldest": OLDER}
AGENTS = ("replay", *BINARIES)

REASON = "Files are not made by shell here. Use Write."
PUZZLED = "the rules were not readable"
ADD = "mcp__treadle__add"


@dataclass(frozen=True)
class Step:
    """A use of a tool, and what of its result the model must be told."""

    tool: str
    arguments: Mapping[str, Any]
    told: str


STEPS = (
    Step(ADD, {"numbers": [2, 3]}, told="5"),
    Step(ADD, {"numbers": []}, told="there is nothing to add"),
    Step(ADD, {"numbers": ["two"]}, told="unsupported operand"),
    Step("Bash", {"command": "touch forbidden"}, told=REASON),
    Step("Bash", {"command": "touch puzzling"}, told=PUZZLED),
)


@dataclass
class Ours:
    """Our side of a session: a policy and a tool, and what was asked of them."""

    decided: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    added: list[Mapping[str, Any]] = field(default_factory=list)

    async def decide(self, use: ToolUse) -> Decision:
        self.decided.append((use.name, {k: v for k, v in use.input.items() if k != "description"}))
        command = str(use.input.get("command"))
        if "puzzling" in command:
            raise OSError(PUZZLED)
        return Deny(REASON) if "forbidden" in command else Allow()

    async def add(self, arguments: Mapping[str, Any]) -> ToolReply:
        self.added.append(arguments)
        if not arguments["numbers"]:
            return ToolReply("there is nothing to add", is_error=True)
        return ToolReply(str(sum(arguments["numbers"])))

    def brief(self, place: Path) -> SessionBrief:
        schema = {"type": "object", "properties": {"numbers": {"type": "array"}}}
        tool = Tool("add", "Adds numbers.", schema, self.add)
        return replace(brief_in(place), decide=self.decide, tools=(tool,))


@asynccontextmanager
async def playing(name: str, steps: tuple[Step, ...]) -> AsyncIterator[Agent]:
    """An agent whose model uses these tools in turn and then says `finished`."""
    if name == "replay":
        moves: list[ReplayStep] = [
            ToolUse(str(number), step.tool, step.arguments) for number, step in enumerate(steps)
        ]
        moves += [TextStreamed("finished"), TextClosed(), AgentEnded(Completed("finished"))]
        yield ReplayAgent([moves])
        return
    expected = ["Please begin.", *(step.told for step in steps)]
    said = [
        {"tool": {"name": step.tool, "input": step.arguments}, "expect": expect}
        for step, expect in zip(steps, expected, strict=False)
    ]
    said.append({"text": "finished", "expect": expected[-1]})
    async with api_of(*map(json.dumps, said)) as api:
        agent = agent_on(api, BINARIES[name])
        try:
            yield agent
        finally:
            await agent.gone()
        assert api.problems() == ()


@dataclass(frozen=True)
class Kept:
    """A whole session and our side of it."""

    events: tuple[AgentEvent, ...]
    closings: tuple[list[LeftoverProcess], list[LeftoverProcess]]
    ours: Ours
    workspace: Path

    def finished(self, number: int) -> ToolFinished:
        return [event for event in self.events if isinstance(event, ToolFinished)][number]


async def keep(name: str, place: Path) -> Kept:
    ours = Ours()
    brief = ours.brief(place)
    async with playing(name, STEPS) as agent:
        session = await agent.open(brief)
        events = tuple([event async for event in session.events()])
        closings = (list(await session.close()), list(await session.close()))
    return Kept(events, closings, ours, brief.workspace)


@pytest.fixture(scope="module", params=AGENTS)
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return asyncio.run(keep(request.param, tmp_path_factory.mktemp(request.param)))


def test_the_stream_ends_with_exactly_one_end(kept: Kept) -> None:
    ends = [event for event in kept.events if isinstance(event, AgentEnded)]

    assert ends == [kept.events[-1]]
    assert ends[0].outcome == Completed("finished")


def test_every_tool_that_was_called_is_finished_in_order(kept: Kept) -> None:
    called = [event for event in kept.events if isinstance(event, ToolCalled)]
    finished = [event.id for event in kept.events if isinstance(event, ToolFinished)]

    assert [event.id for event in called] == finished
    assert [(event.name, event.input) for event in called] == [
        (step.tool, step.arguments) for step in STEPS
    ]


def test_every_use_of_a_tool_is_decided_before_it_happens(kept: Kept) -> None:
    assert kept.ours.decided == [(step.tool, step.arguments) for step in STEPS]


def test_our_tool_is_called_with_its_arguments(kept: Kept) -> None:
    assert kept.ours.added == [step.arguments for step in STEPS if step.tool == ADD]


def test_the_answer_of_our_tool_is_its_result(kept: Kept) -> None:
    assert (kept.finished(0).output, kept.finished(0).is_error) == ("5", False)


def test_an_error_of_our_tool_is_an_error_result(kept: Kept) -> None:
    assert (kept.finished(1).output, kept.finished(1).is_error) == ("there is nothing to add", True)


def test_an_exception_in_our_tool_is_an_error_result_and_the_session_goes_on(kept: Kept) -> None:
    assert "unsupported operand" in kept.finished(2).output
    assert kept.finished(2).is_error


def test_a_denied_tool_does_not_run_and_the_reason_is_its_result(kept: Kept) -> None:
    assert REASON in kept.finished(3).output
    assert kept.finished(3).is_error
    assert not (kept.workspace / "forbidden").exists()


def test_a_decision_that_fails_is_a_no(kept: Kept) -> None:
    assert PUZZLED in kept.finished(4).output
    assert kept.finished(4).is_error
    assert not (kept.workspace / "puzzling").exists()


def test_closing_twice_is_closing_once(kept: Kept) -> None:
    assert kept.closings == ([], [])


MENTIONED = (
    "{at}{outside}",
    "see {at}{outside} and {at}inside.txt",
    "```\n{at}./inside.txt\n```",
    'see {at}"{outside}" and\t{at}"in side.txt"',
    "that is all。{at}{outside}#L1-3",
    "[{at}inside.txt] ({at}{outside}),{at}{outside}",
)
FIRST = ("See: ", "/compact ", "!cat inside.txt ", "#")
WAYS = {"newest": True, "newest, not trusted": False, "oldest": False}


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("way", WAYS)
async def test_no_file_that_a_text_names_is_read_without_being_asked_for(
    way: str, first: str, tmp_path: Path
) -> None:
    brief, outside = brief_in(tmp_path), tmp_path / "outside.txt"
    for path in (outside, brief.workspace / "inside.txt", brief.workspace / "in side.txt"):
        path.write_text("s-e-c-r-e-t")
    text = first + "\n".join(MENTIONED).format(at="@", outside=outside)
    async with api_of("{text: finished}") as api:
        agent = replace(agent_on(api, BINARIES[way.split(",")[0]]), verbatim=WAYS[way])
        session = await agent.open(replace(brief, prompt=text, context=text))
        *_, ended = [event async for event in session.events()]
        await session.close()
        await agent.gone()

        asked = [request.body.decode() for request in api.requests]
    assert isinstance(ended, AgentEnded)
    assert (ended.outcome, len(asked)) == (Completed("finished"), 1)
    assert ("s-e-c-r-e-t" in asked[0], str(outside) in asked[0]) == (False, True)


@asynccontextmanager
async def unheard(name: str) -> AsyncIterator[Agent]:
    """An agent that would say something, if it were listened to."""
    if name == "replay":
        yield ReplayAgent([[TextStreamed("hi"), TextClosed(), AgentEnded(Completed("hi"))]])
        return
    async with api_of("{text: hi, optional: true}") as api:
        agent = agent_on(api, BINARIES[name])
        try:
            yield agent
        finally:
            await agent.gone()


@pytest.mark.parametrize("name", ["replay", "newest"])
async def test_a_session_closed_before_it_was_read_still_has_one_end(
    name: str, tmp_path: Path
) -> None:
    async with unheard(name) as agent:
        session = await agent.open(Ours().brief(tmp_path))
        left = list(await session.close())
        events = [event async for event in session.events()]

    assert left == []
    assert [event for event in events if isinstance(event, AgentEnded)] == events[-1:]


@pytest.mark.parametrize(
    "agent", [ReplayAgent([]), ClaudeAgent(Path("/nowhere/claude"), {})], ids=["replay", "claude"]
)
async def test_a_failure_to_start_is_the_only_event(agent: Agent, tmp_path: Path) -> None:
    session = await agent.open(Ours().brief(tmp_path))
    events = [event async for event in session.events()]

    (ended,) = events
    assert isinstance(ended, AgentEnded)
    assert isinstance(ended.outcome, Fault)
    assert ended.outcome.subtype == "start"
    assert await session.close() in ([], ())
