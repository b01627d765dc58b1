"""A recording is read whole, and a line that is wrong is named."""

import pytest

from treadle.adapters.agents.replay.recording import (
    FileWrite,
    RecordedCall,
    RecordedEnd,
    RecordedSession,
    SessionText,
    parse_recording,
)
from treadle.domain.errors import AgentUnavailable

PLAN = '{"session": "plan"}'
END = '{"end": "done"}'


def test_a_recording_has_the_sessions_and_steps_of_its_lines() -> None:
    text = "\n".join(
        [
            PLAN,
            '{"tool": "create_deliverable", "input": {"deliverables": []}}',
            "",
            END,
            '{"session": "build"}',
            '{"write": "a/b.txt", "content": "hello\\n"}',
            '{"text": "Built."}',
            '{"end": ""}',
        ]
    )

    assert parse_recording(text, "r.jsonl") == (
        RecordedSession(
            "plan", (RecordedCall("create_deliverable", {"deliverables": []}), RecordedEnd("done"))
        ),
        RecordedSession(
            "build", (FileWrite("a/b.txt", "hello\n"), SessionText("Built."), RecordedEnd(""))
        ),
    )


def test_an_empty_file_has_no_sessions() -> None:
    assert parse_recording("\n", "r.jsonl") == ()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([PLAN, "{"], "2: is not JSON"),
        (["[" * 100_000], "1: is not JSON"),
        ([PLAN, "[]"], "2: is not a step"),
        ([PLAN, '{"text": 5}'], "2: is not a step"),
        ([PLAN, '{"text": "a", "end": "b"}'], "2: is not a step"),
        ([PLAN, '{"tool": "create_deliverable"}'], "2: is not a step"),
        (['{"text": "a"}'], "1: a step before the first session"),
        ([PLAN, END, '{"text": "a"}'], "3: a step after the end of its session"),
        ([PLAN, '{"text": "a"}', PLAN], "3: the session 'plan' has no end"),
        ([PLAN, ""], "2: the session 'plan' has no end"),
        (
            [PLAN, '{"write": "../a", "content": ""}'],
            "2: '../a' is not a path inside the workspace",
        ),
        ([PLAN, '{"write": "/a", "content": ""}'], "2: '/a' is not a path inside the workspace"),
        ([PLAN, '{"write": "", "content": ""}'], "2: '' is not a path inside the workspace"),
    ],
)
def test_a_line_that_is_no_step_is_refused_with_its_number(lines: list[str], message: str) -> None:
    with pytest.raises(AgentUnavailable) as refused:
        parse_recording("\n".join(lines) + "\n", "r.jsonl")

    assert refused.value.message == f"r.jsonl:{message}"
