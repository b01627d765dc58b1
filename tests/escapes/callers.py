"""Who starts a sandbox in the tests: whoever runs them, and an ordinary user if that is root."""

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
from treadle.adapters.sandboxes.interpreter import Interpreter, this_interpreter
from treadle.adapters.sandboxes.sandbox_probe import ProbeOptions
from treadle.domain.sandbox import ConfinedCommand, Confinement, SandboxFailed

Who = Literal["ourselves", "user"]
CALLERS: tuple[Who, ...] = ("ourselves", "user") if os.getuid() == 0 else ("ourselves",)
USER = 1500
SETPRIV = shutil.which("setpriv") or "setpriv"
BECOME = (SETPRIV, "--reuid", str(USER), "--regid", str(USER), "--clear-groups", "--")
PROBE_SOCKET = "/run/treadle/probe.sock"


@dataclass(frozen=True)
class Caller:
    """A sandbox in a directory of its own, started by somebody."""

    who: Who
    place: Path
    sandbox: Bubblewrap

    @property
    def is_root(self) -> bool:
        return self.who == "ourselves" and os.getuid() == 0

    def can_start(self, program: Path) -> bool:
        return _starts(BECOME if self.who == "user" else (), program)

    @property
    def tried(self) -> ProbeOptions:
        launcher = self.sandbox.launcher()
        return ProbeOptions(self.sandbox.interpreter, self.place / "probes", launcher, PROBE_SOCKET)

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        """As the sandbox does it, but by this user."""
        confined = self.sandbox.confine(command, environment, within)
        if self.who == "ourselves" or isinstance(confined, SandboxFailed):
            return confined
        self.give(within)
        return replace(confined, command=(*BECOME, *confined.command))

    def give(self, within: Confinement) -> None:
        """What lies in the place, and the sockets, are the user's from now on."""
        for top in (self.place, *(path.parent for path in within.sockets.values())):
            for folder, folders, files in os.walk(top):
                for name in (".", *folders, *files):
                    os.chown(Path(folder) / name, USER, USER, follow_symlinks=False)


@contextmanager
def called_by(who: Who) -> Iterator[Caller]:
    """Not below pytest's own directory, which is closed to other users."""
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap")
    with tempfile.TemporaryDirectory(prefix="treadle-escapes-", dir="/var/tmp") as name:
        place = Path(name)
        place.chmod(0o755)
        interpreter = this_interpreter() if who == "ourselves" else _interpreter_for_all()
        sandbox = Bubblewrap(Path(program), place / "reports", interpreter, platform.machine())
        yield Caller(who, place, sandbox)


def _interpreter_for_all() -> Interpreter:
    """One that any user can start: ours may lie in a home that is closed to others."""
    candidates = (this_interpreter(), Interpreter(Path("/usr/bin/python3").resolve(), Path("/usr")))
    started = [candidate for candidate in candidates if _starts(BECOME, candidate.program)]
    return started[0] if started else missing(f"a Python that user {USER} can start")


def _starts(prefix: Sequence[str], program: Path) -> bool:
    # By a shell: what setpriv itself starts is looked up with the rights of root.
    command = (*prefix, "sh", "-c", 'exec "$0" --version', str(program))
    return (
        subprocess.run(command, cwd="/", env={}, capture_output=True, check=False).returncode == 0
    )
