"""The tools with which planner and reviewer hand over their texts."""

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.deliverable import RejectedChange
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import PlanWritten, ReviewWritten
from treadle.domain.review import ReviewFinding, Severity
from treadle.domain.wire import without_surrogates
from treadle.workflows.focus.focus_history import FocusHistory

MAX_PLAN = 100_000
MAX_FINDINGS = 50
MAX_TEXT = 4_000

Record = Callable[[Event], None]
Clean = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def plan_tool(history: Callable[[], FocusHistory], record: Record, clean: Clean) -> Tool:
    """The planner's tool: takes the whole plan."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        text = clean(arguments).get("text")
        if not isinstance(text, str) or not text.strip():
            return ToolReply("Pass `text`: the whole plan as markdown.", is_error=True)
        text = without_surrogates(text)
        if len(text) > MAX_PLAN:
            limit = f"at most {MAX_PLAN} characters"
            return ToolReply(f"The plan is too long: {limit}. Shorten it.", is_error=True)
        # An interrupted agent repeats a call whose reply it never got.
        if history().draft != text:
            record(PlanWritten(text))
        return ToolReply("The plan is kept. Give the signal plan_complete to end planning.")

    return Tool(
        name="write_plan",
        description=(
            "Hand the plan over as markdown: tasks, implementation details, testing requirements. "
            "A second call replaces the first."
        ),
        schema={
            "type": "object",
            "properties": {"text": {"type": "string", "description": "The whole plan."}},
            "required": ["text"],
        },
        call=call,
    )


def review_tool(history: Callable[[], FocusHistory], record: Record, clean: Clean) -> Tool:
    """The reviewer's tool: takes all findings."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        review = parse_review(clean(arguments))
        if isinstance(review, RejectedChange):
            return ToolReply(review.reason, is_error=True)
        if history().review != review:
            record(review)
        return ToolReply(
            f"Kept: {len(review.findings)}. Give the signal approved or request_changes to end."
        )

    return Tool(
        name="write_review",
        description=(
            "Hand the review over: what does not match the specifications. Each finding is shown "
            "by a line quoted from a file, or by a command that fails; others do not count. "
            "A second call replaces the first."
        ),
        schema=_REVIEW,
        call=call,
    )


def parse_review(arguments: Mapping[str, Any]) -> ReviewWritten | RejectedChange:
    """The review in a tool call, or why the call is malformed."""
    entries = arguments.get("findings")
    if not isinstance(entries, list):
        return RejectedChange("Pass `findings`, a list of objects; an empty one if there are none.")
    if len(entries) > MAX_FINDINGS:
        return RejectedChange(f"At most {MAX_FINDINGS} findings: leave out the lightest.")
    findings = []
    for entry in entries:
        finding = _given_finding(entry)
        if isinstance(finding, RejectedChange):
            return finding
        findings.append(finding)
    if rejection := _reject_non_text(arguments, "summary"):
        return rejection
    settled = arguments.get("settled", [])
    if not isinstance(settled, list) or any(type(number) is not int for number in settled):
        return RejectedChange("`settled` must be a list of numbers of earlier findings.")
    return ReviewWritten(tuple(findings), _text(arguments, "summary"), tuple(settled))


def _given_finding(entry: object) -> ReviewFinding | RejectedChange:
    if not isinstance(entry, dict):
        return RejectedChange("Each finding must be an object.")
    severity = entry.get("severity")
    if severity not in get_args(Severity):
        return RejectedChange(f"`severity` must be one of {', '.join(get_args(Severity))}.")
    if not _text(entry, "text").strip():
        return RejectedChange("`text` must say what is wrong, in each finding.")
    if rejection := _reject_non_text(entry, "text", "file", "quote", "command"):
        return rejection
    return ReviewFinding(
        severity=cast("Severity", severity),
        text=_text(entry, "text"),
        file=_text(entry, "file").strip().removeprefix("./"),
        quote=_text(entry, "quote"),
        command=_text(entry, "command"),
    )


def _reject_non_text(review: Mapping[str, Any], *names: str) -> RejectedChange | None:
    """Reject values that are not texts, because `_text` would ignore them."""
    rejection = [name for name in names if not isinstance(review.get(name, ""), str | None)]
    return RejectedChange(f"`{rejection[0]}` must be a string.") if rejection else None


def _text(review: Mapping[str, Any], name: str) -> str:
    value = review.get(name)
    return without_surrogates(value)[:MAX_TEXT] if isinstance(value, str) else ""


_REVIEW: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "severity": {"type": "string", "enum": list(get_args(Severity))},
                    "text": {"type": "string", "description": "What is wrong, by which spec."},
                    "file": {"type": "string", "description": "Path from the project's top."},
                    "quote": {"type": "string", "description": "A line of that file as it is."},
                    "command": {"type": "string", "description": "A shell line that fails."},
                },
                "required": ["severity", "text"],
            },
        },
        "summary": {"type": "string"},
        "settled": {
            "type": "array",
            "items": {"type": "integer"},
            "description": "Numbers of earlier findings that are fixed.",
        },
    },
    "required": ["findings"],
}
