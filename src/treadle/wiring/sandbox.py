"""Chooses the sandbox of a run, and finds the paths that its processes need."""

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

from treadle.adapters.sandboxes.bubblewrap import REPORT_PREFIX, REPORT_SUFFIX, Bubblewrap
from treadle.adapters.sandboxes.cgroup_files import find_group_source
from treadle.adapters.sandboxes.cgroups import GroupSource
from treadle.adapters.sandboxes.installed_programs import choose_programs, find_programs
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.adapters.sandboxes.private_contents import SYSTEM_ROOTS, find_private_contents
from treadle.adapters.sandboxes.seatbelt import Seatbelt
from treadle.adapters.sandboxes.toolchain_search import find_certificates, find_toolchains
from treadle.adapters.sandboxes.toolchains import (
    PROFILES,
    PrivatePaths,
    choose_toolchains,
    private_paths,
)
from treadle.adapters.sandboxes.unsandboxed import Unsandboxed
from treadle.domain.sandbox import ResourceLimits, Sandbox
from treadle.settings.environment import Environment
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.wiring.sandbox_paths import sandbox_paths
from treadle.workspace.search_path import path_outside

# Searched before the user's PATH.
SYSTEM_PATH = "/usr/bin:/bin:/usr/local/bin"


@dataclass(frozen=True, slots=True)
class SandboxReach:
    """What the settings and this machine's toolchains add to a confinement."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]
    # Variables inside the sandbox: the PATH, and the locations of caches.
    environment: Mapping[str, str]
    limits: ResourceLimits
    # Links to programs, with their targets.
    links: Mapping[Path, Path] = field(default_factory=dict)
    # Toolchains that stay hidden, because their directories contain private files.
    refused: tuple[Path, ...] = ()
    # What toolchains hold besides: empty in the sandbox.
    private: tuple[Path, ...] = ()


def choose_sandbox(environment: Environment, *, reports: Path, wanted: bool) -> Sandbox:
    """This system's sandbox. `reports`: a directory of the host that no agent can reach."""
    if not wanted:
        return Unsandboxed()
    if sys.platform == "darwin":
        return Seatbelt(this_interpreter(), reports)
    bwrap = which("bwrap", path=SYSTEM_PATH) or which("bwrap", path=environment.path)
    program = Path(bwrap) if bwrap else None
    records = environment.root if environment.root.is_dir() else reports
    groups = find_groups(environment, records) if program else None
    return Bubblewrap(program, reports, this_interpreter(), platform.machine(), groups, records)


def find_groups(environment: Environment, records: Path) -> GroupSource | None:
    """How memory and processes of a sandbox are limited in sum on this machine; None: not at
    all."""
    systemd_run, runtime = (
        which("systemd-run", path=SYSTEM_PATH),
        environment.raw.get("XDG_RUNTIME_DIR"),
    )
    return find_group_source(
        records,
        systemd_run=Path(systemd_run) if systemd_run else None,
        runtime=Path(runtime) if runtime else None,
    )


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
    toolchains = await find_toolchains(
        tuple(profiles) or PROFILES,
        search_path=path_outside(environment.path, project),
        home=environment.home,
        project=project,
    )
    tools = choose_toolchains(
        toolchains, search_path=environment.path.split(os.pathsep), private=private
    )
    programs = choose_programs(
        find_programs(
            tuple(profiles) or PROFILES,
            search_path=path_outside(environment.path, project),
            home=environment.home,
        ),
        shown=tools.readable,
        private=private,
    )
    roots = tuple(dict.fromkeys(root for program in programs for root in program.roots))
    folders = dict.fromkeys(str(program.link.parent) for program in programs)
    return SandboxReach(
        readable=(
            *tools.readable,
            *roots,
            *find_certificates(environment.raw, private),
            *readable,
        ),
        writable=tuple(writable),
        environment={"PATH": ":".join((*folders, tools.path)), **tools.environment},
        limits=ResourceLimits(settings.processes, settings.memory_mb, settings.file_mb),
        links={each.link: each.target for each in programs if each.link != each.target},
        refused=tools.refused,
        private=find_private_contents(
            (*SYSTEM_ROOTS, this_interpreter().prefix, *tools.readable, *roots)
        ),
    )
