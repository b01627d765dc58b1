"""What a run takes from its agent: which lines as checks, and whose word at once."""

from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import make_runner_harness
from treadle.wiring.tool_guard import why_no_check


@pytest.mark.parametrize(
    ("line", "confined", "unconfined"),
    [
        ("grep -q hello greeting.txt", True, True),
        ("npm publish", False, False),
        ("./greet.sh | grep hello", True, False),  # a sandbox holds what the policy does not know
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
