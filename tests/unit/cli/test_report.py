"""`report`: what runs did, on a terminal, as a page and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from treadle.adapters.stores.run_list import list_runs
from treadle.cli.report_page import report_page
from treadle.cli.terminal.report_lines import report_lines
from treadle.cli.time_options import parse_moment
from treadle.domain.approval import ApprovalRecord, make_approval
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.publishing import PullRequestOpened
from treadle.domain.events.queue import ItemEnded, ItemStarted
from treadle.domain.events.run import RunEnded
from treadle.domain.events.work import WorkKept
from treadle.domain.exit_reasons import ExitReason
from treadle.domain.ids import RunId, short_id
from treadle.domain.lifecycle import RunState
from treadle.domain.run import RunResult
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.views.report import Report, ReportedRun, is_in_period, make_report
from treadle.views.run_details import DeniedToolUse, collect_run_details

from .sample_handovers import EVERY_RUN, LANDING
from .sample_queue import queue
from .sample_runs import START, STARTED, recorded
from .sample_verified_runs import VERIFIED_RUNS
from .stored_runs import LATER, OPTIONS, Command, drawn, store

BLOCKS = Path(__file__).parent / "blocks"
PROJECT = Path("/home/ada/calc")


def reported(root: Path, *logs: Sequence[RecordedEvent]) -> list[ReportedRun]:
    for number, log in enumerate(logs):
        store(root, log, PROJECT, number=number)
    rows = sorted(list_runs(Storage(root)), key=lambda row: row.id)
    details = [collect_run_details(log) for log in logs]
    return [ReportedRun(*pair) for pair in zip(rows, details, strict=True)]


def night(root: Path) -> Report:
    """A night with one run of each kind, and a question."""
    names = ("success", "verified", "interrupted", "focus")
    runs = reported(root, *(EVERY_RUN[name]() for name in names))
    question = ApprovalRecord(make_approval(LANDING, run=runs[0].row.id, step="1", now=START))
    return make_report(runs, [question], LATER)


def test_a_report_says_what_waits_then_risks_then_what_came_of_each_run(root: Path) -> None:
    block = (BLOCKS / "night-report.txt").read_text(encoding="utf-8")

    assert drawn(report_lines(night(root), OPTIONS)) == block.splitlines()


def test_a_queue_is_reported_with_its_items_and_is_no_run_itself(root: Path) -> None:
    (run,) = reported(root, queue())

    report = make_report([run], [], LATER)

    assert drawn(report_lines(report, OPTIONS)) == QUEUE_REPORT.splitlines()
    assert (report.arrived, report.other, report.active) == ((), (), ())


QUEUE_REPORT = """\
1 queue, 0 runs. $0.00, 0s.

Waits for you
  7c01d2e0  items are left: not done
    ls .treadle/backlog
    treadle logs 7c01d2e0

Queues
  7c01d2e0  ! Stopped: some items are not done
    watch in calc · 1 done, 1 failed, 1 skipped
    $1.75 · 3m · 9 rounds
    failed 020-part.md · stuck: it got nowhere · 6 rounds · $1.25 · 2m
    skipped 0003-count · 0001-add failed
    done 010-greet.md · landed at 9fceb02d · 3 rounds · $0.50 · 1m
    ls .treadle/backlog    # what is left, and why
    treadle logs 7c01d2e0  # what happened
