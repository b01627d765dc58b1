"""Runs with logins that Claude Code keeps in files of its own, and those that no run can use."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from time import time
from typing import Any

import pytest

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, Finished, script
from tests.identity.service import IdentityService
from tests.unit.gateway.recorded_heads import RecordedHeads, record_heads
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

CONSOLE_KEY = "sk-ant-api03-of-the-console"
HELPER_KEY = "sk-ant-api03-of-the-helper"
SETTINGS_KEY = "sk-ant-api03-of-the-settings"


def write(harness: CommandHarness, name: str, content: Mapping[str, Any]) -> None:
    path = harness.home / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))


def login_file(*, left_s: float, refresh_token: str = "") -> dict[str, Any]:
    login = {
        "accessToken": "sk-ant-oat01-planted",
        "refreshToken": refresh_token,
        "expiresAt": (time() + left_s) * 1000,
        "scopes": ["user:inference"],
    }
    return {"claudeAiOauth": login}


async def deliver(
    harness: CommandHarness, service: RecordedHeads, **variables: str
) -> tuple[Finished, set[tuple[str, str]]]:
    """One round, and the credentials that it brought to the service."""
    harness.settings({})
    variables = {"ANTHROPIC_BASE_URL": service.url, **variables}
    finished = await asyncio.to_thread(
        harness.treadle, *("deliver", "--json", "-n", "1"), **variables
    )
    heads = service.of_each("authorization", "x-api-key")
    return finished, {
        (head.get("authorization", ""), head.get("x-api-key", "")) for head in heads if head
    }


def assert_nowhere(harness: CommandHarness, finished: Finished, *secrets: str) -> None:
    """Neither shown nor stored, nor in the agent's home."""
    kept = [path for path in harness.root.rglob("*") if path.is_file() and not path.is_symlink()]
    stored = b"".join(path.read_bytes() for path in kept)
    text = finished.stdout + finished.stderr
    assert [each for each in secrets if each in text or each.encode() in stored] == []


async def test_a_login_at_the_console_is_used_as_its_api_key(harness: CommandHarness) -> None:
    write(harness, ".claude.json", {"primaryApiKey": CONSOLE_KEY})

    async with record_heads() as service:
        finished, sent = await deliver(harness, service)

    assert sent == {("", CONSOLE_KEY)}, finished.stderr
    assert finished.of_type("run.started")[0]["login"] == "Console key"
    assert_nowhere(harness, finished, CONSOLE_KEY)


async def test_a_key_helper_runs_on_the_host_and_its_key_is_put_in_outside_the_sandbox(
    harness: CommandHarness,
) -> None:
    line = f'echo "$PWD" >> "$HOME/asked"; echo {HELPER_KEY}'
    write(harness, ".claude/settings.json", {"apiKeyHelper": line})
    # The project's own is never run.
    (harness.project / ".claude").mkdir()
    (harness.project / ".claude/settings.json").write_text(
        json.dumps({"apiKeyHelper": f"touch {harness.directory}/project-ran; echo of-project"})
    )

    async with record_heads() as service:
        finished, sent = await deliver(harness, service)

    assert sent == {(f"Bearer {HELPER_KEY}", HELPER_KEY)}, finished.stderr
    assert (harness.home / "asked").read_text() == f"{harness.home}\n"
    assert not (harness.directory / "project-ran").exists()
    assert finished.of_type("run.started")[0]["login"] == "key helper"
    assert_nowhere(harness, finished, HELPER_KEY)


async def test_a_helper_that_fails_is_said_before_the_run_begins(harness: CommandHarness) -> None:
    write(harness, ".claude/settings.json", {"apiKeyHelper": "echo s3cret >&2; exit 3"})

    refused = harness.treadle("deliver")

    assert refused.exit_code == 4
    assert "treadle: apiKeyHelper ended with exit code 3" in refused.stderr
    assert "s3cret" not in refused.stderr
    assert harness.treadle("ls", "--json").stdout.strip() == "[]"


