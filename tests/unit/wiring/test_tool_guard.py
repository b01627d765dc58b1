"""What a run takes from its agent: which lines as checks, and whose word at once."""

from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import make_runner_harness
from treadle.domain.agent import Allow
from treadle.wiring.tool_guard import shell_decider, why_no_check


@pytest.mark.parametrize(
    ("line", "confined", "unconfined"),
    [
        ("grep -q hello greeting.txt", True, True),
        ("npm publish", False, False),
        # A sandbox holds what the policy does not know.
        ("docker run greet | grep hello", True, False),
        ("sh -c 'rm -rf ~'", True, False),
    ],
)
async def test_a_check_of_an_agent_does_nothing_that_needs_a_person_or_a_sandbox(
    tmp_path: Path, line: str, confined: bool, unconfined: bool
) -> None:
    taken = []
    for name, is_confined in (("inside", True), ("outside", False)):
        directory = tmp_path / name
        directory.mkdir()
        harness = await make_runner_harness(
            directory, {"policy.profiles": ("node",)}, confined=is_confined
        )
        taken.append(not why_no_check(harness.ready, harness.repository.path)(line))

    assert taken == [confined, unconfined]


@pytest.mark.parametrize(
    ("settings", "confined", "runs"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"policy.mode": "strict"}, True, False),
        ({"sandbox.network": "open"}, True, False),
        ({"sandbox.network": "open", "policy.mode": "light"}, True, True),
    ],
)
async def test_a_text_for_a_shell_runs_where_the_light_policy_judges(
    tmp_path: Path, settings: dict[str, str], confined: bool, runs: bool
) -> None:
    harness = await make_runner_harness(tmp_path, settings, confined=confined)
    root = harness.repository.path
    decide = shell_decider(harness.ready, root)

    decision = decide("bash -c 'ls' 2>&1 | tail", "run", str(root))

    assert isinstance(decision, Allow) == runs
