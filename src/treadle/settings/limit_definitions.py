"""The settings that bound runs, sessions and requests, as `definitions` lists them."""

from dataclasses import dataclass

from treadle.settings.setting_field import setting


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Limits of a whole run. None can be turned off."""

    max_cost_usd: float = setting("Maximum cost of a run in US dollars.", 20.0, above=0)
    max_minutes: float = setting("Maximum running time of a run in minutes.", 480.0, above=0)
    max_iterations: int = setting("Maximum rounds of a run.", 100, above=0)
    max_retries: int = setting("Failed rounds in a row to retry.", 3, least=0)
    day_cost_usd: float = setting(
        "Maximum cost of all runs in one day, in US dollars.", 100.0, above=0
    )
    outage_hours: float = setting(
        "Hours to wait for a failing model service before the run ends.", 6.0, above=0
    )
    stuck_rounds: int = setting(
        "Rounds without progress after which the run ends as stuck.", 5, above=0
    )
    stuck_repeats: int = setting(
        "End the run as stuck after this many repeats of the same problem.",
        3,
        above=0,
    )


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Limits of one session. None can be turned off."""

    max_cost_usd: float = setting("Maximum cost of one session in US dollars.", 10.0, above=0)
    max_minutes: float = setting("Maximum time of one session in minutes.", 120.0, above=0)
    first_byte_s: float = setting(
        "Seconds to wait for the first output of a session.", 300.0, above=0
    )
    idle_s: float = setting("Seconds without output after which a session ends.", 600.0, above=0)
    tool_minutes: float = setting("Maximum time of one tool call in minutes.", 60.0, above=0)


@dataclass(frozen=True, slots=True)
class QuotaSettings:
    """What to do if the provider's usage quota is spent."""

    wait: bool = setting("Wait until the quota resets instead of ending the run.", default=False)
    margin_s: float = setting("Seconds to wait after the announced reset.", 60.0, least=0)


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Which requests of the agent reach its model.

    A value in treadle.toml has no effect until you accept it with `treadle trust`.
    """

    allow: tuple[str, ...] = setting(
        "More betas, request fields and content types to let through.", ()
    )
