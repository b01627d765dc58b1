"""Finds the installed parts of a browser on this machine, and their versions."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from treadle.adapters.browser.browser_choice import (
    CHROMIUM_REMEDY,
    SERVER_REMEDY,
    Browser,
    ExecutableFile,
    FoundBrowserParts,
    NoBrowser,
)
from treadle.adapters.browser.install_paths import (
    APPLICATIONS,
    CHROMIUM_COMMANDS,
    NODE_COMMANDS,
    PLAYWRIGHT_CHROMIUMS,
    SERVER_COMMANDS,
    package_paths,
    playwright_folders,
    revision_of,
    search_folders,
)
from treadle.adapters.sandboxes.command_runner import query_program
from treadle.domain.sandbox import ConfinedCommand

# Bytes that are enough to recognise a script.
_BEGINNING = 4096
ANSWER_S = 20.0


def find_browser_parts(
    search_path: str, *, home: Path, project: Path, browsers_path: str = ""
) -> FoundBrowserParts:
    """All usable parts, Playwright's own Chromium before others."""
    folders = search_folders(search_path, project)
    commands = list(_resolve_links(_find_commands(folders, SERVER_COMMANDS)))
    command_folders = [*folders, *(command.parent for command in commands)]
    servers = [
        *(command for command in commands if command.suffix == ".js"),
        *_resolve_links(filter(_is_file, package_paths(command_folders, home))),
    ]
    chromiums = [
        *_find_playwright_chromiums(playwright_folders(home, browsers_path)),
        *_find_commands(folders, CHROMIUM_COMMANDS),
        *filter(_is_executable, APPLICATIONS),
    ]
    return FoundBrowserParts(
        tuple(dict.fromkeys(servers)),
        _read_executables(_find_commands(folders, NODE_COMMANDS)),
        _read_executables(chromiums),
    )


async def browser_versions(browser: Browser, search_path: str, home: Path) -> str | NoBrowser:
    """The versions of its parts, which also shows that they start."""
    variables = {"PATH": search_path, "HOME": str(home)}
    server = await _answer([str(browser.node), str(browser.server), "--version"], variables)
    if server is None:
        return NoBrowser(f"{browser.server} does not start", SERVER_REMEDY)
    chromium = await _answer([str(browser.chromium), "--version"], variables)
    if chromium is None:
        return NoBrowser(f"{browser.chromium} does not start", CHROMIUM_REMEDY)
    number = server.removeprefix("Version ")
    return f"Playwright MCP {number} with {chromium} ({browser.chromium})"


def _find_commands(directories: list[Path], names: Iterable[str]) -> Iterator[Path]:
    """Search like a shell: by directory first, then by name."""
    return filter(_is_executable, (folder / name for folder in directories for name in names))


def _find_playwright_chromiums(roots: list[Path]) -> Iterator[Path]:
    for root in roots:
        paths = {path for pattern in PLAYWRIGHT_CHROMIUMS for path in _glob(root, pattern)}
        yield from filter(_is_executable, sorted(paths, key=lambda path: -revision_of(path, root)))


def _glob(root: Path, pattern: str) -> list[Path]:
    try:
        return list(root.glob(pattern))
    except PermissionError:
        return []


def _is_executable(path: Path) -> bool:
    return _is_file(path) and os.access(path, os.X_OK)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except PermissionError:
        return False  # without permission to look, it cannot be run either


def _resolve_links(paths: Iterable[Path]) -> Iterator[Path]:
    return (path.resolve() for path in paths)


def _read_executables(paths: Iterable[Path]) -> tuple[ExecutableFile, ...]:
    return tuple(
        ExecutableFile(path, _script_text(path)) for path in dict.fromkeys(_resolve_links(paths))
    )


def _script_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:
        return ""  # a program may be executable but not readable
    return beginning.decode(errors="replace") if beginning.startswith(b"#!") else ""


async def _answer(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The first line of a program's output; None if it fails or takes too long."""
    output = await query_program(ConfinedCommand(tuple(command), environment), seconds=ANSWER_S)
    lines = (output or "").strip().splitlines()
    return lines[0].strip() if lines else None
