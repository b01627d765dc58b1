"""What a kind of forge declares about itself, in one record in `adapters/forges/<name>/kind.py`.

Types only. Records are cheap to import: their functions import what they need when they are called.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from treadle.domain.http import HttpSender

if TYPE_CHECKING:
    from treadle.domain.forge import Forge, RepositoryAddress
    from treadle.domain.tracker import Tracker


@dataclass(frozen=True, slots=True)
class ForgeCredential:
    """A name that a person can set with `treadle auth`, the variables that outrank it, its use."""

    name: str
    variables: tuple[str, ...]
    purpose: str


@dataclass(frozen=True, slots=True)
class ForgeToken:
    """A token and where it comes from; the value is a secret."""

    value: str = field(repr=False)
    # In words, for a person: `GH_TOKEN`, `treadle auth`, `gh auth token`.
    source: str


@dataclass(frozen=True, slots=True)
class TokenProgram:
    """How the forge's own command line tool is asked for the token of a host."""

    environment: Mapping[str, str] = field(repr=False)
    # Without folders of the project.
    search_path: str


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response to show again while the service says that it has not changed."""

    etag: str
    body: bytes = field(repr=False)
    # Of a list with further pages.
    link: str = ""


class EtagStore(Protocol):
    """Responses by URL, for one login. It may forget any of them at any time."""

    def read(self, url: str) -> CachedResponse | None: ...

    def write(self, url: str, response: CachedResponse) -> None: ...


@dataclass(frozen=True, slots=True)
class ForgeConnection:
    """What a forge or a tracker is made from."""

    address: "RepositoryAddress"
    token: ForgeToken
    sender: HttpSender
    etags: EtagStore
    now: Callable[[], datetime]
    user_agent: str


HostRecognition: TypeAlias = Literal["known", "unknown"]


@dataclass(frozen=True, slots=True)
class ForgeKind:
    """Nothing outside a forge's folder and the list of kinds knows its name or its modules."""

    name: str
    title: str
    credentials: tuple[ForgeCredential, ...]
    # Variables that name a host of the user's own; no secrets.
    host_variables: tuple[str, ...]
    # Whether this host is such a forge, by its name and the user's variables alone.
    recognize: Callable[[str, Mapping[str, str]], HostRecognition]
    # The host of web pages and API, for a host that only serves git.
    web_host: Callable[[str], str]
    # The credential for a host.
    credential_for: Callable[[str], ForgeCredential]
    # The token that the forge's own tool has for a host; None if it has none.
    ask_program: Callable[[TokenProgram, str], Awaitable[str | None]]
    # The command of that tool, as a person knows it.
    program_title: str
    make_forge: Callable[[ForgeConnection], "Forge"]
    make_tracker: Callable[[ForgeConnection], "Tracker"]
