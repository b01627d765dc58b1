"""Finds the environment variables whose names say that they hold a secret. Pure."""

import re
from collections.abc import Iterable, Mapping

_SECRET = re.compile(
    r"(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|APIKEY"
    r"|(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|MASTER|DEPLOY|AUTH|SERVICE)_KEY)S?(?:_|$)",
    re.IGNORECASE,
)
# Where a secret is kept is none.
_PLACE = re.compile(
    r"_(?:FILE|PATH|DIR|DIRECTORY|SOCK|SOCKET|URL|URI|HOST|NAME|ID|TTL|TYPE)$", re.IGNORECASE
)
_LEAST = 8
_LEAST_PLAIN = 16


def secret_values(variables: Mapping[str, str], *, places: Iterable[str]) -> list[str]:
    """The values of variables whose names say that they open something.

    Not what is part of one of `places`: hidden there, a path would lead nowhere.
    """
    known = tuple(places)
    return [
        value
        for name, value in variables.items()
        if _SECRET.search(name)
        and not _PLACE.search(name)
        and _could_be_secret(value)
        and not any(value in place for place in known)
    ]


def _could_be_secret(value: str) -> bool:
    """An ordinary word in such a variable would be hidden wherever it is meant as a word."""
    if len(value) >= _LEAST_PLAIN:
        return not value.startswith(("/", "~/"))
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) >= _LEAST and mixed
