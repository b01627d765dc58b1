"""Every ceiling of a run and of its sessions has a setting and a default."""

from treadle.domain.limits import RunLimits, SessionLimits
from treadle.settings.load import resolve_settings
from treadle.wiring.limits import run_limits, session_limits


def test_a_run_without_any_setting_has_every_ceiling() -> None:
    settings = resolve_settings(None).settings

    assert run_limits(settings) == RunLimits(
        max_cost_usd=20,
        max_minutes=480,
        max_iterations=100,
        max_retries=3,
        day_cost_usd=100,
        stuck_rounds=5,
        stuck_repeats=3,
    )
    assert session_limits(settings) == SessionLimits(
        max_cost_usd=10, max_turns=200, wall_s=7200, first_byte_s=300, idle_s=600, tool_s=3600
    )


def test_every_ceiling_can_be_set() -> None:
    text = """
[limits]
max_cost_usd = 1
max_minutes = 2
max_iterations = 3
max_retries = 4
day_cost_usd = 5
stuck_rounds = 6
stuck_repeats = 7
[session]
max_cost_usd = 8
max_minutes = 9
first_byte_s = 10
idle_s = 11
tool_minutes = 12
[agent]
max_turns = 13
"""
    settings = resolve_settings(text).settings

    assert run_limits(settings) == RunLimits(1, 2, 3, 4, 5, 6, 7)
    assert session_limits(settings) == SessionLimits(8, 13, 540, 10, 11, 720)
