"""The process environment: read once, parsed here, and narrowed to what an agent may be given."""

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

YES = frozenset({"1", "true", "yes", "on"})
NO = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Environment:
    """What Treadle itself takes from the environment; settings by variable are read in `load`."""

    root: Path
    home: Path
    path: str
    claude_bin: str  # empty when CLAUDE_BIN names none
    no_sandbox: bool
    no_color: bool
    term: str
    columns: int | None
    raw: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Passed:
    """Variables that reach the agent, and the reason why; with `only_if`, under that one alone."""

    reason: str
    names: tuple[str, ...]
    only_if: str = ""


PASSED: tuple[Passed, ...] = (
    Passed(
        "where programs are, who the user is, and how text and time are written",
        ("PATH", "SHELL", "USER", "LOGNAME", "TMPDIR", "TERM", "TZ", "LANG", "LANGUAGE"),
    ),
    Passed(
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
    Passed(
        "the certificates to trust, and the agent's own towards a gateway",
        (
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "NODE_EXTRA_CA_CERTS",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "GIT_SSL_CAINFO",
            "CLAUDE_CODE_CERT_STORE",
            "CLAUDE_CODE_CLIENT_CERT",
            "CLAUDE_CODE_CLIENT_KEY",
            "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
        ),
    ),
    Passed(
        "the agent's own login and the address of its model",
        (
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_CUSTOM_HEADERS",
            "CLAUDE_CODE_OAUTH_TOKEN",
        ),
    ),
    Passed(
        "which model the words opus, sonnet and haiku stand for",
        (
            "ANTHROPIC_DEFAULT_OPUS_MODEL",
            "ANTHROPIC_DEFAULT_SONNET_MODEL",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        ),
    ),
    Passed(
        "the login to Amazon Bedrock",
        (
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
            "ANTHROPIC_BEDROCK_BASE_URL",
            "AWS_BEARER_TOKEN_BEDROCK",
            "AWS_REGION",
            "AWS_DEFAULT_REGION",
            "AWS_PROFILE",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
        ),
        only_if="CLAUDE_CODE_USE_BEDROCK",
    ),
    Passed(
        "the login to Google Vertex AI",
        (
            "CLAUDE_CODE_USE_VERTEX",
            "CLAUDE_CODE_SKIP_VERTEX_AUTH",
            "ANTHROPIC_VERTEX_BASE_URL",
            "ANTHROPIC_VERTEX_PROJECT_ID",
            "CLOUD_ML_REGION",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_PROJECT",
        ),
        only_if="CLAUDE_CODE_USE_VERTEX",
    ),
    Passed(
        "the login to Microsoft Foundry",
        (
            "CLAUDE_CODE_USE_FOUNDRY",
            "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
            "ANTHROPIC_FOUNDRY_BASE_URL",
            "ANTHROPIC_FOUNDRY_RESOURCE",
            "ANTHROPIC_FOUNDRY_API_KEY",
        ),
        only_if="CLAUDE_CODE_USE_FOUNDRY",
    ),
)
PASSED_PREFIX = "LC_"

# Variables among them whose values open something: never to be stored or shown.
CREDENTIALS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_FOUNDRY_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "CLAUDE_CODE_OAUTH_TOKEN",
)


def given_environment() -> Mapping[str, str]:
    """A copy of the environment this process was started with."""
    return dict(os.environ)  # noqa: TID251


def environment_from(raw: Mapping[str, str]) -> Environment:
    """Never fails: a value that makes no sense counts as absent, a sandbox as wanted."""
    home = _home(raw)
    return Environment(
        root=_root(raw.get("TREADLE_ROOT", ""), home),
        home=home,
        path=raw.get("PATH", ""),
        claude_bin=raw.get("CLAUDE_BIN", ""),
        no_sandbox=raw.get("TREADLE_NO_SANDBOX", "").strip().lower() in YES,
        no_color=bool(raw.get("NO_COLOR", "")),
        term=raw.get("TERM", ""),
        columns=_positive(raw.get("COLUMNS", "")),
        raw=raw,
    )


def agent_environment(raw: Mapping[str, str]) -> dict[str, str]:
    """The part of `raw` that an agent may see: what `PASSED` names, locales, and nothing else.

    HOME is not among it, since every run gives its agent a private one; nor is CLAUDECODE, by
    which an agent believes to be started inside another.
    """
    allowed = {
        name
        for passed in PASSED
        if not passed.only_if or raw.get(passed.only_if, "").strip().lower() in YES
        for name in passed.names
    }
    return {
        name: value
        for name, value in raw.items()
        if name in allowed or name.startswith(PASSED_PREFIX)
    }


def credentials(raw: Mapping[str, str]) -> list[str]:
    """The secret values that an agent is given by its environment."""
    return [raw[name] for name in CREDENTIALS if raw.get(name)]


def _home(raw: Mapping[str, str]) -> Path:
    if raw.get("HOME"):
        return Path(raw["HOME"])
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        # A user id that the system has no name for, as containers use them.
        return Path("/")


def _root(given: str, home: Path) -> Path:
    if not given:
        return home / ".treadle"
    if given == "~" or given.startswith("~/"):
        return home / given[2:]
    return Path(given).absolute()


def _positive(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 100_000 else None
