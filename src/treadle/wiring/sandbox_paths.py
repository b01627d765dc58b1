"""The paths that the settings open in the sandbox."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from treadle.adapters.agents.registry import all_kinds
from treadle.adapters.sandboxes.reserved_paths import ReservedPaths
from treadle.domain.errors import SettingsError
from treadle.settings.environment import Environment
from treadle.settings.sandbox_definitions import SandboxSettings


def sandbox_paths(
    settings: SandboxSettings, environment: Environment, project: Path
) -> tuple[list[Path], list[Path]]:
    """The readable and the writable paths; raises SettingsError for one that opens too much."""
    # Most settings have none, and then no lookup is needed.
    if not settings.readable and not settings.writable:
        return [], []
    reserved = ReservedPaths(
        home=environment.home,
        root=environment.root,
        project=project,
        search_path=_search_path(environment.path),
        real=Path.resolve,
        logins=_login_directories(environment),
    )
    readable = _parse_paths("sandbox.readable", settings.readable, reserved, is_writable=False)
    writable = _parse_paths("sandbox.writable", settings.writable, reserved, is_writable=True)
    for path in (*readable, *writable):
        _require_stable(path, writable)
    return readable, writable


def _parse_paths(
    key: str, texts: Sequence[str], reserved: ReservedPaths, *, is_writable: bool
) -> list[Path]:
    paths = []
    for text in texts:
        path = _absolute(key, text, reserved.home)
        reason = reserved.why_reserved(path, written=is_writable) or _special(path)
        if reason:
            raise SettingsError(
                f"{key} has {text}, which {reason}",
                hint="name only the directory that is needed",
            )
        paths.append(path)
    return paths


def _require_stable(path: Path, writable: Sequence[Path]) -> None:
    """Refuse a path that an agent could replace by a link, which would open any directory."""
    for parent in writable:
        if parent not in path.parents:
            continue
        if not path.exists() or path.resolve() != parent.resolve() / path.relative_to(parent):
            raise SettingsError(
                f"{path} could be replaced by a link that leads elsewhere: "
                f"sandbox.writable has {parent}",
                hint="make it a directory first, or name a path that does not lie in the other",
            )


def _absolute(key: str, text: str, home: Path) -> Path:
    is_in_home = text == "~" or text.startswith("~/")
    path = home / text[2:] if is_in_home else Path(text)
    if not path.is_absolute() or "\0" in text:
        raise SettingsError(
            f"{key} has {text}, which is not an absolute path",
            hint="write it out, or begin with ~/",
        )
    return Path(os.path.normpath(path))


def _special(path: Path) -> str:
    """Why a path is not only files: a socket connects to its listener, even if read-only."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            with os.scandir(path) as entries:
                sockets = any(Path(each.path).is_socket() for each in entries)
            return "has sockets in it" if sockets else ""
    except OSError:  # missing or unreadable, so the sandbox cannot open it
        return ""
    return "" if stat.S_ISREG(mode) else "is not a file or directory"


def _login_directories(environment: Environment) -> tuple[Path, ...]:
    """Where variables say that agents keep the user's logins."""
    named = (environment.raw.get(name, "") for kind in all_kinds() for name in kind.variables.host)
    return tuple(Path(text) for text in named if text.startswith("/"))


def _search_path(path: str) -> tuple[Path, ...]:
    return tuple(Path(entry) for entry in path.split(os.pathsep) if entry.startswith("/"))
