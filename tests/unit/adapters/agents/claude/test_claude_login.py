"""Claude Code as a run is given it: whose login it uses and how it takes its prompts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.make import make_agent, rehearsal_agent
from treadle.domain.agent_kind import (
    AgentInputs,
    ProgramChoice,
    ScriptedAuth,
    ScriptedModel,
)


@pytest.fixture
def inputs(tmp_path: Path) -> Callable[[str], AgentInputs]:
    """What an agent is made from on a machine whose `claude` tells the given version."""

    def make(version: str) -> AgentInputs:
        binary = tmp_path / "claude"
        binary.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
        binary.chmod(0o755)
        path = f"{tmp_path}:/usr/bin:/bin"
        return AgentInputs(
            program=ProgramChoice("", "", path, project=tmp_path, home=tmp_path),
            environment={"ANTHROPIC_API_KEY": "k", "LANG": "C", "HTTP_PROXY": "http://p:1"},
            user_home=tmp_path,
            private_home=tmp_path / "private",
            attribution=False,
        )

    return make


@pytest.mark.parametrize(
    ("version", "verbatim"),
    [("2.1.211", False), ("2.1.247", False), ("2.1.248", True), ("2.1.325", True)],
)
def test_only_a_binary_that_takes_prompts_as_they_are_is_given_them_so(
    version: str, verbatim: bool, inputs: Callable[[str], AgentInputs]
) -> None:
    agent, warnings = make_agent(inputs(version))

    assert (agent.verbatim, warnings) == (verbatim, [])


@pytest.mark.parametrize(
    ("auth", "variable"),
    [("api_key", "ANTHROPIC_API_KEY"), ("subscription", "CLAUDE_CODE_OAUTH_TOKEN")],
)
def test_a_rehearsal_has_a_login_that_opens_nothing_and_the_script_as_its_model(
    auth: ScriptedAuth, variable: str, inputs: Callable[[str], AgentInputs]
) -> None:
    agent = rehearsal_agent(inputs("1"), ScriptedModel("http://127.0.0.1:1", auth))

    assert agent.verbatim
    assert agent.environment == {
        "LANG": "C",
        variable: "rehearsal",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
        "CLAUDE_CODE_MAX_RETRIES": "2",
    }
