"""The settings of single workflows, as `definitions` lists them."""

from dataclasses import dataclass

from treadle.domain.review import Severity
from treadle.settings.setting_field import setting


@dataclass(frozen=True, slots=True)
class DeliverSettings:
    """How `treadle deliver` goes from round to round."""

    delay_s: float = setting("Seconds between one round and the next.", 3.0, least=0)
    backoff_s: float = setting(
        "Seconds to wait after a failed round; doubled with each in a row.", 5.0, least=0
    )
    breaker_rest_s: float = setting(
        "Seconds to leave a service alone that failed three times in a row.", 300.0, least=0
    )


@dataclass(frozen=True, slots=True)
class FocusSettings:
    """How `treadle focus` comes to an end of its reviews."""

    review_bar: Severity = setting(
        "Findings from this severity on can request changes: blocker, major, …", "major"
    )
    max_reviews: int = setting("Reviews after which what is left goes to the backlog.", 3, above=0)


@dataclass(frozen=True, slots=True)
class PlanningSettings:
    """How a plan is made and approved; `treadle task` always asks about it."""

    approve: bool = setting(
        "Ask about the plan of `deliver` and `focus` before it is carried out.", default=False
    )
    auto_approve_minutes: float = setting(
        "Minutes after which a plan that nobody answered counts as approved; 0: never.",
        20.0,
        least=0,
    )
    max_planning_cost_usd: float = setting(
        "US dollars that planning a task may cost.", 1.0, above=0
    )


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """The ceilings of `treadle task`; they take the place of those in [limits]."""

    max_cost_usd: float = setting("US dollars that a task may cost.", 20.0, above=0)
    max_duration_minutes: float = setting("Minutes that a task may take.", 120.0, above=0)
    max_retries: int = setting(
        "Attempts to mend failing checks or tests; then a person is asked.", 3, above=0
    )


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """How `treadle task` comes to an end of its reviews."""

    review_bar: Severity = setting(
        "Findings from this severity on can request changes: blocker, major, …", "major"
    )
    max_reviews: int = setting("Reviews after which a task gives up.", 3, above=0)
