"""Each combination of logins: what we say of it, and what the real binary says and sends."""

import asyncio
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.identity.claude_process import claude_environment
from tests.unit.gateway.recorded_heads import record_heads
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.login import find_login
from treadle.adapters.agents.claude.make import make_agent
from treadle.adapters.agents.claude.model_access import MODEL, held_login
from treadle.adapters.agents.claude.user_files import read_settings_variables
from treadle.domain.agent_kind import AgentInputs, ProgramChoice, ProgramKeeping
from treadle.domain.detected_login import LoginKind

pytestmark = pytest.mark.slow

CREDENTIALS, SETTINGS, CONSOLE = (
    ".claude/.credentials.json",
    ".claude/settings.json",
    ".claude.json",
)
FILE = {
    "claudeAiOauth": {
        "accessToken": "of-file",
        "refreshToken": "refresh",
        "expiresAt": 99_999_999_999_999,
        "scopes": ["user:inference", "user:profile"],
        "subscriptionType": "max",
    }
}
CONSOLE_KEY = {"primaryApiKey": "of-console"}
HELPER = {"apiKeyHelper": "echo of-helper"}
AUTH = {"ANTHROPIC_AUTH_TOKEN": "of-auth-token"}
KEY = {"ANTHROPIC_API_KEY": "of-api-key"}
TOKEN = {"CLAUDE_CODE_OAUTH_TOKEN": "of-token"}
# By the word of the binary's `auth status`.
METHODS: Mapping[LoginKind, str] = {
    "api key": "api_key",
    "auth token": "oauth_token",
    "key helper": "api_key_helper",
    "token": "oauth_token",
    "subscription": "claude.ai",
    "Console key": "api_key",
    "cloud provider": "third_party",
    "none": "none",
}


@dataclass(frozen=True)
class Case:
    """Variables and files, the kind of login, and the credentials that a request brings."""

    kind: LoginKind
    bearer: str = ""
    key: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)


def settings(env: Mapping[str, object], **others: object) -> dict[str, object]:
    return {SETTINGS: {"env": env, **others}}


CASES = {
    "nothing": Case("none"),
    "key": Case("api key", key="of-api-key", variables=KEY),
    "key, token": Case("api key", key="of-api-key", variables={**KEY, **TOKEN}),
    "key, file": Case("api key", key="of-api-key", variables=KEY, files={CREDENTIALS: FILE}),
    "auth token": Case("auth token", "of-auth-token", variables=AUTH),
    "auth token, key": Case("auth token", "of-auth-token", "of-api-key", {**AUTH, **KEY}),
    "auth token, helper": Case(
        "auth token", "of-auth-token", "of-helper", AUTH, {SETTINGS: HELPER}
    ),
    "auth token, console": Case(
        "auth token", "of-auth-token", "of-console", AUTH, {CONSOLE: CONSOLE_KEY}
    ),
    "helper": Case("key helper", "of-helper", "of-helper", files={SETTINGS: HELPER}),
    "helper, key": Case("key helper", "of-helper", "of-api-key", KEY, {SETTINGS: HELPER}),
    "helper, token, file": Case(
        "key helper", "of-helper", "of-helper", TOKEN, {SETTINGS: HELPER, CREDENTIALS: FILE}
    ),
    "token": Case("token", "of-token", variables=TOKEN),
    "token, file": Case("token", "of-token", variables=TOKEN, files={CREDENTIALS: FILE}),
    "token, console": Case("token", "of-token", variables=TOKEN, files={CONSOLE: CONSOLE_KEY}),
    "file": Case("subscription", "of-file", files={CREDENTIALS: FILE}),
    "file, console": Case(
        "subscription", "of-file", files={CREDENTIALS: FILE, CONSOLE: CONSOLE_KEY}
    ),
    "console": Case("Console key", key="of-console", files={CONSOLE: CONSOLE_KEY}),
    "settings replace what is exported": Case(
        "api key",
        key="of-settings",
        variables=KEY,
        files=settings({**KEY, "ANTHROPIC_API_KEY": "of-settings"}),
    ),
    "token of settings": Case("token", "of-token", files=settings(TOKEN)),
}
# The binary's kind and ours, without a request.
KINDS_ALONE = {
    "blank token": Case("none", variables={"CLAUDE_CODE_OAUTH_TOKEN": " "}),
    "blank helper": Case("none", files={SETTINGS: {"apiKeyHelper": ""}}),
    "helper that is a number": Case("none", files={SETTINGS: {"apiKeyHelper": 5}}),
    "settings that are not JSON": Case("none", files={SETTINGS: "{"}),
    "no scopes at all": Case(
        "none",
        files={
            CREDENTIALS: {
                "claudeAiOauth": {
                    name: value for name, value in FILE["claudeAiOauth"].items() if name != "scopes"
                }
            }
        },
    ),
    "logins of MCP servers alone": Case("none", files={CREDENTIALS: {"mcpOAuth": {}}}),
    "no scope for models": Case(
        "none",
        files={
            CREDENTIALS: {"claudeAiOauth": {**FILE["claudeAiOauth"], "scopes": ["user:profile"]}}
        },
    ),
    "tokens that were emptied": Case(
        "none",
        files={
            CREDENTIALS: {
                "claudeAiOauth": {**FILE["claudeAiOauth"], "accessToken": "", "refreshToken": ""}
            }
        },
    ),
    "an early place of the Console key": Case(
        "Console key", files={".claude/.config.json": CONSOLE_KEY}
    ),
    "an early place hides the usual one": Case(
        "none", files={".claude/.config.json": {}, CONSOLE: CONSOLE_KEY}
    ),
    "Console key in another directory": Case(
        "Console key",
        variables={"CLAUDE_CONFIG_DIR": "{home}/other"},
        files={"other/.claude.json": CONSOLE_KEY},
    ),
    "another directory hides the home": Case(
        "none",
        variables={"CLAUDE_CONFIG_DIR": "{home}/other"},
        files={CONSOLE: CONSOLE_KEY, SETTINGS: HELPER, CREDENTIALS: FILE},
    ),
    "settings in another directory": Case(
        "api key",
        variables={"CLAUDE_CONFIG_DIR": "{home}/other"},
        files={"other/settings.json": {"env": KEY}},
    ),
    "switch that is off": Case("none", variables={"CLAUDE_CODE_USE_BEDROCK": "0"}),
    "switch that is no word for on": Case("none", variables={"CLAUDE_CODE_USE_BEDROCK": "banana"}),
    "switch with blanks": Case("cloud provider", variables={"CLAUDE_CODE_USE_VERTEX": " YES "}),
    "switch as a truth value": Case(
        "cloud provider", files=settings({"CLAUDE_CODE_USE_BEDROCK": True})
    ),
    "cloud before all": Case(
        "cloud provider",
        variables={**AUTH, **KEY, **TOKEN, "CLAUDE_CODE_USE_MANTLE": "1"},
        files={SETTINGS: HELPER, CREDENTIALS: FILE},
    ),
    "cloud of Anthropic on AWS": Case(
        "cloud provider", variables={"CLAUDE_CODE_USE_ANTHROPIC_AWS": "1"}
    ),
    "cloud of Anthropic on Google": Case(
        "cloud provider", variables={"CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD": "1"}
    ),
}


