"""Drill: an agent that changes the script by which it is judged, in a project with slips of the
pen that would weaken its verification unseen."""

from tests.acceptance.harness import CommandHarness, assert_sound, script
from tests.acceptance.verified_project import (
    done,
    planned,
    seen,
    session,
    shell,
    statuses,
    with_files,
    write,
)

CHECK = "#!/bin/sh\ngrep -qx hello hello.txt\n"


def test_a_check_that_the_work_changed_is_self_tested_and_shown_first(
    harness: CommandHarness,
) -> None:
    with_files(
        harness,
        check__sh=CHECK,
        SPEC__md="# A greeting\n\n- hello.txt says hello. Check: ./check.sh\n",
        test_other__py="import unittest\n",
    )
    planned(harness, DL1="sh ./check.sh")
    settings = {"project.test": '"true"', "verify.reports": '["out/*.xml"]'}

    finished = harness.deliver(
        script(
            session(
                shell("echo pass > test_other.py"),
                write("tests/test_new.py", "import unittest\n"),
                write("hello.txt", "oh no\n"),
                shell("echo 'exit 0' > check.sh"),
                done(),
            )
        ),
        settings=settings,
    )

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    assert statuses(harness) == {"DL1": (True, "self-tested")}
    [touched] = finished.of_type("evidence.touched")
    assert touched["files"] == [
        {"path": "check.sh", "judge": "check", "change": "changed", "weaker": ""},
        {"path": "test_other.py", "judge": "tests", "change": "changed", "weaker": ""},
        {"path": "tests/test_new.py", "judge": "tests", "change": "added", "weaker": ""},
    ]
    warnings = [event["message"] for event in finished.of_type("run.warned")]
    assert [told for told in warnings if told.startswith(TOLD)] == [
        "SPEC.md, line 3: not read as a check; put it after the text of a list item, in"
        " backticks: - It greets. Check: `./greet | grep hi`",
        "the test command wrote no report that matches 'out/*.xml'; see verify.reports and"
        " verify.coverage_reports",
    ]
    assert "self-tested: it fails with your version of check.sh" in seen(finished)
    assert_sound(harness, finished)


TOLD = ("SPEC.md", "the test command wrote")
