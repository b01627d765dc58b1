"""All settings: one frozen dataclass per section of `treadle.toml`.

Names are on the wire for ever. Each key carries its help in the field's metadata: `settings.keys`
reads it for the commented file, the schema and the reference.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.domain.review import Severity
from treadle.domain.run import LandingMode
from treadle.settings.key_metadata import key
from treadle.settings.safeguard_sections import (
    HookSettings,
    PermissionSettings,
    PolicySettings,
    SandboxSettings,
    VerifySettings,
)

VERSION = 1

# Above this a ceiling would bound nothing any more (a million minutes are two years).
LARGEST_NUMBER = 1_000_000


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Where the specification is, and the commands that set the project up and judge it."""

    spec: str = field(
        default="SPEC.md",
        metadata=key("The file that says what is to be built.", rule="inside"),
    )
    specs: str = field(
        default="specs",
        metadata=key(
            "The folder of specifications that `focus` holds the work against.",
            rule="inside",
        ),
    )
    setup: str = field(
        default="", metadata=key("Prepares a fresh checkout: installs what the project needs.")
    )
    check: str = field(
        default="", metadata=key("Judges the code without running it: lint, format, types.")
    )
    test: str = field(default="", metadata=key("Runs the tests."))


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The coding agent and the models it uses.

    A `binary` that a file names counts once you trust it: see `treadle trust`.
    """

    model: str = field(
        default="sonnet", metadata=key("The model that writes the code.", rule="some")
    )
    plan_model: str = field(default="opus", metadata=key("The model that plans.", rule="some"))
    binary: str = field(
        default="",
        metadata=key("The claude executable; empty: CLAUDE_BIN, then PATH, then the bundled one."),
    )
    thinking: int = field(
        default=0,
        metadata=key("Tokens for thinking per answer; 0 leaves it to the agent.", least=0),
    )
    max_turns: int = field(default=200, metadata=key("Turns that one session may take.", above=0))
    attribution: bool = field(
        default=False, metadata=key("Let commits by the agent name the agent as co-author.")
    )


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The ceilings of a whole run; none of them can be switched off."""

    max_cost_usd: float = field(
        default=20.0, metadata=key("US dollars that a run may cost.", above=0)
    )
    max_minutes: float = field(default=480.0, metadata=key("Minutes that a run may take.", above=0))
    max_iterations: int = field(default=100, metadata=key("Rounds that a run may take.", above=0))
    max_retries: int = field(
        default=3, metadata=key("Failed rounds in a row that are tried again.", least=0)
    )
    day_cost_usd: float = field(
        default=100.0, metadata=key("US dollars that all runs may cost in one day.", above=0)
    )
    stuck_rounds: int = field(
        default=5,
        metadata=key("Rounds without progress after which a run is ended as stuck.", above=0),
    )
    stuck_repeats: int = field(
        default=3,
        metadata=key(
            "Times the same mishap (hang, empty session, work taken back) comes and ends a run.",
            above=0,
        ),
    )


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The ceilings of one session inside a run; none of them can be switched off."""

    max_cost_usd: float = field(
        default=10.0, metadata=key("US dollars that one session may cost.", above=0)
    )
    max_minutes: float = field(
        default=120.0, metadata=key("Minutes that one session may take.", above=0)
    )
    first_byte_s: float = field(
        default=300.0, metadata=key("Seconds to wait for the first sign of an answer.", above=0)
    )
    idle_s: float = field(
        default=600.0, metadata=key("Seconds of silence after which a session is ended.", above=0)
    )
    tool_minutes: float = field(
        default=60.0, metadata=key("Minutes that a single tool call may take.", above=0)
    )


@dataclass(frozen=True, slots=True)
class DeliverSettings:
    """How `treadle deliver` goes from round to round."""

    delay_s: float = field(
        default=3.0, metadata=key("Seconds between one round and the next.", least=0)
    )
    backoff_s: float = field(
        default=5.0,
        metadata=key("Seconds to wait after a failed round; doubled with each in a row.", least=0),
    )
    breaker_rest_s: float = field(
        default=300.0,
        metadata=key("Seconds to leave a service alone that failed three times in a row.", least=0),
    )


@dataclass(frozen=True, slots=True)
class FocusSettings:
    """How `treadle focus` comes to an end of its reviews."""

    review_bar: Severity = field(
        default="major",
        metadata=key("Findings from this severity on can request changes: blocker, major, …"),
    )
    max_reviews: int = field(
        default=3,
        metadata=key("Reviews after which what is left goes to the backlog.", above=0),
    )


@dataclass(frozen=True, slots=True)
class QuotaSettings:
    """What to do when the provider's usage quota is spent."""

    wait: bool = field(
        default=False, metadata=key("Wait until it is refilled instead of ending the run.")
    )
    margin_s: float = field(
        default=60.0, metadata=key("Seconds to wait beyond the announced refill.", least=0)
    )


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where runs are kept. Give an address with a password by TREADLE_DATABASE_URL instead.

    In a file it counts once you trust it: see `treadle trust`.
    """

    url: str = field(
        default="",
        metadata=key(
            "A database shared by machines, postgresql://user@host/name; empty: a file here.",
            rule="address",
        ),
    )


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """How long runs are kept whose work is in your branch or was dropped."""

    days: int = field(
        default=90,
        metadata=key("Days after its end that such a run and its files are kept.", above=0),
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `treadle.toml`, the environment and the command line can say."""

    version: int = field(
        default=VERSION, metadata=key("The version of this file's format.", above=0)
    )
    land: LandingMode = field(
        default="auto",
        metadata=key(
            "Bring finished work into your checkout: auto when it is unchanged, ask first, never."
        ),
    )
    commit: bool = field(
        default=True,
        metadata=key("Land work as commits; if false, as uncommitted changes in your checkout."),
    )
    allowed_tools: tuple[str, ...] = field(
        default=(), metadata=key('Tools added to the baseline, such as "mcp__browser__click".')
    )
    permissions: PermissionSettings = field(default_factory=PermissionSettings)
    project: ProjectSettings = field(default_factory=ProjectSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    deliver: DeliverSettings = field(default_factory=DeliverSettings)
    focus: FocusSettings = field(default_factory=FocusSettings)
    quota: QuotaSettings = field(default_factory=QuotaSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    verify: VerifySettings = field(default_factory=VerifySettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    prices: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict,
        metadata=key("Prices of your own, by model, in US dollars per million tokens."),
    )
    # Absent, empty and given differ: the built-in servers, none at all, these on top of them.
    mcp_servers: Mapping[str, Mapping[str, Any]] | None = field(
        default=None,
        repr=False,
        metadata=key("Tool servers for the agent, one table each; an empty table means none."),
    )
