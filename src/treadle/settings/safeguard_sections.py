"""The sections [permissions], [sandbox], [policy], [hooks] and [verify] of `treadle.toml`."""

from dataclasses import dataclass, field

from treadle.domain.sandbox import Network
from treadle.settings.key_metadata import key


@dataclass(frozen=True, slots=True)
class PermissionSettings:
    """What the agent may do beyond the baseline."""

    allow: tuple[str, ...] = field(
        default=(),
        metadata=key('Permission rules added to the baseline, such as "Bash(npm run *)".'),
    )


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """What the agent can reach. Only --no-sandbox and TREADLE_NO_SANDBOX=1 switch it off.

    What a file opens here counts once you trust it: see `treadle trust`.
    """

    network: Network = field(
        default="gateway",
        metadata=key("gateway: the model alone; allowlist: `hosts` besides; open: everything."),
    )
    hosts: tuple[str, ...] = field(
        default=(),
        metadata=key('Hosts that `allowlist` lets through, as "host:port".'),
    )
    readable: tuple[str, ...] = field(
        default=(),
        metadata=key("Further paths that the agent may read; never logins or the machine's own."),
    )
    writable: tuple[str, ...] = field(
        default=(),
        metadata=key("Further paths that the agent may write; nor programs that you run."),
    )
    processes: int = field(
        default=1024, metadata=key("Processes that a session may have at once.", above=0)
    )
    memory_mb: int = field(
        default=8192, metadata=key("Megabytes of memory that one process may use.", above=0)
    )
    file_mb: int = field(
        default=4096, metadata=key("Megabytes that one file may grow to.", above=0)
    )


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Which shell commands the agent may run, and before which a person is asked."""

    profiles: tuple[str, ...] = field(
        default=(),
        metadata=key("Languages whose commands are allowed: node, python, …; empty: all."),
    )
    allow_commands: tuple[str, ...] = field(
        default=(), metadata=key("Commands allowed besides, by name.")
    )
    allow_pkill_targets: tuple[str, ...] = field(
        default=(), metadata=key("Processes that pkill may end besides, by name.")
    )
    ask_before: tuple[str, ...] = field(
        default=(),
        metadata=key('Commands before which a person is asked, such as "terraform apply *".'),
    )
    ask_minutes: float = field(
        default=60.0,
        metadata=key("Minutes to wait for that answer; then it counts as a no.", above=0),
    )


@dataclass(frozen=True, slots=True)
class HookSettings:
    """Commands of yours that may forbid what the policy allows; they run in the sandbox."""

    before_tool_use: tuple[str, ...] = field(
        default=(),
        metadata=key("Given the use as JSON on stdin; exit code 2 forbids it, stderr says why."),
    )


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """How Treadle itself finds out whether the work is done."""

    require_checks: bool = field(
        default=False,
        metadata=key("Refuse a pass while a criterion of the deliverable has no check."),
    )
    check_minutes: float = field(
        default=10.0, metadata=key("Minutes that one check may take.", above=0)
    )
    test_minutes: float = field(
        default=30.0, metadata=key("Minutes that the test command may take.", above=0)
    )
    reports: tuple[str, ...] = field(
        default=(),
        metadata=key("Where the test command leaves reports: JUnit XML, or JSON of known tools."),
    )
    coverage_reports: tuple[str, ...] = field(
        default=(),
        metadata=key("Where it leaves coverage: Cobertura XML, coverage.py JSON, lcov."),
    )
    coverage: float = field(
        default=80.0,
        metadata=key("Percent of coverage to reach, where there is a report.", least=0),
    )
    fix_rounds: int = field(
        default=3,
        metadata=key("Rounds that may try to mend failing tests; then a person is asked.", above=0),
    )
    protect: tuple[str, ...] = field(
        default=(), metadata=key("Paths that no implementer may change, such as tests/contract.")
    )
