"""What a confined process may reach, and the port to the sandbox that confines it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

# none: nothing; gateway: only the model; allowlist: also the listed hosts; open: all that the
# machine can reach.
Network = Literal["none", "gateway", "allowlist", "open"]
# Who reaches the package indexes: every confined process, the setup command alone, or none.
IndexMode = Literal["open", "setup", "closed"]
Access = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The limits of one sandbox. Without a control group, `memory_mb` is a limit of each process,
    and `processes` one that the kernel does not enforce for root."""

    processes: int = 1024
    # 0: no limit.
    memory_mb: int = 8192
    file_mb: int = 4096


@dataclass(frozen=True, slots=True)
class DiskLimits:
    """What stays free on the disks of a run, and what its workspace and its home may take; 0: no
    limit."""

    free_mb: int = 512
    disk_mb: int = 20480


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """Where the kernel counts the memory and the processes of one sandbox in sum."""

    # One for each controller, or one for both.
    folders: tuple[Path, ...]
    # A file that names the folders; it exists as long as they may.
    record: Path
    limits: ResourceLimits


@dataclass(frozen=True, slots=True)
class Confinement:
    """All that a process can reach; paths are the same inside and outside."""

    # The working directory.
    workspace: Path
    # Writable and private; HOME.
    home: Path
    network: Network = "none"
    workspace_access: Access = "write"
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    # In the workspace but read-only, whether they exist or not.
    protected: tuple[Path, ...] = ()
    # Links to programs, with their targets, which are readable.
    links: Mapping[Path, Path] = field(default_factory=dict)
    # Unix sockets of the host, by their path inside.
    sockets: Mapping[str, Path] = field(default_factory=dict)
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    # Files and directories that are empty inside, because they hold logins or are of other
    # projects; those that are readable or writable by name are not.
    emptied: tuple[Path, ...] = ()
    # Directories that are empty inside.
    barred: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfinedCommand:
    """How to start a confined process. It inherits the descriptors; the caller closes its own
    copies once it runs."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    descriptors: tuple[int, ...] = ()
    # Where the sandbox reports whether the command ran inside; None: it cannot.
    report: Path | None = None
    # The caller removes it afterwards; None: there is none, or somebody else removes it.
    group: ControlGroup | None = None
    # Whether processes are counted for the sandbox as a whole.
    counts_processes: bool = False


@dataclass(frozen=True, slots=True)
class SandboxFailed:
    """The sandbox could not be set up, or does not confine; the hint says what to do."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ProbePassed:
    """The sandbox confines; `warnings` name what it cannot do on this machine."""

    warnings: tuple[str, ...] = ()
    # Whether the agent's programs are kept from acting in its name. If not, nothing lands without
    # a person.
    separated: bool = True


ProbeResult: TypeAlias = ProbePassed | SandboxFailed


class Sandbox(Protocol):
    """Confines processes; every implementation passes the same probe."""

    @property
    def name(self) -> str:
        """The name in events and summaries: bubblewrap, seatbelt, unsandboxed."""
        ...

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        """The command line that runs `command` confined, with only this environment."""
        ...

    def launcher(self) -> tuple[str, ...]:
        """The prefix for a command inside that must not affect its parent process; empty if the
        system cannot do that."""
        ...

    def failure(self, report: Path, stderr: str = "") -> SandboxFailed | None:
        """Why a confined command did not run, by the sandbox's report; None if it ran.

        For a command that has ended; `stderr` is the end of its standard error.
        """
        ...

    def first_process(self, report: Path) -> int | None:
        """The first process inside, by the sandbox's report: everything inside ends with it. None
        if it has not started, or if there is no such process."""
        ...

    async def probe(self) -> ProbeResult:
        """Test the sandbox: what is allowed must work, what is forbidden must not."""
        ...
