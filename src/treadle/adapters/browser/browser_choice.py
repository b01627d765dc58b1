"""Chooses the agent's browser from the installed parts, and its arguments. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# `testing` adds the tools that verify what a page shows.
FIXED_ARGUMENTS = ("--headless", "--isolated", "--caps=testing")
# Chromium's own sandbox does not work inside Treadle's, nor as root.
NO_SANDBOX_FLAG = "--no-sandbox"
# Optional configuration that every system Chromium reads.
CONFIGURATION = (Path("/etc/chromium"), Path("/etc/chromium.d"), Path("/etc/fonts"))

SERVER_REMEDY = "npm install -g @playwright/mcp"
NODE_REMEDY = "install Node.js, and put `node` itself on your PATH, not a script that picks one"
CHROMIUM_REMEDY = "npx playwright install --with-deps chromium"


@dataclass(frozen=True, slots=True)
class ExecutableFile:
    """An executable by its real path; `text` is the beginning of a script."""

    path: Path
    text: str = ""


@dataclass(frozen=True, slots=True)
class FoundBrowserParts:
    """The installed parts; in each list the preferred one comes first."""

    # Scripts that start Playwright MCP, with links resolved.
    servers: tuple[Path, ...] = ()
    nodes: tuple[ExecutableFile, ...] = ()
    chromiums: tuple[ExecutableFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Browser:
    """A usable browser: its MCP server, Node and Chromium."""

    server: Path
    node: Path
    chromium: Path

    @property
    def readable(self) -> tuple[Path, ...]:
        """Paths that a sandbox must make readable besides the system."""
        return (
            self.node,
            _package_root(self.server),
            _chromium_folder(self.chromium),
            *CONFIGURATION,
        )

    def arguments(self, *, output: Path, own_sandbox: bool) -> list[str]:
        """The arguments for Node; screenshots and logs without a path go to `output`."""
        sandbox_flags = [] if own_sandbox else [NO_SANDBOX_FLAG]
        return [
            str(self.server),
            *FIXED_ARGUMENTS,
            *sandbox_flags,
            f"--executable-path={self.chromium}",
            f"--output-dir={output}",
        ]


@dataclass(frozen=True, slots=True)
class NoBrowser:
    """The missing part, and how to install it."""

    missing: str
    remedy: str


def choose_browser(
    parts: FoundBrowserParts, *, kept_private: Sequence[Path]
) -> Browser | NoBrowser:
    """The first usable part of each kind that exposes no private path in the sandbox."""
    servers = (path for path in parts.servers if _hides_private(_package_root(path), kept_private))
    server = next(servers, None)
    if server is None:
        return NoBrowser("Playwright MCP is not installed", SERVER_REMEDY)
    node = next((program for program in parts.nodes if _is_node(program)), None)
    if node is None:
        return NoBrowser("there is no Node.js to run Playwright MCP", NODE_REMEDY)
    usable = (
        program
        for program in parts.chromiums
        if not _is_snap(program) and _hides_private(_chromium_folder(program.path), kept_private)
    )
    chromium = next(usable, None)
    if chromium is None:
        return NoBrowser(_why_no_chromium(parts.chromiums), CHROMIUM_REMEDY)
    return Browser(server, node.path, chromium.path)


def _why_no_chromium(chromiums: Sequence[ExecutableFile]) -> str:
    if any(_is_snap(program) for program in chromiums):
        return "the only Chromium is a snap, which cannot be started in a sandbox"
    return "there is no Chromium"


def _is_node(program: ExecutableFile) -> bool:
    """Whether this is Node itself: a version manager's shim would need the user's home."""
    return not program.text and program.path.name.startswith("node")


def _is_snap(program: ExecutableFile) -> bool:
    """Whether this is a snap, or a script that starts one."""
    path = program.path
    return path.name == "snap" or path.is_relative_to("/snap") or "/snap/" in program.text


def _hides_private(path: Path, kept_private: Sequence[Path]) -> bool:
    """Whether a path can be mounted without exposing a private path."""
    return not any(path == private or path in private.parents for private in kept_private)


def _package_root(server: Path) -> Path:
    """The directory of the package and its dependencies."""
    for parent in server.parents:
        if parent.name == ".pnpm":  # pnpm links packages in separate directories
            return parent
    return next(
        (parent for parent in server.parents if parent.name == "node_modules"), server.parent
    )


def _chromium_folder(chromium: Path) -> Path:
    """The directory with Chromium's own files."""
    bundles = (parent for parent in chromium.parents if parent.suffix == ".app")
    return next(bundles, chromium.parent)
