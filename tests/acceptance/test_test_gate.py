"""Drills: agents that say done while tests object, or hide that they do. None succeeds."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.acceptance.harness import CommandHarness, assert_sound, script
from tests.acceptance.verified_project import (
    BROKEN_GREET,
    GREET,
    HELLO,
    TEST_GREET,
    UNFINISHED,
    UNITTEST,
    done,
    objections,
    planned,
    seen,
    session,
    shell,
    statuses,
    with_files,
    with_tests,
    write,
)

BREAK = write("greet.py", BROKEN_GREET)


def test_who_says_done_with_failing_tests_is_not_believed_and_the_next_session_is_told(
    harness: CommandHarness,
) -> None:
    with_tests(harness)
    planned(harness, DL1=None)
    told = [
        "what did not hold",
        f"{HELLO} fails, and did not before the work (test_greet.py:8)",
        "'hi ann' != 'hello ann'",
    ]

    finished = harness.deliver(
        script(
            session(BREAK, done()),
            session(write("greet.py", GREET), write("new.txt", "work\n"), done(), told=told),
        ),
        settings=UNITTEST,
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    assert objections(finished) == [("new_failure", HELLO)]
    assert [e["id"] for e in finished.of_type("deliverable.claimed")] == ["DL1", "DL1"]
    assert [e["status"] for e in finished.of_type("deliverable.changed")] == ["passed"]
    shown = harness.treadle("logs", finished.events[0]["run"])
    assert f"{HELLO} fails now (test_greet.py:8)" in shown.stdout
    assert statuses(harness) == {"DL1": (True, "claimed")}
    assert_sound(harness, finished)


@dataclass(frozen=True)
class Lie:
    """What an agent does so that tests which fail seem to pass; what is found, and what is said."""

    turns: tuple[dict[str, Any], ...]
    found: list[tuple[str, str]]
    words: str
    # What a person is told to look at first.
    touched: list[tuple[str, str]]


def without_a_reader(test: str) -> str:
    """The same test, skipped."""
    return test.replace("    def test", '    @unittest.skip("later")\n    def test')


REMOVE = shell("python3 -c \"import os; os.remove('test_greet.py')\"")
EXCUSE: dict[str, Any] = {
    "tool": "mcp__treadle__create_deliverable",
    "input": {
        "deliverables": [
            {
                "id": "DL2",
                "description": f"Remove {HELLO}",
                "acceptanceCriteria": ["test_hello is removed: it is obsolete"],
            }
        ]
    },
}
FORGED = (
    '<testsuite tests="2"><testcase classname="test_greet.Greeting" name="test_hello"/>'
    '<testcase classname="test_other.Other" name="test_sum"/></testsuite>\n'
)
LIES = {
    "deletes the test": Lie(
        (BREAK, REMOVE),
        [("removed", HELLO)],
        f"{HELLO} is gone",
        [("test_greet.py", "removed")],
    ),
    "deletes the test and writes down that it was to go": Lie(
        (BREAK, REMOVE, EXCUSE),
        [("removed", HELLO)],
        f"{HELLO} is gone",
        [("test_greet.py", "removed")],
    ),
    "skips the test": Lie(
        (BREAK, write("test_greet.py", without_a_reader(TEST_GREET))),
        [("newly_skipped", HELLO)],
        f"{HELLO} is skipped now",
        [("test_greet.py", "changed")],
    ),
    "forges a report and logs": Lie(
        (
            BREAK,
            write(".treadle-reports/junit.xml", FORGED),
            write("junit.xml", FORGED),
            write("test-results/all.xml", FORGED),
            write("evidence/of-the-run.log", "test_hello ... ok\n\nRan 2 tests\n\nOK\n"),
            shell("git add -A . && git commit -qm 'All green'"),
        ),
        [("new_failure", HELLO)],
        f"{HELLO} fails now",
        [],
    ),
    "shadows the runner": Lie(
        (BREAK, write("unittest.py", 'print("OK")\n')),
        [("broken_run", "the test command")],
        "it reported 2 tests before the work, and none now",
        [],
    ),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_who_hides_what_fails_does_not_succeed(harness: CommandHarness, lie: Lie) -> None:
    with_tests(harness)
    planned(harness, DL1=None)

    finished = harness.deliver(script(session(*lie.turns, done())), "-n", "1", settings=UNITTEST)

    assert (finished.exit_code, finished.result["reason"]) == (UNFINISHED, "max_iterations")
    assert objections(finished) == lie.found
    assert finished.of_type("deliverable.changed") == []
    assert [e["id"] for e in finished.of_type("claim.refused")] == ["DL1"]
    assert set(statuses(harness).values()) == {(False, None)}
    assert lie.words in seen(finished)
    touched = [f for e in finished.of_type("evidence.touched") for f in e["files"]]
    assert [(file["path"], file["change"]) for file in touched] == lie.touched
    assert (harness.project / "greet.py").read_text() == GREET
    assert_sound(harness, finished)


MEASURE = """\
import pathlib, re, sys

