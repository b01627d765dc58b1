"""What a script says is what is played: short forms, defaults and order."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.usage import Usage
from treadle.rehearsal.script import Script, parse_script
from treadle.rehearsal.turns import (
    ApiError,
    ContentBlock,
    InvalidBody,
    ModelReply,
    NoResponse,
    QuotaSpent,
    QuotaWarning,
    ReplyText,
    ReplyThinking,
    SessionScript,
    StreamEvent,
    ToolCall,
    Turn,
    TurnAnswer,
)


def only_turn(text: str) -> Turn:
    script = parse_script(f"{{version: 1, sessions: [{{turns: [{text}]}}]}}", source="s.yaml")
    return script.sessions[0].turns[0]


def uses(*blocks: ContentBlock) -> ModelReply:
    return ModelReply(blocks, stop_reason="tool_use")


LS = ToolCall("Bash", {"command": "ls"})


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("{text: Hello}", ModelReply((ReplyText("Hello"),))),
        ("{text: 12}", ModelReply((ReplyText("12"),))),
        ("{text: no}", ModelReply((ReplyText("no"),))),  # YAML 1.1 would read false
        ("{text: true}", ModelReply((ReplyText("true"),))),
        ("{text: ''}", ModelReply((ReplyText(""),))),
        ("{thinking: Hm, text: Yes}", ModelReply((ReplyThinking("Hm"), ReplyText("Yes")))),
        (
            "{text: Yes, thinking: Hm}",
            ModelReply((ReplyText("Yes"), ReplyThinking("Hm"))),
        ),  # order as written
        ("{tool: Bash, input: {command: ls}}", uses(LS)),
        ("{input: {command: ls}, tool: Bash}", uses(LS)),
        ("{tool: {name: Bash, input: {command: ls}}}", uses(LS)),
        ("{tool: {name: Stop}}", uses(ToolCall("Stop"))),
        ("{tool: Stop, input: null}", uses(ToolCall("Stop"))),
        ("{tools: [{Bash: {command: ls}}, Stop]}", uses(LS, ToolCall("Stop"))),
        ("{text: a, tools: [{Bash: {command: ls}}]}", uses(ReplyText("a"), LS)),
        (
            "{content: [{text: a}, {tool: Bash, input: {command: ls}}, {thinking: b}]}",
            uses(ReplyText("a"), LS, ReplyThinking("b")),
        ),
        ("{text_of: {size: 10, line: 8}}", ModelReply((ReplyText("treadle\ntr"),))),
        ("{text_of: {size: 10, line: 0}}", ModelReply((ReplyText("treadle tr"),))),
        (
            "{event: {type: new, n: [1, 2.5]}}",
            ModelReply((StreamEvent({"type": "new", "n": [1, 2.5]}),)),
        ),
        ("{text: a, model: m}", ModelReply((ReplyText("a"),), model="m")),
        (
            "{text: a, stop_reason: max_tokens}",
            ModelReply((ReplyText("a"),), stop_reason="max_tokens"),
        ),
        ("{text: a, chunk: 3}", ModelReply((ReplyText("a"),), chunk=3)),
        ("{text: a, delay_between: 0.5}", ModelReply((ReplyText("a"),), delay_between_s=0.5)),
        ("{text: a, headers: {X-One: 1}}", ModelReply((ReplyText("a"),), headers={"x-one": "1"})),
        ("{text: a, usage: {output: 7}}", ModelReply((ReplyText("a"),), usage=Usage(100, 7))),
        (
            "{text: a, usage: {input: 1, output: 2, cache_write: 3, cache_read: 4}}",
            ModelReply((ReplyText("a"),), usage=Usage(1, 2, 3, 4)),
        ),
        (
            "{text: a, quota_warning: {used: 0.8, resets_in: 60, window: seven_day}}",
            ModelReply((ReplyText("a"),), quota_warning=QuotaWarning(0.8, 60.0, "seven_day")),
        ),
        ("{error: 529}", ApiError(529, "overloaded_error", "Overloaded")),
        ("{error: {status: 500}}", ApiError(500, "api_error", "Internal server error")),
        ("{error: {status: 418, type: tea}}", ApiError(418, "tea", "tea")),
        (
            "{error: {status: 429, message: slow, headers: {retry-after: 1}}}",
            ApiError(429, "rate_limit_error", "slow", {"retry-after": "1"}),
        ),
        ("{quota: {resets_in: 20}}", QuotaSpent(20.0)),
        ("{quota: {resets_in: 1.5, window: seven_day}}", QuotaSpent(1.5, "seven_day")),
        ("{body: oops}", InvalidBody("oops")),
        ("{body: oops, headers: {a: b}}", InvalidBody("oops", {"a": "b"})),
        ("{drop: before}", NoResponse("drop")),
        ("{drop: middle, text: a}", ModelReply((ReplyText("a"),), fault="drop")),
        ("{hang: true}", NoResponse("hang")),
        ("{hang: before}", NoResponse("hang")),
        ("{hang: middle, text: a}", ModelReply((ReplyText("a"),), fault="hang")),
    ],
)
def test_a_turn_is_one_answer(written: str, answer: TurnAnswer) -> None:
    assert only_turn(written) == Turn(answer)


@pytest.mark.parametrize(
    ("written", "turn"),
    [
        ("{text: a, delay: 2}", Turn(ModelReply((ReplyText("a"),)), delay_s=2.0)),
        ("{text: a, repeat: 3}", Turn(ModelReply((ReplyText("a"),)), repeat=3)),
        ("{text: a, repeat: forever}", Turn(ModelReply((ReplyText("a"),)), repeat=None)),
        ("{text: a, expect: b}", Turn(ModelReply((ReplyText("a"),)), expect=("b",))),
        ("{text: a, expect: [b, c]}", Turn(ModelReply((ReplyText("a"),)), expect=("b", "c"))),
        ("{text: a, optional: true}", Turn(ModelReply((ReplyText("a"),)), optional=True)),
        ("{hang: true, delay: 0.1}", Turn(NoResponse("hang"), delay_s=0.1)),
    ],
)
def test_a_turn_says_when_and_how_often_it_is_played(written: str, turn: Turn) -> None:
    assert only_turn(written) == turn


def test_a_script_is_sessions_of_turns() -> None:
    script = parse_script(
        """
