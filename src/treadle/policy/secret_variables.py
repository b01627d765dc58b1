"""Finds the environment variables whose names say that they hold a secret. Pure."""

import re
from collections.abc import Iterable, Mapping

from treadle.policy.secret_search import looks_random

_SECRET = re.compile(
    r"(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|APIKEY"
    r"|(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|MASTER|DEPLOY|AUTH|SERVICE)_KEY)S?(?:_|$)",
    re.IGNORECASE,
)
# The location of a secret is not a secret.
_LOCATION = re.compile(
    r"_(?:FILE|PATH|DIR|DIRECTORY|SOCK|SOCKET|URL|URI|HOST|NAME|ID|TTL|TYPE)$", re.IGNORECASE
)
# NAME=value, name: "value" and the like, as in dotenv, JSON, YAML, TOML and INI files. Only whole
# words are names: a long one would be tried from each of its letters.
_ASSIGNMENT = re.compile(
    r"""(?<![\w.-])(?P<name>[\w.-]+)["']?[ \t]*[:=][ \t]*"""
    r"""(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<bare>[^\s"'{\[][^\n]*))"""
)
_WORD_START = re.compile(r"[-.]|(?<=[a-z0-9])(?=[A-Z])")
_PASSWORD_IN_ADDRESS = re.compile(r"://[^\s/:@]*:(?P<password>[^\s/@]+)@")
_LOGIN_IN_ADDRESS = re.compile(r"://[^\s/]+@")
_LEAST = 8
_LEAST_PLAIN = 16


def secret_values(variables: Mapping[str, str], *, paths: Iterable[str]) -> list[str]:
    """The values of variables whose names indicate a secret.

    A value that is part of one of `paths` is excluded, because hiding it would break the path.
    """
    known_paths = tuple(paths)
    return [
        value
        for name, value in variables.items()
        if _SECRET.search(name)
        and not _LOCATION.search(name)
        and _could_be_secret(value)
        and not any(value in path for path in known_paths)
    ]


def may_hold_secret(name: str, value: str) -> bool:
    """Whether the name indicates a secret, or the value is an address with a login in it."""
    return bool(
        "AUTH" in name.upper()
        or (_SECRET.search(name) and not _LOCATION.search(name))
        or _LOGIN_IN_ADDRESS.search(value)
    )


def assigned_secrets(text: str) -> list[str]:
    """The values in a file of settings whose names or forms indicate a secret."""
    assigned = [(_variable(match["name"]), _value(match)) for match in _ASSIGNMENT.finditer(text)]
    values = [
        value
        for name, value in assigned
        if secret_values({name: value}, paths=()) or looks_random(value)
    ]
    passwords = [match["password"] for match in _PASSWORD_IN_ADDRESS.finditer(text)]
    return list(dict.fromkeys([*values, *passwords]))


def _variable(name: str) -> str:
    """The name as a variable's: `db.apiKey` as `db_api_Key`."""
    return _WORD_START.sub("_", name)


def _value(match: re.Match[str]) -> str:
    bare: str | None = match["bare"]
    if bare is None:
        return match["double"] or match["single"] or ""
    return bare.partition(" #")[0].rstrip(" \t\r,;}")


def _could_be_secret(value: str) -> bool:
    """Whether a value is not an ordinary word, which would be hidden in every text."""
    if len(value) >= _LEAST_PLAIN:
        return not value.startswith(("/", "~/"))
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) >= _LEAST and mixed
