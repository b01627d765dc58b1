"""What a confined process may reach, and the port to the sandbox that confines it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

# none: nothing at all; gateway: the model and nothing else; allowlist: named hosts besides; open:
# whatever the machine can reach.
Network = Literal["none", "gateway", "allowlist", "open"]
NETWORKS: tuple[Network, ...] = ("none", "gateway", "allowlist", "open")


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What all processes of one sandbox may use."""

    processes: int = 1024
    memory_mb: int = 8192
    file_mb: int = 4096


@dataclass(frozen=True, slots=True)
class Confinement:
    """All that a process can reach; every path is seen inside under the name it has outside."""

    # Writable, and where the process starts.
    workspace: Path
    # Writable, private, and its HOME.
    home: Path
    network: Network = "none"
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    # Inside the workspace and read-only all the same, whether they exist yet or not.
    protected: tuple[Path, ...] = ()
    # Unix sockets outside that the process may connect to, by the path that it knows them under.
    sockets: Mapping[str, Path] = field(default_factory=dict)
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    # Directories inside that are there, empty, and stay so.
    barred: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfinedCommand:
    """How to start a confined process. The descriptors are inherited by it, and closed by whoever
    started it, as soon as it runs."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    descriptors: tuple[int, ...] = ()
    # Where the sandbox writes whether the command really ran inside it; None: it cannot tell.
    report: Path | None = None


@dataclass(frozen=True, slots=True)
class SandboxFailed:
    """The sandbox could not be set up or does not hold, and what a person can do about it."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ProbePassed:
    """The sandbox was tried out, and held; `told` says what this machine's sandbox cannot do."""

    told: tuple[str, ...] = ()
    # Whether programs that the agent starts are kept from speaking in its name. Where they are not,
    # nothing lands without a person.
    separated: bool = True


ProbeResult: TypeAlias = ProbePassed | SandboxFailed


class Sandbox(Protocol):
    """Confines processes; the same probe is asked of each implementation."""

    @property
    def name(self) -> str:
        """As events and summaries call it: bubblewrap, seatbelt, unsandboxed."""
        ...

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        """The command line that runs `command` with just this environment, confined."""
        ...

    def launcher(self) -> tuple[str, ...]:
        """What to put before a command inside, so that it cannot touch the process that starts it;
        empty where the system has no way to do that."""
        ...

    def failure(self, report: Path, said: str = "") -> SandboxFailed | None:
        """Why a confined command did not run, by what the sandbox wrote; None if it did run.

        Ask it of a command that ended by itself. `said`: the end of its standard error.
        """
        ...

    def first_process(self, report: Path) -> int | None:
        """The process with which everything inside has ended, by what the sandbox wrote; None if
        it has started none yet, or has no such process."""
        ...

    async def probe(self) -> ProbeResult:
        """Try the sandbox out: what is allowed must work, what is forbidden must not."""
        ...
