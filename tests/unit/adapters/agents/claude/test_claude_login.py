"""Claude Code as a run is given it: whose login it uses and how it takes its prompts."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import time

import pytest

from treadle.adapters.agents.claude.make import make_agent, rehearsal_agent
from treadle.adapters.agents.claude.renewal_rules import NO_PROGRAM
from treadle.domain.agent_kind import (
    AgentInputs,
    ProgramChoice,
    ProgramKeeping,
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
        variables = {"ANTHROPIC_API_KEY": "k", "LANG": "C", "HTTP_PROXY": "http://p:1"}
        return AgentInputs(
            program=ProgramChoice("", "", path, project=tmp_path, home=tmp_path),
            keeping=ProgramKeeping(tmp_path / "run", tmp_path / "programs"),
            environment=variables,
            host_environment=variables,
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
    assert agent.login_sources == {}


def login_file(folder: Path, *, left_s: float) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    login = {
        "accessToken": "an-access-token",
        "refreshToken": "a-refresh-token",
        "expiresAt": (time() + left_s) * 1000,
        "scopes": ["user:inference"],
    }
    (folder / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))
    return folder


def subscribed(given: AgentInputs, learned: list[str], **host: str) -> AgentInputs:
    """The inputs of a user who has no other login than that of a file."""
    return replace(
        given,
        environment={"LANG": "C"},
        host_environment=host,
        learn_secret=learned.append,
    )


@pytest.mark.parametrize("place", [".claude", "accounts/work"])
async def test_the_token_of_a_login_file_is_the_gateways_and_not_the_agents(
    place: str, tmp_path: Path, inputs: Callable[[str], AgentInputs]
) -> None:
    folder, learned = login_file(tmp_path / place, left_s=3600), list[str]()
    variables = {} if place == ".claude" else {"CLAUDE_CONFIG_DIR": str(folder)}

    agent, _ = make_agent(subscribed(inputs("2.1.325"), learned, **variables))

    assert set(agent.login_sources) == {"CLAUDE_CODE_OAUTH_TOKEN"}
    source = agent.login_sources["CLAUDE_CODE_OAUTH_TOKEN"]
    assert await source.current() == b"an-access-token"
    assert set(learned) == {"an-access-token", "a-refresh-token"}
    assert "-token" not in repr(agent) + str(agent.environment)
    assert not (tmp_path / "private").exists()


@pytest.mark.parametrize("lies_as", ["a file", "a link to a file", "a link from elsewhere"])
@pytest.mark.parametrize("place", ["project", "root/runs/1/home"])
async def test_a_binary_that_an_agent_could_have_changed_is_not_started_to_renew(
    place: str, lies_as: str, tmp_path: Path, inputs: Callable[[str], AgentInputs]
) -> None:
    login_file(tmp_path / ".claude", left_s=-1)
    given = inputs("2.1.325")
    (tmp_path / place).mkdir(parents=True)
    theirs = tmp_path / place / "claude"
    link = tmp_path / "linked" if lies_as == "a link from elsewhere" else theirs
    if lies_as != "a file":
        theirs = theirs if link != theirs else tmp_path / "outside"
        link.symlink_to(theirs)
    theirs.write_text('#!/bin/sh\ntest "$1" = --version || touch "$0.was-started"\necho 2.1.325\n')
    theirs.chmod(0o755)
    program = ProgramChoice(
        str(link), "", "/usr/bin:/bin", project=tmp_path / "project", home=tmp_path / "root"
    )

    agent, _ = make_agent(subscribed(replace(given, program=program), []))

    assert await agent.login_sources["CLAUDE_CODE_OAUTH_TOKEN"].current() == NO_PROGRAM
    assert not was_started_below(tmp_path)


def was_started_below(folder: Path) -> bool:
    return any(folder.rglob("*.was-started"))


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
