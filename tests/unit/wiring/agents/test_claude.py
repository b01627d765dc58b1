"""Claude Code as a run is given it: whose login it uses and how it takes its prompts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.settings.definitions import AgentSettings
from treadle.settings.environment import Environment
from treadle.wiring.agents.claude import (
    credentials_file,
    lend_login,
    rehearsal_agent,
    users_agent,
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
    login: str, homes: tuple[Path, Path]
) -> None:
    home, private = homes
    lend_login(login, home=home, private_home=private)  # type: ignore[arg-type]

    assert not private.exists()


@pytest.fixture
def environment(tmp_path: Path) -> Callable[[str], Environment]:
    """An environment whose `claude` tells the given version."""

    def make(version: str) -> Environment:
        binary = tmp_path / "claude"
        binary.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
        binary.chmod(0o755)
        return Environment(
            root=tmp_path,
            home=tmp_path,
            path=f"{tmp_path}:/usr/bin:/bin",
            claude_bin="",
            no_sandbox=True,
            no_color=True,
            term="dumb",
            columns=None,
            raw={"ANTHROPIC_API_KEY": "k"},
        )

    return make


@pytest.mark.parametrize(
    ("version", "verbatim"),
    [("2.1.211", False), ("2.1.247", False), ("2.1.248", True), ("2.1.325", True)],
)
def test_only_a_binary_that_takes_prompts_as_they_are_is_given_them_so(
    version: str, verbatim: bool, environment: Callable[[str], Environment], tmp_path: Path
) -> None:
    agent, warnings = users_agent(AgentSettings(), environment(version), tmp_path / "private")

    assert (agent.verbatim, warnings) == (verbatim, [])


def test_a_rehearsal_is_given_its_prompts_as_they_are(
    environment: Callable[[str], Environment],
) -> None:
    agent = rehearsal_agent(
        AgentSettings(),
        environment("1"),
        base_url="http://127.0.0.1:1",
        credential={"ANTHROPIC_API_KEY": "rehearsal"},
    )

    assert agent.verbatim
