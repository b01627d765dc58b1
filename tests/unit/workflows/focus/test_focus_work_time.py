"""How long a run has taken so far, seen while it works between two sessions."""

from pathlib import Path

from tests.unit.workflows.focus.focus_harness import (
    FocusHarness,
    make_focus_harness,
    marker,
    planned,
)
from tests.unit.workflows.run_harness import did, ending


class WatchedHarness(FocusHarness):
    """Looks at how long the run has taken while it works between two sessions."""

    async def _set_up(self) -> None:
        assert self.loop is not None
        self.clock.advance(5)
        self.so_far = self.loop.current_progress().running_s


async def test_what_a_session_took_counts_once_also_while_something_else_runs(
    tmp_path: Path,
) -> None:
    harness = WatchedHarness(tmp_path, make_focus_harness(tmp_path).user)
    harness.sessions = [
        [did(lambda: harness.clock.advance(30)), *planned("# Plan\n")],
        [*marker("SPEC_ISSUE", "Which time zone?"), ending()],
    ]

    result = await harness.execute()

    assert (harness.so_far, result.duration_s) == (40.0, 40.0)
