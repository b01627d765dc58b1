"""All settings: one frozen dataclass per section of `treadle.toml`.

The names of sections and keys never change. `settings.keys` reads the help and the bounds of each
key from the field's metadata, for the commented file, the JSON Schema and the reference.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from treadle.domain.check import RequiredGrade
from treadle.domain.run import LandingMode
from treadle.policy.modes import PolicyMode
from treadle.settings.limit_definitions import (
    GatewaySettings,
    LimitSettings,
    QuotaSettings,
    SessionSettings,
)
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.settings.setting_field import metadata, setting
from treadle.settings.workflow_definitions import (
    DeliverSettings,
    ExecutionSettings,
    FocusSettings,
    PlanningSettings,
    TaskSettings,
)

VERSION = 1

# Above this a ceiling would bound nothing any more (a million minutes are two years).
LARGEST_NUMBER = 1_000_000

# The names in the registry of agents.
AgentKindName: TypeAlias = Literal["claude", "replay"]


@dataclass(frozen=True, slots=True)
class PermissionSettings:
    """What the agent may do beyond the baseline."""

    allow: tuple[str, ...] = setting(
        'Permission rules added to the baseline, such as "Bash(npm run *)".', ()
    )


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Where the specification is, and the commands that set the project up and judge it."""

    spec: str = setting("The file that says what is to be built.", "SPEC.md", rule="project_path")
    specs: str = setting(
        "The folder of specifications that `focus` holds the work against.",
        "specs",
        rule="project_path",
    )
    setup: str = setting("Prepares a fresh checkout: installs what the project needs.", "")
    check: str = setting("Judges the code without running it: lint, format, types.", "")
    test: str = setting("Runs the tests.", "")


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """Ignored files that a run needs; in a file they count once you trust it (`treadle trust`)."""

    include: tuple[str, ...] = setting(
        'Ignored files that setup, checks and tests get, such as ".env.test".', ()
    )
    include_for_agent: tuple[str, ...] = setting(
        "Ignored files that the sessions of the agent have as well.", ()
    )


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The coding agent and the models it uses.

    A `binary` that a file names counts once you trust it: see `treadle trust`. With the kind
    `replay` it names the recording.
    """

    kind: AgentKindName = setting(
        "Claude Code (claude), or a recording (replay), which `binary` names.", "claude"
    )
    model: str = setting("The model that writes the code.", "sonnet", rule="not_empty")
    plan_model: str = setting("The model that plans.", "opus", rule="not_empty")
    binary: str = setting(
        "The claude executable; empty: CLAUDE_BIN, then PATH, then the bundled one.", ""
    )
    thinking: int = setting("Tokens for thinking per answer; 0 leaves it to the agent.", 0, least=0)
    max_turns: int = setting("Turns that one session may take.", 200, above=0)
    attribution: bool = setting(
        "Let commits by the agent name the agent as co-author.", default=False
    )


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Which shell commands the agent may run, and before which a person is asked."""

    mode: PolicyMode = setting(
        "strict: a list of what may run; light: of what may not; auto: light in the sandbox.",
        "auto",
    )
    profiles: tuple[str, ...] = setting(
        "Languages whose commands are allowed: node, python, …; empty: all.", ()
    )
    allow_commands: tuple[str, ...] = setting("Commands that `strict` allows besides, by name.", ())
    allow_pkill_targets: tuple[str, ...] = setting(
        "Processes that pkill may end besides under `strict`, by name.", ()
    )
    ask_before: tuple[str, ...] = setting(
        'Commands before which a person is asked, such as "terraform apply *".', ()
    )
    ask_minutes: float = setting(
        "Minutes to wait for that answer; then it counts as a no.", 60.0, above=0
    )


