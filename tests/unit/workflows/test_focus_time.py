"""What a run has taken so far, for whoever ends it in the middle."""

from pathlib import Path

from .focus_stage import FocusStage, focus_stage_in, marker, planned
from .story_stage import did, ending


class WatchedStage(FocusStage):
    """Looks at how long the run has taken while it works between two sessions."""

    async def _set_up(self) -> None:
        assert self.story is not None
        self.clock.advance(5)
        self.so_far = self.story.current_progress().running_s


async def test_what_a_session_took_counts_once_also_while_something_else_runs(
    tmp_path: Path,
) -> None:
    stage = WatchedStage(tmp_path, focus_stage_in(tmp_path).user)
    stage.sessions = [
        [did(lambda: stage.clock.advance(30)), *planned("# Plan\n")],
        [*marker("SPEC_ISSUE", "Which time zone?"), ending()],
    ]

    result = await stage.tell()

    assert (stage.so_far, result.duration_s) == (35.0, 35.0)
