"""Claude Code as a run is given it: whose login it uses and how it takes its prompts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.login import credentials_file, lend_login
from treadle.adapters.agents.claude.make import make_agent, rehearsal_agent
from treadle.domain.agent_kind import (
    AgentInputs,
    LoginKind,
    ProgramChoice,
    ScriptedAuth,
    ScriptedModel,
)

LOGIN = '{"token": "of the user"}'


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    """The user's home with a login in it, and the private one of a run, which is not there yet."""
    home = tmp_path / "user"
    credentials_file(home).parent.mkdir(parents=True)
    credentials_file(home).write_text(LOGIN)
    return home, tmp_path / "private"


@pytest.mark.parametrize("times", [1, 2])
def test_a_private_home_uses_the_users_own_login_file(times: int, homes: tuple[Path, Path]) -> None:
    home, private = homes
    for _ in range(times):
        lend_login("subscription", home=home, private_home=private)

    link = credentials_file(private)
    assert (link.is_symlink(), link.readlink()) == (True, credentials_file(home))
    assert (link.read_text(), credentials_file(home).read_text()) == (LOGIN, LOGIN)


def test_a_login_that_the_agent_wrote_over_the_link_is_replaced(homes: tuple[Path, Path]) -> None:
    home, private = homes
    credentials_file(private).parent.mkdir(parents=True)
    credentials_file(private).write_text("stale")
    lend_login("subscription", home=home, private_home=private)

    assert credentials_file(private).read_text() == LOGIN


def test_the_users_login_survives_a_private_home_that_leads_to_it(
    homes: tuple[Path, Path],
) -> None:
    home, private = homes
    private.mkdir()
    (private / ".claude").symlink_to(home / ".claude")

    lend_login("subscription", home=home, private_home=private)

    theirs, link = credentials_file(home), credentials_file(private)
    assert (theirs.is_symlink(), theirs.read_text()) == (False, LOGIN)
    assert (link.parent.is_symlink(), link.readlink()) == (False, theirs)


@pytest.mark.parametrize("login", ["api key", "token", "cloud provider", "keychain", "none"])
def test_a_login_that_is_no_file_leaves_nothing_in_the_home(
    login: LoginKind, homes: tuple[Path, Path]
) -> None:
    home, private = homes
    lend_login(login, home=home, private_home=private)

    assert not private.exists()


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
