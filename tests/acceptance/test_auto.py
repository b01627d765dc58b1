"""`treadle auto` with the real binary: promises, failures, limits, a pause and a kill."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import CommandHarness, Finished, assert_all_gone, script
from tests.acceptance.test_watch import Watch, rehearsed

PROMISE = "<auto-complete>AUTO_COMPLETE</auto-complete>"


def planner(file: str) -> str:
    return f"""
  - role: initializer
    turns:
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - id: DL-001
              description: {file}
              acceptanceCriteria: [{{text: {file} is there, check: test -f {file}}}]
      - text: Written down.
"""


def coder(*, writes: str = "", promise: str = PROMISE) -> str:
    """A session that writes a file if it is given one, claims the deliverable, and promises."""
    written = f"""
      - tool: Write
        input: {{file_path: {writes}, content: "hello\\n"}}"""
    return f"""
  - role: implementer
    turns:{written if writes else ""}
      - tool: mcp__treadle__set_deliverable_status
        input: {{deliverableId: DL-001, status: passed}}
      - text: |
          Built.
          {promise}
"""


def with_command(session: str, command: str) -> str:
    """The session, which runs this command first."""
    use = f"      - tool: Bash\n        input: {{command: {command}}}\n"
    return session.replace("turns:\n", f"turns:\n{use}", 1)


BLOCKS = """
  - role: implementer
    turns:
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: blocked}
      - text: There is no key.
