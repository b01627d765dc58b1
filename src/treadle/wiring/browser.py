"""The browser that every project has unless its settings say otherwise: an MCP server."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.adapters.browser.browser_choice import (
    CHROMIUM_REMEDY,
    SERVER_REMEDY,
    Browser,
    NoBrowser,
    choose_browser,
)
from treadle.adapters.browser.browser_search import find_browser_parts
from treadle.adapters.sandboxes.command_runner import query_program
from treadle.adapters.sandboxes.toolchains import private_paths
from treadle.domain.sandbox import ConfinedCommand
from treadle.policy.available_tools import merge_servers
from treadle.policy.roles import BROWSER
from treadle.settings.environment import Environment
from treadle.wiring.search_path import path_outside

ANSWER_S = 20.0


@dataclass(frozen=True, slots=True)
class Servers:
    """The MCP servers of a run, by name."""

    table: Mapping[str, Mapping[str, Any]] = field(repr=False)
    # What a sandbox must let the browser read; servers of the user's get what the settings say.
    readable: tuple[Path, ...] = ()
    # What a person should know, if anything.
    notice: str = ""


def provide_servers(
    users: Mapping[str, Mapping[str, Any]] | None,
    environment: Environment,
    project: Path,
    *,
    home: Path,
    confined: bool,
) -> Servers:
    """The browser and the user's servers, as the user's table has it."""
    if not wants_browser(users):
        return Servers(merge_servers({}, users))
    browser = find_browser(environment, project)
    if isinstance(browser, NoBrowser):
        return Servers(merge_servers({}, users), notice=notice_of(browser))
    # Root's Chromium has no sandbox of its own either.
    own_sandbox = not confined and os.geteuid() != 0
    # In the private home, where the agent may read it and nobody commits it.
    output = home / "tmp" / BROWSER
    arguments = browser.arguments(output=output, own_sandbox=own_sandbox)
    ours = {BROWSER: {"command": str(browser.node), "args": arguments}}
    return Servers(merge_servers(ours, users), browser.readable)


def wants_browser(users: Mapping[str, Any] | None) -> bool:
    """Whether the user's table leaves it in: neither empty, nor with one of the same name."""
    return users is None or (bool(users) and BROWSER not in users)


def find_browser(environment: Environment, project: Path) -> Browser | NoBrowser:
    """The browser of this machine."""
    found = find_browser_parts(
        path_outside(environment.path, project),
        home=environment.home,
        project=project,
        browsers_path=environment.raw.get("PLAYWRIGHT_BROWSERS_PATH", ""),
    )
    return choose_browser(found, kept_private=private_paths(environment.home, environment.root))


def notice_of(absent: NoBrowser) -> str:
    """One line for the run's log."""
    return f"no browser for the agent: {absent.missing} ({absent.remedy})"


async def browser_versions(browser: Browser, environment: Environment) -> str | NoBrowser:
    """What its parts call themselves, which proves that they start."""
    given = {"PATH": environment.path, "HOME": str(environment.root)}
    server = await _answer([str(browser.node), str(browser.server), "--version"], given)
    if server is None:
        return NoBrowser(f"{browser.server} does not start", SERVER_REMEDY)
    chromium = await _answer([str(browser.chromium), "--version"], given)
    if chromium is None:
        return NoBrowser(f"{browser.chromium} does not start", CHROMIUM_REMEDY)
    number = server.removeprefix("Version ")
    return f"Playwright MCP {number} with {chromium} ({browser.chromium})"


async def _answer(command: Sequence[str], environment: Mapping[str, str]) -> str | None:
    """The first line that a program says; None if it fails or takes too long."""
    said = await query_program(ConfinedCommand(tuple(command), environment), seconds=ANSWER_S)
    lines = (said or "").strip().splitlines()
    return lines[0].strip() if lines else None
