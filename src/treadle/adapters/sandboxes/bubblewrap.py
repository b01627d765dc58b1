"""Implements the sandbox on Linux: bubblewrap runs each process in its own namespaces."""

import asyncio
import os
import secrets
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from treadle.adapters.sandboxes import bubblewrap_errors, sandbox_probe
from treadle.adapters.sandboxes.bubblewrap_options import (
    LAUNCHER,
    LAUNCHER_PYTHON,
    environment_options,
    file_options,
    file_system_options,
    host_path_options,
    isolation_options,
)
from treadle.adapters.sandboxes.bubblewrap_report import read_first_process, read_report
from treadle.adapters.sandboxes.cgroup_files import make_group
from treadle.adapters.sandboxes.cgroups import (
    GroupSource,
    SandboxGroups,
    SystemdScopes,
    enter_command,
    scope_command,
    scope_environment,
)
from treadle.adapters.sandboxes.interpreter import Interpreter, launcher_text
from treadle.adapters.sandboxes.mounts import MountLayout, PathKind, is_below, plan_mounts
from treadle.adapters.sandboxes.private_contents import names_in_sight
from treadle.adapters.sandboxes.seccomp import make_filter
from treadle.adapters.sandboxes.system_paths import (
    CONFIGURATION,
    HIDDEN_PROC_FILES,
    BubblewrapOption,
    account_files,
    runtime_link_options,
    system_options,
)
from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    ProbeResult,
    ResourceLimits,
    SandboxFailed,
)

# For bubblewrap itself: every process inside can read the variables of its first process.
HOST_ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
REPORT_PREFIX, REPORT_SUFFIX = "sandbox-", ".json"
PROBE_SOCKET = "/run/treadle/probe.sock"
MAX_COPIED_BYTES = 1 << 20
ALWAYS_MOUNTED = (Path("/usr"), Path("/nix/store"), Path("/gnu/store"))


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Confines with the `bwrap` at `program`; `reports` is a directory of the host."""

    program: Path | None
    reports: Path
    interpreter: Interpreter
    machine: str
    # How memory and processes are limited in sum; None: only for each process.
    groups: GroupSource | None = None
    # Where groups are recorded until they are removed; None: in `reports`.
    records: Path | None = None

    @property
    def name(self) -> str:
        return "bubblewrap"

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        if self.program is None:
            return bubblewrap_errors.not_installed()
        seccomp_filter = make_filter(self.machine)
        if isinstance(seccomp_filter, SandboxFailed):
            return seccomp_filter
        within = replace(within, readable=self._mounted_readable(within))
        within = replace(within, emptied=names_in_sight(within, ALWAYS_MOUNTED))
        layout = plan_mounts(within, path_kind)
        if isinstance(layout, SandboxFailed):
            return layout
        within = replace(within, links=_unmounted_links(within, layout))
        _make_mount_points(layout)
        with ExitStack() as opened:
            report, status = self._open_report(opened)
            copied = open_small_files(CONFIGURATION, opened)
            files = {
                path: _make_memory_file(text.encode(), opened)
                for path, text in self._generated_files(within).items()
            }
            seccomp = _make_memory_file(seccomp_filter, opened)
            options: list[BubblewrapOption] = [
                *isolation_options(within),
                *system_options(within.network, _link_target, copied),
                *file_system_options(within),
                *runtime_link_options(
                    (*map(str, (mount.path for mount in layout.mounts)), *within.sockets)
                ),
                *host_path_options(layout, within),
                *file_options(files),
                ("--symlink", str(self.interpreter.program), LAUNCHER_PYTHON),
                ("--remount-ro", "/"),
                *environment_options(environment, within),
                ("--seccomp", str(seccomp)),
                ("--json-status-fd", str(status)),
            ]
            arguments = _make_memory_file(_encode_options(options), opened)
            confined = ConfinedCommand(
                (str(self.program), "--args", str(arguments), "--", *command),
                HOST_ENVIRONMENT,
                (arguments, seccomp, status, *copied.values(), *files.values()),
                report,
            )
            try:
                confined = self._in_group(confined, within.limits)
            except OSError as error:
                return bubblewrap_errors.no_group(error)
            opened.pop_all()
        return confined

    def _in_group(self, confined: ConfinedCommand, limits: ResourceLimits) -> ConfinedCommand:
        """The command in a control group with these limits."""
        match self.groups:
            case None:
                return confined
            case SandboxGroups() as groups:
                group = make_group(groups, limits, self.records or self.reports)
                command = enter_command(group.folders, confined.command)
                counts = "pids" in groups.controllers
                return replace(confined, command=command, group=group, counts_processes=counts)
            case SystemdScopes() as scopes:
                name = f"treadle-{os.getpid()}-{secrets.token_hex(6)}"
                command = scope_command(scopes, limits, name, confined.command)
                variables = {**confined.environment, **scope_environment(scopes)}
                return replace(
                    confined, command=command, environment=variables, counts_processes=True
                )
            case _:
                assert_never(self.groups)

    def launcher(self) -> tuple[str, ...]:
        return (LAUNCHER,)

    def failure(self, report: Path, said: str = "") -> SandboxFailed | None:
        return read_report(report, said)

    def first_process(self, report: Path) -> int | None:
        return read_first_process(report)

    async def probe(self) -> ProbeResult:
        if self.program is None:
            return bubblewrap_errors.not_installed()
        version = bubblewrap_errors.parse_version(
            await asyncio.to_thread(_read_version, self.program)
        )
        if version < bubblewrap_errors.OLDEST_VERSION:
            return bubblewrap_errors.too_old(version)
        options = sandbox_probe.ProbeOptions(
            self.interpreter, self.reports, self.launcher(), PROBE_SOCKET
        )
        return await sandbox_probe.run_probe(self.confine, self.failure, options)

    def _generated_files(self, within: Confinement) -> dict[str, str]:
        return {
            **account_files(str(within.home), within.network),
            LAUNCHER: launcher_text(LAUNCHER_PYTHON, within.limits),
            **{str(path): "" for path in within.emptied if path_kind(path) == "file"},
            **{path: "" for path in HIDDEN_PROC_FILES if Path(path).exists()},
        }

    def _open_report(self, opened: ExitStack) -> tuple[Path, int]:
        self.reports.mkdir(parents=True, exist_ok=True)
        status, path = tempfile.mkstemp(REPORT_SUFFIX, REPORT_PREFIX, self.reports)
        opened.callback(Path(path).unlink)
        opened.callback(os.close, status)
        return Path(path), status

    def _mounted_readable(self, within: Confinement) -> tuple[Path, ...]:
        """The interpreter and the readable paths that exist, under their own names and under those
        of their links' targets."""
        paths = [path for path in (self.interpreter.prefix, *within.readable) if path.exists()]
        targets = [path.resolve() for path in paths]
        mounted = (*ALWAYS_MOUNTED, *targets, within.workspace, within.home, *within.writable)
        names = [path for path in paths if not any(is_below(path, above) for above in mounted)]
        readable = dict.fromkeys([*targets, *names])
        return tuple(path for path in readable if not _is_always_mounted(path))