async def test_variables_of_the_users_settings_act_as_if_exported(harness: CommandHarness) -> None:
    async with record_heads() as service:
        env = {"ANTHROPIC_API_KEY": SETTINGS_KEY, "ANTHROPIC_BASE_URL": service.url, "PATH": "/no"}
        write(harness, ".claude/settings.json", {"env": env})
        finished, sent = await deliver(
            harness, service, ANTHROPIC_BASE_URL="http://127.0.0.1:9", ANTHROPIC_API_KEY="exported"
        )

    assert sent == {("", SETTINGS_KEY)}, finished.stderr
    assert_nowhere(harness, finished, SETTINGS_KEY)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"CLAUDE_CODE_USE_BEDROCK": "1", "AWS_PROFILE": "sso"},
            "Amazon Bedrock (CLAUDE_CODE_USE_BEDROCK): logs in by AWS_PROFILE, which the"
            " sandbox cannot read",
        ),
        (
            {"CLAUDE_CODE_USE_MANTLE": "1", "ANTHROPIC_API_KEY": "k"},
            "Treadle does not support CLAUDE_CODE_USE_MANTLE",
        ),
    ],
)
@pytest.mark.parametrize("arguments", [["deliver"], ["deliver", "--detach"]])
def test_a_cloud_that_no_run_can_use_is_named_before_anything_costs(
    harness: CommandHarness, arguments: list[str], variables: dict[str, str], message: str
) -> None:
    refused = harness.treadle(*arguments, **variables)
    examined = harness.treadle("doctor", **variables)
    initialized = harness.treadle("init", "--yes", **variables)

    assert (refused.exit_code, examined.exit_code, initialized.exit_code) == (4, 1, 0)
    assert f"treadle: {message}" in refused.stderr
    assert f"✘ login     {message}; rehearsals need none" in examined.stdout
    assert f"login   {message}" in initialized.stdout
    assert harness.treadle("ls", "--json").stdout.strip() == "[]"


def test_an_expired_file_that_nothing_renews_is_refused(harness: CommandHarness) -> None:
    write(harness, ".claude/.credentials.json", login_file(left_s=-60))

    refused = harness.treadle("deliver")

    assert refused.exit_code == 4
    assert "has expired, and nothing in the file can renew it" in refused.stderr
    assert "claude setup-token" in refused.stderr


async def test_a_login_that_ends_before_the_time_limit_is_said_at_the_start(
    harness: CommandHarness,
) -> None:
    write(harness, ".claude/.credentials.json", login_file(left_s=3600))

    async with record_heads() as service:
        finished, sent = await deliver(harness, service)

    assert sent == {("Bearer sk-ant-oat01-planted", "")}, finished.stderr
    warnings = [each["message"] for each in finished.of_type("run.warned")]
    assert any("before the run's time limit" in each for each in warnings)
    assert_nowhere(harness, finished, "sk-ant-oat01-planted")


def test_init_names_the_login_that_a_run_would_use(harness: CommandHarness) -> None:
    write(harness, ".claude.json", {"primaryApiKey": CONSOLE_KEY})

    initialized = harness.treadle("init", "--yes")

    path = harness.home / ".claude.json"
    assert f"login   Console key from {path}; billed by use" in initialized.stdout
    assert CONSOLE_KEY not in initialized.stdout


def scripted_api() -> ScriptedApi:
    """A service that nobody has to ask for anything."""
    return ScriptedApi(parse_script(script(ONE_DELIVERABLE), source="script"))


def test_doctor_asks_the_service_whether_it_accepts_a_key(harness: CommandHarness) -> None:
    with scripted_api() as api:
        variables = {"ANTHROPIC_BASE_URL": api.base_url, "ANTHROPIC_API_KEY": "dummy"}
        asked = harness.treadle("doctor", "--online", **variables)
        elsewhere = {**variables, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        unreached = harness.treadle("doctor", "--online", **elsewhere)

    expected = f"✔ online    the login is accepted: {api.base_url} was asked to count the tokens"
    assert expected in asked.stdout
    assert "! online    could not check the login (ConnectError" in unreached.stdout


def test_doctor_asks_the_service_of_a_subscription_by_the_users_proxy(
    harness: CommandHarness, tmp_path: Path
) -> None:
    with scripted_api() as api, IdentityService(tmp_path / "identity") as identity:
        identity.model_url = api.base_url
        identity.write_login(harness.home)
        good = harness.treadle("doctor", "--online", **identity.environment)
        write(harness, ".claude/.credentials.json", login_file(left_s=3600))
        bad = harness.treadle("doctor", "--online", **identity.environment)

    assert "✔ online    the login is accepted: https://api.anthropic.com was asked" in good.stdout
    assert "✘ online    the login is refused (HTTP 401): https://api" in bad.stdout
    assert {each.path for each in identity.requests} == {"/v1/messages/count_tokens"}
