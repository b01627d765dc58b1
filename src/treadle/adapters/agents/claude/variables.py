"""The environment variables of Claude Code: binary, login, models and cloud providers."""

from treadle.adapters.agents.claude.subscription_file import DIRECTORY_VARIABLES
from treadle.domain.agent_kind import AgentVariables, PassedVariables

API_KEY = "ANTHROPIC_API_KEY"
AUTH_TOKEN = "ANTHROPIC_AUTH_TOKEN"  # noqa: S105  # the name of a variable
OAUTH_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105  # the name of a variable
BASE_URL = "ANTHROPIC_BASE_URL"
CUSTOM_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"
CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
LOGINS = (API_KEY, AUTH_TOKEN, OAUTH_TOKEN)

# Not CLAUDECODE: it makes the agent assume that another one has started it.
_PASSED: tuple[PassedVariables, ...] = (
    PassedVariables(
        "the agent's own certificates towards a gateway",
        (
            "CLAUDE_CODE_CERT_STORE",
            "CLAUDE_CODE_CLIENT_CERT",
            "CLAUDE_CODE_CLIENT_KEY",
            "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
        ),
    ),
    PassedVariables(
        "the agent's own login and the address of its model",
        (
            API_KEY,
            AUTH_TOKEN,
            BASE_URL,
            CUSTOM_HEADERS,
            OAUTH_TOKEN,
        ),
    ),
    PassedVariables(
        "which model the words opus, sonnet and haiku stand for",
        (
            "ANTHROPIC_DEFAULT_OPUS_MODEL",
            "ANTHROPIC_DEFAULT_SONNET_MODEL",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL",
        ),
    ),
    PassedVariables(
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
    PassedVariables(
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
    PassedVariables(
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

_SECRETS = (
    API_KEY,
    AUTH_TOKEN,
    CUSTOM_HEADERS,
    "ANTHROPIC_FOUNDRY_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    OAUTH_TOKEN,
)

VARIABLES = AgentVariables(
    passed=_PASSED,
    secrets=_SECRETS,
    host=DIRECTORY_VARIABLES,
    program="CLAUDE_BIN",
    model_address=BASE_URL,
)
