"""The title and the text of a pull request: what was done, what shows it, what it cost. Pure.

Agents wrote parts of it, so none of their words can mention people, close issues or load images.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.focus import PlanWritten, ReviewJudged
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.verification import (
    EvidenceTouched,
    SuiteFinished,
    SuiteGraded,
    TouchedFile,
)
from treadle.domain.events.work import ToolFilesTouched, WorkChanged
from treadle.domain.ids import RunId, short_id
from treadle.domain.run import RunResult

# The types of events that `read_facts` reads.
FACT_EVENTS = frozenset(
    {
        "plan.written",
        "review.judged",
        "session.ended",
        "suite.finished",
        "suite.graded",
        "evidence.touched",
        "toolfiles.touched",
        "work.changed",
    }
)
MAX_TITLE = 120
MAX_APPROACH = 6_000
MAX_CELL = 300
MAX_LISTED = 30
_JUDGES = {"spec": "you", "person": "you", "agent": "the agent"}
# What a forge acts on: mentions, references that may close issues, HTML and images.
_ACTIVE = re.compile(r"[@#!<]|://")
_INERT = {"@": "@<!-- -->", "#": "#<!-- -->", "!": "\\!", "<": "&lt;", "://": ":<!-- -->//"}


@dataclass(frozen=True, slots=True)
class PullRequestFacts:
    """What the log of a run says for its pull request."""

    title: str = ""
    approach: str = ""
    turns: int = 0
    changes: WorkChanged | None = None
    suite: SuiteFinished | None = None
    suite_grade: SuiteGraded | None = None
    touched: EvidenceTouched | None = None
    tool_files: ToolFilesTouched | None = None
    review: ReviewJudged | None = None


@dataclass(frozen=True, slots=True)
class PullRequestText:
    """A title without line breaks, and a body in markdown."""

    title: str
    body: str = field(repr=False)


def read_facts(events: Iterable[RecordedEvent]) -> PullRequestFacts:
    """The facts of a log; of each kind the last counts."""
    facts = PullRequestFacts()
    for recorded in events:
        facts = _with_event(facts, recorded.event)
    return facts


def _with_event(facts: PullRequestFacts, event: Event) -> PullRequestFacts:
    match event:
        case PlanWritten(plan=plan) if plan is not None:
            return replace(facts, title=plan.title, approach=plan.approach)
        case SessionEnded(result=result):
            return replace(facts, turns=facts.turns + result.turns)
        case WorkChanged():
            return replace(facts, changes=event)
        case SuiteFinished():
            return replace(facts, suite=event)
        case SuiteGraded():
            return replace(facts, suite_grade=event)
        case EvidenceTouched() | ToolFilesTouched() | ReviewJudged():
            return _with_remark(facts, event)
        case _:
            return facts


def _with_remark(
    facts: PullRequestFacts, event: EvidenceTouched | ToolFilesTouched | ReviewJudged
) -> PullRequestFacts:
    match event:
        case EvidenceTouched():
            return replace(facts, touched=event)
        case ToolFilesTouched():
            return replace(facts, tool_files=event)
        case ReviewJudged():
            return replace(facts, review=event)


def pull_request_text(
    words: str,
    facts: PullRequestFacts,
    deliverables: Sequence[Deliverable],
    result: RunResult,
    run: RunId,
) -> PullRequestText:
    """The text for a run with these words; they are the title if no plan has one."""
    sections = [
        inert(facts.approach[:MAX_APPROACH].strip()),
        _look_first(facts),
        _evidence(deliverables),
        _tests(facts),
        _unchecked(deliverables),
        _review(facts),
        _figures(facts, result),
        f"<sub>treadle run {short_id(run)}</sub>",
    ]
    title = _one_line(facts.title or words)[:MAX_TITLE] or f"Work of run {short_id(run)}"
    return PullRequestText(title, "\n\n".join(filter(None, sections)))


def inert(text: str) -> str:
    """Text of an agent in which a forge finds nothing to act on."""
    visible = "".join(c for c in text if c.isprintable() or c in "\n\t")
    return _ACTIVE.sub(lambda found: _INERT[found[0]], visible)


def _one_line(text: str) -> str:
    visible = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(visible.split())


def _cell(text: str) -> str:
    return inert(_one_line(text)[:MAX_CELL]).replace("|", "\\|")


def _code(text: str) -> str:
    """As code, in which a forge acts on nothing."""
    return f"`{_one_line(text)[:MAX_CELL].replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def _evidence(deliverables: Sequence[Deliverable]) -> str:
    rows = [_row(each, check) for each in deliverables for check in each.checks]
    if not rows:
        return ""
    head = ["### Evidence", "", "| criterion | grade | check | whose check |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def _row(deliverable: Deliverable, check: Check) -> str:
    grade = check.grade if deliverable.status == "passed" else "**not met**"
    why = f": {_cell(check.why)}" if check.why and deliverable.status == "passed" else ""
    whose = _JUDGES[check.origin]
    return f"| {_cell(check.criterion)} | {grade}{why} | {_code(check.command)} | {whose} |"


def _unchecked(deliverables: Sequence[Deliverable]) -> str:
    lines = [
        f"- {inert(_one_line(text))}"
        for each in deliverables
        for text in each.acceptance_criteria
        if text not in {check.criterion for check in each.checks}
    ]
    return "\n".join(["### For you to look at", "", *lines[:MAX_LISTED]]) if lines else ""


def _tests(facts: PullRequestFacts) -> str:
    suite = facts.suite
    if suite is None:
        return ""
    verdict = "pass" if not suite.objections else f"object ({len(suite.objections)})"
    grade = f", {facts.suite_grade.grade}" if facts.suite_grade else ""
    coverage = f", coverage {suite.coverage:.1f} %" if suite.coverage is not None else ""
    passed = sum(each.passed for each in suite.counts)
    failing = [f"- red before and after: {_code(name)}" for name in suite.known_red[:MAX_LISTED]]
    return "\n".join([f"**Tests** {verdict}: {passed} passed{grade}{coverage}", *failing])


def _look_first(facts: PullRequestFacts) -> str:
    """What judges the work, and what tools obey by themselves, stands first."""
    touched = facts.touched.files if facts.touched else ()
    # Added tests are good news.
    lines = [_touched(each) for each in touched if each.change != "added" or each.weaker]
    tool_files = facts.tool_files.files if facts.tool_files else ()
    lines += [f"- {each.change} {_code(each.path)}: {_cell(each.why)}" for each in tool_files]
    return "\n".join(["### Look at this first", "", *lines]) if lines else ""


def _touched(file: TouchedFile) -> str:
    weaker = f": {file.weaker}" if file.weaker else ""
    return f"- {file.change} {_code(file.path)} ({file.judge}){weaker}"


def _review(facts: PullRequestFacts) -> str:
    if facts.review is None or not facts.review.findings:
        return ""
    findings = facts.review.findings[:MAX_LISTED]
    lines = [f"- {each.severity}: {inert(_one_line(each.text)[:MAX_CELL])}" for each in findings]
    return "\n".join(["### What the last review left", "", *lines])


def _figures(facts: PullRequestFacts, result: RunResult) -> str:
    parts = []
    if facts.changes is not None:
        changes = facts.changes
        files = changes.added + changes.changed + changes.deleted
        parts.append(f"{files} files · +{changes.lines_added} −{changes.lines_deleted}")
    minutes = max(1, round(result.duration_s / 60))
    parts.append(f"${result.cost_usd:.2f} · {facts.turns} turns · {minutes} min")
    return " · ".join(parts)
