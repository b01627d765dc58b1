"""The report about runs: what waits, what is risky, what came of each, what was refused. Pure."""

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

from treadle.domain.approval import ApprovalRecord
from treadle.domain.events.focus import PlanWritten
from treadle.domain.events.queue import ItemStarted
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.views.completion import estimate_score
from treadle.views.deliverable_view import DeliverableView, order_by_attention
from treadle.views.duration import duration
from treadle.views.figures import money, pluralize, short_commit
from treadle.views.log_state import LogState
from treadle.views.next_steps import Command, next_steps_for_row
from treadle.views.outcome_text import RunTitle
from treadle.views.report_queues import (
    QueueEntry,
    items_built_on,
    queue_entry,
    queue_waits,
    runs_told_of,
    runs_tried_again,
)
from treadle.views.report_refusals import RefusalEntry, refusals_of
from treadle.views.report_risks import RiskEntry, ranked_risks
from treadle.views.run_details import RunDetails
from treadle.views.run_row_text import run_time_s
from treadle.views.run_state_text import run_title
from treadle.views.style import Style
from treadle.views.verification_text import suite_verdict
from treadle.views.waiting import WaitingEntry, lost_entry, question_entry, unmerged_entry
from treadle.views.workflow_labels import is_queue

# A morning has time for this many commands per run; `treadle show` has the others.
MOST_COMMANDS = 2
# Of a list, the first of which matter most; `treadle show` lists all.
RISKS_MOST = 12
REFUSALS_MOST = 10


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run with all that its log tells."""

    row: RunRow
    details: RunDetails


@dataclass(frozen=True, slots=True)
class RunEntry:
    """What came of one run."""

    run: str
    project: str
    workflow: str
    # What it worked on; empty if its log does not say.
    subject: str
    title: RunTitle
    deliverables: tuple[DeliverableView, ...]
    # What it took against what its plan estimated; empty without an estimate.
    estimate: str
    tests: str
    tests_style: Style
    work: str
    usage: str
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All of it, in the order in which one reads it in the morning."""

    headline: str
    waiting: tuple[WaitingEntry, ...]
    risks: tuple[RiskEntry, ...]
    # Their items are runs of their own, below.
    queues: tuple[QueueEntry, ...]
    # Landed, or pushed.
    arrived: tuple[RunEntry, ...]
    # Ended otherwise.
    other: tuple[RunEntry, ...]
    active: tuple[RunEntry, ...]
    refusals: tuple[RefusalEntry, ...]


def is_in_period(row: RunRow, since: datetime) -> bool:
    """Whether the run did anything since then: it started, ended, or has not ended."""
    moments = (row.started_at, row.reopened_at, row.ended_at)
    return not row.ended_at or any(
        datetime.fromisoformat(each) >= since for each in moments if each
    )


def make_report(
    runs: Sequence[ReportedRun], questions: Sequence[ApprovalRecord], now: datetime
) -> Report:
    """The report about these runs; questions of other runs are left out."""
    queues = [each for each in runs if is_queue(each.row.workflow)]
    items = {
        record.started.run: record.started
        for each in queues
        for record in each.details.state.queue.records
    }
    settled = {run for each in queues for run in runs_tried_again(each.details.state.queue)}
    work = [each for each in runs if each not in queues]
    entries = [
        (each, run_entry(each, items.get(each.row.id), now, is_settled=each.row.id in settled))
        for each in work
    ]
    ids = {each.row.id for each in runs}
    asked = [each for each in questions if each.approval.run in ids]
    active = tuple(entry for each, entry in entries if _is_active(each.row))
    rest = [each for each in entries if each[1] not in active]
    arrived = tuple(entry for each, entry in rest if has_arrived(each.details.state))
    other = tuple(entry for _, entry in rest if entry not in arrived)
    return Report(
        headline=_headline(work, len(queues), len(asked), now),
        waiting=(
            *map(question_entry, asked),
            *(wait for each in queues for wait in queue_waits(each.row, each.details.state)),
            *_unlanded(
                runs,
                items_built_on(each.details.state.queue for each in queues),
                {run for each in queues for run in runs_told_of(each.row, each.details.state)},
            ),
        ),
        risks=ranked_risks((each.row, each.details.state) for each in work),
        queues=tuple(queue_entry(each.row, each.details.state, now) for each in queues),
        arrived=arrived,
        other=other,
        active=active,
        refusals=tuple(entry for each in runs for entry in refusals_of(each.row, each.details)),
    )


def _is_active(row: RunRow) -> bool:
    """Whether it works or waits to; a run that follows its pull request has done its part."""
    return row.state != "following" and (row.alive or row.state == "queued")


def has_arrived(state: LogState) -> bool:
    """Whether the work is in the checkout, or where others can see it."""
    if state.landed is not None:
        return True
    published = state.published
    return state.kept is None and bool(published.pull_request or published.pushed)


