"""One rich session of the real binary, looked at from every side."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.adapters.agents.claude.real_sessions import (
    BUNDLED,
    GIVEN,
    OLDER,
    FinishedSession,
    agent_on,
    alive,
    api_of,
    brief_in,
    play,
)
from treadle.adapters.agents.claude.command import child_environment
from treadle.domain.session import Completed

# One worker, because the session is started once for the module.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("rich-session")]

# What the binary and its shell add for the commands they run, beside names with CLAUDE in front.
ADDED = {
    "AI_AGENT",
    "ANTHROPIC_CUSTOM_HEADERS",
    "COREPACK_ENABLE_AUTO_PIN",
    "GIT_EDITOR",
    "NoDefaultCurrentDirectoryInExePath",
    "OLDPWD",
    "PWD",
    "SHELL",
    "SHLVL",
    "_",
}
COMMANDS = (
    "env -0 > environment",
    "git init -q . && git commit -q --allow-empty -m 'A change'",
    "(setsid tail -f /dev/null >/dev/null 2>&1 &); echo started",
)
# From what the agent is told about git, and about this repository.
GIT_WORDS = ("pull request", "git commit", "gitStatus")
ROBOT = "Co-Authored-By: Robot <r@example.com>"


@dataclass(frozen=True)
class Rich:
    played: FinishedSession
    workspace: Path
    allowed: dict[str, str]
    requests: tuple[str, ...]


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rich]:
    """A session that shows its environment, commits, and leaves a daemon behind."""
    place = tmp_path_factory.mktemp("rich")
    turns = [f"{{tool: Bash, input: {{command: {json.dumps(line)}}}}}" for line in COMMANDS]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SECRET_OF_THE_TEST", "planted")
        with api_of(*turns, "{text: finished}") as api:
            agent, brief = agent_on(api), brief_in(place)
            played = asyncio.run(play(agent, brief))
            yield Rich(
                played,
                brief.workspace,
                child_environment(agent.environment, brief),
                tuple(request.body.decode() for request in api.requests),
            )


def test_it_succeeds(rich: Rich) -> None:
    assert (rich.played.ended.outcome, rich.played.called) == (Completed("finished"), ["Bash"] * 3)


def test_a_command_sees_what_was_given_and_nothing_of_our_own_environment(rich: Rich) -> None:
    pairs = (rich.workspace / "environment").read_text().rstrip("\0").split("\0")
    environment = dict(pair.split("=", 1) for pair in pairs)

    named = {name for name in environment if not name.startswith("CLAUDE")}
    assert named - set(rich.allowed) <= ADDED
    assert [value for value in environment.values() if "planted" in value] == []
    assert {name: environment.get(name) for name in GIVEN} == GIVEN


def test_a_commit_carries_the_given_identity_and_nobody_else(rich: Rich) -> None:
    done = subprocess.run(
        ["git", "log", "--format=%B|%an|%ae|%cn|%ce"],
        cwd=rich.workspace,
        env={"PATH": GIVEN["PATH"], "HOME": str(rich.workspace)},
        capture_output=True,
        text=True,
        check=True,
    )

    ada = "Ada Lovelace|ada@example.com"
    assert done.stdout == f"A change\n|{ada}|{ada}\n"


@pytest.mark.parametrize("word", ["Co-Authored-By", "Generated with", "noreply@anthropic"])
def test_the_model_is_told_nothing_about_attribution(word: str, rich: Rich) -> None:
    assert [request for request in rich.requests if word.lower() in request.lower()] == []


def test_a_daemon_left_by_a_tool_is_ended_and_reported(rich: Rich) -> None:
    (daemon,) = rich.played.left

    assert (daemon.command, alive(daemon.pid)) == ("tail -f /dev/null", False)


async def test_with_attribution_on_the_model_is_told_of_it(tmp_path: Path) -> None:
    async with api_of("{text: hello}") as api:
        await play(agent_on(api, attribution=ROBOT), brief_in(tmp_path))

        assert ROBOT in api.requests[0].body.decode()


@pytest.mark.parametrize("binary", [BUNDLED, OLDER], ids=["bundled", "older"])
@pytest.mark.parametrize(("attribution", "told"), [("", False), (ROBOT, True)])
async def test_the_agents_own_words_about_git_come_with_attribution_alone(
    binary: Path, attribution: str, told: bool, tmp_path: Path
) -> None:
    brief = brief_in(tmp_path)
    await asyncio.to_thread(_make_repository, brief.workspace)
    async with api_of("{text: hello}") as api:
        await play(agent_on(api, binary, attribution), brief)
        request = api.requests[0].body.decode()

    assert {word: word in request for word in GIT_WORDS} == dict.fromkeys(GIT_WORDS, told)


def _make_repository(place: Path) -> None:
    subprocess.run(["git", "init", "-q", str(place)], env=GIVEN, check=True)
