"""A plan is asked about on the terminal of its run; what is typed there settles the question."""

from tests.acceptance.harness import CommandHarness, script
from tests.acceptance.test_asking_to_land import (
    Answer,
    at_terminal,
    typed_at_terminal,
    typing,
)
from tests.acceptance.test_task import APPROVES, PLANNER, TASK, builder

QUESTION = b"Approve it? [y]es, [n]o, or type what to change: "


def test_a_yes_makes_the_checks_of_the_plan_the_persons_own(harness: CommandHarness) -> None:
    harness.settings({})
    finished, talk = at_terminal(
        harness,
        script(PLANNER, builder("hello"), APPROVES),
        *("task", TASK, "--json"),
        question=QUESTION,
        answer=typing(b"y\n"),
    )

    assert finished.result["reason"] == "approved", talk
    assert "Check: `grep -qx hello hello.txt`" in talk
    (answered,) = finished.of_type("approval.answered")
    assert answered["verdict"] == "approved"
    proofs = {each["id"]: each["proof"] for each in finished.of_type("deliverable.changed")}
    assert proofs == {"C1": "proven", "C2": "claimed"}


def test_a_no_ends_the_task_before_anything_is_built(harness: CommandHarness) -> None:
    harness.settings({})
    no: Answer = typing(b"n\n")
    words = ("task", TASK, "--json")
    finished, _ = at_terminal(harness, script(PLANNER), *words, question=QUESTION, answer=no)

    assert (finished.exit_code, finished.result["reason"]) == (3, "plan_denied")


def test_a_plan_of_a_run_in_the_background_is_answered_where_somebody_watches(
    harness: CommandHarness,
) -> None:
    harness.settings({})
    path = harness.directory / "script.yaml"
    path.write_text(script(PLANNER, builder("hello"), APPROVES))
    harness.treadle("rehearse", str(path), "--", "task", TASK, "--detach")

    finished, talk = typed_at_terminal(
        harness, "attach", "last", "--json", question=QUESTION, answer=typing(b"y\n")
    )

    assert finished.result["reason"] == "approved", talk
    (answered,) = finished.of_type("approval.answered")
    assert answered["verdict"] == "approved"
