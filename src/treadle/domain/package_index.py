"""A package index that the user's own tools are configured for."""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

# What an index speaks; `files` is a host of package files that an index links to.
IndexKind = Literal["python", "node", "rust", "go", "ruby", "files"]

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class PackageIndex:
    """The address of an index, and the login that stays outside the sandbox."""

    kind: IndexKind
    # Without a login.
    url: str
    # The `Authorization` header that the user's tool would send.
    authorization: str | None = field(default=None, repr=False)
    # Found in a page of an index, not in the user's configuration.
    linked: bool = False

    @property
    def host(self) -> str:
        """Host and port, in the form of the filtering proxy."""
        parts = urlsplit(self.url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{name}:{parts.port or _PORTS[parts.scheme]}"
