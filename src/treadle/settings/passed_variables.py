"""The environment variables that every agent gets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PassedVariables:
    """Variables that an agent gets, and why; with `only_if`, only if that variable is on."""

    reason: str
    names: tuple[str, ...]
    only_if: str = ""


ANY_AGENT_VARIABLES: tuple[PassedVariables, ...] = (
    PassedVariables(
        "where programs are, who the user is, and how text and time are written",
        ("PATH", "SHELL", "USER", "LOGNAME", "TMPDIR", "TERM", "TZ", "LANG", "LANGUAGE"),
    ),
    PassedVariables(
        "the way out through a proxy",
        (
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "NO_PROXY",
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "no_proxy",
        ),
    ),
    PassedVariables(
        "the certificates to trust",
        (
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "NODE_EXTRA_CA_CERTS",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "GIT_SSL_CAINFO",
        ),
    ),
)
ANY_PREFIX = "LC_"