def write_files(case: Case, home: Path) -> dict[str, str]:
    """The variables of the case, with the place of its home."""
    for name, content in case.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {name: value.format(home=home) for name, value in case.variables.items()}


def with_settings(variables: Mapping[str, str], home: Path) -> dict[str, str]:
    return {**variables, **read_settings_variables(variables, home)}


@pytest.mark.parametrize("name", [*CASES, *KINDS_ALONE])
def test_our_kind_of_login_is_that_of_the_binary(name: str, home: Path, tmp_path: Path) -> None:
    case = {**CASES, **KINDS_ALONE}[name]
    variables = write_files(case, home)

    found = find_login(with_settings(variables, home), home)
    status = subprocess.run(
        [bundled_binary(), "auth", "status", "--json"],
        # Not the home, whose settings would be those of a project then.
        cwd=tmp_path,
        env=claude_environment(home, {**variables, "HTTPS_PROXY": "http://127.0.0.1:9"}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    told = json.loads(status.stdout)["authMethod"]
    assert (found.kind, told) == (case.kind, METHODS[case.kind])


@pytest.mark.parametrize("name", CASES)
async def test_our_gateway_sends_the_credentials_that_the_binary_sends(
    name: str, home: Path, tmp_path: Path
) -> None:
    case = CASES[name]
    variables = write_files(case, home)
    if case.kind == "none":
        return

    sent = await headers_of_binary(home, variables)
    ours = await headers_of_gateway(home, with_settings(variables, home), tmp_path)

    expected = {
        **({"authorization": f"Bearer {case.bearer}"} if case.bearer else {}),
        **({"x-api-key": case.key} if case.key else {}),
    }
    assert (sent, ours) == (expected, expected)


async def headers_of_binary(home: Path, variables: Mapping[str, str]) -> dict[str, str]:
    async with record_heads() as service:
        process = await asyncio.create_subprocess_exec(
            *(bundled_binary(), "-p", "hi"),
            cwd=home.parent,
            env=claude_environment(
                home,
                {
                    **variables,
                    "ANTHROPIC_BASE_URL": service.url,
                    "HTTPS_PROXY": "http://127.0.0.1:9",
                    "NO_PROXY": "127.0.0.1",
                },
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        await asyncio.wait_for(process.wait(), 60)
    return next(head for head in service.of_each("authorization", "x-api-key") if head)


async def headers_of_gateway(
    home: Path, variables: Mapping[str, str], tmp_path: Path
) -> dict[str, str]:
    """The credentials that the agent's placeholders stand for."""
    environment = {"PATH": "/usr/bin:/bin", **variables}
    inputs = AgentInputs(
        program=ProgramChoice("", "", "", project=tmp_path / "p", home=tmp_path / "root"),
        keeping=ProgramKeeping(tmp_path / "run", tmp_path / "programs"),
        environment=environment,
        user_home=home,
        private_home=tmp_path / "private",
        attribution=False,
        host_environment=environment,
    )
    agent, _ = make_agent(inputs)
    login = held_login(agent.environment, agent.login_sources)
    secrets = {held.placeholder: await held.source.current() for held in login.secrets}
    found = {}
    for name, value in MODEL.check(agent).headers:
        scheme, _, placeholder = value.rpartition(b" ")
        secret = secrets.get(placeholder)
        if name in (b"authorization", b"x-api-key"):
            assert isinstance(secret, bytes)
            found[name.decode()] = b" ".join(filter(None, (scheme, secret))).decode()
    return found
