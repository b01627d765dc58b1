"""The environment variables of Claude Code: binary, login, models and cloud providers."""

from treadle.adapters.agents.claude.subscription_file import DIRECTORY_VARIABLES
from treadle.domain.agent_kind import AgentVariables, PassedVariables

API_KEY = "ANTHROPIC_API_KEY"
AUTH_TOKEN = "ANTHROPIC_AUTH_TOKEN"  # noqa: S105  # the name of a variable
OAUTH_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105  # the name of a variable
BASE_URL = "ANTHROPIC_BASE_URL"
CUSTOM_HEADERS = "ANTHROPIC_CUSTOM_HEADERS"
CLOUDS = {
    # In the order in which the agent looks at them.
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
}
LOGINS = (API_KEY, AUTH_TOKEN, OAUTH_TOKEN)

# The region of one model; the models are those that the newest tested binary knows.
_VERTEX_REGIONS = tuple(
    f"VERTEX_REGION_CLAUDE_{model}"
    for model in (
        *("3_5_HAIKU", "3_5_SONNET", "3_7_SONNET", "4_0_OPUS", "4_0_SONNET", "4_1_OPUS"),
        *("4_5_OPUS", "4_5_SONNET", "4_6_OPUS", "4_6_SONNET", "4_7_OPUS", "4_8_OPUS"),
        *("5_OPUS", "5_SONNET", "5_5_OPUS", "5_5_SONNET"),
        *("FABLE_5", "FABLE_5_1", "FABLE_5_2", "HAIKU_4_5", "HAIKU_5_5"),
    )
)

# Not CLAUDECODE: it makes the agent assume that another one has started it.
_PASSED: tuple[PassedVariables, ...] = (
    PassedVariables(
        "the agent's client certificates",
        (
            "CLAUDE_CODE_CERT_STORE",
            "CLAUDE_CODE_CLIENT_CERT",
            "CLAUDE_CODE_CLIENT_KEY",
            "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
        ),
    ),
    PassedVariables(
        "the agent's login, and the address of its model",
        (
            API_KEY,
            AUTH_TOKEN,
            BASE_URL,
            CUSTOM_HEADERS,
            OAUTH_TOKEN,
        ),
    ),
    PassedVariables(
        "the models that `fable`, `opus`, `sonnet` and `haiku` mean",
        (
            "ANTHROPIC_DEFAULT_FABLE_MODEL",
            "ANTHROPIC_DEFAULT_OPUS_MODEL",
            "ANTHROPIC_DEFAULT_SONNET_MODEL",
            "ANTHROPIC_DEFAULT_HAIKU_MODEL",
            "ANTHROPIC_DEFAULT_MODEL",
            "ANTHROPIC_SMALL_FAST_MODEL",
        ),
    ),
    PassedVariables(
        "login for Amazon Bedrock",
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
            "ANTHROPIC_BEDROCK_REGION_PREFIX",
            "ANTHROPIC_BEDROCK_SERVICE_TIER",
            "ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION",
        ),
        only_if="CLAUDE_CODE_USE_BEDROCK",
    ),
    PassedVariables(
        "login for Google Vertex AI",
        (
            "CLAUDE_CODE_USE_VERTEX",
            "CLAUDE_CODE_SKIP_VERTEX_AUTH",
            "ANTHROPIC_VERTEX_BASE_URL",
            "ANTHROPIC_VERTEX_PROJECT_ID",
            "CLOUD_ML_REGION",
            *_VERTEX_REGIONS,
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_PROJECT",
        ),
        only_if="CLAUDE_CODE_USE_VERTEX",
    ),
    PassedVariables(
        "login for Microsoft Foundry",
        (
            "CLAUDE_CODE_USE_FOUNDRY",
            "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
            "ANTHROPIC_FOUNDRY_BASE_URL",
            "ANTHROPIC_FOUNDRY_RESOURCE",
            "ANTHROPIC_FOUNDRY_API_KEY",
            "ANTHROPIC_FOUNDRY_AUTH_TOKEN",
        ),
        only_if="CLAUDE_CODE_USE_FOUNDRY",
    ),
)

# Other facts about the user's login, which is chosen outside the sandbox.
_OF_LOGIN = (
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    "CLAUDE_CODE_USE_MANTLE",
    "AWS_CONFIG_FILE",
    "AWS_CREDENTIAL_EXPIRATION",
    "AWS_SHARED_CREDENTIALS_FILE",
)

_SECRETS = (
    API_KEY,
    AUTH_TOKEN,
    CUSTOM_HEADERS,
    "ANTHROPIC_FOUNDRY_API_KEY",
    "ANTHROPIC_FOUNDRY_AUTH_TOKEN",
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
    host=(*DIRECTORY_VARIABLES, *_OF_LOGIN),
    program="CLAUDE_BIN",
    model_address=BASE_URL,
)
