"""The block that ends a run: outcome, cost, where the work is, what to type next."""

from collections.abc import Sequence

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph
from treadle.domain.deliverable import Tally
from treadle.domain.ids import short_id
from treadle.domain.run import RunResult
from treadle.views.deliverable_view import DeliverableView, count_proven, deliverable_line
from treadle.views.duration import duration
from treadle.views.figures import money, pluralize, short_commit
from treadle.views.log_state import LogState
from treadle.views.next_steps import next_steps
from treadle.views.outcome_text import headline, headline_style
from treadle.views.safe_text import wrap
from treadle.views.tally_text import tally_text
from treadle.views.verification_text import (
    objection_lines,
    suite_makeup,
    suite_verdict,
    touched_lines,
    touched_title,
)

LABEL_WIDTH = 14
DELIVERABLES_MOST = 10
TOUCHED_MOST = 10
MESSAGE_LINES = 4


def summary(result: RunResult, story: LogState, view: RenderOptions) -> list[Line]:
    """Built from the result and from what earlier events said."""
    mark, style = headline_style(result.reason)
    title: Line = ((f"{mark} {headline(result)}", style), (f" ({result.reason})", "quiet"))
    return [
        (),
        (("─" * view.width, "quiet"),),
        title,
        *paragraph(result.message, style="plain", view=view, most=MESSAGE_LINES),
        (),
        *evidence_file_lines(story),
        *_deliverables(story, view),
        *_facts(result, story, view),
        *_next(result, story, view),
    ]


def fact_line(label: str, text: str, style: Style = "plain") -> Line:
    """A labelled row of the block."""
    return ((f"  {label:<{LABEL_WIDTH}}", "quiet"), (text, style))


def command_lines(label: str, command: str, view: RenderOptions) -> list[Line]:
    """A command that can be copied whole: it is continued on the next line, never cut."""
    pieces = wrap(command, view.width - LABEL_WIDTH - 4, most=len(command)).lines
    lines = [f"{piece} \\" for piece in pieces[:-1]] + list(pieces[-1:])
    return [fact_line(label if n == 0 else "", line, "strong") for n, line in enumerate(lines)]


def evidence_file_lines(story: LogState) -> list[Line]:
    """What the work changed of that which judges it: the first thing to look at."""
    files = story.verified.touched
    if not files:
        return []
    title: Line = ((f"  ! {touched_title(files)}", "warning"),)
    return [title, *touched_lines(files, indent="    ", most=TOUCHED_MOST), ()]


# What needs a person's eye first: what did not pass, then what only the agent vouches for.
ORDER = ("unfinished", "claimed", "proven")


def _deliverables(story: LogState, view: RenderOptions) -> list[Line]:
    """Each by name, as far as there is room: what is proven gives way first."""
    ordered = sorted(story.deliverables, key=lambda each: ORDER.index(_kind(each)))
    if not ordered:
        return []
    lines = [deliverable_line(each, view) for each in ordered[:DELIVERABLES_MOST]]
    hidden = len(ordered) - DELIVERABLES_MOST
    if hidden > 0:
        lines.append(((f"  … {hidden} more", "quiet"),))
    return [*lines, ()]


def _kind(standing: DeliverableView) -> str:
    if standing.status != "passed":
        return "unfinished"
    return "proven" if standing.proof == "proven" else "claimed"


def _facts(result: RunResult, story: LogState, view: RenderOptions) -> list[Line]:
    cost = money(result.cost_usd)
    if not result.priced:
        cost += " (unpriced model: counted at the dearest known price)"
    lines = [
        *tally_facts(result.tally, story),
        *suite_facts(story, view),
        *open_issue_facts(story),
        fact_line("rounds", _rounds_text(result, story)),
        fact_line("cost", cost),
        fact_line("time", duration(result.duration_s)),
        *work_facts(story, view),
    ]
    if story.started is not None and story.started.sandbox == "unsandboxed":
        lines.append(fact_line("sandbox", "none: this run was unsandboxed", "warning"))
    if story.started is not None and story.started.rehearsal:
        lines.append(fact_line("model", "a script: this was a rehearsal", "signal"))
    return lines


def tally_facts(tally: Tally, story: LogState) -> list[Line]:
    """A focus run has a plan instead of deliverables."""
    if story.started is not None and story.started.workflow == "focus" and not tally.total:
        return []
    return [fact_line("deliverables", tally_text(tally, proven=count_proven(story.deliverables)))]


def open_issue_facts(story: LogState) -> list[Line]:
    """What a focus run could not settle: paths that can be copied whole."""
    lines: list[Line] = []
    if story.spec_issue:
        lines.append(fact_line("spec issue", story.spec_issue, "warning"))
    return lines + [
        fact_line("backlog" if n == 0 else "", path) for n, path in enumerate(story.backlog)
    ]


def suite_facts(story: LogState, view: RenderOptions) -> list[Line]:
    """What the test gate said last."""
    suite = story.verified.suite
    if suite is None:
        return []
    verdict, style = suite_verdict(suite, accepted_by=story.verified.accepted_by)
    makeup = suite_makeup(suite)
    return [
        fact_line("tests", verdict, style),
        *([fact_line("", makeup)] if makeup else []),
        *objection_lines(suite.objections, view, indent=" " * (LABEL_WIDTH + 2)),
    ]


def _rounds_text(result: RunResult, story: LogState) -> str:
    if story.started is None:
        return str(result.rounds)
    return f"{result.rounds} of at most {story.started.limits.max_iterations}"


def work_facts(story: LogState, view: RenderOptions) -> list[Line]:
    """Where the work is, and the one command that merges it if it waits."""
    commits = pluralize(story.commits, "commit")
    if story.landed is not None:
        place = f"landed in your checkout: {commits} at {short_commit(story.landed.commit)}"
        if story.landed.form == "files":
            place = "landed in your checkout as uncommitted changes"
        lines = [fact_line("work", place, "good"), fact_line("branch", story.landed.branch)]
        if story.snapshot and story.landed.form == "commits":
            held = f"your uncommitted changes are in commit {short_commit(story.snapshot)} below it"
            lines.append(fact_line("yours", held, "warning"))
        return lines
    if story.kept is not None:
        return [
            fact_line("work", f"not merged: {story.kept.reason}", "warning"),
            fact_line("branch", f"{story.kept.branch} ({commits})"),
            *command_lines("to merge", story.kept.command, view),
        ]
    if story.commits:
        return [fact_line("work", f"{commits} on {story.branch}")]
    return [fact_line("work", "no commits")]


def _next(result: RunResult, story: LogState, view: RenderOptions) -> list[Line]:
    if story.started is None or view.advice == "left out":
        return []
    run = story.started.run
    return [
        fact_line("run", short_id(run)),
        (),
        *command_table(next_steps(result.reason, run, story)),
    ]


def command_table(commands: Sequence[tuple[str, str]]) -> list[Line]:
    """Commands with their purpose as a shell comment, so that a whole line can be copied."""
    longest = max(len(command) for command, _ in commands)
    return [
        (
            *fact_line("next" if n == 0 else "", f"{command:<{longest}}", "strong"),
            (f"  # {why}", "quiet"),
        )
        for n, (command, why) in enumerate(commands)
    ]
