"""How long a command in the check runner may take."""

from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import make_runner_harness

pytestmark = pytest.mark.slow


async def test_no_command_takes_longer_than_the_run_may_still_take(tmp_path: Path) -> None:
    harness = await make_runner_harness(tmp_path)
    harness.runner.time_left = lambda: 0.2

    result = await harness.run("cat /dev/zero > /dev/null", seconds=600)

    assert result.evidence.exit_code is None
