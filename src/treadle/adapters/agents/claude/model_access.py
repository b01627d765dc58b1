"""Where Claude Code's model is, how it is reached from here, and how it is told another address."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from treadle.adapters.agents.claude.variables import (
    API_KEY,
    AUTH_TOKEN,
    BASE_URL,
    CLOUDS,
    CUSTOM_HEADERS,
    LOGINS,
    OAUTH_TOKEN,
)
from treadle.domain.agent_kind import ModelAccess
from treadle.domain.errors import SettingsError
from treadle.domain.model_access import (
    CloudModel,
    Endpoint,
    HeaderPairs,
    Login,
    LoginCheckRequest,
    ModelService,
    PlaceholderSecret,
    SecretSource,
    StaticSecret,
)

if TYPE_CHECKING:
    from treadle.adapters.agents.claude.agent import ClaudeAgent

SOCKET = "ANTHROPIC_UNIX_SOCKET"
# The gateway uses these itself; an agent behind it has no use for them.
HELD = (
    CUSTOM_HEADERS,
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
)
VENDOR = "https://api.anthropic.com"
# Any that the service knows: counting costs nothing.
CHECK_MODEL = "claude-haiku-4-5"
LOOPBACK = "127.0.0.1"
# A socket has no name of its own, and an address must have one.
BEHIND_SOCKET = "gateway"
# Where the model's socket lies inside a sandbox.
MODEL_SOCKET = "/run/treadle/model.sock"
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")


def model_service(environment: Mapping[str, str]) -> ModelService | CloudModel:
    """The service that the agent would ask with these variables. It gets that of a cloud only if
    the cloud is switched on."""
    for name, cloud in CLOUDS.items():
        if environment.get(name):
            return CloudModel(cloud)
    certificate = environment.get("CLAUDE_CODE_CLIENT_CERT", "")
    return ModelService(
        base_url=environment.get(BASE_URL, "").strip() or VENDOR,
        authorities=tuple(
            path
            for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
            if (path := environment.get(name, ""))
        ),
        certificate=(
            certificate,
            environment.get("CLAUDE_CODE_CLIENT_KEY", "") or certificate,
            environment.get("CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", ""),
        )
        if certificate
        else None,
    )


def held_login(
    environment: Mapping[str, str], sources: Mapping[str, SecretSource] | None = None
) -> Login:
    """What the gateway adds to requests, so that the agent need not have it. A source comes before
    the variable of its name."""
    found: dict[str, SecretSource] = {
        name: StaticSecret(value.strip().encode())
        for name in LOGINS
        if (value := environment.get(name))
    } | dict(sources or {})
    words = {name: _word_for(name).encode() for name in LOGINS if name in found}
    return Login(
        secrets=tuple(PlaceholderSecret(word, found[name]) for name, word in words.items()),
        headers=_headers(environment.get(CUSTOM_HEADERS, "")),
        subscriptions=frozenset(words[name] for name in words if name == OAUTH_TOKEN),
        paid_by_use=frozenset(words[name] for name in words if name == API_KEY),
    )


def reach_model(agent: "ClaudeAgent", endpoint: Endpoint) -> "ClaudeAgent":
    """The agent with its way to the model: by a socket into its sandbox, else by loopback."""
    sessions = agent.sandbox
    if sessions is None:
        return at_loopback(agent, endpoint)
    sockets = {**sessions.sockets, MODEL_SOCKET: endpoint.socket}
    return replace(at_socket(agent, MODEL_SOCKET), sandbox=replace(sessions, sockets=sockets))


def at_loopback(agent: "ClaudeAgent", endpoint: Endpoint) -> "ClaudeAgent":
    """The same agent, asking at an address on this machine, which no proxy stands before."""
    given = _without_login(agent)
    return replace(
        agent, environment={**given, **_unproxied(given, LOOPBACK), BASE_URL: endpoint.url}
    )


def at_socket(agent: "ClaudeAgent", inside: str) -> "ClaudeAgent":
    """The same agent, asking at a unix socket by the path that it has where the agent runs."""
    given = _without_login(agent)
    return replace(
        agent,
        environment={
            **given,
            **_unproxied(given, LOOPBACK, BEHIND_SOCKET),
            SOCKET: inside,
            BASE_URL: f"http://{BEHIND_SOCKET}",
        },
    )


def _without_login(agent: "ClaudeAgent") -> dict[str, str]:
    """The same variables, so that the agent chooses its login as ever, but none that opens
    anything: the gateway holds those."""
    given = {name: value for name, value in agent.environment.items() if name not in HELD}
    held = {name for name in LOGINS if given.get(name)} | agent.login_sources.keys()
    return {**given, **{name: _word_for(name) for name in LOGINS if name in held}}


def _word_for(name: str) -> str:
    return f"held-by-treadle-{name.lower().replace('_', '-')}"


def _headers(text: str) -> HeaderPairs:
    """One header a line, as the agent reads them; lines without a colon are none."""
    found = []
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon:
            continue
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise SettingsError(
                f"{CUSTOM_HEADERS} has a line that cannot be a header",
                hint="write `Name: value`, one on each line",
            )
        found.append((name.encode(), value.encode("latin-1")))
    return tuple(found)


def _unproxied(given: Mapping[str, str], *hosts: str) -> dict[str, str]:
    return {
        name: ",".join(filter(None, (given.get(name, ""), *hosts)))
        for name in ("NO_PROXY", "no_proxy")
    }


def login_check(agent: "ClaudeAgent") -> LoginCheckRequest:
    """What the agent itself asks to count the tokens of a prompt, with the headers that it would
    send."""
    held = _without_login(agent)
    headers = [(b"content-type", b"application/json"), (b"anthropic-version", b"2023-06-01")]
    by_key = held.get(API_KEY, "")
    bearer = held.get(AUTH_TOKEN) or ("" if by_key else held.get(OAUTH_TOKEN, ""))
    if by_key:
        headers.append((b"x-api-key", by_key.encode()))
    if bearer:
        headers.append((b"authorization", b"Bearer " + bearer.encode()))
    if bearer and bearer == held.get(OAUTH_TOKEN):
        headers.append((b"anthropic-beta", b"oauth-2025-04-20"))
    return LoginCheckRequest(
        "POST",
        "/v1/messages/count_tokens",
        tuple(headers),
        json.dumps(
            {"model": CHECK_MODEL, "messages": [{"role": "user", "content": "hello"}]}
        ).encode(),
        "to count the tokens of a word",
    )


MODEL: ModelAccess["ClaudeAgent"] = ModelAccess(
    service=model_service,
    login=lambda agent: held_login(agent.environment, agent.login_sources),
    reach=reach_model,
    check=login_check,
)
