"""The examples do what their pages say: a claim counts once Treadle itself has seen it hold."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from tests.acceptance.harness import CommandHarness, Finished, assert_sound
from tests.architecture.repository import ROOT
from tests.missing import missing


def example(directory: Path, name: str) -> CommandHarness:
    """A copy of an example as a repository of its own: what its page tells the reader to make."""
    harness = CommandHarness(directory)
    harness.project = directory / name
    left = shutil.ignore_patterns("__pycache__", ".treadle*")
    shutil.copytree(ROOT / "examples" / name, harness.project, ignore=left)
    harness.git("init", "-q")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Before")
    return harness


def rehearsed(harness: CommandHarness) -> Finished:
    arguments = ("rehearse", "rehearsal.yaml", "--", "deliver", "--json")
    done = harness.treadle(*arguments, TREADLE_DELIVER__DELAY_S="0")
    assert done.exit_code == 0, done.stderr
    assert_sound(harness, done)
    assert_evidence_is_kept(harness, done)
    again = harness.treadle("verify", "last")
    assert again.exit_code == 0, again.stdout + again.stderr
    return done


def assert_evidence_is_kept(harness: CommandHarness, done: Finished) -> None:
    """Of whatever Treadle ran itself there is the log, and it is the one that was recorded."""
    run = done.events[0]["run"]
    found = done.of_type("check.finished", "suite.finished")
    recorded = {event["evidence"]["log"] for event in found}
    kept = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (harness.root / "runs" / run / "evidence").glob("*.log")
    }
    assert recorded
    assert {name: name for name in recorded} == {name: kept.get(name) for name in recorded}


def assert_landed(harness: CommandHarness, done: Finished) -> None:
    (landed,) = done.of_type("work.landed")
    assert harness.git("rev-parse", "HEAD") == landed["commit"]
    assert harness.git("status", "--short") == ""


def deliverables(harness: CommandHarness) -> list[dict[str, Any]]:
    """What status.json says in the end."""
    status = json.loads((harness.project / ".treadle" / "status.json").read_text())
    found: list[dict[str, Any]] = status["deliverables"]
    return found


def status_of(harness: CommandHarness) -> dict[str, Any]:
    return {each["id"]: each["passed"] and each["proof"] for each in deliverables(harness)}


def seen_before(harness: CommandHarness) -> set[str]:
    """How the checks ended before the work."""
    return {check["before"] for each in deliverables(harness) for check in each["checks"]}


def course_of(done: Finished) -> list[tuple[str, ...]]:
    """What was claimed, what Treadle saw afterwards, and what came of it."""
    return [told for event in done.events if (told := summary_of(event))]


def summary_of(event: dict[str, Any]) -> tuple[str, ...]:
    match event["type"]:
        case "round.started":
            return ("round",)
        case "deliverable.claimed":
            return ("claimed", event["id"])
        case "check.finished" if event["evidence"]["when"] == "after":
            colour = "green" if event["evidence"]["exit_code"] == 0 else "red"
            return (colour, event["deliverable"])
        case "suite.finished" if event["evidence"]["when"] == "after":
            return ("tests", *(each["finding"] for each in event["objections"]))
        case "deliverable.changed":
            return (event["status"], event["id"], event["proof"])
        case _:
            return ()


def assert_refused_then_proven(
    harness: CommandHarness, done: Finished, *seen: tuple[str, ...]
) -> None:
    """The first claim falls by what Treadle saw; the next round mends it and builds the rest."""
    assert course_of(done) == [
        ("round",),
        ("round",),
        ("claimed", "DL-001"),
        *seen,
        ("round",),
        ("claimed", "DL-001"),
        ("claimed", "DL-002"),
        ("green", "DL-001"),
        *[("green", "DL-002")] * 3,
        ("tests",),
        ("passed", "DL-001", "proven"),
        ("passed", "DL-002", "proven"),
    ]
    assert (status_of(harness), seen_before(harness)) == (
        {"DL-001": "proven", "DL-002": "proven"},
        {"failed"},
    )
    assert_landed(harness, done)


def test_a_claim_whose_check_is_red_is_refused_and_then_mended(tmp_path: Path) -> None:
    harness = example(tmp_path, "python")

    done = rehearsed(harness)

    assert_refused_then_proven(harness, done, ("red", "DL-001"), ("tests",))


def test_a_claim_that_breaks_a_test_is_refused_though_its_check_is_green(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        missing("node is not installed")
    harness = example(tmp_path, "node")

    done = rehearsed(harness)

    assert_refused_then_proven(harness, done, ("green", "DL-001"), ("tests", "new_failure"))


def test_what_no_command_can_show_stays_claimed(tmp_path: Path) -> None:
    harness = example(tmp_path, "shell")

    done = rehearsed(harness)

    assert [event["proof"] for event in done.of_type("deliverable.changed")] == [
        *["proven"] * 2,
        "claimed",
    ]
    assert (status_of(harness), seen_before(harness)) == (
        {"DL-001": "proven", "DL-002": "proven", "DL-003": "claimed"},
        {"failed"},
    )
    assert_landed(harness, done)
    assert "1 of 2 criteria has no check" in harness.treadle("status").stdout


def test_the_backlog_example_does_both_items_in_their_order(tmp_path: Path) -> None:
    harness = example(tmp_path, "backlog")
    (harness.project / ".treadle").mkdir()
    (harness.project / "backlog").rename(harness.project / ".treadle" / "backlog")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Items")

    done = harness.treadle("rehearse", "rehearsal.yaml", "--", "watch", "--once", "--json")

    assert (done.exit_code, done.result["reason"]) == (0, "queue_done"), done.stderr
    assert [event["item"] for event in done.of_type("item.removed")] == [
        "010-lines.md",
        "020-words.md",
    ]
    assert list((harness.project / ".treadle" / "backlog").iterdir()) == []
    assert harness.git("log", "-2", "--format=%s").splitlines() == [
        "Count words, and say how it is used",
        "Count the lines of a file",
    ]


def test_the_increments_example_refuses_a_promise_and_does_all_three(tmp_path: Path) -> None:
    harness = example(tmp_path, "increments")
    (harness.project / ".treadle").mkdir()
    (harness.project / "increments").rename(harness.project / ".treadle" / "increments")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Increments")

    arguments = ("rehearse", "rehearsal.yaml", "--", "auto", "--json")
    done = harness.treadle(*arguments, TREADLE_DELIVER__DELAY_S="0")

    assert (done.exit_code, done.result["reason"]) == (0, "queue_done"), done.stderr
    assert len(done.of_type("promise.refused")) == 1
    ends = [(each["item"], each["reason"]) for each in done.of_type("item.ended")]
    assert ends == [
        ("0001-add", "all_passed"),
        ("0002-list", "all_passed"),
        ("0003-count", "all_passed"),
    ]
    assert (harness.project / "notes.sh").read_text().count(";;") == 3


def test_a_task_is_sent_back_by_a_check_and_by_a_review(tmp_path: Path) -> None:
    harness = example(tmp_path, "task")
    before = harness.git("rev-parse", "HEAD")
    arguments = ("rehearse", "rehearsal.yaml", "--", "task", "Let the hours be limited", "--json")

    soon = {"TREADLE_PLANNING__AUTO_APPROVE_MINUTES": "0.01", "TREADLE_DELIVER__DELAY_S": "0"}
    done = harness.treadle(*arguments, **soon)

    assert (done.exit_code, done.result["reason"]) == (0, "approved"), done.stderr
    refused = done.of_type("claim.refused")
    assert [(each["id"], each["red"]) for each in refused] == [("C2", 1)]
    verdicts = [each["verdict"] for each in done.of_type("review.judged")]
    assert verdicts == ["changes_requested", "approved"]
    branch = done.of_type("work.kept")[-1]["branch"]
    assert len(harness.git("log", "--format=%s", f"{before}..{branch}").splitlines()) == 4
    assert (harness.git("rev-parse", "HEAD"), harness.git("status", "--short")) == (before, "")
    sessions = {each["session"] for each in done.of_type("session.started")}
    logs = (harness.root / "runs" / done.lines[0]["run"] / "sessions").glob("*.log")
    assert {path.stem for path in logs} == sessions
    plan = harness.treadle("show", "last", "--plan").stdout
    assert "Estimate: $0.30, 2 min\n" in plan
    assert "\nThe work took " in plan
    document = json.loads(harness.treadle("show", "last", "--plan", "--json").stdout)
    assert document["hash"] == document["question"]["subject_hash"]
    assert f"Plan {document['hash'][:12]}: approved at the deadline, " in plan