functions = re.findall(r"def (\\w+)", pathlib.Path("greet.py").read_text())
tests = "".join(path.read_text() for path in pathlib.Path().glob("test_*.py"))
covered = sum(name in tests for name in functions) / len(functions)
pathlib.Path("coverage.xml").write_text(
    f'<coverage line-rate="{covered}" lines-valid="100" lines-covered="{int(covered * 100)}"/>'
)
wanted = int(re.search(r"fail_under = (\\d+)", pathlib.Path(".coveragerc").read_text()).group(1))
sys.exit(covered * 100 < wanted)
"""


def test_who_lowers_the_threshold_does_not_lower_what_is_asked_for(harness: CommandHarness) -> None:
    with_tests(harness)
    with_files(harness, measure__py=MEASURE, __coveragerc="[report]\nfail_under = 90\n")
    planned(harness, DL1=None)
    more = "\n\ndef shout():\n    pass\n\n\ndef whisper():\n    pass\n"

    finished = harness.deliver(
        script(
            session(
                write("greet.py", GREET + more),
                write(".coveragerc", "[report]\nfail_under = 0\n"),
                done(),
            )
        ),
        *("-n", "1"),
        settings={"project.test": '"python3 -m unittest -v && python3 measure.py"'},
    )

    assert (finished.exit_code, finished.result["reason"]) == (UNFINISHED, "max_iterations")
    assert [suite["coverage"] for suite in finished.of_type("suite.finished")] == [100.0, 33.0]
    assert objections(finished) == [("coverage", "")]
    told = "33.0 % is below 80 %, and was 100.0 % before the work"
    assert told in seen(finished)
    touched = [f for e in finished.of_type("evidence.touched") for f in e["files"]]
    changed = {"path": ".coveragerc", "judge": "coverage", "change": "changed", "weaker": ""}
    assert touched == [changed]
    assert statuses(harness) == {"DL1": (False, None)}
    assert_sound(harness, finished)


STILL_RED = (session(BREAK, done()), session(write("more.txt", "work\n"), done()))
IMPATIENT = {**UNITTEST, "verify.fix_rounds": "1"}


def test_a_person_says_no_to_tests_that_nobody_could_mend_and_the_run_ends(
    harness: CommandHarness,
) -> None:
    with_tests(harness)
    planned(harness, DL1=None)
    running = harness.start(script(*STILL_RED), settings=IMPATIENT)

    asked = running.until("approval.asked")["approval"]
    harness.treadle("deny", asked["id"], "mend", "it")
    finished = running.finish()

    assert (finished.exit_code, finished.result["reason"]) == (3, "tests_failed")
    assert (asked["kind"], asked["subject"]) == (
        "failing_tests",
        f"{HELLO} fails now (test_greet.py:8): AssertionError: 'hi ann' != 'hello ann'",
    )
    assert "said no: mend it" in seen(finished)
    assert objections(finished) == [("new_failure", HELLO)] * 2
    assert statuses(harness) == {"DL1": (False, None)}
    assert_sound(harness, finished)


def test_a_person_accepts_tests_as_they_are_and_the_work_goes_on(harness: CommandHarness) -> None:
    with_tests(harness)
    planned(harness, DL1=None)
    running = harness.start(script(*STILL_RED), settings=IMPATIENT)

    asked = running.until("approval.asked")["approval"]
    harness.treadle("approve", asked["id"])
    finished = running.finish()

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    assert (finished.result["rounds"], objections(finished)) == (2, [("new_failure", HELLO)] * 2)
    assert statuses(harness) == {"DL1": (True, "claimed")}
    assert_sound(harness, finished)
