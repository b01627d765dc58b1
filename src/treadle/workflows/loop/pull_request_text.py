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
# What a forge acts on: mentions, references that may close issues, HTML, images, and entities, by
# which one of these could be written.
_ACTIVE = re.compile(r"[@#<]|!(?=\[)|://|&(?=#?\w+;)|\bGH-(?=\d)", re.IGNORECASE)
_INERT = {
    "@": "@<!-- -->",
    "#": "#<!-- -->",
    "!": "!<!-- -->",
    "<": "&lt;",
    "&": "&amp;",
    "://": ":<!-- -->//",
    "GH-": "GH<!-- -->-",
}
# In a title nothing is hidden; a squashed commit has it as its message.
_REFERENCE = re.compile(r"#(?=\d)|\bGH-(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PullRequestFacts:
    """What the log of a run says for its pull request."""

    title: str = ""
    approach: str = ""
    # The address of the issue that the work was asked for in; no event has it.
    issue: str = ""
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
        case SuiteFinished(evidence=evidence) if evidence.when in ("before", "pinned"):
            # They decide about objections and the grade: what is told is how the work fares.
            return facts
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
        # Named, and not closed by the merge: whether it is settled is a person's to say.
        f"For {_one_line(facts.issue)}" if facts.issue else "",
        _approach(facts.approach),
        _look_first(facts),
        _evidence(deliverables),
        _tests(facts),
        _unchecked(deliverables),
        _review(facts),
        _figures(facts, result),
        f"<sub>treadle run {short_id(run)}</sub>",
    ]
    title = _one_line(facts.title or words)[:MAX_TITLE] or f"Work of run {short_id(run)}"
    title = _REFERENCE.sub(lambda found: f"{found[0].rstrip('-')} ", title)
    return PullRequestText(title, "\n\n".join(filter(None, sections)))


def inert(text: str) -> str:
    """Text of an agent in which a forge finds nothing to act on."""
    visible = "".join(c for c in text if c.isprintable() or c in "\n\t")
    return _ACTIVE.sub(lambda found: _INERT[found[0].upper()], visible)


def _approach(text: str) -> str:
    """The words of the plan, as they become: a forge takes a text of limited length, and what
    follows must not be cut off."""
    quoted = _quoted(text[:MAX_APPROACH].strip())
    if len(quoted) <= 2 * MAX_APPROACH:
        return quoted
    return f"{_quoted(text[: MAX_APPROACH // 10].strip())}\n> …"


def _quoted(text: str) -> str:
    """As a quotation: no heading, table or open fence in it can pass for a part of ours."""
    return "\n".join(f"> {line}".rstrip() for line in inert(text).split("\n")) if text else ""


def _one_line(text: str) -> str:
    visible = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(visible.split())


def _cell(text: str) -> str:
    # A backslash of theirs would escape ours.
    return inert(_one_line(text)[:MAX_CELL]).replace("\\", "&#92;").replace("|", "\\|")


def _code(text: str) -> str:
    """As code, in which a forge acts on nothing."""
    line = _one_line(text)[:MAX_CELL].replace("`", "'")
    if "\\|" not in line:
        return "`" + line.replace("|", "\\|") + "`"
    # Whether a backslash escapes the pipe behind it depends on the reader.
    letters = (c if c.isalnum() or c == " " else f"&#{ord(c)};" for c in line)
    return f"<code>{''.join(letters)}</code>"


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
    return "\n".join(["### Please look at", "", *lines[:MAX_LISTED]]) if lines else ""


def _tests(facts: PullRequestFacts) -> str:
    suite = facts.suite
    if suite is None:
        return ""
    verdict = "pass" if not suite.objections else f"object ({len(suite.objections)})"
    passed = sum(each.passed for each in suite.counts)
    figures = [
        # A command without a report names no tests.
        *([f"{passed} passed"] if suite.counts else []),
        *([facts.suite_grade.grade] if facts.suite_grade else []),
        *([f"coverage {suite.coverage:.1f} %"] if suite.coverage is not None else []),
    ]
    failing = [
        f"- failing before and after: {_code(name)}" for name in suite.known_red[:MAX_LISTED]
    ]
    headline = f"**Tests** {verdict}: {', '.join(figures)}" if figures else f"**Tests** {verdict}"
    return "\n".join([headline, *failing])


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
        noun = "file" if files == 1 else "files"
        parts.append(f"{files} {noun} · +{changes.lines_added} −{changes.lines_deleted}")
    minutes = max(1, round(result.duration_s / 60))
    parts.append(f"${result.cost_usd:.2f} · {facts.turns} turns · {minutes} min")
    return " · ".join(parts)
