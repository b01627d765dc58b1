"""How long a command on the proving ground may take."""

from pathlib import Path

from tests.unit.wiring.check_runner_harness import staged


async def test_no_command_takes_longer_than_the_run_may_still_take(tmp_path: Path) -> None:
    stage = await staged(tmp_path)
    stage.ground.time_left = lambda: 0.2

    shown = await stage.show("cat /dev/zero > /dev/null", seconds=600)

    assert shown.evidence.exit_code is None
