"""The report about runs as one web page: no scripts, nothing loaded, light and dark."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from html import escape
from importlib.resources import files
from typing import TypeVar

from treadle.views.deliverable_view import DeliverableView
from treadle.views.outcome_text import RunTitle
from treadle.views.queue_summary import ITEMS_MOST, STATUS_STYLES, STATUS_WORDS, item_details
from treadle.views.report import REFUSALS_MOST, RISKS_MOST, Report, RunEntry
from treadle.views.report_queues import QueueEntry
from treadle.views.report_refusals import RefusalEntry
from treadle.views.report_risks import RiskEntry
from treadle.views.safe_text import sanitize
from treadle.views.style import Style
from treadle.views.waiting import WaitingEntry

T = TypeVar("T")

_STATUS_STYLES: dict[str, Style] = {"passed": "good", "blocked": "warning", "pending": "quiet"}
# Nothing in the page may load or run anything, whatever a text of an agent contains.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def report_page(
    report: Report, *, since: datetime | None, now: datetime, zone: tzinfo | None
) -> str:
    """A whole document."""
    style = files("treadle.cli").joinpath("report_page.css").read_text(encoding="utf-8")
    body = (
        f"<h1>{_text(report.headline)}</h1>",
        f'<p class="quiet">{_text(_period(since, now, zone))}</p>',
        _list("Waits for you", map(_waiting, report.waiting)),
        _list("Look at first", _most_items(report.risks, _risk, RISKS_MOST)),
        _section("Queues", map(_queue, report.queues)),
        _section("Landed or pushed", map(_run, report.arrived)),
        _section("Ended without landing", map(_run, report.other)),
        _section("At work", map(_run, report.active)),
        _list("Denied or left out", _most_items(report.refusals, _refusal, REFUSALS_MOST)),
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>Treadle report</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in body if part)
        + "\n</body>\n</html>\n"
    )


def _period(since: datetime | None, now: datetime, zone: tzinfo | None) -> str:
    end = f"{now.astimezone(zone):%Y-%m-%d %H:%M}"
    return f"As of {end}" if since is None else f"{since.astimezone(zone):%Y-%m-%d %H:%M} to {end}"


def _section(title: str, parts: Iterable[str]) -> str:
    content = "\n".join(parts)
    return f"<h2>{title}</h2>\n{content}" if content else ""


def _list(title: str, items: Iterable[str]) -> str:
    content = "\n".join(f"<li>{item}</li>" for item in items)
    return f"<h2>{title}</h2>\n<ul>\n{content}\n</ul>" if content else ""


def _most_items(entries: Sequence[T], draw: Callable[[T], str], most: int) -> Iterator[str]:
    yield from map(draw, entries[:most])
    if len(entries) > most:
        yield f'<span class="quiet">… {len(entries) - most} more: treadle show RUN</span>'


def _waiting(entry: WaitingEntry) -> str:
    return f"{_name(entry.run)}{_text(entry.text)}{_commands(entry.commands)}"


def _risk(entry: RiskEntry) -> str:
    return f"{_name(entry.run)}{_span(entry.risk.text, entry.risk.style)}"


def _queue(entry: QueueEntry) -> str:
    items = "\n".join(
        f"<li>{_span(STATUS_WORDS[each.status], STATUS_STYLES[each.status])} "
        f"{_text(item_details(each))}</li>"
        for each in entry.items[:ITEMS_MOST]
    )
    hidden = len(entry.items) - ITEMS_MOST
    parts = [
        _heading(entry.run, entry.title),
        f"<p>{_text(entry.counts)}</p>",
        f'<p class="quiet">{_text(f"{entry.workflow} in {entry.project} · {entry.usage}")}</p>',
        f"<ul>\n{items}\n</ul>" if items else "",
        f'<p class="quiet">… {hidden} more</p>' if hidden > 0 else "",
        _commands(command for command, _ in entry.commands),
    ]
    return "<article>\n" + "\n".join(part for part in parts if part) + "\n</article>"


def _run(entry: RunEntry) -> str:
    where = f"{entry.workflow} in {entry.project}"
    parts = [
        _heading(entry.run, entry.title),
        f"<p>{_text(entry.subject)}</p>" if entry.subject else "",
        f'<p class="quiet">{_text(where)} · {_text(entry.usage)}</p>',
        f"<p>{_text(entry.work)}</p>",
        f'<p class="quiet">estimate: {_text(entry.estimate)}</p>' if entry.estimate else "",
        f"<p>tests: {_span(entry.tests, entry.tests_style)}</p>" if entry.tests else "",
        _deliverables(entry.deliverables),
        _commands(command for command, _ in entry.commands),
    ]
    return "<article>\n" + "\n".join(part for part in parts if part) + "\n</article>"


def _deliverables(deliverables: Iterable[DeliverableView]) -> str:
    items = [
        f"<li>{_span(each.status, _STATUS_STYLES[each.status])} {_text(each.description)}"
        f'<p class="{_remark_style(each)}">{_text(each.remark)}</p></li>'
        for each in deliverables
    ]
    return "<ul>\n" + "\n".join(items) + "\n</ul>" if items else ""


def _remark_style(view: DeliverableView) -> str:
    """What nothing has shown is to be looked at."""
    return "quiet warning" if view.status == "passed" and view.proof == "claimed" else "quiet"


def _refusal(entry: RefusalEntry) -> str:
    times = f" ({entry.times} times)" if entry.times > 1 else ""
    reason = f'<p class="quiet">{_text(entry.reason)}</p>'
    return f"{_name(entry.run)}{_text(entry.text)}{times}{reason}"


def _commands(commands: Iterable[str]) -> str:
    return "".join(f"<code>{_text(command)}</code>" for command in commands)


def _heading(run: str, title: RunTitle) -> str:
    """What the names of the run elsewhere lead to."""
    name = f'<span class="run" id="{_text(run)}">{_text(run)}</span>'
    return f"<h3>{name}{_span(title.text, title.style)}</h3>"


def _name(run: str) -> str:
    return f'<a class="run" href="#{_text(run)}">{_text(run)}</a>'


def _span(text: str, style: Style) -> str:
    return f'<span class="{style}">{_text(text)}</span>'


def _text(text: str) -> str:
    """Untrusted text: no markup, no controls, no invisible characters."""
    return escape(sanitize(text))
