"""Chooses the sandbox of a run, and finds the paths that its processes need."""

import asyncio
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from treadle.adapters.sandboxes.bubblewrap import REPORT_PREFIX, REPORT_SUFFIX, Bubblewrap
from treadle.adapters.sandboxes.command_runner import query_program
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.adapters.sandboxes.seatbelt import Seatbelt
from treadle.adapters.sandboxes.toolchains import (
    CACHES,
    PROFILES,
    SINGLE_FILES,
    TOOLCHAIN_QUERIES,
    FoundToolchains,
    PrivatePaths,
    ToolchainQuery,
    choose_toolchains,
    find_venv_root,
    is_in_system,
    is_within,
    private_paths,
)
from treadle.adapters.sandboxes.unsandboxed import Unsandboxed
from treadle.domain.sandbox import ConfinedCommand, ResourceLimits, Sandbox
from treadle.settings.definitions import SandboxSettings as SandboxSettings
from treadle.settings.environment import Environment
from treadle.wiring.sandbox_paths import sandbox_paths
from treadle.wiring.search_path import path_outside

# Searched before the user's PATH.
SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin"
ANSWER_S = 5.0
CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE", "GIT_SSL_CAINFO"),
)
MACHINE_SETTINGS = (Path("/etc"), Path("/private/etc"))


@dataclass(frozen=True, slots=True)
class SandboxReach:
    """What the settings and this machine's toolchains add to a confinement."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]
    # Variables inside the sandbox: the PATH, and the locations of caches.
    environment: Mapping[str, str]
    limits: ResourceLimits
    # Toolchains that stay hidden, because their directories contain private files.
    refused: tuple[Path, ...] = ()


def choose_sandbox(environment: Environment, *, reports: Path, wanted: bool) -> Sandbox:
    """This system's sandbox. `reports`: a directory of the host that no agent can reach."""
    if not wanted:
        return Unsandboxed()
    if sys.platform == "darwin":
        return Seatbelt(this_interpreter(), reports)
    bwrap = which("bwrap", path=SYSTEM_PATH) or which("bwrap", path=environment.path)
    program = Path(bwrap) if bwrap else None
    return Bubblewrap(program, reports, this_interpreter(), platform.machine())


def remove_stale_reports(reports: Path) -> None:
    """Remove reports of sandboxes whose process was lost. No other process may use the folder."""
    for report in reports.glob(f"{REPORT_PREFIX}*{REPORT_SUFFIX}"):
        report.unlink(missing_ok=True)


async def find_sandbox_reach(
    settings: SandboxSettings,
    profiles: Sequence[str],
    environment: Environment,
    project: Path,
) -> SandboxReach:
    """What a run in `project` may read and write besides its own directories; no profiles means
    all."""
    private = PrivatePaths(
        kept=private_paths(environment.home, environment.root),
        closed=(project, environment.root),
        real=Path.resolve,
    )
    readable, writable = sandbox_paths(settings, environment, project)
    toolchains = await _find_toolchains(tuple(profiles) or PROFILES, environment, project)
    tools = choose_toolchains(
        toolchains, search_path=environment.path.split(os.pathsep), private=private
    )
    return SandboxReach(
        readable=(
            *tools.readable,
            *_certificates(environment.raw, private),
            *readable,
        ),
        writable=tuple(writable),
        environment={"PATH": tools.path, **tools.environment},
        limits=ResourceLimits(settings.processes, settings.memory_mb, settings.file_mb),
        refused=tools.refused,
    )


async def _find_toolchains(
    profiles: Sequence[str], environment: Environment, project: Path
) -> FoundToolchains:
    path = path_outside(environment.path, project)
    queries = [query for profile in profiles for query in TOOLCHAIN_QUERIES.get(profile, ())]
    names = [name for profile in profiles for name in SINGLE_FILES.get(profile, ())]
    roots_found = await asyncio.gather(*(_root_of(query, path, environment) for query in queries))
    venv = _venv_root(project, environment.home)
    files = [Path(file) for name in names if (file := which(name, path=path))]
    folders = {
        cache.variable: environment.home / cache.folder
        for cache in CACHES
        if cache.profile in profiles and (environment.home / cache.folder).is_dir()
    }
    roots = [*roots_found, venv if "python" in profiles else None]
    return FoundToolchains(tuple(root for root in roots if root is not None), tuple(files), folders)


async def _root_of(query: ToolchainQuery, path: str, environment: Environment) -> Path | None:
    """The root that a program reports; programs of the system are not asked."""
    program = _outside_system(query.program, path)
    if program is None:
        return None
    # Without the project's directories and outside the project: see `query_program`.
    variables = {"PATH": path, "HOME": str(environment.home)}
    start = ConfinedCommand((program, *query.arguments), variables)
    output = await query_program(start, seconds=ANSWER_S)
    return None if output is None else _directory(output.strip())


def _outside_system(name: str, path: str) -> str | None:
    program = which(name, path=path)
    return None if program is None or is_in_system(Path(program).resolve()) else program


def _directory(text: str) -> Path | None:
    return Path(text) if text.startswith("/") and Path(text).is_dir() else None


def _venv_root(project: Path, home: Path) -> Path | None:
    try:
        text = (project / ".venv/pyvenv.cfg").read_text("utf-8", errors="replace")
    except OSError:
        return None
    return find_venv_root(text, Path.exists, home=home, real=Path.resolve)


def _certificates(raw: Mapping[str, str], private: PrivatePaths) -> list[Path]:
    """The files in variables that the agent gets, too."""
    paths = [Path(raw[name]) for name in CERTIFICATES if raw.get(name)]
    existing = [path for path in paths if path.is_absolute() and path.exists()]
    return [path for path in existing if not private.is_exposed_by(path) and not _beside_keys(path)]


def _beside_keys(path: Path) -> bool:
    """Whether it is a directory of the machine's settings, which may contain keys. Directories
    with certificates only are in every sandbox."""
    return path.is_dir() and any(
        is_within(name, top) for name in (path, path.resolve()) for top in MACHINE_SETTINGS
    )
