"""Credentials that open nothing, put together here so that no file holds one as it would look."""

from string import ascii_letters, digits


def random_letters(length: int) -> str:
    """Always the same, and like nothing that a person would write."""
    letters, state, found = ascii_letters + digits, 7, []
    for _ in range(length):
        state = (state * 1103515245 + 12345) % 2**31
        found.append(letters[(state >> 8) % len(letters)])
    return "".join(found)


ANTHROPIC = "sk-ant-" + "api03-" + random_letters(80)
GITHUB = "ghp_" + random_letters(36)
AWS = "AKIA" + random_letters(60).upper()[-16:]
JWT = ".".join(("eyJ" + random_letters(20), "eyJ" + random_letters(40), random_letters(43)))
PEM_TEXT = "\n".join(random_letters(64) for _ in range(5))
PEM = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{PEM_TEXT}\n-----END RSA {'PRIVATE'} KEY-----"
PASSWORD = random_letters(20) + "9x1"

BY_FORM: dict[str, str] = {
    "an Anthropic key": ANTHROPIC,
    "an OpenAI key": "sk-" + "proj-" + random_letters(60),
    "a GitHub token": GITHUB,
    "a GitLab token": "glpat-" + random_letters(20),
    "an npm token": "npm_" + random_letters(36),
    "a PyPI token": "pypi-" + random_letters(60),
    "a Slack token": "xoxb-" + "123987456-" + random_letters(24),
    "a Slack webhook": "hooks.slack.com/services/T" + random_letters(30),
    "an AWS access key": AWS,
    "a Google API key": "AIza" + random_letters(35),
    "a Google token": "ya29." + random_letters(60),
    "a Stripe key": "sk_live_" + random_letters(24),
    "a Linear key": "lin_api_" + random_letters(40),
    "a Hugging Face token": "hf_" + random_letters(34),
    "a DigitalOcean token": "dop_v1_" + random_letters(64).encode().hex()[:64],
    "a SendGrid key": "SG." + random_letters(22) + "." + random_letters(43),
    "a JSON web token": JWT,
}
