"""Who starts sandboxes in the tests: the current user, and an ordinary one if it is root."""

import asyncio
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tests.missing import missing
from treadle.adapters.sandboxes.bubblewrap import Bubblewrap
from treadle.adapters.sandboxes.cgroup_files import (
    RECORDS_FOLDER,
    find_group_source,
    remove_ended_group,
)
from treadle.adapters.sandboxes.interpreter import Interpreter, this_interpreter
from treadle.adapters.sandboxes.sandbox_probe import ProbeOptions
from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    ControlGroup,
    ResourceLimits,
    SandboxFailed,
)

Who = Literal["ourselves", "user"]
CALLERS: tuple[Who, ...] = ("ourselves", "user") if os.getuid() == 0 else ("ourselves",)
USER = 1500
SETPRIV = shutil.which("setpriv") or "setpriv"
BECOME = (SETPRIV, "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--")
PROBE_SOCKET = "/run/treadle/probe.sock"


@dataclass(frozen=True)
class Caller:
    """A user, and a sandbox in a directory of its own that this user starts."""

    who: Who
    folder: Path
    sandbox: Bubblewrap

    @property
    def is_root(self) -> bool:
        return self.who == "ourselves" and os.getuid() == 0

    @property
    def counts_processes(self) -> bool:
        """Root's are counted in a control group alone, and those of others always."""
        groups = self.sandbox.groups
        return not self.is_root or (groups is not None and "pids" in groups.controllers)

    def can_start(self, program: Path) -> bool:
        return _starts(BECOME if self.who == "user" else (), program)

    @property
    def probe_options(self) -> ProbeOptions:
        launcher = self.sandbox.launcher()
        return ProbeOptions(
            self.sandbox.interpreter, self.folder / "probes", launcher, PROBE_SOCKET
        )

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        """The command, started by this user."""
        confined = self.sandbox.confine(command, environment, within)
        if self.who == "ourselves" or isinstance(confined, SandboxFailed):
            return confined
        self.give(within)
        return replace(confined, command=(*BECOME, *confined.command))

    def give(self, within: Confinement) -> None:
        """Makes this user the owner of the folder and of the sockets."""
        for top in (self.folder, *(path.parent for path in within.sockets.values())):
            for parent, folders, files in os.walk(top):
                for name in (".", *folders, *files):
                    os.chown(Path(parent) / name, USER, USER, follow_symlinks=False)


@contextmanager
def called_by(who: Who) -> Iterator[Caller]:
    """A caller outside of pytest's directory, which is closed to other users."""
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap")
    with tempfile.TemporaryDirectory(prefix="treadle-escapes-", dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        interpreter = this_interpreter() if who == "ourselves" else _interpreter_for_all()
        groups = (
            find_group_source(folder, systemd_run=None, runtime=None)
            if who == "ourselves"
            else None
        )
        sandbox = Bubblewrap(
            Path(program), folder / "reports", interpreter, platform.machine(), groups, folder
        )
        yield Caller(who, folder, sandbox)
        remove_groups(folder)


def remove_groups(records: Path) -> None:
    """Remove the control groups of sandboxes that were started here, and have ended."""
    for record in (records / RECORDS_FOLDER).glob("*"):
        folders = tuple(map(Path, record.read_text().splitlines()[1:]))
        asyncio.run(remove_ended_group(ControlGroup(folders, record, ResourceLimits())))
        assert not record.exists()


def _interpreter_for_all() -> Interpreter:
    """A Python that any user can start: ours may be in a home that is closed to others."""
    candidates = (this_interpreter(), Interpreter(Path("/usr/bin/python3").resolve(), Path("/usr")))
    started = [candidate for candidate in candidates if _starts(BECOME, candidate.program)]
    return started[0] if started else missing(f"a Python that user {USER} can start")


def _starts(prefix: Sequence[str], program: Path) -> bool:
    # Through a shell: setpriv itself searches for programs with the rights of root.
    command = (*prefix, "sh", "-c", 'exec "$0" --version', str(program))
    return (
        subprocess.run(command, cwd="/", env={}, capture_output=True, check=False).returncode == 0
    )
