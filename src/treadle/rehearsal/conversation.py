"""Reads the conversation in a request: the newest text, and the answers of the model. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FILLER_ANSWER = "No response requested."
# What the agent writes as the result of a call that the end of its session cut off: first when it
# was killed, then when it lived a moment longer than Treadle and saw its input close.
INTERRUPTED_TOOL = (
    "[Tool call interrupted: the session ended",
    "The tool call was interrupted before a result was received",
    "The user doesn't want to take this action right now. STOP",
)


def text_since_answer(messages: Sequence[Any]) -> str:
    """All text after the model's last answer: user text, tool results, notices."""
    recent: list[str] = []
    for message in reversed(messages):
        match message:
            case {"role": "assistant"}:
                break
            case {"content": content}:
                recent.append("\n".join(_texts(content)))
            case _:
                pass  # only text can be expected
    return "\n".join(reversed(recent))


def count_answers(messages: Sequence[Any]) -> int:
    """The number of the model's answers in a conversation, without those whose tools were
    interrupted: the model repeats these."""
    dicts = [m for m in messages if isinstance(m, dict)]
    answers = [m for m in dicts if m.get("role") == "assistant" and not _is_filler_answer(m)]
    return len(answers) - sum(any(map(_is_interrupted_tool, _parts(m))) for m in dicts)


def _is_filler_answer(message: Mapping[str, Any]) -> bool:
    """Whether the agent added the answer itself, after an interrupted call."""
    return list(_texts(message.get("content"))) == [FILLER_ANSWER]


def _parts(message: Mapping[str, Any]) -> Sequence[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else ()


def _is_interrupted_tool(part: Any) -> bool:
    """Whether this is the agent's substitute for the result of an interrupted tool."""
    match part:
        case {"type": "tool_result", "is_error": True}:
            return any(text.startswith(INTERRUPTED_TOOL) for text in _texts(part))
        case _:
            return False


def _texts(content: Any) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for part in content:
                yield from _texts(part)
        case {"type": "text", "text": str(text)}:
            yield text
        case {"type": "tool_result", "content": inner}:
            yield from _texts(inner)
        case _:
            pass
