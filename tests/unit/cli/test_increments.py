"""`treadle increments`: what is there, in which order, and what cannot be used."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.cli.sample_runs import STARTED, ended, recorded
from tests.unit.cli.stored_runs import Command, store
from treadle.domain.deliverable import Tally
from treadle.domain.events.queue import ItemEnded, ItemStarted
from treadle.domain.ids import RunId


def spec(project: Path, name: str, text: str) -> None:
    folder = project / ".treadle" / "increments" / name
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text(text)


def test_increments_are_added_in_order_and_listed_with_what_they_wait_for(
    treadle: Command, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert treadle("increments", "add", "Log", "in") == 0
    assert treadle("increments", "add", "Send mail", "--depends-on", "1") == 0
    assert capsys.readouterr().out == (
        "Added .treadle/increments/0001-log-in/spec.md\n"
        "Added .treadle/increments/0002-send-mail/spec.md\n"
    )
    spec(project, "0003-broken", "")

    assert treadle("increments", "ls") == 0
    assert capsys.readouterr().out == (
        "INCREMENT       STATUS   TITLE\n"
        "0001-log-in     ready    Log in\n"
        "0002-send-mail  waiting  Send mail  needs 0001-log-in\n"
        "  0003-broken: spec.md is still empty: write down what must hold\n"
    )
    assert treadle("increments", "ls", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["status"] for each in listed["increments"]] == ["ready", "waiting"]
    assert listed["problems"][0]["name"] == "0003-broken"


def test_the_specification_may_come_from_a_file(
    treadle: Command, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "mail.md").write_text("# Send mail\n\nIt arrives.\n")

    assert treadle("increments", "add", "--spec", "mail.md") == 0

    assert capsys.readouterr().out == "Added .treadle/increments/0001-send-mail/spec.md\n"
    added = project / ".treadle" / "increments" / "0001-send-mail" / "spec.md"
    assert added.read_text() == "# Send mail\n\nIt arrives.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "treadle: an increment needs words\n"),
        (("--spec", "gone.md"), "treadle: cannot read gone.md: No such file or directory\n"),
        (("--spec", "latin.md"), "treadle: cannot read latin.md: it is not UTF-8 text\n"),
        (("Mail", "--depends-on", "7"), "treadle: there is no increment 7\n"),
        (
            ("--spec", "matter.md", "--depends-on", "1"),
            "treadle: the specification already has front matter\n",
        ),
        (("--spec", "open.md"), "treadle: the specification: its front matter has no end: close"),
    ],
)
def test_what_cannot_be_added_is_said_in_one_line(
    treadle: Command,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    (project / "latin.md").write_bytes(b"caf\xe9")
    (project / "matter.md").write_text("---\ndepends_on: []\n---\n# Mail\n\nIt arrives.\n")
    (project / "open.md").write_text("---\nwip: 1\n")

    assert treadle("increments", "add", *arguments) == 2

    assert capsys.readouterr().err.startswith(message)
    assert not (project / ".treadle").exists()


def test_the_graph_is_text_or_mermaid(
    treadle: Command, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(project, "0001-mail", "---\ndepends_on: [2]\n---\n# Mail\n\nIt arrives.\n")
    spec(project, "0002-log-in", '# "Log" <script>in\n\nThey do.\n')

    assert treadle("increments", "graph") == 0
    assert capsys.readouterr().out == ("0002-log-in  ready\n0001-mail  waiting  ← 0002-log-in\n")
    assert treadle("increments", "graph", "--mermaid") == 0
    assert capsys.readouterr().out.splitlines()[:4] == [
        "flowchart TD",
        '    i0001_mail["0001-mail<br/>Mail (waiting)"]:::waiting',
        '    i0002_log_in["0002-log-in<br/> Log   script in (ready)"]:::ready',
        "    i0002_log_in --> i0001_mail",
    ]


def test_a_cycle_is_named(
    treadle: Command, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = "0002-log-in-with-the-name-of-a-street-and-a-house"
    spec(project, "0001-mail", "---\ndepends_on: [2]\n---\nIt arrives.\n")
    spec(project, long, "---\ndepends_on: [1]\n---\nThey do.\n")

    assert treadle("increments", "graph") == 2
    assert capsys.readouterr().err == (
        f"treadle: increments depend on each other: 0001-mail → {long} → 0001-mail\n"
        "  hint: take one of them out of depends_on\n"
    )
    assert treadle("increments", "ls") == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "  they depend on each other: 0001-mail →",
        f"│ {long} → 0001-mail",
    ]


def queue(root: Path, project: Path, done: str = "", *, number: int) -> None:
    """A queue that has ended, with one increment done if it is named."""
    run = RunId(f"item-{number}")
    items = (ItemStarted(done, "1", run, "increment"), ItemEnded(done, "1", run, "all_passed"))
    started = replace(STARTED, workflow="auto")
    log = [started, *(items if done else ()), ended("queue_done", Tally())]
    store(root, recorded(log), project, number=number)


def test_what_is_done_stays_done_after_its_queue_was_cleaned_away(
    treadle: Command, root: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(project, "0001-mail", "# Mail\n\nIt arrives.\n")
    queue(root, project, "0001-mail", number=1)

    assert treadle("clean", "--older-than", "0") == 0
    assert treadle("increments", "ls") == 0

    assert capsys.readouterr().out.splitlines()[-1] == "0001-mail  done    Mail"


def test_what_is_done_stays_done_after_many_other_queues(
    treadle: Command, root: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec(project, "0001-mail", "# Mail\n\nIt arrives.\n")
    queue(root, project, "0001-mail", number=1)
    for number in range(2, 62):
        queue(root, project, number=number)

    assert treadle("increments", "ls") == 0

    assert capsys.readouterr().out.splitlines()[-1] == "0001-mail  done    Mail"


def test_without_increments_it_says_how_to_add_one(
    treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (("ls",), ("graph",)):
        assert treadle("increments", *words) == 0
        assert capsys.readouterr().err == (
            "No increments yet: add one with `treadle increments add`.\n"
        )
