"""Linux: each process in namespaces of its own, which bubblewrap sets up."""

import asyncio
import os
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from treadle.adapters.sandboxes import probing, remedies
from treadle.adapters.sandboxes.launcher_text import Interpreter, Perl, launcher_text
from treadle.adapters.sandboxes.mounts import Kind, Layout, is_in, layout
from treadle.adapters.sandboxes.options import (
    LAUNCHER,
    environment_options,
    file_systems,
    host_paths,
    isolation,
    written_files,
)
from treadle.adapters.sandboxes.report import read_first_process, read_report
from treadle.adapters.sandboxes.seccomp import filter_for
from treadle.adapters.sandboxes.system_paths import (
    CONFIGURATION,
    Option,
    account_files,
    system_options,
)
from treadle.domain.sandbox import Confined, Confinement, Probed, SandboxFailed

# For bubblewrap itself: its first process keeps it, and all inside can read it there.
OUTSIDE = {"PATH": "/usr/bin:/bin"}
REPORT_PREFIX, REPORT_SUFFIX = "sandbox-", ".json"
PROBE_SOCKET = "/run/treadle/probe.sock"
MOST_COPIED = 1 << 20
ALWAYS_THERE = (Path("/usr"), Path("/nix/store"), Path("/gnu/store"))


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Confines with the `bwrap` at `program`; keeps its reports in a directory of the host."""

    program: Path | None
    reports: Path
    interpreter: Interpreter
    machine: str
    # Starts commands; the interpreter does where there is none.
    perl: Perl | None = None

    @property
    def name(self) -> str:
        return "bubblewrap"

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> Confined | SandboxFailed:
        if self.program is None:
            return remedies.missing()
        program = filter_for(self.machine)
        if isinstance(program, SandboxFailed):
            return program
        within = replace(within, readable=self._readable(within))
        planned = layout(within, kind_of)
        if isinstance(planned, SandboxFailed):
            return planned
        _make(planned)
        with ExitStack() as opened:
            report, status = self._report(opened)
            copied = small_files(CONFIGURATION, opened)
            files = {
                path: _in_memory(text.encode(), opened)
                for path, text in self._files(within).items()
            }
            seccomp = _in_memory(program, opened)
            options: list[Option] = [
                *isolation(within),
                *system_options(within.network, _link_to, copied),
                *file_systems(within),
                *host_paths(planned, within.sockets),
                *written_files(files),
                ("--remount-ro", "/"),
                *environment_options(environment, within),
                ("--seccomp", str(seccomp)),
                ("--json-status-fd", str(status)),
            ]
            arguments = _in_memory(_joined(options), opened)
            opened.pop_all()
        return Confined(
            (str(self.program), "--args", str(arguments), "--", *command),
            OUTSIDE,
            (arguments, seccomp, status, *copied.values(), *files.values()),
            report,
        )

    def launcher(self) -> tuple[str, ...]:
        return (LAUNCHER,)

    def failure(self, report: Path, said: str = "") -> SandboxFailed | None:
        return read_report(report, said)

    def first_process(self, report: Path) -> int | None:
        return read_first_process(report)

    async def probe(self) -> Probed:
        if self.program is None:
            return remedies.missing()
        version = remedies.version_of(await asyncio.to_thread(_asked_for_version, self.program))
        if version < remedies.OLDEST:
            return remedies.too_old(version)
        tried = probing.Tried(self.interpreter, self.reports, self.launcher(), PROBE_SOCKET)
        return await probing.probe(self.confine, self.failure, tried)

    def _files(self, within: Confinement) -> dict[str, str]:
        return {
            **account_files(str(within.home), within.network),
            LAUNCHER: launcher_text(self.perl or self.interpreter, within.limits),
        }

    def _report(self, opened: ExitStack) -> tuple[Path, int]:
        self.reports.mkdir(parents=True, exist_ok=True)
        status, path = tempfile.mkstemp(REPORT_SUFFIX, REPORT_PREFIX, self.reports)
        opened.callback(Path(path).unlink)
        opened.callback(os.close, status)
        return Path(path), status

    def _readable(self, within: Confinement) -> tuple[Path, ...]:
        """What is asked for and exists, under its own name and under the one that links lead to."""
        asked = (self.interpreter.library, *within.readable)
        found = [path for path in asked if path.exists()]
        real = [path.resolve() for path in found]
        mounted = (*ALWAYS_THERE, *real, within.workspace, within.home, *within.writable)
        named = [path for path in found if not any(is_in(path, above) for above in mounted)]
        wanted = dict.fromkeys([*real, *named])
        return tuple(path for path in wanted if not _always_there(path))


def kind_of(path: Path) -> Kind:
    """What lies at the path itself, links not followed."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "directory"
    return "file" if stat.S_ISREG(mode) else "other"


def _asked_for_version(program: Path) -> str:
    done = subprocess.run(
        [program, "--version"], env=OUTSIDE, capture_output=True, text=True, check=False
    )
    return done.stdout


def _always_there(path: Path) -> bool:
    return any(path == above or is_in(path, above) for above in ALWAYS_THERE)


def _make(planned: Layout) -> None:
    for folder in planned.folders:
        folder.mkdir(exist_ok=True)
    for file in planned.files:
        file.touch()


def _link_to(path: str) -> str | None:
    return str(Path(path).readlink()) if Path(path).is_symlink() else None


def small_files(paths: Iterable[str], opened: ExitStack) -> dict[str, int]:
    """Those that are ordinary files, for everybody to read and worth a copy, open: for each mount
    bubblewrap reads the whole table of mounts, which takes longer."""
    found = {}
    for path in paths:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue  # not there, or not for us
        told = os.fstat(descriptor)
        is_public = stat.S_ISREG(told.st_mode) and told.st_mode & stat.S_IROTH
        if is_public and told.st_size <= MOST_COPIED:
            opened.callback(os.close, descriptor)
            found[path] = descriptor
        else:
            os.close(descriptor)
    return found


def _joined(options: list[Option]) -> bytes:
    return os.fsencode("".join(f"{word}\0" for option in options for word in option))


def _in_memory(content: bytes, opened: ExitStack) -> int:
    """A file without a name, at its beginning."""
    descriptor = os.memfd_create("treadle", os.MFD_CLOEXEC)
    opened.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
