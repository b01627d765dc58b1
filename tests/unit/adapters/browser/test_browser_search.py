"""The parts of a browser that are found on a machine."""

from pathlib import Path

import pytest

from treadle.adapters.browser.browser_choice import (
    Browser,
    ExecutableFile,
    FoundBrowserParts,
    NoBrowser,
)
from treadle.adapters.browser.browser_search import browser_versions, find_browser_parts

PROGRAM = "\x7fELF"


class Machine:
    """A machine in a directory; nothing outside of it has what is looked for here."""

    def __init__(self, place: Path) -> None:
        self.home = place / "home"
        self.project = place / "project"
        self.place = place

    def put(self, name: str, text: str = PROGRAM) -> Path:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def link(self, name: str, target: Path) -> None:
        path = self.place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def look(self, *search_path: str, browsers_path: str = "") -> FoundBrowserParts:
        """Only what lies on this machine: the real one may have a browser, too."""
        path = ":".join(str(self.place / name) if name else "" for name in search_path)
        found = find_browser_parts(
            path, home=self.home, project=self.project, browsers_path=browsers_path
        )
        return FoundBrowserParts(
            tuple(path for path in found.servers if path.is_relative_to(self.place)),
            found.nodes,
            tuple(each for each in found.chromiums if each.path.is_relative_to(self.place)),
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_machine_without_any_of_it_has_nothing(machine: Machine) -> None:
    assert machine.look("bin") == FoundBrowserParts()


@pytest.mark.parametrize("command", ["playwright-mcp", "mcp-server-playwright"])
def test_the_server_is_found_by_either_name_of_its_command(machine: Machine, command: str) -> None:
    server = machine.put("anywhere/node_modules/@playwright/mcp/cli.js")
    machine.link(f"bin/{command}", server)

    assert machine.look("bin").servers == (server,)


@pytest.mark.parametrize(
    "place",
    ["prefix/lib", "home/.npm-global/lib", "home/.bun/install/global", "home/.config/yarn/global"],
)
def test_the_server_is_found_where_packages_for_all_projects_go(
    machine: Machine, place: str
) -> None:
    server = machine.put(f"{place}/node_modules/@playwright/mcp/cli.js")

    assert machine.look("prefix/bin").servers == (server,)


def test_behind_a_command_that_is_a_script_the_package_is_found(machine: Machine) -> None:
    wrapper = machine.put("store/bin/playwright-mcp", "#!/bin/sh\n")
    server = machine.put("store/lib/node_modules/@playwright/mcp/cli.js")
    machine.link("bin/playwright-mcp", wrapper)

    assert machine.look("bin").servers == (server,)


def test_the_newest_chromium_of_playwright_comes_before_that_of_the_system(
    machine: Machine,
) -> None:
    system = machine.put("bin/chromium", "#!/bin/sh\nexec chromium")
    old, new = (
        machine.put(f"home/.cache/ms-playwright/chromium-{revision}/chrome-linux/chrome")
        for revision in (999, 1247)
    )

    assert machine.look("bin").chromiums == (
        ExecutableFile(new),
        ExecutableFile(old),
        ExecutableFile(system, "#!/bin/sh\nexec chromium"),
    )


def test_browsers_are_looked_for_where_the_user_keeps_them(machine: Machine) -> None:
    machine.put("home/.cache/ms-playwright/chromium-1/chrome-linux/chrome")
    kept = machine.put("kept/chromium-2/chrome-linux64/chrome")

    found = machine.look("bin", browsers_path=str(machine.place / "kept"))

    assert found.chromiums == (ExecutableFile(kept),)


def test_nothing_is_taken_from_where_an_agent_writes(machine: Machine) -> None:
    for name in ("node", "chromium", "playwright-mcp"):
        machine.put(f"project/node_modules/.bin/{name}")

    assert machine.look("project/node_modules/.bin", "") == FoundBrowserParts()


def test_a_file_that_cannot_be_run_is_no_program(machine: Machine) -> None:
    machine.put("bin/node").chmod(0o644)

    assert machine.look("bin").nodes == ()


async def test_the_parts_of_a_browser_say_their_versions(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    found = Browser(
        server=Path("cli.js"),
        node=machine.put("node", '#!/bin/sh\n[ "$1 $2" = "cli.js --version" ] && echo 1.2'),
        chromium=machine.put("chrome", "#!/bin/sh\necho Chromium 156\n"),
    )

    told = await browser_versions(found, "/usr/bin:/bin", tmp_path)

    assert told == f"Playwright MCP 1.2 with Chromium 156 ({found.chromium})"


@pytest.mark.parametrize("broken", ["node", "chrome"])
async def test_a_part_that_does_not_start_is_named(broken: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for name in ("node", "chrome"):
        machine.put(name, "#!/bin/sh\nexit 1" if name == broken else "#!/bin/sh\necho 1")
    found = Browser(Path("cli.js"), tmp_path / "node", tmp_path / "chrome")

    told = await browser_versions(found, "/usr/bin:/bin", tmp_path)

    named = "cli.js" if broken == "node" else found.chromium
    assert isinstance(told, NoBrowser)
    assert told.missing == f"{named} does not start"
