"""Lists the paths where Playwright MCP, Node and Chromium are usually installed. Pure."""

from pathlib import Path

PACKAGE = Path("node_modules/@playwright/mcp/cli.js")
# The current name and the former one.
SERVER_COMMANDS = ("playwright-mcp", "mcp-server-playwright")
NODE_COMMANDS = ("node", "nodejs")
CHROMIUM_COMMANDS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

# Folders for global packages, by tool; npm's is also searched beside each program.
_GLOBAL = ("/usr/lib", "/usr/local/lib", "/opt/homebrew/lib")
_USER_GLOBAL = (
    ".npm-global/lib",
    ".bun/install/global",
    ".config/yarn/global",
    ".local/share/pnpm/global/5",
    "Library/pnpm/global/5",
)

# Patterns below the folder of Playwright's browsers.
PLAYWRIGHT_CHROMIUMS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
_USER_PLAYWRIGHT = (".cache/ms-playwright", "Library/Caches/ms-playwright")
APPLICATIONS = (
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
)


def search_folders(search_path: str, project: Path) -> list[Path]:
    """The directories of a PATH, without relative ones and those in the project.

    An agent may have written to these.
    """
    absolute = [Path(part) for part in search_path.split(":") if part.startswith("/")]
    return [folder for folder in dict.fromkeys(absolute) if not folder.is_relative_to(project)]


def package_paths(programs: list[Path], home: Path) -> list[Path]:
    """The possible paths of the package, given the directories of programs."""
    beside = [folder.parent / "lib" for folder in programs]
    known = [*map(Path, _GLOBAL), *(home / name for name in _USER_GLOBAL)]
    return [folder / PACKAGE for folder in dict.fromkeys([*beside, *known])]


def playwright_folders(home: Path, named: str) -> list[Path]:
    """The folders of Playwright's browsers; `named` is PLAYWRIGHT_BROWSERS_PATH."""
    return [Path(named)] if named.startswith("/") else [home / name for name in _USER_PLAYWRIGHT]


def revision_of(browser: Path, root: Path) -> int:
    """The revision in the path of one of Playwright's browsers; 0 if there is none."""
    number = browser.relative_to(root).parts[0].partition("-")[2]
    return int(number) if number.isascii() and number.isdigit() else 0
