"""Where Claude Code's model is, how it is reached from here, and how it is told another address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.gateway.service import Service
from treadle.settings.environment import YES

ADDRESS = "ANTHROPIC_BASE_URL"
VENDOR = "https://api.anthropic.com"
CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
_LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The model is in a cloud whose requests the gateway does not know."""

    cloud: str


def model_service(environment: Mapping[str, str]) -> Service | Elsewhere:
    """The service that the agent would ask in this environment, and the way it would take."""
    for name, cloud in CLOUDS.items():
        if environment.get(name, "").strip().lower() in YES:
            return Elsewhere(cloud)
    address = environment.get(ADDRESS, "").strip() or VENDOR
    certificate = environment.get("CLAUDE_CODE_CLIENT_CERT", "")
    return Service(
        base_url=address,
        proxy=_proxy(address, environment),
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


def at_address(agent: ClaudeAgent, address: str) -> ClaudeAgent:
    """The same agent, asking at another address on this machine, which no proxy stands before."""
    given = agent.environment
    unproxied = {
        name: ",".join(filter(None, (given.get(name, ""), _LOOPBACK)))
        for name in ("NO_PROXY", "no_proxy")
    }
    return replace(agent, environment={**given, **unproxied, ADDRESS: address})


def _proxy(address: str, environment: Mapping[str, str]) -> str:
    parts = urlsplit(address)
    if _goes_straight((parts.hostname or "").lower(), _either("NO_PROXY", environment).lower()):
        return ""
    named = _either(f"{parts.scheme.upper()}_PROXY", environment)
    return named or _either("ALL_PROXY", environment)


def _goes_straight(host: str, exceptions: str) -> bool:
    """Whether a list of hosts, domains or `*` names this one."""
    names = (
        name.strip().lstrip("*.") if name.strip() != "*" else "*" for name in exceptions.split(",")
    )
    return any(name == "*" or (name and f".{host}".endswith(f".{name}")) for name in names)


def _either(name: str, environment: Mapping[str, str]) -> str:
    return environment.get(name.lower(), "") or environment.get(name, "")
