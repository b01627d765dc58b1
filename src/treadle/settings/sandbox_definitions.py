"""The settings of the sandbox: what it opens and what bounds it, as `definitions` lists them."""

from dataclasses import dataclass

from treadle.domain.sandbox import IndexMode, Network
from treadle.settings.setting_field import setting


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """What the agent can reach. Only --no-sandbox and TREADLE_NO_SANDBOX=1 switch it off.

    What a file opens here counts once you trust it: see `treadle trust`.
    """

    network: Network = setting(
        "gateway: the model alone; allowlist: `hosts` besides; open: everything.", "gateway"
    )
    indexes: IndexMode = setting(
        "Package indexes of your tools, read-only. setup: for setup of your tree; closed: none.",
        "open",
    )
    hosts: tuple[str, ...] = setting('Hosts that `allowlist` lets through, as "host:port".', ())
    readable: tuple[str, ...] = setting(
        "Further paths that the agent may read; never logins or the machine's own.", ()
    )
    writable: tuple[str, ...] = setting(
        "Further paths that the agent may write; nor programs that you run.", ()
    )
    processes: int = setting(
        "Processes and threads at once in one sandbox; for root only with a control group.",
        1024,
        above=0,
    )
    memory_mb: int = setting(
        "Megabytes of memory of one sandbox; of each process without a control group; 0: any.",
        8192,
        least=0,
    )
    file_mb: int = setting("Megabytes that one file may grow to.", 4096, above=0)
    disk_mb: int = setting(
        "Megabytes that a workspace and its home may take on disk; 0 sets no limit.",
        20480,
        least=0,
    )
    free_mb: int = setting(
        "Megabytes that stay free on the disks of a run, at most 5 % of each; 0: none.",
        512,
        least=0,
    )
