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
    AutoSettings,
    DeliverSettings,
    ExecutionSettings,
    FocusSettings,
    PlanningSettings,
    TaskSettings,
    WatchSettings,
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
    """The specification, and the commands that set up and check the project."""

    spec: str = setting(
        "The specification: the file that says what to build.", "SPEC.md", rule="project_path"
    )
    specs: str = setting(
        "The folder of specifications that `focus` reviews against.",
        "specs",
        rule="project_path",
    )
    setup: str = setting(
        "Command that prepares a fresh checkout, such as installing dependencies.", ""
    )
    check: str = setting("Command that checks the code: lint, format, types.", "")
    test: str = setting("Command that runs the tests.", "")


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """Ignored files that a run needs.

    A value in treadle.toml has no effect until you accept it with `treadle trust`.
    """

    include: tuple[str, ...] = setting(
        'Ignored files that setup, checks and tests need, such as ".env.test".', ()
    )
    include_for_agent: tuple[str, ...] = setting("Ignored files that the agent may also read.", ())


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """The coding agent and the models it uses.

    A `binary` in treadle.toml has no effect until you accept it with `treadle trust`. With
    the kind `replay` it names the recording.
    """

    kind: AgentKindName = setting(
        "claude (Claude Code), or replay (a recording, named by `binary`).", "claude"
    )
    model: str = setting("The model that writes the code.", "sonnet", rule="not_empty")
    plan_model: str = setting("The model that plans.", "opus", rule="not_empty")
    binary: str = setting(
        "The claude executable. If empty: CLAUDE_BIN, then PATH, then the bundled one.", ""
    )
    thinking: int = setting("Thinking tokens per answer. 0 leaves it to the agent.", 0, least=0)
    max_turns: int = setting("Maximum turns of one session.", 200, above=0)
    attribution: bool = setting("Keep the agent's co-author line in commits.", default=False)


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """Which shell commands the agent may run, and which need your approval."""

    mode: PolicyMode = setting(
        "strict: an allow list; light: a deny list; auto: light in the sandbox, else strict.",
        "auto",
    )
    profiles: tuple[str, ...] = setting(
        "Languages whose commands are allowed, such as node or python. Empty: all.", ()
    )
    allow_commands: tuple[str, ...] = setting("More commands that `strict` allows, by name.", ())
    allow_pkill_targets: tuple[str, ...] = setting(
        "More processes that pkill may end under `strict`, by name.", ()
    )
    ask_before: tuple[str, ...] = setting(
        'Commands that need your approval, such as "terraform apply *".', ()
    )
    ask_minutes: float = setting(
        "Minutes to wait for the answer. After that it counts as no.", 60.0, above=0
    )


@dataclass(frozen=True, slots=True)
class HookSettings:
    """Your own commands that can deny a tool use. They run in the sandbox."""

    before_tool_use: tuple[str, ...] = setting(
        "Commands that get each tool use as JSON on stdin; exit code 2 denies it.",
        (),
    )


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """How Treadle checks the work."""

    require: RequiredGrade = setting(
        "The grade that checks and tests must reach: self-tested or proven.", "self-tested"
    )
    require_checks: bool = setting(
        "Refuse a pass if a criterion of the deliverable has no check.", default=False
    )
    check_minutes: float = setting("Maximum time of one check in minutes.", 10.0, above=0)
    test_minutes: float = setting("Maximum time of the test command in minutes.", 30.0, above=0)
    reports: tuple[str, ...] = setting(
        "Where the test command writes reports: JUnit XML, or JSON of known tools.", ()
    )
    coverage_reports: tuple[str, ...] = setting(
        "Where it writes coverage: Cobertura XML, coverage.py JSON or lcov.", ()
    )
    coverage: float = setting("Minimum coverage in percent, if there is a report.", 80.0, least=0)
    fix_rounds: int = setting("Rounds to fix one failing test before you are asked.", 3, above=0)
    protect: tuple[str, ...] = setting(
        "Paths that no implementer may change, such as tests/contract.", ()
    )


@dataclass(frozen=True, slots=True)
class DatabaseSettings:
    """Where runs are stored. Set an address with a password in TREADLE_DATABASE_URL instead.

    A value in treadle.toml has no effect until you accept it with `treadle trust`.
    """

    url: str = setting(
        "The PostgreSQL database: postgresql://user@host/name. Empty: local files.",
        "",
        rule="database_url",
    )


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """How long to keep runs whose work is merged or dropped."""

    days: int = setting("Days to keep such a run and its files after its end.", 90, above=0)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `treadle.toml`, the environment and the command line can say."""

    version: int = setting("The version of this file's format.", VERSION, above=0)
    land: LandingMode = setting(
        "Finished work: land it (auto), ask first, keep its branch (never), or pull_request.",
        "auto",
    )
    land_ask_deletions: int = setting(
        "Ask before landing if more than this many files are deleted.", 20, least=0
    )
    land_ask_deletions_percent: int = setting(
        "Ask before landing if more than this percentage of files or lines is deleted.",
        25,
        least=0,
    )
    land_ask_weaker_tests: int = setting(
        "Ask before landing if more than this many tests are removed, skipped or emptied.",
        10,
        least=0,
    )
    land_ask_weaker_tests_percent: int = setting(
        "Ask before landing if more than this percentage of assertions is removed.", 25, least=0
    )
    land_withhold: tuple[str, ...] = setting("More paths and patterns that never land.", ())
    land_ask: tuple[str, ...] = setting(
        "Paths and patterns that need your approval before they land.", ()
    )
    land_name: tuple[str, ...] = setting(
        "Paths and patterns that land, or are pushed, without a question and are listed first.", ()
    )
    commit: bool = setting(
        "Land work as commits. If false, land it as uncommitted changes.", default=True
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
    auto: AutoSettings = field(default_factory=AutoSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
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
        metadata=metadata("Your own prices by model, in US dollars per million tokens."),
    )
    # Absent, empty and given differ: the built-in servers, none at all, these on top of them.
    mcp_servers: Mapping[str, Mapping[str, Any]] | None = field(
        default=None,
        repr=False,
        metadata=metadata("MCP servers for the agent, one table each. An empty table: none."),
    )
