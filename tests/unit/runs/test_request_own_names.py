"""Settings of one workflow take the place of general ones."""

from dataclasses import replace

from treadle.runs.request import own_names, with_own_names
from treadle.settings.definitions import Settings
from treadle.settings.workflow_definitions import ExecutionSettings

NAMES = {"limits.max_cost_usd": "execution.max_cost_usd"}


def test_an_option_with_a_general_name_sets_the_own_one() -> None:
    flags = {"limits.max_cost_usd": 5.0, "land": "never"}

    assert own_names(flags, NAMES) == {"execution.max_cost_usd": 5.0, "land": "never"}


def test_the_value_of_the_own_name_is_in_force() -> None:
    settings = replace(Settings(), execution=ExecutionSettings(max_cost_usd=3.0))

    in_force = with_own_names(settings, NAMES)

    assert in_force.limits == replace(settings.limits, max_cost_usd=3.0)
