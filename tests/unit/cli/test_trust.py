"""`treadle trust`, and what commands do where nobody has trusted a file."""

import json
from asyncio import to_thread
from pathlib import Path

import pytest

from tests.builders import repository_in
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.runs.doctor import DoctorFinding, examine
from treadle.runs.trust import trust
from treadle.settings.environment import parse_environment
from treadle.settings.load import load_settings
from treadle.settings.trust_requirements import find_trust_requirements

from .stored_runs import Command

OPEN = 'sandbox.network = "open"\nsandbox.writable = ["/srv/x"]\n'
DATABASE = 'database.url = "postgresql://ada@127.0.0.1:1/runs"\n'
NOT_TRUSTED = (
    "treadle: treadle.toml:1: {} needs your approval\n"
    "  hint: review and accept it with `treadle trust`\n"
)
SHOWN = (
    '  sandbox.network = "open": the agent reaches whatever this machine can, services on its'
    " loopback included\n"
    '  sandbox.writable = ["/srv/x"]: the agent, and what it runs, can read and change this\n'
)


@pytest.fixture
def settings(project: Path) -> Path:
    return project / "treadle.toml"


def test_it_shows_what_a_file_opens_and_lets_it(
    treadle: Command, settings: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(OPEN)

    assert treadle("trust", "--yes") == 0

    assert capsys.readouterr().out == f"treadle.toml in {settings.parent} opens:\n{SHOWN}"
    assert [oct(each.stat().st_mode & 0o777) for each in (root / "trusted").iterdir()] == ["0o600"]
    assert treadle("trust") == 0
    assert capsys.readouterr().err == "You have accepted all of it.\n"


def test_it_asks_on_a_terminal_only(
    treadle: Command, settings: Path, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(OPEN)

    assert treadle("trust") == 2

    assert capsys.readouterr().err == (
        "treadle: trust asks a question, but there is no terminal\n"
        "  hint: read what it permits, then pass --yes: treadle trust --yes\n"
    )
    assert not (root / "trusted").exists()


def test_a_file_that_opens_nothing_needs_no_trust(
    treadle: Command, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert treadle("trust") == 0

    said = f"treadle.toml in {project} permits nothing that needs trust.\n"
    assert capsys.readouterr().err == said


def test_what_is_trusted_is_listed_and_taken_back(
    treadle: Command, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(OPEN)
    treadle("trust", "--yes")
    capsys.readouterr()

    assert treadle("trust", "--list") == 0
    listed = capsys.readouterr().out.split()
    assert (listed[0], listed[-2:]) == (
        str(settings.parent),
        ["sandbox.network,", "sandbox.writable"],
    )

    assert treadle("trust", "--revoke") == 0
    assert treadle("trust", "--revoke") == 2
    capsys.readouterr()
    assert treadle("trust", "--list") == 0
    assert capsys.readouterr() == ("", "You have accepted nothing for any project.\n")


@pytest.mark.parametrize("command", ["status", "ls", "approvals", "cost", "clean", "deliver"])
def test_no_command_goes_to_a_database_that_is_not_trusted(
    command: str, treadle: Command, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(DATABASE)

    assert treadle(command) == 2

    assert capsys.readouterr().err == NOT_TRUSTED.format("database.url")


def test_a_trusted_database_is_gone_to(
    treadle: Command, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(DATABASE)
    treadle("trust", "--yes")
    capsys.readouterr()

    assert treadle("ls") == 1

    assert "127.0.0.1" in capsys.readouterr().err


def test_init_and_config_show_say_what_is_not_trusted(
    treadle: Command, settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.write_text(OPEN)

    assert treadle("init", "--yes") == 2
    assert capsys.readouterr().err == NOT_TRUSTED.format("sandbox.network")
    assert settings.read_text() == OPEN

    assert treadle("config", "show", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["sandbox.network"] == {
        "value": "open",
        "origin": "treadle.toml:1 (not trusted)",
    }


def test_no_run_begins_with_a_file_that_is_not_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting\n", "treadle.toml": OPEN})
    raw = {**repository.environment, "TREADLE_ROOT": str(tmp_path / "root")}
    given = CommandContext(parse_environment(raw), repository.path)

    assert run_command(["deliver"], given) == 2

    assert capsys.readouterr().err == NOT_TRUSTED.format("sandbox.network")
    assert not (tmp_path / "root" / "runs").exists()


async def test_doctor_does_not_start_a_program_that_is_not_trusted(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\ntouch {ran}\necho '2.1.300 (Claude Code)'\n")
    program.chmod(0o755)
    repository = repository_in(tmp_path, **{"treadle.toml": f'agent.binary = "{program}"\n'})
    raw = {**repository.environment, "TREADLE_ROOT": str(tmp_path / "root")}

    findings = await examine(repository.path, parse_environment(raw))

    text = "treadle.toml:1: agent.binary needs your approval"
    said = {each.name: each.text for each in findings}
    assert (said["settings"], said["claude"]) == (text, "not checked: see settings")
    assert not ran.exists()


REFUSED = {
    'sandbox.network = "allowlist"\nsandbox.hosts = ["example.com"]\n': "sandbox.hosts",
    'sandbox.readable = ["~/.ssh"]\n': "sandbox.readable has ~/.ssh",
    'permissions.allow = ["Bash("]\n': "permissions.allow: 'Bash(' is not a rule",
    'verify.protect = ["../elsewhere"]\n': "verify.protect",
    '[mcp_servers.treadle]\ncommand = "x"\n': "mcp_servers.treadle is Treadle's own",
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items())
async def test_what_a_run_would_refuse_is_refused_in_the_same_words_by_trust_and_doctor(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting\n", "treadle.toml": text})
    raw = {**repository.environment, "TREADLE_ROOT": str(tmp_path / "root")}
    environment, project = parse_environment(raw), repository.path
    given = CommandContext(environment, project)
    said = []

    code = await to_thread(run_command, ["trust", "--yes"], given)
    said.append(capsys.readouterr().err)
    # As one who had trusted it before anybody looked at the values.
    trust(environment, project, find_trust_requirements(load_settings(project)))
    await to_thread(run_command, ["deliver"], given)
    said.append(capsys.readouterr().err)
    [found] = [each for each in await examine(project, environment) if each.name == "settings"]
    said.append(f"treadle: {found.text}\n  hint: {found.fix}\n")

    assert (code, found.verdict) == (2, "bad")
    assert words in said[0]
    assert said == [said[0]] * 3


async def test_doctor_says_that_the_agent_would_be_without_its_model(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"treadle.toml": 'sandbox.network = "none"\n'})
    raw = {**repository.environment, "TREADLE_ROOT": str(tmp_path / "root")}

    findings = await examine(repository.path, parse_environment(raw))

    assert (
        DoctorFinding(
            "settings",
            "bad",
            'sandbox.network = "none" leaves the agent without its model',
            'use "gateway": the model, and nothing else',
        )
        in findings
    )
