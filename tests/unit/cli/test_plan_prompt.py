"""What a person types at a plan is a yes, a no, or a change."""

import pytest

from treadle.cli.plan_prompt import parse_answer
from treadle.domain.approval import ApprovalId
from treadle.runs.approvals import ApprovalReply

PLAN = ApprovalId("15098c337fb7")


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("y", ApprovalReply(PLAN, "approved")),
        (" Yes ", ApprovalReply(PLAN, "approved")),
        ("ok", ApprovalReply(PLAN, "approved")),
        ("LGTM!", ApprovalReply(PLAN, "approved")),
        ("ok, but keep the table", ApprovalReply(PLAN, "replied", "ok, but keep the table")),
        ("n", ApprovalReply(PLAN, "denied")),
        ("No", ApprovalReply(PLAN, "denied")),
        ("approve", ApprovalReply(PLAN, "approved")),
        ("treadle approve 15098c337fb7", ApprovalReply(PLAN, "approved")),
        ("treadle deny 15098c337fb7", ApprovalReply(PLAN, "denied")),
        ("approve of nothing", ApprovalReply(PLAN, "replied", "approve of nothing")),
        ("no tests for this", ApprovalReply(PLAN, "replied", "no tests for this")),
        ("", None),
        ("   ", None),
    ],
)
def test_a_typed_line_is_an_answer(line: str, reply: ApprovalReply | None) -> None:
    assert parse_answer(PLAN, line) == reply
