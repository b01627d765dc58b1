"""`treadle auth`: credentials come in by standard input and are never shown again."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.unit.policy.secret_samples import ANTHROPIC, PASSWORD
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.cli.redacted_errors import print_crash, redact_secrets
from treadle.runs.credentials import known_secrets, login_environment
from treadle.settings.environment import Environment, parse_environment

from .stored_runs import Command


@pytest.fixture
def environment(root: Path) -> Environment:
    return parse_environment({"TREADLE_ROOT": str(root), "HOME": str(root)})


def given_on_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_what_is_kept_is_listed_without_its_value_and_logs_the_agent_in(
    treadle: Command,
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given_on_stdin(monkeypatch, f"{ANTHROPIC}\n")

    assert treadle("auth", "set", "anthropic-api-key") == 0
    assert treadle("auth", "list") == 0

    said = capsys.readouterr()
    assert said.err == "kept anthropic-api-key, for the model, billed by use\n"
    assert said.out.startswith("anthropic-api-key ")
    assert ANTHROPIC not in said.out + said.err
    assert login_environment(environment, CLAUDE).raw["ANTHROPIC_API_KEY"] == ANTHROPIC
    assert ANTHROPIC in known_secrets(environment)


def test_a_login_in_the_environment_comes_before_one_that_is_kept(
    treadle: Command,
    root: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given_on_stdin(monkeypatch, ANTHROPIC)
    treadle("auth", "set", "anthropic-api-key")
    raw = {"TREADLE_ROOT": str(root), "HOME": str(root), "CLAUDE_CODE_OAUTH_TOKEN": PASSWORD}

    assert login_environment(parse_environment(raw), CLAUDE).raw == raw
    assert run_command(["auth", "list"], CommandContext(parse_environment(raw), project)) == 0
    assert capsys.readouterr().out.endswith("not used: CLAUDE_CODE_OAUTH_TOKEN is set\n")


def test_a_token_of_a_forge_is_kept_and_outranked_by_its_own_variables_alone(
    treadle: Command,
    root: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given_on_stdin(monkeypatch, PASSWORD)
    assert treadle("auth", "set", "github-token") == 0
    assert capsys.readouterr().err == "kept github-token, for GitHub\n"
    raw = {"TREADLE_ROOT": str(root), "HOME": str(root), "ANTHROPIC_API_KEY": ANTHROPIC}

    outranked = "not used: GITHUB_TOKEN is set\n"
    for value, note in (("", ""), (PASSWORD, outranked)):
        environment = parse_environment({**raw, "GITHUB_TOKEN": value})
        assert run_command(["auth", "list"], CommandContext(environment, project)) == 0
        said = capsys.readouterr().out
        assert said.startswith("github-token ")
        assert said.partition("not used")[1:] == note.partition("not used")[1:]
        assert PASSWORD not in said
    assert PASSWORD in known_secrets(parse_environment(raw))


def test_of_two_that_are_kept_the_key_is_used(
    treadle: Command, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_on_stdin(monkeypatch, PASSWORD)
    treadle("auth", "set", "claude-oauth-token")
    assert login_environment(environment, CLAUDE).raw["CLAUDE_CODE_OAUTH_TOKEN"] == PASSWORD

    given_on_stdin(monkeypatch, ANTHROPIC)
    treadle("auth", "set", "anthropic-api-key")

    assert "CLAUDE_CODE_OAUTH_TOKEN" not in login_environment(environment, CLAUDE).raw


def test_json_has_names_and_dates(
    treadle: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given_on_stdin(monkeypatch, ANTHROPIC)
    treadle("auth", "set", "anthropic-api-key")

    assert treadle("auth", "list", "--json") == 0

    [row] = json.loads(capsys.readouterr().out)
    assert (row["name"], sorted(row)) == ("anthropic-api-key", ["name", "since"])


def test_what_is_forgotten_is_gone(
    treadle: Command,
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given_on_stdin(monkeypatch, ANTHROPIC)
    treadle("auth", "set", "anthropic-api-key")

    assert treadle("auth", "rm", "anthropic-api-key") == 0
    assert treadle("auth", "rm", "anthropic-api-key") == 2
    assert login_environment(environment, CLAUDE) == environment
    assert treadle("auth", "list") == 0
    assert "No credentials stored." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (("auth", "set", "anthropic-api-key", PASSWORD), ""),
        (("auth", "set", PASSWORD), "x"),
        (("auth", "rm", PASSWORD), "x"),
        (("auth", "set", "anthropic-api-key"), ""),
        (("auth", "set", "anthropic-api-key"), f"{PASSWORD}\nand more"),
        (("auth", "set", "anthropic-api-key"), f"key = {PASSWORD}"),
    ],
)
def test_what_is_refused_is_not_said_again(
    treadle: Command,
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    stdin: str,
) -> None:
    given_on_stdin(monkeypatch, stdin)

    assert treadle(*arguments) == 2

    said = capsys.readouterr()
    assert PASSWORD not in said.out + said.err
    assert said.err.startswith("treadle: ")
    assert login_environment(environment, CLAUDE) == environment


def test_errors_and_crashes_are_shown_without_secrets(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = {"TREADLE_ROOT": str(root), "HOME": str(root), "DEPLOY_TOKEN": PASSWORD}
    environment = parse_environment(raw)

    error = ValueError(f"no {PASSWORD} and no {ANTHROPIC}")
    print_crash(environment, ValueError, error, None)

    assert capsys.readouterr().err == "ValueError: no *** and no ***\n"
    assert redact_secrets(f"cannot reach https://ada:{PASSWORD}@example.com", environment) == (
        "cannot reach https://ada:***@example.com"
    )
