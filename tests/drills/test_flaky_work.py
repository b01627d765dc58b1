"""Work that is right only sometimes: what failed and passed on one commit proves nothing."""

import json
from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness, Finished
from tests.acceptance.verified_project import done, session, write
from tests.drills.base_numbers import UNITTEST
from tests.drills.base_scripts import MODULE
from tests.drills.drilled_run import CRITERION, Outcome, account, outcome, plan, prepare
from tests.drills.trick import BaseProject

pytestmark = [pytest.mark.slow]

WRONG, RIGHT = ("def answer():\n    return 41\n", "def answer():\n    return 42\n")


def wrong_at_first(looks: Path) -> str:
    """A product that counts how often it was looked at, and is wrong the first time."""
    return (
        f"LOOKS = {str(looks)!r}\n\n\ndef answer():\n"
        '    with open(LOOKS, "a+") as file:\n        file.write("looked at\\n")\n'
        "        file.seek(0)\n        return 42 if len(file.readlines()) > 1 else 41\n"
    )


def deliver(harness: CommandHarness, *rounds: str, base: BaseProject = MODULE) -> Finished:
    """Outside of the sandbox, so that the product can remember that it was looked at."""
    prepare(harness, base)
    harness.settings({"project.test": json.dumps(base.test)} if base.test else {})
    path = harness.directory / "script.yaml"
    path.write_text(f"version: 1\nsessions:\n{plan(CRITERION)}{''.join(rounds)}")
    options = ("rehearse", str(path), "--", "deliver", "--json", "-n", "3", "--no-sandbox")
    return harness.treadle(*options)


def test_work_that_failed_and_passed_on_one_commit_is_named_flaky(
    harness: CommandHarness, tmp_path: Path
) -> None:
    product = wrong_at_first(tmp_path / "looks.txt")

    finished = deliver(
        harness,
        session(write("app.py", product), done("DL-001")),
        session(write("notes.md", "It should be right now.\n"), done("DL-001")),
    )

    [first, *_] = [
        e for e in finished.of_type("check.finished") if e["evidence"]["when"] == "after"
    ]
    why = f"flaky: it failed on {first['evidence']['commit'][:8]}, and passed there as well"
    assert outcome(harness, finished) == Outcome("self-tested", why, "all_passed", 0), account(
        finished
    )


def test_tests_that_fail_and_pass_on_one_commit_are_named_flaky(
    harness: CommandHarness, tmp_path: Path
) -> None:
    counting = wrong_at_first(tmp_path / "looks.txt").replace("42 if", "n / 2 if")
    half = counting.replace("else 41", "else 0").replace("answer()", "half(n)")
    product = f'def double(n):\n    return 2 * n\n\n\n{half}\n\ndef hello():\n    return "hello"\n'

    finished = deliver(harness, session(write("app.py", product), done("DL-001")), base=UNITTEST)

    [*_, graded] = finished.of_type("suite.graded")
    assert (graded["grade"], graded["why"]) == (
        "self-tested",
        "flaky since the work: test_half",
    ), account(finished)


def test_work_that_was_wrong_and_is_mended_is_proven(harness: CommandHarness) -> None:
    finished = deliver(
        harness,
        session(write("app.py", f"{WRONG}\n\nx = 1\n"), done("DL-001")),
        session(write("app.py", RIGHT), done("DL-001")),
    )

    assert outcome(harness, finished) == Outcome("proven", "", "all_passed", 0), account(finished)
    looks = [each["evidence"]["when"] for each in finished.of_type("check.finished")]
    assert looks == ["before", "after", "after", "bisect"]
