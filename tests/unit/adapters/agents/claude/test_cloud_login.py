"""Which logins to a cloud work in a sandbox, and what is said of the others."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.login import find_login
from treadle.domain.detected_login import DetectedLogin

BEDROCK = {"CLAUDE_CODE_USE_BEDROCK": "1"}
VERTEX = {"CLAUDE_CODE_USE_VERTEX": "1"}
FOUNDRY = {"CLAUDE_CODE_USE_FOUNDRY": "true"}
KEYS = {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}


@pytest.mark.parametrize(
    ("variables", "source"),
    [
        ({**BEDROCK, **KEYS}, "Amazon Bedrock by AWS_ACCESS_KEY_ID"),
        (
            {**BEDROCK, "AWS_BEARER_TOKEN_BEDROCK": "t", "AWS_PROFILE": "p"},
            "Amazon Bedrock by AWS_BEARER_TOKEN_BEDROCK",
        ),
        (
            {**BEDROCK, "CLAUDE_CODE_SKIP_BEDROCK_AUTH": "1"},
            "Amazon Bedrock by CLAUDE_CODE_SKIP_BEDROCK_AUTH",
        ),
        (
            {**VERTEX, "CLAUDE_CODE_SKIP_VERTEX_AUTH": "1"},
            "Google Vertex AI by CLAUDE_CODE_SKIP_VERTEX_AUTH",
        ),
        (
            {**FOUNDRY, "ANTHROPIC_FOUNDRY_API_KEY": "k"},
            "Microsoft Foundry by ANTHROPIC_FOUNDRY_API_KEY",
        ),
        (
            {**FOUNDRY, **VERTEX, "ANTHROPIC_FOUNDRY_AUTH_TOKEN": "k"},
            "Microsoft Foundry by ANTHROPIC_FOUNDRY_AUTH_TOKEN",
        ),
    ],
)
def test_keys_in_the_environment_work(
    variables: dict[str, str], source: str, tmp_path: Path
) -> None:
    assert find_login(variables, tmp_path) == DetectedLogin("cloud provider", source, "cloud")


@pytest.mark.parametrize(
    ("variables", "words", "remedy"),
    [
        (BEDROCK, "has no keys in the environment", "AWS_BEARER_TOKEN_BEDROCK"),
        ({**BEDROCK, "AWS_PROFILE": "sso"}, "logs in by AWS_PROFILE", "export-credentials"),
        ({**BEDROCK, **KEYS, "AWS_PROFILE": "sso"}, "logs in by AWS_PROFILE", "unset AWS_PROFILE"),
        ({**BEDROCK, **KEYS, "AWS_CONFIG_FILE": "/c"}, "logs in by AWS_CONFIG_FILE", "unset"),
        (VERTEX, "application default credentials", "key file of a service account"),
        (
            {**VERTEX, "GOOGLE_APPLICATION_CREDENTIALS": "/missing"},
            "is not the key of a service account",
            "key file of a service account",
        ),
        (FOUNDRY, "Microsoft Entra ID", "ANTHROPIC_FOUNDRY_API_KEY"),
        (
            {"CLAUDE_CODE_USE_MANTLE": "1"},
            "does not support CLAUDE_CODE_USE_MANTLE",
            "unset CLAUDE_CODE_USE_MANTLE",
        ),
    ],
)
def test_what_needs_files_or_a_person_is_named_with_what_to_do(
    variables: dict[str, str], words: str, remedy: str, tmp_path: Path
) -> None:
    found = find_login(variables, tmp_path)

    assert (found.kind, found.problem is not None) == ("cloud provider", True)
    assert found.problem is not None
    assert (words in found.problem.message, remedy in found.problem.remedy) == (True, True)


@pytest.mark.parametrize(("kind", "works"), [("service_account", True), ("authorized_user", False)])
def test_a_key_file_of_a_service_account_works(kind: str, works: bool, tmp_path: Path) -> None:
    file = tmp_path / "key.json"
    file.write_text(json.dumps({"type": kind}))

    found = find_login({**VERTEX, "GOOGLE_APPLICATION_CREDENTIALS": str(file)}, tmp_path)

    assert (found.problem is None) is works


def test_temporary_keys_say_when_they_expire_or_that_nobody_knows(tmp_path: Path) -> None:
    temporary = {**BEDROCK, **KEYS, "AWS_SESSION_TOKEN": "t"}
    dated = {**temporary, "AWS_CREDENTIAL_EXPIRATION": "2026-11-19T01:02:03+00:00"}

    assert find_login(dated, tmp_path).expires_at == datetime(2026, 11, 19, 1, 2, 3, tzinfo=UTC)
    assert "temporary" in find_login(temporary, tmp_path).note
