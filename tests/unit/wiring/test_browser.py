"""The servers of a run: a browser where there is one, and what the user's table says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from treadle.adapters.browser.browser_choice import Browser
from treadle.settings.environment import Environment, parse_environment
from treadle.wiring.browser import Servers, find_browser, has_pages, provide_servers

MINE = {"command": "mine"}
Table = Mapping[str, Mapping[str, Any]]


def program(path: Path, text: str = "\x7fELF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    """A machine's only browser, as far as one can see without starting it."""
    return Browser(
        server=program(tmp_path / "prefix/lib/node_modules/@playwright/mcp/cli.js"),
        node=program(tmp_path / "prefix/bin/node"),
        chromium=program(tmp_path / "browsers/chromium-7/chrome-linux/chrome"),
    )


def environment(place: Path) -> Environment:
    return parse_environment(
        {
            "PATH": str(place / "prefix/bin"),
            "HOME": str(place / "home"),
            "PLAYWRIGHT_BROWSERS_PATH": str(place / "browsers"),
        }
    )


def provide(place: Path, users: Table | None, *, confined: bool = True) -> Servers:
    return provide_servers(
        users, environment(place), place / "project", home=place / "run home", confined=confined
    )


def ours(browser: Browser, place: Path) -> dict[str, Any]:
    arguments = browser.arguments(output=place / "run home/tmp/playwright", own_sandbox=False)
    return {"command": str(browser.node), "args": arguments}


def test_the_browser_of_the_machine_is_found(browser: Browser, tmp_path: Path) -> None:
    assert find_browser(environment(tmp_path), tmp_path / "project") == browser


def test_without_a_table_there_is_the_browser_and_what_it_must_read(
    browser: Browser, tmp_path: Path
) -> None:
    table = {"playwright": ours(browser, tmp_path)}

    assert provide(tmp_path, None) == Servers(table, browser.readable)


def test_servers_of_the_user_come_on_top_of_it(browser: Browser, tmp_path: Path) -> None:
    table = {"playwright": ours(browser, tmp_path), "custom": MINE}

    assert provide(tmp_path, {"custom": MINE}) == Servers(table, browser.readable)


@pytest.mark.parametrize("users", [{}, {"playwright": MINE}, {"playwright": MINE, "custom": MINE}])
def test_a_table_that_is_empty_or_has_a_browser_of_its_own_takes_its_place(
    browser: Browser, users: Table, tmp_path: Path
) -> None:
    assert provide(tmp_path, users) == Servers(users)


@pytest.mark.parametrize(
    ("users", "table", "told"),
    [(None, {}, True), ({"custom": MINE}, {"custom": MINE}, True), ({}, {}, False)],
)
def test_a_missing_browser_is_reported_only_where_it_is_needed(
    users: Table | None, table: Table, told: bool, browser: Browser, tmp_path: Path
) -> None:
    browser.node.unlink()
    missing = (
        "no browser for the agent: there is no Node.js to run Playwright MCP (install Node.js, "
        "and put `node` itself on your PATH, not a script that picks one)"
    )

    assert provide(tmp_path, users) == Servers(table)
    (tmp_path / "project").mkdir(exist_ok=True)
    (tmp_path / "project/index.html").touch()
    assert provide(tmp_path, users) == Servers(table, notice=missing if told else "")


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ('{"dependencies": {"react": "^19"}}', True),
        ('{"devDependencies": {"vite": "^7"}}', True),
        ('{"dependencies": {"express": "^5"}}', False),
    ],
)
def test_a_project_with_pages_is_known_by_its_packages(
    manifest: str, expected: bool, tmp_path: Path
) -> None:
    assert not has_pages(tmp_path)
    (tmp_path / "package.json").write_text(manifest)
    assert has_pages(tmp_path) == expected


@pytest.mark.parametrize(("user", "flags"), [(0, 1), (1500, 0)])
def test_without_a_sandbox_of_ours_chromium_keeps_its_own_except_as_root(
    user: int, flags: int, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: user)

    server = provide(tmp_path, None, confined=False).table["playwright"]

    assert server["args"].count("--no-sandbox") == flags
