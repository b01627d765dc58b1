"""The plan of a task as people read and approve it. Pure."""

from collections.abc import Sequence

from treadle.domain.task_plan import PlannedCriterion, TaskPlan


def plan_text(plan: TaskPlan) -> str:
    """The whole plan as markdown; an approval is bound to its hash."""
    parts = [
        f"# {plan.title}",
        plan.approach.strip(),
        _section("Criteria", [_criterion(each) for each in plan.criteria]),
        _section("Files", plan.files),
        _section("Tests", plan.tests),
        _section("Risks", plan.risks),
        _section("Questions", plan.questions),
        _estimate(plan),
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


def _estimate(plan: TaskPlan) -> str:
    parts = []
    if plan.cost_usd:
        parts.append(f"${plan.cost_usd:.2f}")
    if plan.minutes:
        parts.append(f"{plan.minutes:g} minutes")
    return f"Estimate: {', '.join(parts)}" if parts else ""
