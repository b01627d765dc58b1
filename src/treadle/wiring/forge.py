"""Finds the forge of a project by its remote, and the token for it; makes forge and tracker."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

from treadle._version import __version__
from treadle.adapters.forges.forge_kinds import KINDS, MemoryEtags, find_forge_kind
from treadle.adapters.http_client import HttpClient
from treadle.adapters.stores.private_files import CredentialFiles
from treadle.domain.forge import Forge, RepositoryAddress
from treadle.domain.forge_kind import (
    EtagStore,
    ForgeConnection,
    ForgeKind,
    ForgeToken,
    TokenProgram,
)
from treadle.domain.http import HttpSender
from treadle.domain.remote_address import RemoteAddress
from treadle.domain.tracker import Tracker
from treadle.gateway.indexes.certificates import authority_files
from treadle.gateway.proxy_variables import proxy_for
from treadle.settings.environment import Environment
from treadle.workspace.git import Git
from treadle.workspace.project import Project
from treadle.workspace.push import PushRemote, TokenPush, find_push_remote
from treadle.workspace.search_path import path_outside

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class ForgeSite:
    """The project's repository on a forge, and the token for it; None: there is none."""

    address: RepositoryAddress
    remote: PushRemote
    token: ForgeToken | None
    kind: ForgeKind = field(repr=False, compare=False)

    @property
    def push_target(self) -> PushRemote | TokenPush:
        """With the token, or with the user's own login for git."""
        if self.token is None:
            return self.remote
        return TokenPush(f"{self.address.url}.git", self.token.value)


@dataclass(frozen=True, slots=True)
class PlainRemote:
    """A remote that is on no forge Treadle knows: a branch can be pushed there, no more."""

    remote: PushRemote


@dataclass(frozen=True, slots=True)
class NoRemote:
    """The project has no remote, or several of which none is `origin`."""

    type: Literal["no_remote"] = "no_remote"


ForgeChoice: TypeAlias = ForgeSite | PlainRemote | NoRemote


async def find_forge(project: Project, environment: Environment) -> ForgeChoice:
    """Where the project's branches are pushed to."""
    return await choose_forge(project.git, project.root, environment)


async def choose_forge(git: Git, root: Path, environment: Environment) -> ForgeChoice:
    """The same for a git in the project at `root`."""
    remote = await find_push_remote(git)
    if remote is None:
        return NoRemote()
    address = remote.address
    if address is None or address.owner_and_name is None or not _is_private_enough(address):
        return PlainRemote(remote)
    owner, name = address.owner_and_name
    program = TokenProgram(environment.raw, path_outside(environment.path, root))
    for kind in KINDS:
        host = kind.web_host(address.web_host)
        recognized = kind.recognize(host, environment.raw) == "known"
        # A server of the user's own may be known to the forge's tool alone.
        token = await kind.ask_program(program, host) if not recognized else None
        if recognized or token is not None:
            found = await _find_token(kind, host, environment, program, token)
            scheme: Literal["https", "http"] = "http" if address.scheme == "http" else "https"
            repository = RepositoryAddress(kind.name, host, owner, name, scheme)
            return ForgeSite(repository, remote, found, kind)
    return PlainRemote(remote)


async def _find_token(
    kind: ForgeKind,
    host: str,
    environment: Environment,
    program: TokenProgram,
    known: str | None,
) -> ForgeToken | None:
    """In the order of gh: a variable, what is stored, the tool's own."""
    credential = kind.credential_for(host)
    for name in credential.variables:
        if value := environment.raw.get(name, "").strip():
            return ForgeToken(value, name)
    if stored := CredentialFiles(environment.root).read(credential.name):
        return ForgeToken(stored, f"treadle auth ({credential.name})")
    own = known or await kind.ask_program(program, host)
    return ForgeToken(own, kind.program_title) if own else None


def describe_forge(choice: ForgeChoice) -> tuple[str, str]:
    """Where branches go and with which login, for a person; and what would help, if anything."""
    match choice:
        case NoRemote():
            return "no git remote: branches stay here", ""
        case PlainRemote(remote):
            return f"plain git remote {remote.name}: branches are pushed, no pull requests", ""
        case ForgeSite(address=address, token=token, kind=kind):
            place = f"{kind.title}, {address.host}/{address.path}"
            if token is not None:
                return f"{place}, token from {token.source}", ""
            names = kind.credential_for(address.host)
            fix = f"run `treadle auth set {names.name}`, or set {names.variables[0]}"
            return f"{place}, without a token: no pull requests", fix
        case _:
            assert_never(choice)


def _is_private_enough(address: RemoteAddress) -> bool:
    """Whether a token may be sent there: never without encryption, but to this machine."""
    return address.scheme != "http" or address.host in _LOOPBACK


def http_client(environment: Environment) -> HttpClient:
    """The client for services of this user: with their proxy and the certificates they trust."""
    return HttpClient(
        proxy_for=lambda url: proxy_for(url, environment.raw),
        authorities=authority_files(environment.raw),
    )


def forge_connection(
    site: ForgeSite,
    token: ForgeToken,
    sender: HttpSender,
    now: Callable[[], datetime],
    etags: EtagStore | None = None,
) -> ForgeConnection:
    """The sender may be behind a breaker, see `HttpBreaker`."""
    return ForgeConnection(
        site.address, token, sender, etags or MemoryEtags(), now, f"treadle/{__version__}"
    )


def connect_forge(connection: ForgeConnection) -> Forge:
    return find_forge_kind(connection.address.forge).make_forge(connection)


def connect_tracker(connection: ForgeConnection) -> Tracker:
    return find_forge_kind(connection.address.forge).make_tracker(connection)
