"""Where Claude Code's model is, how it is reached from here, and how it is told another address."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.command import LOGINS
from treadle.domain.errors import SettingsError
from treadle.gateway.endpoint import Endpoint
from treadle.gateway.login import HeaderPairs, Login
from treadle.gateway.model_service import ModelService
from treadle.gateway.proxy_variables import proxy_for
from treadle.settings.environment import YES

ADDRESS = "ANTHROPIC_BASE_URL"
SOCKET = "ANTHROPIC_UNIX_SOCKET"
CUSTOM_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"
# The gateway uses these itself; an agent behind it has no use for them.
HELD = (
    CUSTOM_HEADERS,
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
)
VENDOR = "https://api.anthropic.com"
CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
LOOPBACK = "127.0.0.1"
# A socket has no name of its own, and an address must have one.
BEHIND_SOCKET = "gateway"
# Where a bridge to the model's socket listens, inside.
MODEL_PORT = 3129
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The model is in a cloud whose requests the gateway does not know."""

    cloud: str


def model_service(environment: Mapping[str, str]) -> ModelService | Elsewhere:
    """The service that the agent would ask in this environment, and the way it would take."""
    for name, cloud in CLOUDS.items():
        if environment.get(name, "").strip().lower() in YES:
            return Elsewhere(cloud)
    address = environment.get(ADDRESS, "").strip() or VENDOR
    certificate = environment.get("CLAUDE_CODE_CLIENT_CERT", "")
    return ModelService(
        base_url=address,
        proxy=proxy_for(address, environment),
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


def login_held(environment: Mapping[str, str]) -> Login:
    """What the gateway adds to requests, so that the agent need not have it."""
    return Login(
        secrets=tuple(
            (_word_for(name).encode(), environment[name].strip().encode())
            for name in LOGINS
            if environment.get(name)
        ),
        headers=_headers(environment.get(CUSTOM_HEADERS, "")),
    )


def at_loopback(agent: ClaudeAgent, endpoint: Endpoint) -> ClaudeAgent:
    """The same agent, asking at an address on this machine, which no proxy stands before."""
    given = _without_login(agent.environment)
    return replace(
        agent, environment={**given, **_unproxied(given, LOOPBACK), ADDRESS: endpoint.url}
    )


def at_socket(agent: ClaudeAgent, inside: str) -> ClaudeAgent:
    """The same agent, asking at a unix socket by the path that it has where the agent runs."""
    given = _without_login(agent.environment)
    return replace(
        agent,
        environment={
            **given,
            **_unproxied(given, LOOPBACK, BEHIND_SOCKET),
            SOCKET: inside,
            ADDRESS: f"http://{BEHIND_SOCKET}",
        },
    )


def keeps_its_login(agent: ClaudeAgent) -> bool:
    """Whether the agent has no other login than the file of its own: then it must be asked for
    at an address, since at a socket it does not look into that file."""
    return not login_held(agent.environment).secrets


def at_bridge(agent: ClaudeAgent, port: int = MODEL_PORT) -> ClaudeAgent:
    """The same agent, asking at a port where it runs, from which a bridge leads to the socket."""
    given = _without_login(agent.environment)
    address = f"http://{LOOPBACK}:{port}"
    return replace(agent, environment={**given, **_unproxied(given, LOOPBACK), ADDRESS: address})


def _without_login(given: Mapping[str, str]) -> dict[str, str]:
    """The same variables, so that the agent chooses its login as ever, but none that opens
    anything: the gateway holds those."""
    return {
        name: _word_for(name) if name in LOGINS and value else value
        for name, value in given.items()
        if name not in HELD
    }


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