"""


def test_a_run_of_an_item_is_named_after_it_and_only_the_last_unmerged_work_waits(
    root: Path,
) -> None:
    stays = WorkKept("treadle/x", "your checkout has changed", "git merge", by_checkout=True)
    kept = recorded([replace(STARTED, workflow="increment"), stays, _end("all_passed")])
    for number in (1, 2):
        store(root, kept, PROJECT, number=number)
    rows = {row.id: row for row in list_runs(Storage(root))}
    first, second = sorted(rows)
    records = recorded(
        [
            replace(STARTED, workflow="auto"),
            *_done("0001-add", RunId(first), after=None),
            *_done("0002-list", RunId(second), after=RunId(first)),
            _end("queue_done"),
        ]
    )
    store(root, records, PROJECT, number=0)
    rows = {row.id: row for row in list_runs(Storage(root))}
    logs = {first: kept, second: kept}
    runs = [
        ReportedRun(row, collect_run_details(logs.get(row.id, records))) for row in rows.values()
    ]

    report = make_report(runs, [], LATER)

    entries = (*report.arrived, *report.other, *report.active)
    assert sorted(entry.subject for entry in entries) == ["0001-add: Do it", "0002-list: Do it"]
    assert [entry.run for entry in report.waiting] == [short_id(RunId(second))]


def test_of_an_item_that_was_done_again_only_the_last_run_says_what_to_type(root: Path) -> None:
    unclear = recorded([replace(STARTED, workflow="focus"), _end("spec_issue")])
    approved = recorded([replace(STARTED, workflow="focus"), _end("approved")])
    log = recorded([replace(STARTED, workflow="watch")])
    rows = reported(root, unclear, approved, log)
    first, second = (RunId(each.row.id) for each in rows[:2])
    log = recorded(
        [
            replace(STARTED, workflow="watch"),
            ItemStarted("010-a.md", "1", first, "focus"),
            ItemEnded("010-a.md", "1", first, "spec_issue"),
            ItemStarted("010-a.md", "1", second, "focus"),
            ItemEnded("010-a.md", "1", second, "approved"),
        ]
    )
    queue_run = replace(rows[2], details=collect_run_details(log))

    report = make_report([*rows[:2], queue_run], [], LATER)

    entries = (*report.arrived, *report.other, *report.active)
    assert {each.run: bool(each.commands) for each in entries} == {
        short_id(first): False,
        short_id(second): True,
    }


def test_after_an_item_the_last_run_is_its_queue(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = store(root, queue(), project, number=3)[0].run
    focus: list[Event] = [
        replace(STARTED, workflow="focus", queue=watch),
        _end("approved"),
    ]
    item = store(root, recorded(focus), project, number=4)[0].run
    reports = []
    for run in ("last", watch, item):
        assert treadle("report", run, "--json") == 0
        reports.append(capsys.readouterr().out)

    assert reports[0] == reports[1] != reports[2]


def _end(reason: ExitReason) -> RunEnded:
    return RunEnded(RunResult(reason, 2, Tally(), 0.0, Usage(), 60.0))


def _done(item: str, run: RunId, *, after: RunId | None) -> list[Event]:
    return [
        ItemStarted(item, "1", run, "increment", "Do it", after=after),
        ItemEnded(item, "1", run, "all_passed", "", 0.5, 3, 60.0, ""),
    ]


def test_the_riskiest_changes_of_all_runs_come_first(root: Path) -> None:
    report = make_report(reported(root, *(make() for make in VERIFIED_RUNS.values())), [], LATER)

    ranks = [entry.risk.rank for entry in report.risks]
    assert ranks
    assert ranks == sorted(ranks)


@pytest.mark.parametrize(
    ("state", "section"), [("following", "arrived"), ("running", "active"), ("ended", "arrived")]
)
def test_a_run_with_a_pull_request_is_in_one_section(
    root: Path, state: RunState, section: str
) -> None:
    opened = PullRequestOpened(1, "https://forge.test/1", "Divide", draft=False, commit="c0ffee")
    (run,) = reported(root, recorded([STARTED, opened]))

    report = make_report([replace(run, row=replace(run.row, state=state))], [], LATER)

    sections = {"arrived": report.arrived, "other": report.other, "active": report.active}
    assert [name for name, entries in sections.items() if entries] == [section]


def test_a_refusal_that_happens_again_is_counted(root: Path) -> None:
    (run,) = reported(root, EVERY_RUN["success"]())
    denial = DeniedToolUse("Bash", "curl example.org", "the network is closed")
    run = replace(run, details=replace(run.details, denials=(denial, denial)))

    (entry,) = make_report([run], [], LATER).refusals

    assert (entry.text, entry.reason, entry.times) == (
        "Bash curl example.org",
        "the network is closed",
        2,
    )


def test_questions_of_other_runs_are_left_out(root: Path) -> None:
    first, second = reported(root, EVERY_RUN["success"](), EVERY_RUN["focus"]())
    question = ApprovalRecord(make_approval(LANDING, run=second.row.id, step="1", now=START))

    asked = [each for each in make_report([first], [question], LATER).waiting if each.commands]

    assert not [each for each in asked if "treadle approve" in each.commands[0]]


@pytest.mark.parametrize(
    ("since", "expected"),
    [(START - timedelta(hours=1), True), (START + timedelta(days=30), False)],
)
def test_a_period_has_the_runs_that_worked_in_it(
    root: Path, since: datetime, expected: object
) -> None:
    (run,) = reported(root, EVERY_RUN["success"]())

    assert is_in_period(run.row, since) is expected


class _Tags(HTMLParser):
    """The names of the tags of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: set[str] = set()
        self.names: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links |= {value or "" for name, value in attrs if name == "href"}
        self.names |= {value or "" for name, value in attrs if name == "id"}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_shows_texts_of_agents_as_text(root: Path) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=y>\u202e"
    opened = PullRequestOpened(1, "https://forge.test/1", hostile, draft=False, commit="c0ffee")
    log = recorded([STARTED, opened])
    page = report_page(make_report(reported(root, log), [], LATER), since=None, now=LATER, zone=UTC)
    parser = _Tags()

    parser.feed(page)

    assert not parser.tags & {"script", "img", "iframe", "link"}
    assert parser.links <= {f"#{name}" for name in parser.names}
    assert "<script>alert(1)</script><img src=x onerror=y>" in parser.text


