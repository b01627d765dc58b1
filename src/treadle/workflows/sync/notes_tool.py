"""The tool by which a session that changes no files hands over its notes."""

from collections.abc import Callable, Mapping
from typing import Any

from treadle.domain.agent import Tool, ToolReply

LONGEST = 64 * 1024


def notes_tool(write: Callable[[str], str]) -> Tool:
    """`write` keeps the text as the project's hand-over notes, and says why it could not."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        text = arguments.get("text")
        if not isinstance(text, str) or not text.strip():
            return ToolReply("Pass `text`: the notes, whole, as they shall be.", is_error=True)
        if len(text) > LONGEST:
            return ToolReply(f"Notes have at most {LONGEST} characters.", is_error=True)
        if problem := write(text):
            return ToolReply(problem, is_error=True)
        return ToolReply("The notes are replaced.")

    return Tool(
        name="write_notes",
        description=(
            "Replace the hand-over notes between sessions by this text: what holds, what does not "
            "and why, what the next session should know."
        ),
        schema={
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
        call=call,
    )