version: 1
auth: subscription
sessions:
  - role: implementer
    name: first try
    repeat: 2
    turns:
      - text: a
    subagent:
      - text: b
  - optional: true
    repeat: forever
    turns:
      - text: c
""",
        source="s.yaml",
    )

    a, b, c = (Turn(ModelReply((ReplyText(letter),))) for letter in "abc")
    assert script == Script(
        (
            SessionScript((a,), "implementer", "first try", (b,), repeat=2),
            SessionScript((c,), repeat=None, optional=True),
        ),
        "subscription",
    )
    assert [session.line for session in script.sessions] == [5, 12]


# YAML wants keys of at most 1024 characters, escapes counted as they are written.
keys = st.text(max_size=20)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(st.text(), st.dictionaries(keys, plain, max_size=4))
def test_what_is_written_as_json_is_read_as_it_was_meant(text: str, given: dict[str, Any]) -> None:
    turn = json.dumps({"text": text, "tool": {"name": "T", "input": given}}, ensure_ascii=False)

    blocks = (ReplyText(text), ToolCall("T", given))
    assert only_turn(_printable(turn)) == Turn(ModelReply(blocks, stop_reason="tool_use"))


def _printable(written: str) -> str:
    """Characters that YAML wants escaped, escaped as YAML does."""
    return "".join(c if c.isascii() and c.isprintable() else f"\\U{ord(c):08x}" for c in written)
