"""A newer Claude Code may send what the gateway does not know: it is told, never cut in silence."""

from pathlib import Path

from tests.acceptance.test_metered_agent import KEY, drive, scripted
from tests.unit.adapters.agents.claude.real_sessions import BUNDLED, brief_in
from treadle.domain.events.run import RunWarned
from treadle.domain.session import Completed, ExecutionError
from treadle.domain.storage import Storage

# What Claude Code puts into each of its requests.
EXTRA = "CLAUDE_CODE_EXTRA_BODY"


async def test_a_session_goes_on_without_a_field_that_nobody_knows(tmp_path: Path) -> None:
    login = {**KEY, EXTRA: '{"answers_of_tomorrow": 3}', "ANTHROPIC_BETAS": "tomorrow-2027-01-01"}
    with scripted("{text: done}") as api:
        result, events = await drive(
            api.base_url,
            brief_in(tmp_path),
            Storage(tmp_path / "root"),
            login=login,
            binary=BUNDLED,
        )

        assert result.outcome == Completed("done")
        assert "answers_of_tomorrow" not in api.requests[0].json()
    warnings = [event.message for event in events if isinstance(event, RunWarned)]
    assert [text.split(" is not known")[0] for text in warnings] == [
        "the field `answers_of_tomorrow`",
        "the beta `tomorrow-2027-01-01`",
    ]


async def test_content_that_nobody_knows_ends_the_session_at_once_with_the_reason(
    tmp_path: Path,
) -> None:
    login = {**KEY, EXTRA: '{"thread": {"id": "kept"}}'}
    with scripted("{text: unused, optional: true}") as api:
        result, events = await drive(
            api.base_url,
            brief_in(tmp_path),
            Storage(tmp_path / "root"),
            login=login,
            binary=BUNDLED,
        )

        assert api.request_count == 0
    assert isinstance(result.outcome, ExecutionError)
    assert "the cost of this is not known: thread" in result.outcome.message
    assert "gateway.allow" in result.outcome.message
    assert [event for event in events if event.type == "api.retried"] == []