def run_entry(
    run: ReportedRun, item: ItemStarted | None, now: datetime, *, is_settled: bool
) -> RunEntry:
    """`item`: the one that the run is about, if a queue has started it. Nothing is left to type
    about a settled one."""
    row, state = run.row, run.details.state
    suite = state.verified.suite
    tests: tuple[str, Style] = ("", "plain")
    if suite is not None:
        tests = suite_verdict(suite, accepted_by=state.verified.accepted_by)
    return RunEntry(
        run=short_id(row.id),
        project=PurePath(row.project_path).name,
        workflow=row.workflow,
        subject=_subject(run.details, item),
        title=run_title(row, state, now),
        deliverables=tuple(order_by_attention(state.deliverables)),
        estimate="" if state.result is None else estimate_score(state.result, state),
        tests=tests[0],
        tests_style=tests[1],
        work=_work_text(state),
        usage=_usage_text(row, state, now),
        commands=() if is_settled else next_steps_for_row(row, state)[:MOST_COMMANDS],
    )


def _subject(details: RunDetails, item: ItemStarted | None) -> str:
    """The title of its pull request, its item or its plan."""
    if details.state.published.pull_request is not None:
        return details.state.published.pull_request.title
    if item is not None:
        return item.item if item.title in item.item else f"{item.item}: {item.title}"
    plans = [each.event for each in details.rounds if isinstance(each.event, PlanWritten)]
    titles = [plan.plan.title for plan in plans if plan.plan is not None]
    return titles[-1] if titles else ""


def _headline(runs: Sequence[ReportedRun], queues: int, asked: int, now: datetime) -> str:
    """`1 queue, 3 runs: 2 done, 1 at work, 1 question for you. $4.20, 1h 12m.`"""
    if not runs and not queues:
        return "No runs in this time."
    states = Counter(_kind_of(each.row) for each in runs)
    kinds = ("done", "not done", "at work", "queued", "lost")
    parts = [f"{states[kind]} {kind}" for kind in kinds if states[kind]]
    if asked:
        parts.append(f"{pluralize(asked, 'question')} for you")
    cost = sum(_cost_usd(each.row, each.details.state) for each in runs)
    seconds = sum(run_time_s(each.row, now) or 0.0 for each in runs)
    listed = f": {', '.join(parts)}" if parts else ""
    queued = f"{pluralize(queues, 'queue')}, " if queues else ""
    return f"{queued}{pluralize(len(runs), 'run')}{listed}. {money(cost)}, {duration(seconds)}."


def _kind_of(row: RunRow) -> str:
    match row.state:
        case "succeeded":
            return "done"
        case "ended":
            return "not done"
        case "queued" | "lost":
            return row.state
        case _:
            return "at work"


def _unlanded(
    runs: Iterable[ReportedRun], built_on: Container[str], told_of: Container[str]
) -> Iterable[WaitingEntry]:
    """Finished work that waits on its branch and is not part of later work, and what only a person
    can settle, unless a queue tells of it."""
    for run in runs:
        state, name = run.details.state, short_id(run.row.id)
        is_last = run.row.state == "succeeded" and run.row.id not in built_on
        if state.kept is not None and state.landed is None and is_last:
            yield unmerged_entry(name, state.kept.reason)
        if state.spec_issue and run.row.id not in told_of:
            text = f"the specifications are unclear: {state.spec_issue}"
            yield WaitingEntry(name, text, ("treadle discuss",))
        if run.row.state == "lost":
            yield lost_entry(run.row)


def _work_text(state: LogState) -> str:
    commits = pluralize(state.commits, "commit")
    if state.landed is not None:
        return f"{commits} landed at {short_commit(state.landed.commit)}"
    if state.kept is not None:
        return f"{commits} on {state.kept.branch}, not merged: {state.kept.reason}"
    if state.published.pull_request is not None:
        kind = "draft pull request" if state.published.pull_request.draft else "pull request"
        return f"{kind} {state.published.pull_request.url}"
    if (pushed := state.published.pushed) is not None:
        return f"{commits} pushed to {pushed.remote} as {pushed.branch}"
    return f"{commits} on {state.branch}" if state.commits else "no commits"


def _usage_text(row: RunRow, state: LogState, now: datetime) -> str:
    """`$1.20 of $20.00 · 12m of 2h · 3 of 100 rounds`."""
    seconds = run_time_s(row, now)
    used = (
        money(_cost_usd(row, state)),
        "time unknown" if seconds is None else duration(seconds),
        pluralize(row.rounds, "round"),
    )
    if state.started is None:
        return " · ".join(used)
    limits = state.started.limits
    most = (
        money(limits.max_cost_usd),
        duration(limits.max_minutes * 60),
        f"{limits.max_iterations}",
    )
    return " · ".join(f"{use} of {limit}" for use, limit in zip(used, most, strict=True))


def _cost_usd(row: RunRow, state: LogState) -> float:
    if state.result is not None:
        return state.result.cost_usd
    return max(row.cost_usd, state.cost_usd)


def report_document(report: Report, *, since: datetime | None) -> dict[str, Any]:
    """The document of `treadle report --json`."""
    return {
        "since": since,
        "headline": report.headline,
        "waiting": report.waiting,
        "risks": [
            {"run": each.run, "kind": each.risk.rank.name.lower(), "text": each.risk.text}
            for each in report.risks
        ],
        "queues": report.queues,
        "arrived": report.arrived,
        "other": report.other,
        "active": report.active,
        "refusals": report.refusals,
    }
