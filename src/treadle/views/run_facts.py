"""The labelled facts of a run, for its summary and for its details. Pure."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from treadle.domain.deliverable import Tally
from treadle.domain.limits import RunLimits
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.views.completion import estimate_score
from treadle.views.deliverable_view import DeliverableView, passed_grades
from treadle.views.duration import ago, clock_time, duration
from treadle.views.facts import Fact, ObjectionFacts, ReasonFact, RunFact
from treadle.views.figures import money, pluralize
from treadle.views.log_state import LogState
from treadle.views.outcome_text import limits_text
from treadle.views.queue_summary import queue_facts
from treadle.views.run_details import RunDetails
from treadle.views.run_row_text import run_time_s
from treadle.views.safe_text import sanitize
from treadle.views.style import Style
from treadle.views.tally_text import tally_text
from treadle.views.verification_text import suite_makeup, suite_verdict
from treadle.views.work_facts import dropped_facts, work_facts
from treadle.views.workflow_labels import is_queue, is_queue_of_increments, lists_deliverables

# Lines of a failed setup in a list of facts; `treadle logs` has all of them.
_MOST_CAUSES = 4
_MOST_UNCHECKED = 5


def summary_facts(result: RunResult, state: LogState) -> list[RunFact]:
    """What the summary at the end of a run lists."""
    if state.started is not None and is_queue(state.started.workflow):
        return [
            *queue_facts(state),
            Fact("time", duration(result.duration_s)),
            *_model_facts(state),
        ]
    cost = money(result.cost_usd)
    if not result.priced:
        cost += " (unpriced model: counted at the highest known price)"
    return [
        *_tally_facts(result.tally, state),
        *([] if result.reason == "setup_failed" else _setup_facts(state)),
        *_suite_facts(state),
        *_open_issue_facts(state),
        Fact("rounds", _rounds_text(result, state)),
        Fact("cost", cost),
        Fact("time", duration(result.duration_s)),
        *_score_facts(result, state),
        *work_facts(state, result),
        *_model_facts(state),
    ]


def _model_facts(state: LogState) -> list[Fact]:
    """What was unusual about how sessions ran."""
    facts = []
    if state.started is not None and state.started.sandbox == "unsandboxed":
        facts.append(Fact("sandbox", "none: this run was unsandboxed", "warning"))
    if state.started is not None and state.started.rehearsal:
        facts.append(Fact("model", "a script: this was a rehearsal", "signal"))
    return facts


def detail_facts(
    row: RunRow, details: RunDetails, *, now: datetime, zone: tzinfo | None
) -> list[RunFact]:
    """What `treadle show` lists about a run in any state."""
    state = details.state
    if is_queue(row.workflow):
        return _queue_detail_facts(row, details, now=now, zone=zone)
    cost_usd = state.cost_usd if state.result is None else state.result.cost_usd
    seconds = _running_s(row, state, now)
    return [
        *_row_facts(row, now=now, zone=zone),
        *_tally_facts(Tally(row.passed, row.blocked, row.total), state),
        *_setup_facts(state),
        *_suite_facts(state),
        *_open_issue_facts(state),
        Fact("rounds", str(row.rounds)),
        Fact("cost", money(cost_usd)),
        Fact("time", "unknown" if seconds is None else duration(seconds)),
        *_start_facts(row, details, cost_usd=cost_usd, seconds=seconds),
        *(
            Fact("paused", f"until {clock_time(pause.until, now=now, zone=zone)}: {pause.reason}")
            for pause in details.pauses[-1:]
        ),
        *_score_facts(state.result, state),
        *work_facts(state, state.result),
        *dropped_facts(state),
    ]


def _row_facts(row: RunRow, *, now: datetime, zone: tzinfo | None) -> list[RunFact]:
    started_at = datetime.fromisoformat(row.started_at)
    return [
        Fact("run", row.id),
        Fact("project", row.project_path),
        Fact("started", f"{started_at.astimezone(zone):%Y-%m-%d %H:%M} ({ago(started_at, now)})"),
    ]


def _queue_detail_facts(
    row: RunRow, details: RunDetails, *, now: datetime, zone: tzinfo | None
) -> list[RunFact]:
    seconds = run_time_s(row, now)
    return [
        *_row_facts(row, now=now, zone=zone),
        *queue_facts(details.state),
        Fact("time", "unknown" if seconds is None else duration(seconds)),
        *_queue_limit_facts(details.state),
        *_model_facts(details.state),
    ]


def _queue_limit_facts(state: LogState) -> list[Fact]:
    if state.started is None:
        return []
    whose = "of all items" if is_queue_of_increments(state.started.workflow) else "of each item"
    return [Fact("limits", f"{limits_text(state.started.limits)}, {whose}")]


def _tally_facts(tally: Tally, state: LogState) -> list[Fact]:
    always = state.started is None or lists_deliverables(state.started.workflow)
    if not always and not tally.total:
        return []
    done = Fact("deliverables", tally_text(tally, passed_grades(state.deliverables)))
    return [done, *_unchecked_facts(state.deliverables)]


def _unchecked_facts(deliverables: Sequence[DeliverableView]) -> list[Fact]:
    """The criteria that no check covers, for a person to look at."""
    texts = [f"{each.id}: {text}" for each in deliverables for text in _unchecked_criteria(each)]
    more = len(texts) - _MOST_UNCHECKED
    if more > 0:
        texts = [*texts[:_MOST_UNCHECKED], f"and {more} more without a check"]
    return [Fact("" if number else "look at", sanitize(text)) for number, text in enumerate(texts)]


def _unchecked_criteria(deliverable: DeliverableView) -> list[str]:
    checked = {check.criterion for check in deliverable.checks}
    if deliverable.status != "passed":
        return []
    return [text for text in deliverable.criteria if text not in checked]


def _setup_facts(state: LogState) -> list[Fact]:
    """A setup that failed and was not repaired since, with the lines that name the cause."""
    failed = state.failed_setup
    if failed is None:
        return []
    text = f"failed with exit code {failed.exit_code}: {sanitize(failed.command)}"
    # Behind a bar, because a command of the project printed it.
    cause = [Fact("", f"│ {sanitize(line)}", "quiet") for line in failed.cause[:_MOST_CAUSES]]
    return [Fact("setup", text, "bad"), *cause]


def _suite_facts(state: LogState) -> list[RunFact]:
    """The last verdict on the tests."""
    suite = state.verified.suite
    if suite is None:
        return []
    verdict, style = suite_verdict(suite, accepted_by=state.verified.accepted_by)
    makeup = suite_makeup(suite)
    graded = state.verified.suite_grade
    grade = [f"{graded.grade}: {graded.why}" if graded.why else graded.grade] if graded else []
    return [
        Fact("tests", verdict, style),
        *map(ReasonFact, grade),
        *([Fact("", makeup)] if makeup else []),
        ObjectionFacts(suite.objections),
    ]


def _open_issue_facts(state: LogState) -> list[Fact]:
    """What a run could not settle: paths that can be copied whole."""
    issue = [Fact("spec issue", state.spec_issue, "warning")] if state.spec_issue else []
    backlog = [Fact("" if n else "backlog", path) for n, path in enumerate(state.backlog)]
    return issue + backlog


def _rounds_text(result: RunResult, state: LogState) -> str:
    if state.started is None:
        return str(result.rounds)
    return f"{result.rounds} of at most {state.started.limits.max_iterations}"


def _score_facts(result: RunResult | None, state: LogState) -> list[RunFact]:
    score = "" if result is None else estimate_score(result, state)
    return [Fact("estimate", score)] if score else []


def _start_facts(
    row: RunRow, details: RunDetails, *, cost_usd: float, seconds: float | None
) -> list[Fact]:
    """What the run was started with, and what is left of its limits."""
    started = details.state.started
    if started is None:
        return []
    used_s = seconds or sum(s.result.duration_s for s in details.sessions if s.result)
    retries = f"{started.limits.max_retries} retries in a row"
    style: Style = "warning" if started.sandbox == "unsandboxed" else "plain"
    facts = [
        Fact("limits", f"{limits_text(started.limits)}, {retries}"),
        Fact("left", _left_text(started.limits, cost_usd, used_s, row.rounds)),
        Fact("models", f"{started.model} codes, {started.plan_model} plans"),
        Fact("sandbox", started.sandbox, style),
    ]
    if started.login:
        facts.append(Fact("login", started.login))
    if started.rehearsal:
        facts.append(Fact("rehearsal", "the model was a script", "signal"))
    return facts


def _running_s(row: RunRow, state: LogState, now: datetime) -> float | None:
    """Without the pauses, as the limit counts; None if nobody knows when the run stopped."""
    if state.result is not None:
        return state.result.duration_s
    return None if run_time_s(row, now) is None else state.elapsed_s(now)


def _left_text(limits: RunLimits, cost_usd: float, seconds: float, rounds: int) -> str:
    """What the run may still use, as `resume` would let it."""
    usd = max(0.0, limits.max_cost_usd - cost_usd)
    time_s = max(0.0, limits.max_minutes * 60 - seconds)
    left = pluralize(max(0, limits.max_iterations - rounds), "round")
    return f"{money(usd)}, {duration(time_s)}, {left}"
