"""Decides whether a login to a cloud provider works in a sandbox without a person. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime

from treadle.adapters.agents.claude.user_files import GOOGLE_KEY_FILE, UserFiles
from treadle.adapters.agents.claude.variables import CLOUDS
from treadle.domain.detected_login import DetectedLogin, LoginProblem

ON = frozenset({"1", "true", "yes", "on"})
# In the order in which Claude Code looks at them.
SWITCHES = (
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_USE_MANTLE",
    "CLAUDE_CODE_USE_VERTEX",
)
_AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
# Each makes the vendor's library look for keys in files, which no sandbox shows.
_AWS_FILES = ("AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
_AWS_EXPIRY = "AWS_CREDENTIAL_EXPIRATION"
_AWS_REMEDY = (
    "set AWS_BEARER_TOKEN_BEDROCK, a Bedrock API key, which lasts; or export keys with `eval"
    ' "$(aws configure export-credentials --format env)"` and unset AWS_PROFILE, AWS_CONFIG_FILE'
    " and AWS_SHARED_CREDENTIALS_FILE"
)
_VERTEX_REMEDY = (
    "name the key file of a service account in GOOGLE_APPLICATION_CREDENTIALS, outside ~/.config,"
    " and list its path in sandbox.readable of treadle.toml"
)
_FOUNDRY_REMEDY = "set ANTHROPIC_FOUNDRY_API_KEY, the key of the resource"


def is_on(value: str | None) -> bool:
    """Whether Claude Code takes the value of a switch for yes."""
    return (value or "").strip().lower() in ON


def find_cloud(environment: Mapping[str, str], files: UserFiles) -> DetectedLogin | None:
    """The login to the cloud that is switched on; None if none is."""
    switch = next((name for name in SWITCHES if is_on(environment.get(name))), None)
    match switch:
        case None:
            return None
        case "CLAUDE_CODE_USE_BEDROCK":
            return _bedrock(environment)
        case "CLAUDE_CODE_USE_VERTEX":
            return _vertex(environment, files)
        case "CLAUDE_CODE_USE_FOUNDRY":
            return _foundry(environment)
        case unknown:
            return DetectedLogin(
                "cloud provider",
                unknown,
                "cloud",
                problem=LoginProblem(
                    f"Treadle does not support {unknown}",
                    f"unset {unknown}, and use an API key, `claude setup-token`, Amazon Bedrock,"
                    " Google Vertex AI or Microsoft Foundry",
                ),
            )


def _bedrock(environment: Mapping[str, str]) -> DetectedLogin:
    switch = "CLAUDE_CODE_USE_BEDROCK"
    if environment.get("AWS_BEARER_TOKEN_BEDROCK"):
        return _cloud(switch, "AWS_BEARER_TOKEN_BEDROCK")
    if is_on(environment.get("CLAUDE_CODE_SKIP_BEDROCK_AUTH")):
        return _cloud(switch, "CLAUDE_CODE_SKIP_BEDROCK_AUTH")
    by_file = next((name for name in _AWS_FILES if environment.get(name)), "")
    if by_file:
        return _refused(switch, f"logs in by {by_file}, which the sandbox cannot read", _AWS_REMEDY)
    if not all(environment.get(name) for name in _AWS_KEYS):
        return _refused(
            switch,
            "has no keys in the environment, and the sandbox cannot read your files",
            _AWS_REMEDY,
        )
    expiry = _timestamp(environment.get(_AWS_EXPIRY, ""))
    if environment.get("AWS_SESSION_TOKEN") and expiry is None:
        note = "AWS_SESSION_TOKEN makes these keys temporary, with unknown expiry"
        return _cloud(switch, "AWS_ACCESS_KEY_ID", note=note)
    return _cloud(switch, "AWS_ACCESS_KEY_ID", expires_at=expiry)


def _vertex(environment: Mapping[str, str], files: UserFiles) -> DetectedLogin:
    switch = "CLAUDE_CODE_USE_VERTEX"
    if is_on(environment.get("CLAUDE_CODE_SKIP_VERTEX_AUTH")):
        return _cloud(switch, "CLAUDE_CODE_SKIP_VERTEX_AUTH")
    if files.google_key_type == "service_account":
        return _cloud(switch, GOOGLE_KEY_FILE)
    if environment.get(GOOGLE_KEY_FILE):
        return _refused(
            switch, f"{GOOGLE_KEY_FILE} is not the key of a service account", _VERTEX_REMEDY
        )
    return _refused(
        switch,
        "logs in by application default credentials, which the sandbox cannot read",
        _VERTEX_REMEDY,
    )


def _foundry(environment: Mapping[str, str]) -> DetectedLogin:
    switch = "CLAUDE_CODE_USE_FOUNDRY"
    for name in ("ANTHROPIC_FOUNDRY_API_KEY", "ANTHROPIC_FOUNDRY_AUTH_TOKEN"):
        if environment.get(name):
            return _cloud(switch, name)
    if is_on(environment.get("CLAUDE_CODE_SKIP_FOUNDRY_AUTH")):
        return _cloud(switch, "CLAUDE_CODE_SKIP_FOUNDRY_AUTH")
    return _refused(
        switch, "logs in by Microsoft Entra ID, which the sandbox cannot reach", _FOUNDRY_REMEDY
    )


def _cloud(
    switch: str, variable: str, *, expires_at: datetime | None = None, note: str = ""
) -> DetectedLogin:
    source = f"{CLOUDS[switch]} by {variable}"
    return DetectedLogin("cloud provider", source, "cloud", expires_at, note=note)


def _refused(switch: str, why: str, remedy: str) -> DetectedLogin:
    cloud = CLOUDS[switch]
    message = f"{cloud} ({switch}): {why}"
    return DetectedLogin("cloud provider", cloud, "cloud", problem=LoginProblem(message, remedy))


def _timestamp(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
