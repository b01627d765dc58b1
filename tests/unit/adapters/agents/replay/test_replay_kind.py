"""The agent that a recording makes: what it writes, and where it goes on in another process."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.session.driver_harness import brief_for
from treadle.adapters.agents.replay.kind import KIND
from treadle.domain.agent import AgentEnded, AgentEvent, Decision, Deny, SessionBrief, ToolUse
from treadle.domain.agent_kind import AgentInputs, ProgramChoice, ProgramKeeping
from treadle.domain.errors import AgentUnavailable
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.session import Completed

TWO_SESSIONS: tuple[dict[str, Any], ...] = (
    {"session": "first"},
    {"write": "a/b.txt", "content": "hello\n"},
    {"end": "one"},
    {"session": "second"},
    {"end": "two"},
)


@pytest.fixture
def brief(tmp_path: Path) -> SessionBrief:
    (tmp_path / "workspace").mkdir()
    return replace(brief_for("implementer"), workspace=tmp_path / "workspace")


def inputs_for(directory: Path, *steps: dict[str, Any], setting: str = "r.jsonl") -> AgentInputs:
    (directory / "r.jsonl").write_text("\n".join(map(json.dumps, steps)))
    return AgentInputs(
        program=ProgramChoice(setting, "", "", project=directory, home=directory),
        keeping=ProgramKeeping(directory / "run", directory / "programs"),
        environment={},
        user_home=directory,
        private_home=directory / "private",
        attribution=False,
    )


async def play(inputs: AgentInputs, brief: SessionBrief) -> list[AgentEvent]:
    """The next session, in a process of its own as far as the agent can tell."""
    agent, _ = KIND.make(inputs)
    session = await agent.open(brief)
    return [event async for event in session.events()]


async def test_a_file_is_written_in_the_workspace_by_a_use_of_the_tool_for_it(
    brief: SessionBrief, tmp_path: Path
) -> None:
    events = await play(inputs_for(tmp_path, *TWO_SESSIONS), brief)

    given = {"file_path": "a/b.txt", "content": "hello\n"}
    assert events == [
        ToolCalled("1", "Write", given),
        ToolFinished("1", "wrote a/b.txt", is_error=False),
        AgentEnded(Completed("one")),
    ]
    assert (brief.workspace / "a" / "b.txt").read_text() == "hello\n"


async def test_a_file_that_the_policy_refuses_is_not_written(
    brief: SessionBrief, tmp_path: Path
) -> None:
    async def refuse(use: ToolUse) -> Decision:
        return Deny("not here")

    events = await play(inputs_for(tmp_path, *TWO_SESSIONS), replace(brief, decide=refuse))

    assert events[1] == ToolFinished("1", "not here", is_error=True)
    assert list(brief.workspace.iterdir()) == []


async def test_no_link_leads_a_file_out_of_the_workspace(
    brief: SessionBrief, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (brief.workspace / "a").symlink_to(tmp_path / "outside")

    events = await play(inputs_for(tmp_path, *TWO_SESSIONS), brief)

    assert events[1] == ToolFinished("1", "a/b.txt leads out of the workspace", is_error=True)
    assert list((tmp_path / "outside").iterdir()) == []


async def test_another_process_goes_on_with_the_session_after_the_last_that_ended(
    brief: SessionBrief, tmp_path: Path
) -> None:
    inputs = inputs_for(tmp_path, *TWO_SESSIONS)

    ends = [(await play(inputs, brief))[-1] for _ in range(2)]

    assert ends == [AgentEnded(Completed("one")), AgentEnded(Completed("two"))]


async def test_a_session_that_was_cut_off_is_played_again(
    brief: SessionBrief, tmp_path: Path
) -> None:
    inputs = inputs_for(tmp_path, *TWO_SESSIONS)
    agent, _ = KIND.make(inputs)
    session = await agent.open(brief)
    events = session.events()
    await anext(events)
    await session.close()
    async for _ in events:
        pass

    assert (await play(inputs, brief))[-1] == AgentEnded(Completed("one"))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("", "a replay needs a recording"),
        ("gone.jsonl", "cannot read the recording {}/gone.jsonl: No such file or directory"),
    ],
)
def test_without_a_recording_there_is_no_agent(setting: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AgentUnavailable) as refused:
        KIND.make(inputs_for(tmp_path, setting=setting))

    assert refused.value.message == message.format(tmp_path)


def test_it_needs_no_login_and_no_gateway_and_starts_nothing_to_confine() -> None:
    assert (KIND.login, KIND.model, KIND.confine, KIND.rehearse) == (None, None, None, None)