@dataclass(frozen=True, slots=True)
class HookSettings:
    """Commands of yours that may forbid what the policy allows; they run in the sandbox."""

    before_tool_use: tuple[str, ...] = setting(
        "Given the use as JSON on stdin; exit code 2 forbids it, stderr says why.", ()
    )


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """How Treadle itself finds out whether the work is done."""

    require: RequiredGrade = setting(
        "The grade that checks and tests must reach: self-tested or proven.", "self-tested"
    )
    require_checks: bool = setting(
        "Refuse a pass while a criterion of the deliverable has no check.", default=False
    )
    check_minutes: float = setting("Minutes that one check may take.", 10.0, above=0)
    test_minutes: float = setting("Minutes that the test command may take.", 30.0, above=0)
    reports: tuple[str, ...] = setting(
        "Where the test command leaves reports: JUnit XML, or JSON of known tools.", ()
    )
    coverage_reports: tuple[str, ...] = setting(
        "Where it leaves coverage: Cobertura XML, coverage.py JSON, lcov.", ()
    )
    coverage: float = setting(
        "Percent of coverage to reach, where there is a report.", 80.0, least=0
    )
    fix_rounds: int = setting(
        "Rounds that may try to mend failing tests; then a person is asked.", 3, above=0
    )
    protect: tuple[str, ...] = setting(
        "Paths that no implementer may change, such as tests/contract.", ()
    )


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where runs are kept. Give an address with a password by TREADLE_DATABASE_URL instead.

    In a file it counts once you trust it: see `treadle trust`.
    """

    url: str = setting(
        "A database shared by machines, postgresql://user@host/name; empty: a file here.",
        "",
        rule="database_url",
    )


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """How long runs are kept whose work is in your branch or was dropped."""

    days: int = setting("Days after its end that such a run and its files are kept.", 90, above=0)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `treadle.toml`, the environment and the command line can say."""

    version: int = setting("The version of this file's format.", VERSION, above=0)
    land: LandingMode = setting(
        "Finished work: into your checkout (auto, ask first), pull_request, or never.",
        "auto",
    )
    land_ask_deletions: int = setting(
        "Deleted files above which landing asks first, also if land is auto.", 20, least=0
    )
    land_ask_deletions_percent: int = setting(
        "Percent of the project's files or lines that, if gone, make landing ask first.",
        25,
        least=0,
    )
    land_ask_weaker_tests: int = setting(
        "Tests removed, skipped or emptied above which landing asks first, also if land is auto.",
        10,
        least=0,
    )
    land_ask_weaker_tests_percent: int = setting(
        "Percent of the tests' assertions that, if gone, make landing ask first.", 25, least=0
    )
    land_withhold: tuple[str, ...] = setting(
        "Paths and patterns that never land, besides what tools would run by themselves.", ()
    )
    land_ask: tuple[str, ...] = setting(
        "Paths and patterns that make landing ask first, also if they are left out by default.", ()
    )
    land_name: tuple[str, ...] = setting(
        "Paths and patterns that land and are named first, without a question.", ()
    )
    commit: bool = setting(
        "Land work as commits; if false, as uncommitted changes in your checkout.", default=True
    )
    allowed_tools: tuple[str, ...] = setting(
        'Tools added to the baseline, such as "mcp__browser__click".', ()
    )
    permissions: PermissionSettings = field(default_factory=PermissionSettings)
    project: ProjectSettings = field(default_factory=ProjectSettings)
    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    deliver: DeliverSettings = field(default_factory=DeliverSettings)
    focus: FocusSettings = field(default_factory=FocusSettings)
    planning: PlanningSettings = field(default_factory=PlanningSettings)
    execution: ExecutionSettings = field(default_factory=ExecutionSettings)
    task: TaskSettings = field(default_factory=TaskSettings)
    quota: QuotaSettings = field(default_factory=QuotaSettings)
    gateway: GatewaySettings = field(default_factory=GatewaySettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    policy: PolicySettings = field(default_factory=PolicySettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    verify: VerifySettings = field(default_factory=VerifySettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    retention: RetentionSettings = field(default_factory=RetentionSettings)
    prices: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict,
        metadata=metadata("Prices of your own, by model, in US dollars per million tokens."),
    )
    # Absent, empty and given differ: the built-in servers, none at all, these on top of them.
    mcp_servers: Mapping[str, Mapping[str, Any]] | None = field(
        default=None,
        repr=False,
        metadata=metadata("Tool servers for the agent, one table each; an empty table means none."),
    )
