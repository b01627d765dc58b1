"""The package indexes of the user's tools, and what makes the tools in a sandbox use them. Pure."""

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from treadle.adapters.packages.index_urls import is_below, is_same
from treadle.domain.package_index import IndexKind, PackageIndex

# Inside, it stands for a login that some tools ask for; the proxy replaces it.
PLACEHOLDER = "placeholder"


@dataclass(frozen=True, slots=True)
class IndexLogin:
    """A login for the addresses below one address, for one host, or for the index that the user's
    own configuration gives one name."""

    authorization: str = field(repr=False)
    kind: IndexKind
    url: str = ""
    host: str = ""
    name: str = ""

    def fits(self, index: PackageIndex) -> bool:
        return self.kind == index.kind and bool(
            (self.url and is_below(index.url, self.url))
            or (self.host and self.host == urlsplit(index.url).hostname)
        )


@dataclass(frozen=True, slots=True)
class UnsupportedIndex:
    """An index that the tools in the sandbox cannot use, and what to do about it."""

    tool: str
    url: str
    advice: str


@dataclass(frozen=True, slots=True)
class SkippedTool:
    """A tool that was not asked to the end, so its indexes are not known."""

    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProjectIndex:
    """An index that a file of the project names and the user's tools do not.

    It counts only if the user allows its host, and never gets a login: a stranger may have written
    the file.
    """

    index: PackageIndex
    # Relative to the project.
    file: str


@dataclass(frozen=True, slots=True)
class ToolSources:
    """What one tool is configured for."""

    indexes: tuple[PackageIndex, ...] = ()
    logins: tuple[IndexLogin, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    home_files: Mapping[str, str] = field(default_factory=dict)
    authorities: tuple[str, ...] = ()
    unsupported: tuple[UnsupportedIndex, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageSources:
    """What all tools of the user are configured for. No login is in `variables` or `home_files`."""

    indexes: tuple[PackageIndex, ...] = ()
    # For the tools in the sandbox.
    variables: Mapping[str, str] = field(default_factory=dict)
    # Contents by path below the private home.
    home_files: Mapping[str, str] = field(default_factory=dict)
    # Certificate files that the tools trust besides the system's.
    authorities: tuple[str, ...] = ()
    # Files that hold a login: no sandbox may show them.
    login_files: tuple[str, ...] = ()
    project_indexes: tuple[ProjectIndex, ...] = ()
    unsupported: tuple[UnsupportedIndex, ...] = ()
    skipped: tuple[SkippedTool, ...] = ()


def combine_sources(
    tools: Sequence[ToolSources],
    named: Sequence[ProjectIndex],
    *,
    logins: Sequence[IndexLogin],
    skipped: Sequence[SkippedTool],
    project_logins: Sequence[IndexLogin] = (),
) -> PackageSources:
    """Everything that the tools are configured for. `named` are all indexes of the project's files;
    those that are an index of the user need no permission. `project_logins` count for an index of
    the user that has no other."""
    indexes = [index for tool in tools for index in tool.indexes]
    known = [
        *(login for tool in tools for login in tool.logins),
        # The login in one address is also for what another tool reads below it.
        *(
            IndexLogin(index.authorization, index.kind, url=index.url)
            for index in indexes
            if index.authorization
        ),
        *logins,
    ]
    own, foreign = _split_named(named, indexes)
    offered = [
        login for login in project_logins if any(is_same(each.url, login.url) for each in indexes)
    ]
    return PackageSources(
        indexes=_unique(
            [
                _with_login(_with_login(index, known), offered)
                for index in (*indexes, *(each.index for each in own))
            ]
        ),
        variables=_merge(tool.variables for tool in tools),
        home_files=_merge(tool.home_files for tool in tools),
        authorities=tuple(dict.fromkeys(path for tool in tools for path in tool.authorities)),
        project_indexes=tuple(dict.fromkeys(foreign)),
        unsupported=tuple(dict.fromkeys(each for tool in tools for each in tool.unsupported)),
        skipped=tuple(dict.fromkeys(skipped)),
    )


def _split_named(
    named: Sequence[ProjectIndex], indexes: Sequence[PackageIndex]
) -> tuple[list[ProjectIndex], list[ProjectIndex]]:
    own: list[ProjectIndex] = []
    foreign: list[ProjectIndex] = []
    for each in named:
        covered = any(
            index.kind == each.index.kind and is_same(each.index.url, index.url)
            for index in indexes
        )
        (own if covered else foreign).append(each)
    return own, foreign


def _with_login(index: PackageIndex, logins: Sequence[IndexLogin]) -> PackageIndex:
    """The login of the longest address wins, as in npm."""
    fitting = [login for login in logins if login.fits(index)]
    if index.authorization or not fitting:
        return index
    best = max(fitting, key=lambda login: len(login.url))
    return replace(index, authorization=best.authorization)


def _unique(indexes: Iterable[PackageIndex]) -> tuple[PackageIndex, ...]:
    """One index for each kind and address, with its login if any tool knows one."""
    unique: dict[tuple[str, str], PackageIndex] = {}
    for index in indexes:
        key = (index.kind, index.url)
        if key not in unique or (index.authorization and not unique[key].authorization):
            unique[key] = index
    return tuple(unique.values())


def _merge(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    merged: dict[str, str] = {}
    for part in parts:
        merged |= part
    return merged


def find_login_files(
    contents: Mapping[Path, str], indexes: Sequence[PackageIndex]
) -> tuple[str, ...]:
    """The files that hold a login of an index, as it is or encoded."""
    secrets = {
        text
        for index in indexes
        if index.authorization
        for text in login_secrets(index.authorization)
    }
    return tuple(
        str(path) for path, content in contents.items() if any(text in content for text in secrets)
    )


def login_secrets(authorization: str) -> set[str]:
    """The texts of a login that nobody may see, as they are and encoded."""
    scheme, _, value = authorization.rpartition(" ")
    if scheme != "Basic":
        return {value}
    try:
        username, _, password = b64decode(value).decode().partition(":")
    except ValueError:
        return {value}
    secret = password or username
    return {value, secret, quote(secret, safe=""), b64encode(secret.encode()).decode()}
