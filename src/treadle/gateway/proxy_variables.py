"""Makes the proxy variables (`HTTP_PROXY` and others) for sandboxed processes. Pure."""

from collections.abc import Mapping
from urllib.parse import urlsplit

# Where the bridge listens in the sandbox; see `bridge.py`.
BRIDGE_PORT = 3128

_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_NO_PROXY = "NO_PROXY"
# The sandbox's own loopback, and the host name used on the gateway's socket.
_NO_PROXY_HOSTS = "localhost,127.0.0.1,::1,gateway"

# Most of these take the place of the machine's certificates, so the file must have those, too.
_CERTIFICATES = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO"),
    *("NODE_EXTRA_CA_CERTS", "npm_config_cafile", "YARN_HTTPS_CA_FILE_PATH", "DENO_CERT"),
    *("CARGO_HTTP_CAINFO", "BUNDLE_SSL_CA_CERT"),
)
_TOOL_PROXIES = (
    *("npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"),
    "CARGO_HTTP_PROXY",
)
# Reports and questions that a package index would refuse.
_QUIET = {
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_update_notifier": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "YARN_ENABLE_TELEMETRY": "0",
    "POETRY_NO_INTERACTION": "1",
}


def without_proxy(variables: Mapping[str, str]) -> dict[str, str]:
    """Drop the variables where no proxy is reachable: their URLs may hold a password."""
    names = {name.upper() for name in _PROXIES}
    return {name: value for name, value in variables.items() if name.upper() not in names}


def without_passwords(variables: Mapping[str, str]) -> dict[str, str]:
    """Keep the URLs of the machine's own proxy, without their credentials."""
    names = {name.upper() for name in _PROXIES}
    return {
        name: _without_user(value) if name.upper() in names else value
        for name, value in variables.items()
    }


def _without_user(address: str) -> str:
    """Drop all before the last `@`: a password may contain one."""
    before, at, host = address.rpartition("@")
    scheme, separator, _ = before.partition("://")
    return f"{scheme}{separator}{host}" if at and separator else host


def through_bridge(variables: Mapping[str, str], port: int = BRIDGE_PORT) -> dict[str, str]:
    """Point all variables at the bridge to the filtering proxy."""
    address = f"http://127.0.0.1:{port}"
    proxies = dict.fromkeys(_PROXIES, address) | {_NO_PROXY: _NO_PROXY_HOSTS}
    return {
        **without_proxy(variables),
        **proxies,
        **{name.lower(): value for name, value in proxies.items()},
        # Node ignores the variables without this one.
        "NODE_USE_ENV_PROXY": "1",
    }


def tool_variables(certificates: str, port: int = BRIDGE_PORT) -> dict[str, str]:
    """What package tools have to know besides: the file with the certificates that they trust,
    the proxy where they do not read its usual variables, and not to ask for more than packages."""
    address = f"http://127.0.0.1:{port}"
    return {
        **dict.fromkeys(_CERTIFICATES, certificates),
        **dict.fromkeys(_TOOL_PROXIES, address),
        "npm_config_noproxy": _NO_PROXY_HOSTS,
        **_QUIET,
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
