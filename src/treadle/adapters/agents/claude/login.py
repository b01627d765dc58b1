"""The login of Claude Code: which one it would use of all that are there."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from sys import platform

from treadle.adapters.agents.claude.cloud_login import SWITCHES, find_cloud
from treadle.adapters.agents.claude.subscription_file import StoredLogin
from treadle.adapters.agents.claude.user_files import (
    UserFiles,
    read_settings_variables,
    read_user_files,
)
from treadle.adapters.agents.claude.variables import API_KEY, AUTH_TOKEN, OAUTH_TOKEN
from treadle.domain.agent_kind import AgentLogin, ModelCredential
from treadle.domain.detected_login import DetectedLogin, LoginProblem
from treadle.domain.errors import LoginMissing

# Claude Code reads a login there that its parent process has opened, which no run of ours has.
_DESCRIPTORS = (
    "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
    "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
)
_PROFILES = ("ANTHROPIC_PROFILE", "ANTHROPIC_FEDERATION_RULE_ID", "ANTHROPIC_IDENTITY_TOKEN_FILE")
# What stands in a file may be no date; beyond this one there is none that can be shown.
_LATEST = 1e11
_MISSING = "Claude Code has no login"
_HINT = (
    "run `treadle auth set anthropic-api-key`, set ANTHROPIC_API_KEY, or log in with Claude"
    " Code's own /login"
)


def find_login(environment: Mapping[str, str], home: Path) -> DetectedLogin:
    """The login that the agent would use; never the login itself."""
    return choose_login(environment, read_user_files(environment, home), datetime.now(UTC))


def choose_login(environment: Mapping[str, str], files: UserFiles, now: datetime) -> DetectedLogin:
    """Claude Code's own order of precedence. `environment` is the user's own, with the variables
    that the user's settings set for Claude Code."""
    cloud = find_cloud(environment, files)
    if cloud is not None:
        return cloud
    if _has(environment, AUTH_TOKEN):
        return DetectedLogin("auth token", _source(AUTH_TOKEN, environment, files))
    if files.key_helper:
        return DetectedLogin("key helper", f"apiKeyHelper in {files.settings}")
    if _has(environment, API_KEY):
        return DetectedLogin("api key", _source(API_KEY, environment, files), "by use")
    if _has(environment, OAUTH_TOKEN):
        note = "a token of `claude setup-token` lasts a year; its age is unknown"
        return DetectedLogin(
            "token", _source(OAUTH_TOKEN, environment, files), "subscription", note=note
        )
    if files.subscription is not None:
        return _subscription(files.subscription, str(files.credentials), now)
    if files.console_key:
        return DetectedLogin("Console key", str(files.console), "by use")
    # On a Mac the agent keeps its login in the keychain, where we do not look.
    return _keychain() if platform == "darwin" else _none(environment)


def _has(environment: Mapping[str, str], name: str) -> bool:
    return bool(environment.get(name, "").strip())


def _source(name: str, environment: Mapping[str, str], files: UserFiles) -> str:
    if files.variables.get(name) == environment.get(name):
        return f"{name} in {files.settings}"
    return name


def _subscription(login: StoredLogin, source: str, now: datetime) -> DetectedLogin:
    expires_at = datetime.fromtimestamp(min(max(login.expires_at, 0.0), _LATEST), UTC)
    renewed = bool(login.refresh_token)
    ended = LoginProblem(
        f"the login in {source} has expired, and nothing in the file can renew it",
        "log in with `claude /login`; for long runs create a token with `claude setup-token` and"
        " store it with `treadle auth set claude-oauth-token`",
    )
    problem = None if renewed or expires_at > now else ended
    return DetectedLogin(
        "subscription", source, "subscription", expires_at, renewed=renewed, problem=problem
    )


def _keychain() -> DetectedLogin:
    return DetectedLogin(
        "keychain",
        "the keychain, which Treadle does not read",
        "subscription",
        problem=_NO_KEYCHAIN,
    )


_NO_KEYCHAIN = LoginProblem(
    "Treadle does not read the keychain, where Claude Code keeps its login on a Mac",
    "run `claude setup-token` and `treadle auth set claude-oauth-token`, or set ANTHROPIC_API_KEY",
)


def _none(environment: Mapping[str, str]) -> DetectedLogin:
    other = next((name for name in (*_DESCRIPTORS, *_PROFILES) if environment.get(name)), "")
    message = f"{_MISSING} that Treadle can use: {other} is for one process" if other else _MISSING
    if other in _PROFILES:
        message = f"{_MISSING} that Treadle can use: profiles ({other}) are not supported"
    return DetectedLogin("none", problem=LoginProblem(message, _HINT))


def _stored_secrets(environment: Mapping[str, str], home: Path) -> tuple[str, ...]:
    """The secrets in the user's own files, none of which may be stored or shown."""
    files = read_user_files(environment, home)
    login = files.subscription
    tokens = (login.access_token, login.refresh_token) if login else ()
    return tuple(filter(None, (files.console_key, *tokens)))


LOGIN = AgentLogin(
    credentials=(
        ModelCredential("anthropic-api-key", API_KEY, "the model, billed by use"),
        ModelCredential("claude-oauth-token", OAUTH_TOKEN, "the model, by subscription"),
    ),
    variables=(API_KEY, AUTH_TOKEN, OAUTH_TOKEN, *SWITCHES),
    find=find_login,
    settings_variables=read_settings_variables,
    stored_secrets=_stored_secrets,
)


def require_login(environment: Mapping[str, str], home: Path) -> DetectedLogin:
    login = find_login(environment, home)
    if login.problem is not None:
        raise LoginMissing(login.problem.message, hint=login.problem.remedy)
    return login
