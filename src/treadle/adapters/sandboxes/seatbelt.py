"""Implements the sandbox on macOS, with a profile for the system's own `sandbox-exec`.

It has not been tested on a Mac, and its warnings say so: the probe must pass before each use.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treadle.adapters.sandboxes import sandbox_probe
from treadle.adapters.sandboxes.interpreter import Interpreter
from treadle.adapters.sandboxes.seatbelt_profile import make_profile
from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    ProbePassed,
    ProbeResult,
    SandboxFailed,
)

# The full path: another program of that name on the PATH might confine nothing.
PROGRAM = Path("/usr/bin/sandbox-exec")
WARNINGS = (
    "the macOS sandbox passed its probe here, and has been tested nowhere else",
    "it has one loopback with the machine: programs in it cannot serve pages to each other",
    "programs that the agent starts could speak in its name, so finished work lands only when a "
    "person says so",
    "processes, memory and file sizes are not limited",
)
REQUIRED_TESTS = frozenset(
    (
        *("writes in the workspace", "writes in its home", "reads what it may"),
        "renames and links files across directories",
        *(
            "reaches its socket",
            "starts in the workspace",
            "cannot read files next to the workspace",
        ),
        *("cannot write what it may read", "cannot write the system"),
        *("cannot write protected files", "cannot move protected files"),
        *("cannot link to what it may not read", "cannot link to protected files"),
        "cannot reach services here",
    )
)


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """Confines with `sandbox-exec`; it mounts nothing, so paths and sockets keep their names."""

    interpreter: Interpreter
    # Where the probe makes its files.
    reports: Path
    program: Path = PROGRAM

    @property
    def name(self) -> str:
        return "seatbelt"

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        if not self.program.is_file():
            return SandboxFailed(
                f"{self.program} is missing; the sandbox needs it",
                hint="it belongs to macOS: on another system, Treadle needs bubblewrap",
            )
        # Rules match real paths, and /tmp is a link on macOS.
        real = _resolve_paths(within)
        temporary = real.home / "tmp"
        if temporary.is_symlink():
            temporary.unlink()  # an agent made it, and it may lead anywhere
        temporary.mkdir(exist_ok=True)
        rules = make_profile(real, self.interpreter.prefix)
        inside = {**environment, "HOME": str(real.home), "TMPDIR": str(temporary)}
        return ConfinedCommand((str(self.program), "-p", rules, *command), inside)

    def launcher(self) -> tuple[str, ...]:
        return ()

    def failure(self, report: Path, said: str = "") -> SandboxFailed | None:
        return None

    def first_process(self, report: Path) -> int | None:
        return None

    async def probe(self) -> ProbeResult:
        options = sandbox_probe.ProbeOptions(
            self.interpreter, self.reports, temporary=(), required_tests=REQUIRED_TESTS
        )
        probed = await sandbox_probe.run_probe(self.confine, self.failure, options)
        return ProbePassed(WARNINGS, separated=False) if isinstance(probed, ProbePassed) else probed


def _resolve_paths(within: Confinement) -> Confinement:
    return replace(
        within,
        workspace=within.workspace.resolve(),
        home=within.home.resolve(),
        readable=tuple(path.resolve() for path in within.readable),
        writable=tuple(path.resolve() for path in within.writable),
        emptied=tuple(path.resolve() for path in within.emptied),
        sockets={name: path.resolve() for name, path in within.sockets.items()},
    )
