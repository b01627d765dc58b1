"""The paths that the settings open in the sandbox."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from treadle.adapters.sandboxes.reserved_paths import ReservedPaths
from treadle.domain.errors import SettingsError
from treadle.settings.definitions import SandboxSettings
from treadle.settings.environment import Environment


def sandbox_paths(
    settings: SandboxSettings, environment: Environment, project: Path
) -> tuple[list[Path], list[Path]]:
    """What may be read, and what may be written; one that would open too much is an error."""
    # Most people ask for nothing, and then nothing has to be known.
    if not settings.readable and not settings.writable:
        return [], []
    machine = ReservedPaths(
        home=environment.home,
        root=environment.root,
        project=project,
        search_path=_search_path(environment.path),
        real=Path.resolve,
    )
    readable = _checked("sandbox.readable", settings.readable, machine, written=False)
    writable = _checked("sandbox.writable", settings.writable, machine, written=True)
    for path in (*readable, *writable):
        _require_held(path, writable)
    return readable, writable


def _checked(
    key: str, asked: Sequence[str], machine: ReservedPaths, *, written: bool
) -> list[Path]:
    paths = []
    for text in asked:
        path = _absolute(key, text, machine.home)
        reason = machine.why_reserved(path, written=written) or _special(path)
        if reason:
            raise SettingsError(
                f"{key} has {text}, which {reason}",
                hint="name the directory that is needed, and no wider one",
            )
        paths.append(path)
    return paths


def _require_held(path: Path, writable: Sequence[Path]) -> None:
    """What an agent could put a link in place of would lead it anywhere the next time."""
    for above in writable:
        if above not in path.parents:
            continue
        if not path.exists() or path.resolve() != above.resolve() / path.relative_to(above):
            raise SettingsError(
                f"the sandbox is to have {path}, which could be made to lead elsewhere: "
                f"sandbox.writable has {above}",
                hint="make it a directory first, or name a path that does not lie in the other",
            )


def _absolute(key: str, text: str, home: Path) -> Path:
    short = text == "~" or text.startswith("~/")
    path = home / text[2:] if short else Path(text)
    if not path.is_absolute() or "\0" in text:
        raise SettingsError(
            f"{key} has {text}, which is no absolute path", hint="write it out, or begin with ~/"
        )
    return Path(os.path.normpath(path))


def _special(path: Path) -> str:
    """Something else than files: a socket is a way to whoever listens, read-only or not."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            with os.scandir(path) as found:
                sockets = any(Path(each.path).is_socket() for each in found)
            return "has sockets in it" if sockets else ""
    except OSError:  # not there yet, or not ours to look at: then the sandbox cannot show it
        return ""
    return "" if stat.S_ISREG(mode) else "is no file or directory"


def _search_path(path: str) -> tuple[Path, ...]:
    return tuple(Path(entry) for entry in path.split(os.pathsep) if entry.startswith("/"))