"""


@pytest.fixture
def harness(tmp_path: Path) -> CommandHarness:
    return CommandHarness(tmp_path)


def increment(harness: CommandHarness, name: str, needs: str = "") -> None:
    folder = harness.project / ".treadle" / "increments" / name
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text(f"---\ndepends_on: [{needs}]\n---\n# {name}\n\nA file.\n")


def auto(harness: CommandHarness, rehearsal: str, *words: str) -> Finished:
    path = harness.directory / "script.yaml"
    path.write_text(rehearsal)
    return harness.treadle("rehearse", str(path), "--", "auto", "--json", *words)


def ends(done: Finished) -> list[tuple[str, str]]:
    return [(event["item"], event["reason"]) for event in done.of_type("item.ended")]


def statuses(harness: CommandHarness) -> dict[str, str]:
    listed: dict[str, Any] = json.loads(harness.treadle("increments", "ls", "--json").stdout)
    return {each["name"]: each["status"] for each in listed["increments"]}


def test_a_promise_alone_completes_nothing_and_dependants_of_a_failure_are_skipped(
    harness: CommandHarness,
) -> None:
    increment(harness, "0001-one")
    increment(harness, "0002-two", "1")
    increment(harness, "0003-three", "2")
    increment(harness, "0004-four", "1")
    harness.settings({"auto.test_command": '"test ! -e broken.txt"'})
    rehearsal = script(
        planner("one.txt"),
        # Too early: the check is red.
        coder(),
        # The check is green, and the test gate is red.
        with_command(coder(writes="one.txt"), "touch broken.txt"),
        # All is verified, and nobody has called it complete.
        with_command(coder(promise=""), "rm broken.txt"),
        coder(promise=PROMISE),
        planner("two.txt"),
        BLOCKS,
        planner("four.txt"),
        coder(writes="four.txt"),
    )

    done = auto(harness, rehearsal)

    assert done.exit_code == 5, done.stderr
    assert ends(done) == [
        ("0001-one", "all_passed"),
        ("0002-two", "all_blocked"),
        ("0004-four", "all_passed"),
    ]
    assert [event["item"] for event in done.of_type("item.skipped")] == ["0003-three"]
    refused = [event["reason"] for event in done.of_type("promise.refused")]
    assert refused == ["checks or tests are red"] * 2
    assert 1 in [event["evidence"]["exit_code"] for event in done.of_type("suite.finished")]
    assert_shown(harness, done)
    assert (harness.project / "four.txt").exists()
    assert statuses(harness) == {
        "0001-one": "done",
        "0002-two": "failed",
        "0003-three": "skipped",
        "0004-four": "done",
    }


def assert_shown(harness: CommandHarness, done: Finished) -> None:
    """What programs read of the queue, and of the tests of its last increment."""
    queue, last = done.events[0]["run"], done.of_type("item.started")[-1]["run"]
    shown: dict[str, Any] = json.loads(harness.treadle("show", queue, "--json").stdout)
    summary = shown["autoSummary"]
    lists = ("completedIncrements", "failedIncrements", "skippedIncrements")
    assert [summary[name] for name in lists] == [
        ["0001-one", "0004-four"],
        ["0002-two"],
        ["0003-three"],
    ]
    assert (summary["sessionId"], summary["status"]) == (queue, "failed")
    assert (summary["endReason"], summary["iterations"]) == ("items_left", 9)
    counts = ("total", "completed", "failed", "skipped", "active", "pending")
    assert [shown["queueStatus"][name] for name in counts] == [4, 2, 1, 1, 0, 0]
    item: dict[str, Any] = json.loads(harness.treadle("show", last, "--json").stdout)
    assert item["testGateResult"] == {
        "passed": True,
        "unitTests": {"total": 0, "passed": 0, "failed": 0, "skipped": 0},
        "integrationTests": None,
        "e2eTests": None,
        "coverage": None,
        "failureDetails": [],
    }


HANGS = "  - role: implementer\n    turns:\n      - hang: true\n"


def test_a_queue_is_paused_killed_and_goes_on(harness: CommandHarness) -> None:
    increment(harness, "0001-one")
    increment(harness, "0002-two", "1")
    rehearsal = script(
        planner("one.txt"),
        HANGS,
        planner("one.txt"),
        coder(writes="one.txt"),
        planner("two.txt"),
        # Killed somewhere in it, and asked to go on.
        f"{coder(writes='two.txt')}      - text: |\n          {PROMISE}\n        optional: true\n",
    )

    first = Watch(harness, rehearsed(harness, rehearsal, "auto", "--json"))
    queue = first.until("run.started", workflow="auto")["run"]
    first.until("round.started", instruction="coding")
    # Of the run of an item, too: otherwise the queue would start the item again.
    paused = harness.treadle("pause", "last")
    assert (paused.exit_code, queue[-8:] in paused.stderr) == (0, True), paused.stderr
    assert first.until("item.ended", item="0001-one")["reason"] == "interrupted"
    assert first.running.finish().exit_code == 130

    # The newest run is that of the item, which only the queue goes on with.
    second = Watch(harness, ["resume", "--json"])
    second.until("item.started", item="0002-two")
    second.until("round.started", instruction="coding")
    second.running.process.kill()
    assert second.running.finish().exit_code == -9

    done = harness.treadle("resume", "last", "--json")

    assert done.exit_code == 0, done.stderr
    assert f"is an item of queue {queue[-8:]}: continuing it" in done.stderr
    assert (harness.project / "one.txt").exists()
    assert (harness.project / "two.txt").exists()
    assert statuses(harness) == {"0001-one": "done", "0002-two": "done"}
    assert_all_gone(done)


def session_of(harness: CommandHarness) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(harness.treadle("status", "--json").stdout)
    return found


def test_a_gate_of_auto_asks_a_person_and_the_queue_waits_for_the_answer_beyond_a_kill(
    harness: CommandHarness,
) -> None:
    increment(harness, "0001-one")
    harness.settings({"auto.human_gates": '["touch shipped*"]'})
    gated = with_command(coder(writes="one.txt"), "touch shipped.txt")
    rehearsal = script(planner("one.txt"), gated)

    first = Watch(harness, rehearsed(harness, rehearsal, "auto", "--json"))
    queue = first.until("run.started", workflow="auto")["run"]
    question = first.until("approval.asked")["approval"]
    session = session_of(harness)
    assert (session["sessionId"], session["status"]) == (queue, "needs_human")
    assert session["humanGates"] == {"pending": question["question"]}
    assert "touch shipped.txt" in question["subject"]
    first.running.process.kill()
    assert first.running.finish().exit_code == -9

    assert harness.treadle("approve", question["id"]).exit_code == 0
    done = harness.treadle("resume", queue, "--json")

    assert (done.exit_code, done.result["reason"]) == (0, "queue_done"), done.stderr
    assert (harness.project / "shipped.txt").exists()
    session = session_of(harness)
    assert (session["status"], session["humanGates"]) == ("completed", {"pending": None})
    gates = (harness.root / "runs" / queue / "auto-gates.log").read_text().splitlines()
    assert [line.partition("] ")[2].split(" ")[0] for line in gates] == ["gate", "approved"]
    shown: dict[str, Any] = json.loads(harness.treadle("show", queue, "--json").stdout)
    assert shown["queueStatus"]["increments"] == [
        {
            "id": "0001-one",
            "status": "completed",
            "reason": "",
            "run": done.of_type("item.ended")[0]["run"][-8:],
        }
    ]


def test_rounds_are_counted_over_all_increments(harness: CommandHarness) -> None:
    increment(harness, "0001-one")
    increment(harness, "0002-two", "1")
    rehearsal = script(planner("one.txt"), coder(writes="one.txt"))

    named = harness.directory / "elsewhere.log"
    done = auto(harness, rehearsal, "--max-iterations", "2", "--log-file", str(named))

    assert done.exit_code == 5, done.stderr
    assert done.result["reason"] == "max_iterations"
    assert ends(done) == [("0001-one", "all_passed")]
    session: dict[str, Any] = json.loads(harness.treadle("status", "--json").stdout)
    assert session["sessionId"] == done.events[0]["run"]
    assert (session["status"], session["endReason"]) == ("completed", "max_iterations")
    assert (session["iteration"], session["maxIterations"], session["maxHours"]) == (2, 2, 24.0)
    assert session["incrementQueue"] == ["0001-one", "0002-two"]
    assert session["completedIncrements"] == ["0001-one"]
    assert session["currentIncrement"] is None
    assert session["completionPromise"] == "AUTO_COMPLETE"
    assert session["humanGates"] == {"pending": None}
    assert [each["increment"] for each in session["checkpoints"]] == ["0001-one"]
    assert_logged(harness, done, named)


def assert_logged(harness: CommandHarness, done: Finished, named: Path) -> None:
    """Queue and increment are in the log of all runs and in the one that was named; the files of
    the queue count rounds over its increments."""
    queue, increment = done.events[0]["run"], done.of_type("item.started")[0]["run"]
    folder = harness.root / "runs" / queue
    ends = [(queue, "max_iterations"), (increment, "all_passed")]
    logs = (
        (harness.root / "logs" / "treadle.log", ends),
        (named, ends),
        (folder / "run.log", ends[:1]),
        (harness.root / "runs" / increment / "run.log", ends[1:]),
    )
    for file, expected in logs:
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        found = {
            (line["run"], line["data"]["result"]["reason"])
            for line in lines
            if line["action"] == "run.ended"
        }
        assert found == set(expected)
    iterations = (folder / "auto-iterations.log").read_text().splitlines()
    assert [line.partition("] ")[2] for line in iterations] == [
        "Iteration 1 started: initializer of 0001-one",
        "Iteration 2 started: coding of 0001-one",
    ]
