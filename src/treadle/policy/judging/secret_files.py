"""Names of files and variables that hold secrets. Rules are data."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import pairwise

from treadle.policy.judging.braces import expand_braces

_HARMLESS = ("example", "sample", "template", "dist", "defaults", "schema")

_NAMES = re.compile(
    r"\.env(?:[._~-].*)?|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.pgpass"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:pem|key|p12|pfx|jks|keystore|ovpn)"
    r"|\.?credentials(?:\.json|\.ya?ml|\.toml)?|\.?secrets?(?:\.json|\.ya?ml|\.toml|\.env)"
    r"|service[-_]?account.*\.json|.+\.env|.+\.tfvars|.+\.tfstate(?:\.backup)?",
    re.IGNORECASE,
)
FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud"})

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
SECRET_NAMES = (
    *SAMPLES,
    *_FURTHER,
    *(".env.staging", ".env.secret", ".env.prod", ".env.dev", ".env.ci", ".env.backup", ".env~"),
    *("credentials", "secrets.yaml", "secret.toml", "id_ecdsa", "id_dsa", "prod.env", "app.p12"),
    *("app.pfx", "app.jks", "app.keystore", "app.ovpn", "prod.tfvars", "terraform.tfstate"),
    "service-account.json",
)
_ORDINARY = (
    *("a", "README.md", "Makefile", "main.py", "index.ts", "app.jsx", "main.kt", "package.json"),
    *("settings.yaml", "pyproject.toml", "index.html", "main.css", "main.go", "main.rs", "a.sql"),
    *("server.js", "server.ts", "service.py", "services.ts", "app.py", "prod.py", "prod.yml"),
    *("service.json", "app.test.ts", "terraform.tf", "production.py", ".env.example"),
)
_FEWEST_LETTERS = 3
_CLASS = re.compile(r"\[\^?!?(?:\[[:.=][^\]]*[:.=]\])+[^\]]*\]")
_SIGN = re.compile(r"\[[^\]]*\]|[*?]")
_PATTERN = re.compile(r"[*?\[{]")

_VARIABLES = re.compile(
    r"(?:^|_)(?:API_?KEY|APIKEY|KEY|SECRETS?|TOKENS?|PASSWORD|PASSWD|PASSPHRASE|PWD_?HASH"
    r"|CREDENTIALS?|AUTH|PAT|DSN|COOKIE)(?:_|$)",
    re.IGNORECASE,
)


def holds_secrets(parts: tuple[str, ...]) -> bool:
    """Whether a path, given by its steps, looks like a secret file."""
    if not parts:
        return False
    folded = [part.casefold() for part in parts]
    if not FOLDERS.isdisjoint(folded) or (".config", "gh") in pairwise(folded):
        return True
    name = parts[-1]
    if not _NAMES.fullmatch(name):
        return False
    words = re.split(r"[._-]", name.casefold())
    return not any(word in _HARMLESS for word in words)


def selects_secrets(pattern: str) -> bool:
    """Whether a pattern, which may match names with a dot as well, is made for files of secrets.

    With `!` before it, it leaves files out.
    """
    if pattern.startswith("!"):
        return False
    if not _PATTERN.search(pattern) and "\\" not in pattern:
        return holds_secrets(tuple(pattern.split("/")))
    texts = expand_braces(simplify_pattern(pattern).casefold())
    return texts is None or any(map(_is_for_secrets, texts))


def _is_for_secrets(text: str) -> bool:
    parts = tuple(text.rstrip("/").split("/"))
    if holds_secrets(parts):
        return True
    if any(step[:1] not in "*?" and matches_any(step, FOLDERS) for step in parts):
        return True
    return matches_any(parts[-1], (*SAMPLES, *_FURTHER)) and not matches_any(
        parts[-1], _ORDINARY[:-1]
    )


def simplify_pattern(pattern: str) -> str:
    """The same pattern or a wider one, with the signs alone that are looked at here."""
    pattern = _CLASS.sub("?", pattern)
    return re.sub(r"\\(.)", r"\1", pattern).replace("[^", "[!")


def matches_any(pattern: str, listed: Iterable[str]) -> bool:
    wanted = simplify_pattern(pattern).casefold()
    return any(fnmatchcase(name.casefold(), wanted) for name in listed)


def is_specific_to(step: str, name: str) -> bool:
    """Whether one step of a pattern is more for such a name than for all files."""
    letters = len(_SIGN.sub("", step))
    enough = letters >= _FEWEST_LETTERS or (name[0] == "." and step[0] == ".")
    return enough and not matches_any(step, _ORDINARY)


def is_secret_variable(name: str) -> bool:
    return _VARIABLES.search(name) is not None
