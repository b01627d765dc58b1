"""Which files hold secrets, by name, and which variables. Rules are data."""

import re

_HARMLESS = ("example", "sample", "template", "dist", "defaults", "schema")

_NAMES = re.compile(
    r"\.env(?:\..+)?|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.pgpass"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|jks|keystore|ovpn)"
    r"|\.?credentials(?:\.json|\.ya?ml|\.toml)?|\.?secrets?(?:\.json|\.ya?ml|\.toml|\.env)"
    r"|service[-_]?account.*\.json|.+\.env|.+\.tfvars|.+\.tfstate(?:\.backup)?",
    re.IGNORECASE,
)
_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud"})

# One of each common name, to see what a pattern would match.
SAMPLES = (
    ".env",
    ".env.local",
    ".env.production",
    ".env.development",
    ".env.test",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".htpasswd",
    ".credentials.json",
)

_VARIABLES = re.compile(
    r"(?:^|_)(?:API_?KEY|APIKEY|KEY|SECRETS?|TOKENS?|PASSWORD|PASSWD|PASSPHRASE|PWD_?HASH"
    r"|CREDENTIALS?|AUTH|PAT|DSN|COOKIE)(?:_|$)",
    re.IGNORECASE,
)


def holds_secrets(parts: tuple[str, ...]) -> bool:
    """Whether a path, given by its steps, is named like a file of secrets."""
    if not parts:
        return False
    if any(part.casefold() in _FOLDERS for part in parts):
        return True
    name = parts[-1]
    if not _NAMES.fullmatch(name):
        return False
    words = re.split(r"[._-]", name.casefold())
    return not any(word in _HARMLESS for word in words)


def is_secret_variable(name: str) -> bool:
    return _VARIABLES.search(name) is not None
