"""Makes the proxy variables (`HTTP_PROXY` and others) for sandboxed processes. Pure."""

from collections.abc import Mapping
from urllib.parse import urlsplit

# Where the bridge listens, inside; see `bridge.py`.
BRIDGE_PORT = 3128

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_NO_PROXY = "NO_PROXY"
# What a sandbox has of its own, and the name under which an agent asks at the gateway's socket.
_NO_PROXY_HOSTS = "localhost,127.0.0.1,::1,gateway"


def without_proxy(given: Mapping[str, str]) -> dict[str, str]:
    """Where no proxy can be reached: the address of one may hold a password."""
    names = {name.upper() for name in _PROXIES}
    return {name: value for name, value in given.items() if name.upper() not in names}


def without_passwords(given: Mapping[str, str]) -> dict[str, str]:
    """Where the machine's own proxy can be reached: its address goes in, what opens it does not."""
    names = {name.upper() for name in _PROXIES}
    return {
        name: _without_user(value) if name.upper() in names else value
        for name, value in given.items()
    }


def _without_user(address: str) -> str:
    """Whatever stands before the last `@` opens it: a password may hold any character."""
    before, at, host = address.rpartition("@")
    scheme, separator, _ = before.partition("://")
    return f"{scheme}{separator}{host}" if at and separator else host


def through_bridge(given: Mapping[str, str], port: int = BRIDGE_PORT) -> dict[str, str]:
    """Where the way out is the bridge to the filtering proxy."""
    address = f"http://127.0.0.1:{port}"
    told = dict.fromkeys(_PROXIES, address) | {_NO_PROXY: _NO_PROXY_HOSTS}
    return {
        **without_proxy(given),
        **told,
        **{name.lower(): value for name, value in told.items()},
        # Node looks at those variables only if it is told to.
        "NODE_USE_ENV_PROXY": "1",
    }


def proxy_for(address: str, environment: Mapping[str, str]) -> str:
    """The proxy that stands between this machine and an address; empty if none does."""
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
