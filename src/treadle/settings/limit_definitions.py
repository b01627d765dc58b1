"""The settings that bound runs, sessions and requests, as `definitions` lists them."""

from dataclasses import dataclass

from treadle.settings.setting_field import setting


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """The ceilings of a whole run; none of them can be switched off."""

    max_cost_usd: float = setting("US dollars that a run may cost.", 20.0, above=0)
    max_minutes: float = setting("Minutes that a run may take.", 480.0, above=0)
    max_iterations: int = setting("Rounds that a run may take.", 100, above=0)
    max_retries: int = setting("Failed rounds in a row that are tried again.", 3, least=0)
    day_cost_usd: float = setting("US dollars that all runs may cost in one day.", 100.0, above=0)
    outage_hours: float = setting(
        "Hours that a run waits for a model service that fails, before it ends.", 6.0, above=0
    )
    stuck_rounds: int = setting(
        "Rounds without progress after which a run is ended as stuck.", 5, above=0
    )
    stuck_repeats: int = setting(
        "Times the same mishap (hang, empty session, work taken back) comes and ends a run.",
        3,
        above=0,
    )


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The ceilings of one session inside a run; none of them can be switched off."""

    max_cost_usd: float = setting("US dollars that one session may cost.", 10.0, above=0)
    max_minutes: float = setting("Minutes that one session may take.", 120.0, above=0)
    first_byte_s: float = setting(
        "Seconds to wait for the first sign of an answer.", 300.0, above=0
    )
    idle_s: float = setting("Seconds of silence after which a session is ended.", 600.0, above=0)
    tool_minutes: float = setting("Minutes that a single tool call may take.", 60.0, above=0)


@dataclass(frozen=True, slots=True)
class QuotaSettings:
    """What to do when the provider's usage quota is spent."""

    wait: bool = setting("Wait until it is refilled instead of ending the run.", default=False)
    margin_s: float = setting("Seconds to wait beyond the announced refill.", 60.0, least=0)


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Which requests of an agent reach its model; in a file they count once you trust it."""

    allow: tuple[str, ...] = setting(
        "Betas, request fields and kinds of content that pass besides the known ones.", ()
    )
