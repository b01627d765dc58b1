"""Which files hold secrets, by name, and which variables. Rules are data."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from treadle.policy.judging.braces import spelled_out

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

# Names that the tools of a project choose files by; a pattern for one of them is for many files.
_FURTHER = ("id_rsa", "id_ed25519", "server.pem", "server.key", "secrets.json", "credentials.json")
_ORDINARY = (
    *("a", "README.md", "Makefile", "main.py", "index.ts", "app.jsx", "main.kt", "package.json"),
    *("settings.yaml", "pyproject.toml", "index.html", "main.css", "main.go", "main.rs", "a.sql"),
)
_PATTERN = re.compile(r"[*?\[{]")

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


def chooses_secrets(pattern: str) -> bool:
    """Whether a pattern, which may match names with a dot as well, is made for files of secrets.

    With `!` before it, it leaves files out.
    """
    if pattern.startswith("!"):
        return False
    if not _PATTERN.search(pattern):
        return holds_secrets(tuple(pattern.split("/")))
    texts = spelled_out(pattern.casefold())
    return texts is None or any(map(_is_for_secrets, texts))


def _is_for_secrets(text: str) -> bool:
    parts = tuple(text.rstrip("/").split("/"))
    if holds_secrets(parts):
        return True
    if any(step[:1] not in "*?" and _fits(step, _FOLDERS) for step in parts):
        return True
    return _fits(parts[-1], (*SAMPLES, *_FURTHER)) and not _fits(parts[-1], _ORDINARY)


def _fits(pattern: str, listed: Iterable[str]) -> bool:
    return any(fnmatchcase(name.casefold(), pattern) for name in listed)


def is_secret_variable(name: str) -> bool:
    return _VARIABLES.search(name) is not None
