"""The settings of single workflows, as `definitions` lists them."""

from dataclasses import dataclass

from treadle.domain.increment import FailurePolicy
from treadle.domain.review import Severity
from treadle.domain.run import CommitStrategy
from treadle.settings.setting_field import setting


@dataclass(frozen=True, slots=True)
class DeliverSettings:
    """Pauses between the rounds of `treadle deliver`."""

    delay_s: float = setting("Seconds between rounds.", 3.0, least=0)
    backoff_s: float = setting(
        "Seconds to wait after a failed round. Doubles with each further failure.", 5.0, least=0
    )
    breaker_rest_s: float = setting(
        "Seconds to pause after a service has failed three times in a row.", 300.0, least=0
    )


@dataclass(frozen=True, slots=True)
class FocusSettings:
    """Reviews of `treadle focus`."""

    review_bar: Severity = setting(
        "The lowest severity that can request changes: blocker, major, minor or nit.", "major"
    )
    max_reviews: int = setting(
        "Maximum reviews. Findings after that go to the backlog.", 3, above=0
    )


@dataclass(frozen=True, slots=True)
class PlanningSettings:
    """How a plan is made and approved. `treadle task` always asks."""

    approve: bool = setting("Ask for approval of the plan of `deliver` and `focus`.", default=False)
    auto_approve_minutes: float = setting(
        "Minutes until an unanswered plan counts as approved. 0: never.",
        20.0,
        least=0,
    )
    max_planning_cost_usd: float = setting(
        "Maximum cost of a planning session of a task in US dollars.", 1.0, above=0
    )


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """How `treadle task` builds. Its limits replace those in [limits]."""

    max_cost_usd: float = setting("Maximum cost of a task in US dollars.", 20.0, above=0)
    max_duration_minutes: float = setting(
        "Maximum running time of a task in minutes.", 120.0, above=0
    )
    max_retries: int = setting("Attempts to fix one failing check or test.", 3, above=0)
    allowed_tools: tuple[str, ...] = setting(
        'The only tools an implementer may use, such as "Read" or "Bash(npm test:*)". Empty: all.',
        (),
    )
    commit_strategy: CommitStrategy = setting(
        "Commits of a task: as the agent made them (incremental), or one per session (single).",
        "incremental",
    )


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """When `treadle task` ends its reviews, and how it follows its pull request."""

    review_bar: Severity = setting(
        "The lowest severity that can request changes: blocker, major, minor or nit.", "major"
    )
    max_reviews: int = setting("Maximum reviews of a task.", 3, above=0)
    follow: bool = setting(
        "Work on failing CI and review comments of the pull request until it is merged.",
        default=True,
    )
    follow_rounds: int = setting("Maximum rounds of work on such feedback.", 5, above=0)
    follow_days: float = setting("Days to follow a pull request.", 14.0, above=0)
    follow_interval_s: float = setting("Seconds between checks of the pull request.", 60.0, above=0)


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How `treadle watch` works through the backlog."""

    debounce_s: float = setting(
        "Seconds without changes to items or specifications before an item starts.", 30.0, least=0
    )
    audit: bool = setting(
        "Compare code and specifications while the backlog is empty.", default=False
    )
    audit_daily_usd: float = setting(
        "Maximum cost of audits in one day, in US dollars.", 2.0, least=0
    )


@dataclass(frozen=True, slots=True)
class AutoSettings:
    """How `treadle auto` works through increments. Its limits apply to all increments together."""

    enabled: bool = setting("Allow `treadle auto`.", default=True)
    max_iterations: int = setting("Maximum rounds of all increments.", 100, above=0)
    max_hours: float = setting("Maximum hours of all increments.", 24.0, above=0)
    max_cost_usd: float = setting("Maximum cost of all increments in US dollars.", 50.0, above=0)
    ask_above_usd: float = setting(
        "Ask before the start if the estimate is above this many US dollars.", 20.0, least=0
    )
    completion_promise: str = setting(
        "What the agent writes when an increment is complete.", "AUTO_COMPLETE"
    )
    test_command: str = setting("The test command. Empty: project.test.", "")
    coverage_threshold: float = setting(
        "Minimum coverage in percent. 0: as verify.coverage.", 0.0, least=0
    )
    human_gates: tuple[str, ...] = setting(
        "Commands that need your approval, in addition to policy.ask_before.", ()
    )
    on_failure: FailurePolicy = setting(
        "After a failed increment: stop, skip_dependants, or ask.", "skip_dependants"
    )
    wip_limit: int = setting("Maximum increments at once.", 1, above=0)
