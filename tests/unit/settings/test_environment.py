"""The environment is parsed once, and an agent gets only the variables that it needs."""

from pathlib import Path

import pytest

from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.settings.environment import (
    Environment,
    agent_environment,
    parse_environment,
    process_environment,
)


def test_the_environment_is_read_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREADLE_TEST_OF_READING", "yes")

    assert process_environment()["TREADLE_TEST_OF_READING"] == "yes"


def test_every_variable_of_ours_is_parsed() -> None:
    raw = {
        "HOME": "/home/ada",
        "TREADLE_ROOT": "/srv/treadle",
        "PATH": "/bin",
        "CLAUDE_BIN": "/opt/claude",
        "TREADLE_NO_SANDBOX": "1",
        "NO_COLOR": "1",
        "TERM": "xterm",
        "COLUMNS": "80",
    }

    assert parse_environment(raw) == Environment(
        root=Path("/srv/treadle"),
        home=Path("/home/ada"),
        path="/bin",
        no_sandbox=True,
        no_color=True,
        term="xterm",
        columns=80,
        raw=raw,
    )


def test_without_variables_everything_has_a_sane_default() -> None:
    raw = {"HOME": "/home/ada"}

    assert parse_environment(raw) == Environment(
        root=Path("/home/ada/.treadle"),
        home=Path("/home/ada"),
        path="",
        no_sandbox=False,
        no_color=False,
        term="",
        columns=None,
        raw=raw,
    )


def test_a_missing_home_is_looked_up() -> None:
    assert parse_environment({}).home.is_absolute()


@pytest.mark.parametrize(
    ("given", "root"),
    [
        ("~/x", Path("/h/x")),
        ("~", Path("/h")),
        ("/x", Path("/x")),
        ("x", Path.cwd() / "x"),
        ("", Path("/h/.treadle")),
    ],
)
def test_the_root_is_absolute(given: str, root: Path) -> None:
    assert parse_environment({"HOME": "/h", "TREADLE_ROOT": given}).root == root


@pytest.mark.parametrize("value", ["", "0", "false", "no", "what?"])
def test_only_a_clear_yes_switches_the_sandbox_off(value: str) -> None:
    assert not parse_environment({"TREADLE_NO_SANDBOX": value}).no_sandbox


@pytest.mark.parametrize("value", ["", "0", "-1", "wide", "٣", "9" * 30])
def test_an_invalid_width_counts_as_unknown(value: str) -> None:
    assert parse_environment({"COLUMNS": value}).columns is None


def test_an_empty_no_color_leaves_colours_on() -> None:
    assert not parse_environment({"NO_COLOR": ""}).no_color


def test_the_values_never_show() -> None:
    environment = parse_environment({"HOME": "/h", "ANTHROPIC_API_KEY": "sk-secret"})

    assert "sk-secret" not in repr(environment)


PASSED_ON = {
    "PATH": "/bin",
    "LANG": "de_DE.UTF-8",
    "LC_ALL": "C",
    "LC_TIME": "C",
    "TZ": "Europe/Berlin",
    "SHELL": "/bin/sh",
    "USER": "ada",
    "TMPDIR": "/tmp",
    "HTTPS_PROXY": "http://proxy",
    "no_proxy": "localhost",
    "NODE_EXTRA_CA_CERTS": "/ca.pem",
    "ANTHROPIC_API_KEY": "key",
    "CLAUDE_CODE_OAUTH_TOKEN": "token",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1",
}
KEPT_BACK = {
    "HOME": "/home/ada",
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "GITHUB_TOKEN": "secret",
    "SSH_AUTH_SOCK": "/agent",
    "NODE_OPTIONS": "--require /evil",
    "LD_PRELOAD": "/evil.so",
    "BASH_ENV": "/evil",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "GOOGLE_APPLICATION_CREDENTIALS": "/secret",
    "TREADLE_ROOT": "/x",
}


def test_an_agent_gets_the_variables_on_the_list_and_no_other() -> None:
    assert agent_environment(PASSED_ON | KEPT_BACK, CLAUDE.variables.passed) == PASSED_ON


@pytest.mark.parametrize(
    ("switch", "credential"),
    [
        ("CLAUDE_CODE_USE_BEDROCK", "AWS_SECRET_ACCESS_KEY"),
        ("CLAUDE_CODE_USE_VERTEX", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("CLAUDE_CODE_USE_FOUNDRY", "ANTHROPIC_FOUNDRY_API_KEY"),
    ],
)
def test_the_keys_to_a_cloud_are_passed_on_only_when_the_model_lives_there(
    switch: str, credential: str
) -> None:
    assert agent_environment({credential: "x"}, CLAUDE.variables.passed) == {}
    assert agent_environment({credential: "x", switch: "0"}, CLAUDE.variables.passed) == {}
    assert agent_environment({credential: "x", switch: "1"}, CLAUDE.variables.passed) == {
        credential: "x",
        switch: "1",
    }
