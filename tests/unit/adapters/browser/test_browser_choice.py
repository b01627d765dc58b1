"""The browser that the agent gets from the installed parts."""

from dataclasses import replace
from pathlib import Path

import pytest

from treadle.adapters.browser.browser_choice import (
    CHROMIUM_REMEDY,
    CONFIGURATION,
    NODE_REMEDY,
    SERVER_REMEDY,
    Browser,
    ExecutableFile,
    FoundBrowserParts,
    NoBrowser,
    choose_browser,
)

HOME = Path("/home/ada")
NVM = HOME / ".nvm/versions/node/v22.1.0"
SERVER = NVM / "lib/node_modules/@playwright/mcp/cli.js"
NODE = NVM / "bin/node"
CHROMIUM = HOME / ".cache/ms-playwright/chromium-1247/chrome-linux64/chrome"
ALL = FoundBrowserParts((SERVER,), (ExecutableFile(NODE),), (ExecutableFile(CHROMIUM),))
PRIVATE = (HOME, HOME / ".treadle", HOME / ".local/bin")


def program(path: str, text: str = "") -> ExecutableFile:
    return ExecutableFile(Path(path), text)


def test_a_browser_is_made_of_the_first_of_each_kind() -> None:
    more = FoundBrowserParts(
        (SERVER, Path("/usr/lib/node_modules/@playwright/mcp/cli.js")),
        (ExecutableFile(NODE), program("/usr/bin/node")),
        (ExecutableFile(CHROMIUM), program("/usr/bin/chromium")),
    )

    assert choose_browser(more, kept_private=PRIVATE) == Browser(SERVER, NODE, CHROMIUM)


@pytest.mark.parametrize(
    ("found", "absent"),
    [
        (FoundBrowserParts(), NoBrowser("Playwright MCP is not installed", SERVER_REMEDY)),
        (
            replace(ALL, nodes=()),
            NoBrowser("there is no Node.js to run Playwright MCP", NODE_REMEDY),
        ),
        (replace(ALL, chromiums=()), NoBrowser("there is no Chromium", CHROMIUM_REMEDY)),
        (
            replace(ALL, chromiums=(program("/usr/bin/snap"),)),
            NoBrowser(
                "the only Chromium is a snap, which cannot be started in a sandbox", CHROMIUM_REMEDY
            ),
        ),
    ],
)
def test_what_is_missing_is_named_with_how_to_get_it(
    found: FoundBrowserParts, absent: NoBrowser
) -> None:
    assert choose_browser(found, kept_private=PRIVATE) == absent


@pytest.mark.parametrize(
    "stand_in",
    [
        program("/home/ada/.asdf/shims/node", "#!/usr/bin/env bash\nexec asdf exec node"),
        program("/home/ada/.volta/bin/volta-shim"),
        program("/home/ada/.local/bin/mise"),
    ],
)
def test_what_a_version_manager_puts_in_the_place_of_node_is_passed_over(
    stand_in: ExecutableFile,
) -> None:
    found = replace(ALL, nodes=(stand_in, program("/usr/bin/nodejs")))

    assert choose_browser(found, kept_private=PRIVATE) == Browser(
        SERVER, Path("/usr/bin/nodejs"), CHROMIUM
    )


@pytest.mark.parametrize(
    "snap",
    [
        program("/usr/bin/snap"),
        program("/snap/chromium/current/bin/chromium"),
        program("/usr/bin/chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n'),
    ],
)
def test_a_chromium_that_is_a_snap_is_passed_over(snap: ExecutableFile) -> None:
    found = replace(ALL, chromiums=(snap, program("/opt/google/chrome/google-chrome", "#!/bin/sh")))

    chosen = choose_browser(found, kept_private=PRIVATE)

    assert chosen == Browser(SERVER, NODE, Path("/opt/google/chrome/google-chrome"))


@pytest.mark.parametrize(
    "found",
    [
        replace(ALL, servers=(HOME / "cli.js",)),
        replace(ALL, servers=(HOME / ".local/bin/cli.js",)),
        replace(ALL, chromiums=(ExecutableFile(HOME / "chrome"),)),
        replace(ALL, chromiums=(ExecutableFile(HOME.parent / "chrome"),)),
    ],
)
def test_nothing_is_chosen_that_would_show_what_is_private(found: FoundBrowserParts) -> None:
    assert isinstance(choose_browser(found, kept_private=PRIVATE), NoBrowser)


@pytest.mark.parametrize(
    ("server", "root"),
    [
        (SERVER, NVM / "lib/node_modules"),
        (
            HOME / "pnpm/global/5/.pnpm/@playwright+mcp@1/node_modules/@playwright/mcp/cli.js",
            HOME / "pnpm/global/5/.pnpm",
        ),
        (Path("/opt/mcp/cli.js"), Path("/opt/mcp")),
    ],
)
def test_a_sandbox_shows_the_package_with_all_that_it_needs(server: Path, root: Path) -> None:
    shown = Browser(server, NODE, CHROMIUM).readable

    assert shown == (NODE, root, CHROMIUM.parent, *CONFIGURATION)


def test_the_whole_bundle_of_a_mac_application_is_readable() -> None:
    chromium = Path("/Applications/Chromium.app/Contents/MacOS/Chromium")

    shown = Browser(SERVER, NODE, chromium).readable

    assert shown[2] == Path("/Applications/Chromium.app")


@pytest.mark.parametrize(("own_sandbox", "confining"), [(True, []), (False, ["--no-sandbox"])])
def test_the_browser_has_no_window_keeps_no_profile_and_writes_beside_the_workspace(
    own_sandbox: bool, confining: list[str]
) -> None:
    started = Browser(SERVER, NODE, CHROMIUM).arguments(
        output=Path("/private/out"), own_sandbox=own_sandbox
    )

    assert started == [
        str(SERVER),
        "--headless",
        "--isolated",
        "--caps=testing",
        *confining,
        f"--executable-path={CHROMIUM}",
        "--output-dir=/private/out",
    ]
