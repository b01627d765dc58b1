"""Looks for the parts of a browser on this machine. Decides nothing."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from treadle.adapters.browser.choice import Found, Program
from treadle.adapters.browser.places import (
    APPLICATIONS,
    CHROMIUM_COMMANDS,
    NODE_COMMANDS,
    OWN_CHROMIUMS,
    SERVER_COMMANDS,
    folders,
    own_browsers,
    packages,
    revision,
)

# Long enough for what a script says about itself.
_BEGINNING = 4096


def look(search_path: str, *, home: Path, project: Path, browsers_path: str = "") -> Found:
    """Everything that a browser could be made of, Playwright's own Chromium before others."""
    path = folders(search_path, project)
    commands = list(_real(_named(path, SERVER_COMMANDS)))
    beside = [*path, *(command.parent for command in commands)]
    servers = [
        *(command for command in commands if command.suffix == ".js"),
        *_real(filter(_is_file, packages(beside, home))),
    ]
    chromiums = [
        *_own_chromiums(own_browsers(home, browsers_path)),
        *_named(path, CHROMIUM_COMMANDS),
        *filter(_can_run, APPLICATIONS),
    ]
    return Found(
        tuple(dict.fromkeys(servers)),
        _programs(_named(path, NODE_COMMANDS)),
        _programs(chromiums),
    )


def _named(directories: list[Path], names: Iterable[str]) -> Iterator[Path]:
    """As a shell would find them: by directory first, then by name."""
    return filter(_can_run, (folder / name for folder in directories for name in names))


def _own_chromiums(roots: list[Path]) -> Iterator[Path]:
    for root in roots:
        found = {path for pattern in OWN_CHROMIUMS for path in _matching(root, pattern)}
        yield from filter(_can_run, sorted(found, key=lambda path: -revision(path, root)))


def _matching(root: Path, pattern: str) -> list[Path]:
    try:
        return list(root.glob(pattern))
    except PermissionError:
        return []


def _can_run(path: Path) -> bool:
    return _is_file(path) and os.access(path, os.X_OK)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except PermissionError:
        return False  # what may not be looked at may not be run either


def _real(paths: Iterable[Path]) -> Iterator[Path]:
    return (path.resolve() for path in paths)


def _programs(paths: Iterable[Path]) -> tuple[Program, ...]:
    return tuple(Program(path, _script_text(path)) for path in dict.fromkeys(_real(paths)))


def _script_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:
        return ""  # a program may be run by those who may not read it
    return beginning.decode(errors="replace") if beginning.startswith(b"#!") else ""
