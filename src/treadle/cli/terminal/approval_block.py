"""Approvals for the terminal: one in full, or many as a table. Loads no events."""

from collections.abc import Sequence
from datetime import datetime

from treadle.cli.terminal.styled_lines import Line, RenderOptions, Span, paragraph
from treadle.cli.terminal.table import align_columns
from treadle.domain.approval import Approval, ApprovalRecord
from treadle.domain.ids import short_id
from treadle.views.approval_view import (
    answer_commands,
    kind_text,
    origin_text,
    question_parts,
    reply_text,
    settlement_text,
)
from treadle.views.duration import ago

TITLES = ("ID", "ASKED", "RUN", "KIND", "STATE", "QUESTION")
LISTED_LINES = 12
# More than any subject has: whoever decides must see all of it.
ALL_LINES = 1_000_000


def open_approvals_block(
    records: Sequence[ApprovalRecord], now: datetime, options: RenderOptions
) -> list[Line]:
    """The open questions, each with the first lines of its subject."""
    blocks = [question_block(each, now, options, most=LISTED_LINES) for each in records]
    return [line for block in blocks for line in (*block, ())][:-1]


def question_block(
    record: ApprovalRecord, now: datetime, options: RenderOptions, *, most: int = ALL_LINES
) -> list[Line]:
    """The question, where it comes from, its subject, and how to answer or how it was settled."""
    approval = record.approval
    subject = paragraph(approval.subject, style="plain", options=options, most=most, indent="    ")
    asked, remarks = question_parts(approval)
    return [
        ((f"{approval.id}  ", "strong"), (asked, "plain")),
        ((f"  {origin_text(record, now=now, zone=options.zone)}", "quiet"),),
        *subject,
        *([_full_text_hint(approval)] if len(subject) > most else []),
        *paragraph(remarks, style="plain", options=options, most=LISTED_LINES, indent="    "),
        *_reply_lines(record, options),
        *_next_lines(record),
    ]


def settled_block(record: ApprovalRecord, options: RenderOptions) -> list[Line]:
    """An approval that was just answered."""
    approval = record.approval
    text, style = settlement_text(record.settled)
    asked, _ = question_parts(approval)
    head: Line = ((f"{approval.id} {text}", style), (f": {asked}", "plain"))
    subject = paragraph(approval.subject, style="quiet", options=options, most=LISTED_LINES)
    return [head, *subject, *_reply_lines(record, options)]


def question_table(records: Sequence[ApprovalRecord], now: datetime) -> list[Line]:
    """A heading and one line per question."""
    heading: list[Span] = [(title, "quiet") for title in TITLES]
    return align_columns([heading, *(_cells(each, now) for each in records)])


def _cells(record: ApprovalRecord, now: datetime) -> list[Span]:
    approval = record.approval
    return [
        (approval.id, "strong"),
        (ago(approval.asked_at, now), "quiet"),
        (short_id(approval.run), "plain"),
        (kind_text(approval), "plain"),
        settlement_text(record.settled),
        (question_parts(approval)[0], "plain"),
    ]


def _full_text_hint(approval: Approval) -> Line:
    return ((f"    all of it: treadle approvals {approval.id}", "warning"),)


def _next_lines(record: ApprovalRecord) -> list[Line]:
    if record.settled is not None:
        text, style = settlement_text(record.settled)
        return [((f"  {text}", style),)]
    return [((f"  {command}", "strong"),) for command in answer_commands(record.approval)]


def _reply_lines(record: ApprovalRecord, options: RenderOptions) -> list[Line]:
    text = reply_text(record.settled)
    return paragraph(text, style="signal", options=options, most=LISTED_LINES) if text else []
