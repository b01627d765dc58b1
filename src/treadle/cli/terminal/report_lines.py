"""The report about runs on a terminal."""

from collections.abc import Iterable, Sequence

from treadle.cli.terminal.deliverable_line import deliverable_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph, sentence
from treadle.cli.terminal.waiting_lines import INDENT, entry_lines, waiting_lines
from treadle.views.next_steps import Command
from treadle.views.queue_summary import ITEMS_MOST, STATUS_STYLES, item_text
from treadle.views.report import REFUSALS_MOST, RISKS_MOST, Report, RunEntry
from treadle.views.report_queues import QueueEntry
from treadle.views.report_refusals import RefusalEntry
from treadle.views.report_risks import RiskEntry
from treadle.views.safe_text import one_spaced

DELIVERABLES_MOST = 10


def report_lines(report: Report, options: RenderOptions) -> list[Line]:
    """What waits comes first, then risks, then what came of the runs."""
    waiting = [waiting_lines(each, options) for each in report.waiting]
    risks = [_risk(each, options) for each in report.risks[:RISKS_MOST]]
    refusals = [_refusal(each, options) for each in report.refusals[:REFUSALS_MOST]]
    return [
        ((report.headline, "strong"),),
        *_section("Waits for you", waiting),
        *_section("Look at first", [*risks, _hidden(len(report.risks) - RISKS_MOST)]),
        *_section("Queues", [_queue(each, options) for each in report.queues]),
        *_section("Landed or pushed", [_run(each, options) for each in report.arrived]),
        *_section("Ended without landing", [_run(each, options) for each in report.other]),
        *_section("At work", [_run(each, options) for each in report.active]),
        *_section("Denied or left out", [*refusals, _hidden(len(report.refusals) - REFUSALS_MOST)]),
    ]


def _section(title: str, blocks: Iterable[Sequence[Line]]) -> list[Line]:
    lines = [line for block in blocks for line in block]
    return [(), ((title, "phase"),), *lines] if lines else []


def _risk(entry: RiskEntry, options: RenderOptions) -> list[Line]:
    return entry_lines(entry.run, entry.risk.text, entry.risk.style, options)


def _queue(entry: QueueEntry, options: RenderOptions) -> list[Line]:
    shown, hidden = entry.items[:ITEMS_MOST], len(entry.items) - ITEMS_MOST
    return [
        ((f"  {entry.run}  ", "strong"), (entry.title.text, entry.title.style)),
        *_facts((f"{entry.workflow} in {entry.project} · {entry.counts}", entry.usage), options),
        *(
            line
            for each in shown
            for line in sentence(
                item_text(each),
                style=STATUS_STYLES[each.status],
                options=options,
                most=2,
                indent=INDENT,
            )
        ),
        *([((f"{INDENT}… {hidden} more", "quiet"),)] if hidden > 0 else ()),
        *_commands(entry.commands),
    ]


def _run(entry: RunEntry, options: RenderOptions) -> list[Line]:
    subject = f" · {one_spaced(entry.subject)}" if entry.subject else ""
    where = f"{entry.workflow} in {entry.project}{subject}"
    shown = entry.deliverables[:DELIVERABLES_MOST]
    hidden = len(entry.deliverables) - len(shown)
    return [
        ((f"  {entry.run}  ", "strong"), (entry.title.text, entry.title.style)),
        *_facts((where, entry.work, entry.usage), options),
        *(_facts((f"estimate: {entry.estimate}",), options) if entry.estimate else ()),
        *([((f"{INDENT}tests: {entry.tests}", entry.tests_style),)] if entry.tests else ()),
        *(line for each in shown for line in deliverable_lines(each, options, indent=INDENT)),
        *([((f"{INDENT}… {hidden} more", "quiet"),)] if hidden > 0 else ()),
        *_commands(entry.commands),
    ]


def _commands(commands: Sequence[Command]) -> list[Line]:
    longest = max((len(command) for command, _ in commands), default=0)
    return [
        ((INDENT, "plain"), (f"{command:<{longest}}", "strong"), (f"  # {purpose}", "quiet"))
        for command, purpose in commands
    ]


def _facts(texts: Iterable[str], options: RenderOptions) -> list[Line]:
    return [
        line
        for text in texts
        for line in sentence(text, style="quiet", options=options, most=2, indent=INDENT)
    ]


def _refusal(entry: RefusalEntry, options: RenderOptions) -> list[Line]:
    times = f" ({entry.times} times)" if entry.times > 1 else ""
    text = entry_lines(entry.run, f"{entry.text}{times}", "plain", options)
    return [*text, *paragraph(entry.reason, style="quiet", options=options, most=1, indent=INDENT)]


def _hidden(number: int) -> list[Line]:
    return [((f"  … {number} more; `treadle show RUN` has all", "quiet"),)] if number > 0 else []