def path_kind(path: Path) -> PathKind:
    """The kind of the path itself; links are not followed."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "directory"
    return "file" if stat.S_ISREG(mode) else "other"


def _read_version(program: Path) -> str:
    done = subprocess.run(
        [program, "--version"],
        env=HOST_ENVIRONMENT,
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def _unmounted_links(within: Confinement, layout: MountLayout) -> dict[Path, Path]:
    """Links in a mount are shown with it; bubblewrap would fail there, or make them on the host."""
    mounted = (*ALWAYS_MOUNTED, *(mount.path for mount in layout.mounts))
    return {
        link: target
        for link, target in within.links.items()
        if not any(is_below(link, above) for above in mounted)
    }


def _is_always_mounted(path: Path) -> bool:
    return any(path == above or is_below(path, above) for above in ALWAYS_MOUNTED)


def _make_mount_points(layout: MountLayout) -> None:
    for folder in layout.folders:
        folder.mkdir(exist_ok=True)
    for file in layout.files:
        file.touch()


def _link_target(path: str) -> str | None:
    return str(Path(path).readlink()) if Path(path).is_symlink() else None


def open_small_files(paths: Iterable[str], opened: ExitStack) -> dict[str, int]:
    """Opens the paths that are small ordinary files, readable by everybody. Copying such a file is
    faster than mounting it, because bubblewrap reads the whole mount table for each mount."""
    descriptors = {}
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue  # missing, or not readable
        status = os.fstat(descriptor)
        is_public = stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IROTH
        if is_public and status.st_size <= MAX_COPIED_BYTES:
            opened.callback(os.close, descriptor)
            descriptors[path] = descriptor
        else:
            os.close(descriptor)
    return descriptors


def _encode_options(options: list[BubblewrapOption]) -> bytes:
    return os.fsencode("".join(f"{word}\0" for option in options for word in option))


def _make_memory_file(content: bytes, opened: ExitStack) -> int:
    """An anonymous file with this content, to be read from its beginning."""
    descriptor = os.memfd_create("treadle", os.MFD_CLOEXEC)
    opened.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
