"""What a planning session hands over has bounds: programs inside can call its tools, too."""

from collections.abc import Mapping
from typing import Any

from treadle.domain.agent import ToolReply
from treadle.domain.events.plan import NoteSubmitted
from treadle.workflows.focus.workflow import LONGEST_WORDS
from treadle.workflows.plan.tools import MOST_NOTES, ManagerTools

Notes = list[NoteSubmitted]


async def call(notes: Notes, called: str, **arguments: Any) -> ToolReply:
    def unchanged(given: Mapping[str, Any]) -> Mapping[str, Any]:
        return given

    tools = ManagerTools(lambda: (), notes.append, unchanged, lambda: len(notes)).tools()
    tool = next(each for each in tools if each.name == called)
    return await tool.call(arguments)


async def test_an_item_that_a_watch_would_end_with_is_refused() -> None:
    notes: Notes = []

    longest = await call(notes, "add_backlog_item", name="010-a", text="x" * LONGEST_WORDS)
    longer = await call(notes, "add_backlog_item", name="020-b", text="x" * (LONGEST_WORDS + 1))

    assert (longest.is_error, longer.is_error) == (False, True)
    assert longer.text == "An item has at most 30,000 characters."
    assert [(each.name, len(each.text)) for each in notes] == [("010-a", LONGEST_WORDS)]


async def test_what_one_run_hands_over_has_an_end() -> None:
    notes: Notes = []

    replies = [
        await call(notes, "remember", line=f"Line {number}", reason="")
        for number in range(MOST_NOTES)
    ]
    item = await call(notes, "add_backlog_item", name="more", text="More.")
    line = await call(notes, "remember", line="More.", reason="")

    assert not any(each.is_error for each in replies)
    assert (item.is_error, line.is_error, len(notes)) == (True, True, MOST_NOTES)
