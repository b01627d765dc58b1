"""A result that nobody allowed ends the session, whatever the agent says of its work."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.session.driver_harness import FINE, FOREVER, make_driver_harness, said, tool_that
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.agent import Allow, Decision, Deny, ToolUse
from treadle.domain.events.agent import ToolCalled, ToolFinished
from treadle.domain.session import Completed, Outcome, UnguardedTool
from treadle.session.faults import find_unguarded_tool

NAMES = {"1": "Bash", "2": "Read"}


def breach(tool: str) -> UnguardedTool:
    return UnguardedTool(tool)


@pytest.mark.parametrize(
    ("tool_id", "is_error", "end"),
    [
        ("1", False, None),
        ("1", True, None),
        ("2", False, breach("Read")),
        ("2", True, None),  # refused by the agent itself, or with a wrong input
        ("3", False, breach("a tool that it did not name")),
        ("", False, breach("a tool that it did not name")),
        ("", True, None),
    ],
)
def test_only_a_success_that_was_not_allowed_is_a_breach(
    tool_id: str, is_error: bool, end: UnguardedTool | None
) -> None:
    finished = ToolFinished(tool_id, "output", is_error=is_error)

    assert find_unguarded_tool(finished, names=NAMES, allowed={"1"}) == end


CALLED = ToolCalled("9", "Bash", {"command": "id"})
DONE = ToolFinished("9", "root", is_error=False)
REFUSED = replace(DONE, is_error=True)


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        ((CALLED, DONE, FOREVER), breach("Bash")),
        ((CALLED, REFUSED, FINE), Completed("all is well")),
        ((*said("<DONE>built</DONE>"), CALLED, DONE), Completed("built")),  # was ended before
        ((ToolUse("9", "mcp__treadle__look", {}), DONE, FINE), Completed("all is well")),
    ],
)
async def test_the_driver_ends_a_session_at_its_first_breach(
    moves: tuple[ReplayStep, ...], outcome: Outcome
) -> None:
    calls: list[Mapping[str, Any]] = []
    harness = make_driver_harness(*moves)
    harness.brief = replace(harness.brief, tools=(tool_that(calls),))

    assert ((await harness.run()).outcome, harness.agent.closed) == (outcome, 1)


async def test_a_use_that_was_denied_and_succeeds_all_the_same_is_a_breach() -> None:
    async def decide(use: ToolUse) -> Decision:
        return Deny("no") if use.id == "9" else Allow()

    harness = make_driver_harness(ToolUse("9", "Bash", {}), DONE, FOREVER)
    harness.brief = replace(harness.brief, decide=decide)

    assert (await harness.run()).outcome == breach("Bash")