def test_the_page_has_all_that_the_terminal_has(root: Path) -> None:
    report = night(root)
    parser = _Tags()

    parser.feed(report_page(report, since=START, now=LATER, zone=UTC))

    text = "".join(parser.text)
    entries = (*report.arrived, *report.other, *report.active)
    wanted = [
        report.headline,
        *(entry.text for entry in report.waiting),
        *(entry.risk.text for entry in report.risks),
        *(part for entry in entries for part in (entry.title.text, entry.work, entry.usage)),
    ]
    assert [each for each in wanted if each not in text] == []
    # What waits, and what is risky, leads to its run in the same page.
    assert parser.links
    assert parser.links <= {f"#{name}" for name in parser.names}


def test_report_as_json_has_every_part(
    root: Path, treadle: Command, capsys: pytest.CaptureFixture[str], project: Path
) -> None:
    store(root, EVERY_RUN["success"](), project, number=0)

    code = treadle("report", "last", "--json")

    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert list(document) == [
        *("since", "headline", "waiting", "risks", "queues"),
        *("arrived", "other", "active", "refusals"),
    ]


def test_a_time_without_runs_says_so(treadle: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert treadle("report", "--since", "2h") == 0
    assert capsys.readouterr().out == "No runs in this time.\n"


def test_a_report_is_about_a_run_or_a_period(
    treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    code = treadle("report", "last", "--since", "yesterday")

    assert code == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: RUN and --since cannot be combined",
        "  hint: leave out RUN or --since",
    ]


def test_a_page_that_cannot_be_written_is_one_line(
    treadle: Command, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "missing" / "report.html"

    code = treadle("report", "--html", str(file))

    assert code == 2
    assert capsys.readouterr().err.splitlines() == [
        f"treadle: cannot write {file}: No such file or directory",
        "  hint: name a file in a folder that exists",
    ]


def test_yesterday_begins_at_midnight_by_the_local_clock() -> None:
    now = datetime(2026, 5, 4, 15, 30, tzinfo=UTC)

    yesterday, today = parse_moment("yesterday", now), parse_moment("today", now)

    assert yesterday is not None
    assert today is not None
    local = now.astimezone().replace(hour=0, minute=0)
    assert (today, today - yesterday) == (local, timedelta(days=1))


def test_a_page_is_not_written_through_a_link_of_the_project(
    treadle: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "rc").write_text("mine")
    (project / "report.html").symlink_to("../rc")
    (project / "out").symlink_to("..")

    codes = [treadle("report", "--html", str(project / each)) for each in ("report.html", "out/rc")]

    assert codes == [2, 2]
    assert "is a symbolic link in the project" in capsys.readouterr().err
    assert (tmp_path / "rc").read_text() == "mine"
