"""Decides which browser the agent gets and how it is started, from what is installed on the"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# The agent looks (snapshot) and then states what must be there (verify); the second is an extra.
FIXED_ARGUMENTS = ("--headless", "--isolated", "--caps=testing")
# Chromium's own sandbox cannot be set up inside of ours, nor by root.
NO_SANDBOX_FLAG = "--no-sandbox"
# Read by a Chromium of the system wherever it lies; what of them is not there is not missed.
CONFIGURATION = (Path("/etc/chromium"), Path("/etc/chromium.d"), Path("/etc/fonts"))

SERVER_REMEDY = "npm install -g @playwright/mcp"
NODE_REMEDY = "install Node.js, and put `node` itself on your PATH, not a script that picks one"
CHROMIUM_REMEDY = "npx playwright install --with-deps chromium"


@dataclass(frozen=True, slots=True)
class ExecutableFile:
    """An executable file by its real path; `text` is how it begins if it is a script."""

    path: Path
    text: str = ""


@dataclass(frozen=True, slots=True)
class FoundBrowserParts:
    """What the machine has; of each kind the one to be preferred comes first."""

    # The script that Playwright MCP is started by, with all links followed.
    servers: tuple[Path, ...] = ()
    nodes: tuple[ExecutableFile, ...] = ()
    chromiums: tuple[ExecutableFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser that can be had, and the parts of it."""

    server: Path
    node: Path
    chromium: Path

    @property
    def readable(self) -> tuple[Path, ...]:
        """What a sandbox must let it read besides the system itself."""
        return (
            self.node,
            _package_root(self.server),
            _chromium_folder(self.chromium),
            *CONFIGURATION,
        )

    def arguments(self, *, output: Path, own_sandbox: bool) -> list[str]:
        """What Node is started with; pictures and logs that nobody named go to `output`."""
        confining = [] if own_sandbox else [NO_SANDBOX_FLAG]
        return [
            str(self.server),
            *FIXED_ARGUMENTS,
            *confining,
            f"--executable-path={self.chromium}",
            f"--output-dir={output}",
        ]


@dataclass(frozen=True, slots=True)
class NoBrowser:
    """What there is not, and how to get it."""

    missing: str
    remedy: str


def choose_browser(
    found: FoundBrowserParts, *, kept_private: Sequence[Path]
) -> Browser | NoBrowser:
    """The first of each kind that can be used where what is private is not to be seen."""
    servers = (path for path in found.servers if _hides_private(_package_root(path), kept_private))
    server = next(servers, None)
    if server is None:
        return NoBrowser("Playwright MCP is not installed", SERVER_REMEDY)
    node = next((program for program in found.nodes if _is_node(program)), None)
    if node is None:
        return NoBrowser("there is no Node.js to run Playwright MCP", NODE_REMEDY)
    usable = (
        program
        for program in found.chromiums
        if not _is_snap(program) and _hides_private(_chromium_folder(program.path), kept_private)
    )
    chromium = next(usable, None)
    if chromium is None:
        return NoBrowser(_why_no_chromium(found.chromiums), CHROMIUM_REMEDY)
    return Browser(server, node.path, chromium.path)


def _why_no_chromium(found: Sequence[ExecutableFile]) -> str:
    if any(_is_snap(program) for program in found):
        return "the only Chromium is a snap, which cannot be started in a sandbox"
    return "there is no Chromium"


def _is_node(program: ExecutableFile) -> bool:
    """Version managers put a script or a program of theirs in its place, which need their home."""
    return not program.text and program.path.name.startswith("node")


def _is_snap(program: ExecutableFile) -> bool:
    """Also in the form of a script that only hands over to it."""
    path = program.path
    return path.name == "snap" or path.is_relative_to("/snap") or "/snap/" in program.text


def _hides_private(path: Path, kept_private: Sequence[Path]) -> bool:
    """Whether all of a path can be shown without showing any of those."""
    return not any(path == private or path in private.parents for private in kept_private)


def _package_root(server: Path) -> Path:
    """The directory that has the package and all that it needs."""
    for above in server.parents:
        if above.name == ".pnpm":  # each package in a directory of its own, joined by links
            return above
    return next((above for above in server.parents if above.name == "node_modules"), server.parent)


def _chromium_folder(chromium: Path) -> Path:
    """The directory that a Chromium brings its own files in."""
    bundle = (above for above in chromium.parents if above.suffix == ".app")
    return next(bundle, chromium.parent)
