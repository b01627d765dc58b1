"""Drills: agents that claim what checks do not show, or reach for the checks. None succeeds."""

import json
import select
import signal
from pathlib import Path
from typing import Any

from tests.acceptance.harness import (
    CommandHarness,
    Finished,
    Running,
    assert_all_gone,
    assert_sound,
    script,
)
from tests.acceptance.verified_project import (
    UNFINISHED,
    done,
    planned,
    seen,
    session,
    shell,
    statuses,
    write,
)

HELLO = "grep -qx hello hello.txt"
BYE = "grep -qx bye bye.txt"
CRITERION = "hello.txt says hello."


def checks(finished: Finished) -> list[tuple[str, str, int | None]]:
    """Every check that was run: of what, when, and its exit code."""
    return [
        (event["deliverable"], event["evidence"]["when"], event["evidence"]["exit_code"])
        for event in finished.of_type("check.finished")
    ]


def changes(finished: Finished) -> list[tuple[str, str, str | None]]:
    return [(e["id"], e["status"], e["proof"]) for e in finished.of_type("deliverable.changed")]


def tool(name: str, **given: Any) -> dict[str, Any]:
    return {"tool": f"mcp__treadle__{name}", "input": given}


def test_what_the_specification_checks_is_out_of_the_agents_reach(harness: CommandHarness) -> None:
    check = f"- {CRITERION} Check: `{HELLO}`\n"
    (harness.project / "SPEC.md").write_text(f"# A greeting\n\n{check}")
    harness.git("commit", "-qam", "A check")
    easy = {"id": "DL1", "description": "A greeting"}
    easy["acceptanceCriteria"] = [{"text": CRITERION, "check": "true"}]  # type: ignore[assignment]
    passed = json.dumps({"deliverables": [{**easy, "passed": True}]})
    plan = {
        "role": "initializer",
        "turns": [tool("create_deliverable", deliverables=[easy]), {"text": "Planned."}],
    }
    program = "open('.treadle/status.json', 'w').write('{}')"

    finished = harness.deliver(
        script(
            f"  - {json.dumps(plan)}\n",
            session(
                write("SPEC.md", check.replace(HELLO, "true")),
                write(".treadle/status.json", passed),
                shell("echo '{}' > .treadle/status.json"),
                shell(f'python3 -c "{program}"'),
                tool("add_check", deliverableId="DL1", criterion=CRITERION, command="true"),
                tool("create_deliverable", deliverables=[easy]),
                done(),
            ),
        ),
        *("-n", "2"),
    )

    assert (finished.exit_code, finished.result["reason"]) == (UNFINISHED, "max_iterations")
    [created] = finished.of_type("deliverable.created")
    [kept] = created["deliverable"]["checks"]
    assert (kept["command"], kept["origin"]) == (HELLO, "spec")
    decided = [(e["name"], e["decision"]) for e in finished.of_type("tool.decided")]
    assert decided[2:5] == [("Write", "deny"), ("Bash", "deny"), ("Bash", "allow")]
    failed = [e["output"] for e in finished.of_type("tool.finished") if e["is_error"]]
    assert [part in output for part, output in zip(WORDS, failed, strict=True)] == [True] * 4
    assert checks(finished) == [("DL1", "before", 2), ("DL1", "after", 2)]
    assert changes(finished) == []
    touched = [file for event in finished.of_type("evidence.touched") for file in event["files"]]
    changed = {"path": "SPEC.md", "judge": "specification", "change": "changed", "weaker": ""}
    assert touched == [changed]
    assert statuses(harness) == {"DL1": (False, None)}
    assert f"[PENDING] A greeting (DL1) fails: {HELLO}" in seen(finished)
    assert_sound(harness, finished)


WORDS = ("belongs to Treadle", "is protected", "Read-only", "has a check already")


