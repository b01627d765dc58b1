"""Provides the MCP servers of a run: the user's, and a browser unless the settings exclude it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.adapters.browser.browser_choice import Browser, NoBrowser, choose_browser
from treadle.adapters.browser.browser_search import find_browser_parts
from treadle.adapters.sandboxes.toolchains import private_paths
from treadle.policy.available_tools import merge_servers
from treadle.policy.roles import BROWSER
from treadle.settings.environment import Environment
from treadle.workspace.search_path import path_outside

# Where pages, or what they are made from, usually are.
_PAGES = (
    *("index.html", "public/index.html", "src/index.html", "app/index.html", "docs/index.html"),
    *("templates", "app/templates", "app/views", "resources/views", "pages", "src/pages"),
)
_PAGE_PACKAGES = (
    *("react", "vue", "svelte", "next", "nuxt", "astro", "vite", "preact", "solid-js"),
    *("@angular/core", "lit", "@remix-run/react", "gatsby", "ember-source", "@playwright/test"),
)
_MOST_CHARACTERS = 262_144


@dataclass(frozen=True, slots=True)
class Servers:
    """The MCP servers of a run, by name."""

    table: Mapping[str, Mapping[str, Any]] = field(repr=False)
    # Paths that a sandbox must open for the browser; the user's servers get those of the settings.
    readable: tuple[Path, ...] = ()
    # A message for the run's log, empty if there is none.
    notice: str = ""


def provide_servers(
    user_servers: Mapping[str, Mapping[str, Any]] | None,
    environment: Environment,
    project: Path,
    *,
    home: Path,
    confined: bool,
) -> Servers:
    """The user's servers, and the browser if the user's table leaves it in."""
    if not wants_browser(user_servers):
        return Servers(merge_servers({}, user_servers))
    browser = find_browser(environment, project)
    if isinstance(browser, NoBrowser):
        notice = notice_of(browser) if has_pages(project) else ""
        return Servers(merge_servers({}, user_servers), notice=notice)
    # Chromium has no sandbox of its own for root.
    own_sandbox = not confined and os.geteuid() != 0
    # In the private home, which the agent may read and no commit contains.
    output = home / "tmp" / BROWSER
    arguments = browser.arguments(output=output, own_sandbox=own_sandbox)
    ours = {BROWSER: {"command": str(browser.node), "args": arguments}}
    return Servers(merge_servers(ours, user_servers), browser.readable)


def wants_browser(user_servers: Mapping[str, Any] | None) -> bool:
    """Whether the user's table leaves the browser in: it is not empty and has no such name."""
    return user_servers is None or (bool(user_servers) and BROWSER not in user_servers)


def has_pages(project: Path) -> bool:
    """Whether the project looks like one with pages, which are better built with a browser."""
    if any((project / place).exists() for place in _PAGES):
        return True
    try:
        with (project / "package.json").open(encoding="utf-8") as manifest:
            text = manifest.read(_MOST_CHARACTERS)
    except (OSError, UnicodeDecodeError):
        return False
    return any(f'"{name}"' in text for name in _PAGE_PACKAGES)


def find_browser(environment: Environment, project: Path) -> Browser | NoBrowser:
    """The browser of this machine."""
    parts = find_browser_parts(
        path_outside(environment.path, project),
        home=environment.home,
        project=project,
        browsers_path=environment.raw.get("PLAYWRIGHT_BROWSERS_PATH", ""),
    )
    return choose_browser(parts, kept_private=private_paths(environment.home, environment.root))


def notice_of(missing_browser: NoBrowser) -> str:
    """One line for the run's log."""
    return f"no browser for the agent: {missing_browser.missing} ({missing_browser.remedy})"
