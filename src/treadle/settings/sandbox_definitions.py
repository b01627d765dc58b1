"""The settings of the sandbox: what it opens and what bounds it, as `definitions` lists them."""

from dataclasses import dataclass

from treadle.domain.sandbox import IndexMode, Network
from treadle.settings.setting_field import setting


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """What the agent can reach. Only --no-sandbox and TREADLE_NO_SANDBOX=1 switch it off.

    What treadle.toml permits here has no effect until you accept it with `treadle trust`.
    """

    network: Network = setting(
        "gateway: the model only; allowlist: also `hosts`; open: everything.", "gateway"
    )
    indexes: IndexMode = setting(
        "Read-only access to package indexes: open, setup (only for your own tree) or closed.",
        "open",
    )
    hosts: tuple[str, ...] = setting('Hosts that `allowlist` permits, as "host:port".', ())
    readable: tuple[str, ...] = setting(
        "More paths that the agent may read. Logins and system secrets stay hidden.", ()
    )
    writable: tuple[str, ...] = setting(
        "More paths that the agent may write. Logins and programs that you run stay protected.", ()
    )
    processes: int = setting(
        "Maximum processes and threads in one sandbox. As root, needs a control group.",
        1024,
        above=0,
    )
    memory_mb: int = setting(
        "Maximum memory of a sandbox in MB; of each process without a control group. 0: no limit.",
        8192,
        least=0,
    )
    file_mb: int = setting("Maximum size of one file in MB.", 4096, above=0)
    disk_mb: int = setting(
        "Maximum disk space of a workspace and its home in MB. 0: no limit.",
        20480,
        least=0,
    )
    free_mb: int = setting(
        "Disk space in MB that a run leaves free, at most 5 % of each disk. 0: none.",
        512,
        least=0,
    )
