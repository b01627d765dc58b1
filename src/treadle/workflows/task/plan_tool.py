"""The tool with which the planner of a task hands its plan over."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.deliverable import RejectedChange, find_command_problem
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import PlanWritten
from treadle.domain.task_plan import PlannedCriterion, TaskPlan
from treadle.domain.wire import without_surrogates

MAX_TITLE = 100
MAX_TEXT = 20_000
MAX_ENTRY = 1_000
MAX_ENTRIES = 50
MAX_CRITERIA = 30

Record = Callable[[Event], None]
Clean = Callable[[Mapping[str, Any]], Mapping[str, Any]]
# Why Treadle does not run a line as a check; empty if it does.
WhyNotRun = Callable[[str], str]


def plan_tool(draft: Callable[[], str], record: Record, clean: Clean, why_not: WhyNotRun) -> Tool:
    """The planner's tool: takes the whole plan. `draft` is the plan that was handed over last."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        plan = parse_plan(clean(arguments))
        if isinstance(plan, RejectedChange):
            return ToolReply(plan.reason, is_error=True)
        for criterion in plan.criteria:
            if criterion.check and (reason := why_not(criterion.check)):
                refusal = f"Treadle does not run the check for {criterion.text!r}: {reason}"
                return ToolReply(refusal, is_error=True)
        text = plan_text(plan)
        # An interrupted agent repeats a call whose reply it never got.
        if draft() != text:
            record(PlanWritten(text, plan))
        return ToolReply("The plan is kept. Give the signal plan_complete to end planning.")

    return Tool(
        name="write_plan",
        description="Hand the whole plan over. A second call replaces the first.",
        schema=_SCHEMA,
        call=call,
    )


def plan_text(plan: TaskPlan) -> str:
    """The whole plan as markdown; an approval is bound to its hash. The estimate is asked about
    beside it: the implementer need not know it."""
    parts = [
        f"# {plan.title}",
        plan.approach.strip(),
        _section("Criteria", [_criterion(each) for each in plan.criteria]),
        _section("Files", plan.files),
        _section("Tests", plan.tests),
        _section("Risks", plan.risks),
        _section("Questions", plan.questions),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _criterion(criterion: PlannedCriterion) -> str:
    if not criterion.check:
        return f"{criterion.text} (no check: for you to look at)"
    return f"{criterion.text}\n  Check: `{criterion.check}`"


def _section(title: str, entries: Sequence[str]) -> str:
    if not entries:
        return ""
    return "\n".join([f"## {title}", "", *(f"- {entry}" for entry in entries)])


def parse_plan(arguments: Mapping[str, Any]) -> TaskPlan | RejectedChange:
    """The plan in a tool call, or why the call is malformed."""
    title, approach = _text(arguments, "title", MAX_TITLE), _text(arguments, "approach", MAX_TEXT)
    if not title.strip() or not approach.strip():
        return RejectedChange("Pass `title` and `approach` as texts that are not empty.")
    criteria = _criteria(arguments.get("criteria"))
    if isinstance(criteria, RejectedChange):
        return criteria
    lists = {}
    for name in ("files", "tests", "risks", "questions"):
        entries = arguments.get(name, [])
        if not isinstance(entries, list) or not all(isinstance(each, str) for each in entries):
            return RejectedChange(f"`{name}` must be a list of strings.")
        lists[name] = tuple(_shorten(each, MAX_ENTRY) for each in entries[:MAX_ENTRIES])
    return TaskPlan(
        title=" ".join(title.split()),
        approach=approach,
        criteria=criteria,
        cost_usd=_number(arguments.get("estimated_cost_usd")),
        minutes=_number(arguments.get("estimated_minutes")),
        **lists,
    )


def _criteria(entries: object) -> tuple[PlannedCriterion, ...] | RejectedChange:
    if not isinstance(entries, list) or not entries:
        return RejectedChange("Pass `criteria`: at least one thing that must hold after the work.")
    if len(entries) > MAX_CRITERIA:
        return RejectedChange(f"At most {MAX_CRITERIA} criteria: this is one task.")
    found: dict[str, PlannedCriterion] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("check", ""), str):
            return RejectedChange("Each criterion must be an object: `text`, and perhaps `check`.")
        text, check = _text(entry, "text", MAX_ENTRY), entry.get("check", "").strip()
        if not text.strip():
            return RejectedChange("`text` of a criterion must say what must hold.")
        if check and (problem := find_command_problem(check)):
            return RejectedChange(f"The check for {text!r} {problem}.")
        found[text] = PlannedCriterion(text, without_surrogates(check))
    return tuple(found.values())


def _text(arguments: Mapping[str, Any], name: str, longest: int) -> str:
    value = arguments.get(name)
    return _shorten(value, longest) if isinstance(value, str) else ""


def _shorten(text: str, longest: int) -> str:
    return without_surrogates(text)[:longest]


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return min(max(float(value), 0.0), 1e6)


_TEXTS = {"type": "array", "items": {"type": "string"}}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "One line, the title of the pull request."},
        "approach": {"type": "string", "description": "What to do and how, as markdown."},
        "files": {**_TEXTS, "description": "Paths that will be changed or added."},
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "What must hold after the work."},
                    "check": {
                        "type": "string",
                        "description": "A shell line that fails now and ends with 0 if it holds.",
                    },
                },
                "required": ["text"],
            },
        },
        "tests": {**_TEXTS, "description": "Tests to write, and tests that must go and why."},
        "risks": _TEXTS,
        "questions": {**_TEXTS, "description": "What a person should settle, if anything."},
        "estimated_cost_usd": {"type": "number"},
        "estimated_minutes": {"type": "number"},
    },
    "required": ["title", "approach", "files", "criteria"],
}
