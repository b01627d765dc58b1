"""Lists the paths where Playwright MCP, Node and Chromium are usually installed. Pure."""

from pathlib import Path

PACKAGE = Path("node_modules/@playwright/mcp/cli.js")
# Its command, by today's name and the one it had before.
SERVER_COMMANDS = ("playwright-mcp", "mcp-server-playwright")
NODE_COMMANDS = ("node", "nodejs")
CHROMIUM_COMMANDS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

# Where packages for all projects go, by tool; that of npm is also looked for beside each program.
_GLOBAL = ("/usr/lib", "/usr/local/lib", "/opt/homebrew/lib")
_GLOBAL_AT_HOME = (
    ".npm-global/lib",
    ".bun/install/global",
    ".config/yarn/global",
    ".local/share/pnpm/global/5",
    "Library/pnpm/global/5",
)

# Playwright's own, as a pattern below the directory of all its browsers.
PLAYWRIGHT_CHROMIUMS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
_PLAYWRIGHT_AT_HOME = (".cache/ms-playwright", "Library/Caches/ms-playwright")
APPLICATIONS = (
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
)


def search_folders(search_path: str, project: Path) -> list[Path]:
    """The directories of a PATH, but for those that an agent may have written to: in the project,
    and wherever one happens to stand."""
    absolute = [Path(part) for part in search_path.split(":") if part.startswith("/")]
    return [folder for folder in dict.fromkeys(absolute) if not folder.is_relative_to(project)]


def package_paths(programs: list[Path], home: Path) -> list[Path]:
    """Where the package may lie, given the directories that programs are in."""
    beside = [folder.parent / "lib" for folder in programs]
    known = [*map(Path, _GLOBAL), *(home / name for name in _GLOBAL_AT_HOME)]
    return [place / PACKAGE for place in dict.fromkeys([*beside, *known])]


def playwright_folders(home: Path, named: str) -> list[Path]:
    """Where Playwright keeps its browsers; `named` is what PLAYWRIGHT_BROWSERS_PATH says."""
    return [Path(named)] if named.startswith("/") else [home / name for name in _PLAYWRIGHT_AT_HOME]


def revision_of(own: Path, root: Path) -> int:
    """The number of one of Playwright's browsers; the greater, the newer."""
    number = own.relative_to(root).parts[0].partition("-")[2]
    return int(number) if number.isascii() and number.isdigit() else 0