def test_who_breaks_what_had_passed_is_found_out_before_the_end(harness: CommandHarness) -> None:
    planned(harness, DL1=HELLO, DL2=BYE)
    told = ["DL1, criterion “DL1 can be seen”", HELLO, "exit code 1"]

    finished = harness.deliver(
        script(
            session(write("hello.txt", "hello\n"), done("DL1")),
            session(write("bye.txt", "bye\n"), write("hello.txt", "oh no\n"), done("DL2")),
            session(write("hello.txt", "hello\n"), done("DL1"), told=told),
        )
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    [broken] = finished.of_type("regression.found")
    assert broken == {
        "type": "regression.found",
        "deliverable": "DL1",
        "criterion": "DL1 can be seen",
        "round": 2,
    }
    assert changes(finished) == [
        ("DL1", "passed", "proven"),
        ("DL2", "passed", "proven"),
        ("DL1", "pending", None),
        ("DL1", "passed", "proven"),
    ]
    shown = harness.treadle("logs", finished.events[0]["run"]).stdout
    assert "broken in round 2" in shown
    assert statuses(harness) == {"DL1": (True, "proven"), "DL2": (True, "proven")}
    assert_sound(harness, finished)


def test_a_check_that_passes_before_the_work_proves_nothing(harness: CommandHarness) -> None:
    planned(harness, DL1="true")

    finished = harness.deliver(script(session(write("hello.txt", "hello\n"), done())))

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    assert checks(finished) == [("DL1", "before", 0), ("DL1", "after", 0)]
    assert changes(finished) == [("DL1", "passed", "claimed")]
    shown = harness.treadle("logs", finished.events[0]["run"]).stdout
    assert "check passes before the work, so it proves nothing" in shown
    assert "1 of 1 passed (claimed)" in seen(finished)
    assert_sound(harness, finished)


def test_where_checks_are_required_a_word_is_not_enough(harness: CommandHarness) -> None:
    planned(harness, DL1=None)
    criterion = "DL1 can be seen"
    add = tool("add_check", deliverableId="DL1", criterion=criterion, command=HELLO)

    finished = harness.deliver(
        script(
            session(
                write("hello.txt", "hello\n"),
                done(),
                {"expect": f"there is none for '{criterion}'. Add one with add_check", **add},
                done(),
            )
        ),
        settings={"verify.require_checks": "true"},
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    [added] = finished.of_type("check.added")
    assert added["check"]["command"] == HELLO
    assert checks(finished) == [("DL1", "before", 2), ("DL1", "after", 0)]
    # The agent wrote the check itself.
    assert statuses(harness) == {"DL1": (True, "self-tested")}
    assert_sound(harness, finished)


def in_the_middle_of_a_check(harness: CommandHarness) -> tuple[Running, str, Path]:
    """A run, the process of its check, and a file that this waits for: one that names another."""
    begun, gate = harness.directory / "begun", harness.directory / "gate"
    wait = f"until [ -e {gate} ] && [ $(cat {gate}) != $$ ]; do sleep 0.05; done"
    planned(harness, DL1=f"{HELLO} && echo $$ > {begun} && {wait}")
    work = session(write("hello.txt", "hello\n"), done())
    running = harness.start(script(work), "--no-sandbox")
    running.until("work.imported")
    for _ in range(3000):
        if begun.exists() and (check := begun.read_text().strip()):
            return running, check, gate
        select.select([], [], [], 0.01)
    raise AssertionError("the check did not begin")


def test_a_run_killed_in_the_middle_of_a_check_goes_on_with_it(harness: CommandHarness) -> None:
    running, check, gate = in_the_middle_of_a_check(harness)
    running.process.kill()
    killed = running.finish()
    gate.write_text(check)

    resumed = harness.treadle("resume", killed.events[0]["run"], "--json")

    finished = Finished(resumed.exit_code, killed.stdout + resumed.stdout, resumed.stderr)
    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    assert len(finished.of_type("session.started")) == 1
    assert [e["id"] for e in finished.of_type("deliverable.claimed")] == ["DL1"]
    assert checks(finished) == [("DL1", "before", 2), ("DL1", "after", 0)]
    assert changes(finished) == [("DL1", "passed", "proven")]
    assert statuses(harness) == {"DL1": (True, "proven")}
    # Without a sandbox it had lived on.
    assert check in [str(event["pid"]) for event in finished.of_type("process.ended")]
    assert_all_gone(finished)


def test_a_run_interrupted_in_the_middle_of_a_check_ends_at_once_and_can_go_on(
    harness: CommandHarness,
) -> None:
    running, check, gate = in_the_middle_of_a_check(harness)
    running.process.send_signal(signal.SIGINT)
    stopped = running.finish()

    assert stopped.result["reason"] == "interrupted"
    assert checks(stopped) == [("DL1", "before", 2)]
    assert statuses(harness) == {"DL1": (False, None)}
    assert not Path(f"/proc/{check}").exists()
    assert_sound(harness, stopped)

    gate.write_text(check)
    resumed = harness.treadle("resume", stopped.events[0]["run"], "--json")

    assert (resumed.exit_code, resumed.result["reason"]) == (0, "all_passed")
    assert resumed.of_type("session.started") == []
    assert changes(resumed) == [("DL1", "passed", "proven")]
