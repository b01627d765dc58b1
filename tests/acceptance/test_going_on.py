"""A run goes on from what earlier runs left, and never calls done what is not there."""

import json
import signal

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TWO_DELIVERABLES,
    CommandHarness,
    assert_sound,
    script,
)
from treadle.rehearsal.fixtures import Rehearse

BYE = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: ls}
      - expect: hello.txt
        tool: Write
        input: {file_path: bye.txt, content: "bye\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-002, status: passed}
      - text: Built on what was there.
"""


def test_a_run_goes_on_from_work_that_has_not_landed(harness: CommandHarness) -> None:
    first = harness.deliver(script(TWO_DELIVERABLES, BUILD_IT), "-n", "2")
    assert first.result["reason"] == "max_iterations"

    second = harness.deliver(script(BYE))

    assert (second.exit_code, second.result["reason"]) == (0, "all_passed")
    [continued] = second.of_type("work.continued")
    assert continued["run"] == first.events[0]["run"]
    assert harness.git("ls-files").splitlines() == ["SPEC.md", "bye.txt", "hello.txt"]
    assert_sound(harness, second)


def test_finished_work_that_has_not_landed_is_landed_by_the_next_run(
    harness: CommandHarness,
) -> None:
    harness.deliver(script(ONE_DELIVERABLE, BUILD_IT), "--land", "never")

    again = harness.deliver(script("  - {optional: true, turns: [{text: x}]}\n"))

    assert (again.exit_code, again.result["rounds"]) == (0, 0)
    assert again.result["message"].startswith("nothing to do: everything had passed before")
    assert (harness.project / "hello.txt").exists()


def test_work_on_a_branch_beside_a_changed_checkout_has_to_be_merged_or_dropped(
    harness: CommandHarness,
) -> None:
    first = harness.deliver(script(TWO_DELIVERABLES, BUILD_IT), "-n", "2")
    [kept] = first.of_type("work.kept")
    (harness.project / "mine.txt").write_text("mine\n")

    refused = harness.deliver(script("  - {optional: true, turns: [{text: x}]}\n"))

    assert refused.exit_code == 1
    assert f"left work on {kept['branch']} that is not in your checkout" in refused.stderr
    assert f"merge it with `git merge {kept['branch']}`" in refused.stderr

    harness.git("branch", "-D", kept["branch"])
    rebuilt = harness.deliver(
        script(BUILD_IT, BYE.replace("      - expect: hello.txt\n        tool", "      - tool"))
    )

    # The pass that came with the dropped branch is a pass no longer.
    assert (rebuilt.exit_code, rebuilt.result["rounds"]) == (0, 2)
    assert (harness.project / "hello.txt").exists()


def test_a_pass_whose_round_was_cut_by_a_kill_is_pending_again(harness: CommandHarness) -> None:
    cut = BUILD_IT.replace("      - text: Built and checked.", "      - {hang: true}")
    running = harness.start(script(ONE_DELIVERABLE, cut))
    running.until("deliverable.changed", status="passed")
    running.until("tool.finished")
    running.process.send_signal(signal.SIGKILL)
    running.finish()

    finished = harness.deliver(script(BUILD_IT))

    assert (finished.exit_code, finished.result["rounds"]) == (0, 1)
    changes = finished.of_type("deliverable.changed")
    assert [(e["previous"], e["status"]) for e in changes] == [
        ("passed", "pending"),
        ("pending", "passed"),
    ]
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    assert_sound(harness, finished)


def test_what_a_person_keeps_of_a_rehearsals_plan_has_not_passed_for_a_real_run(
    harness: CommandHarness, rehearse: Rehearse
) -> None:
    harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))
    plan = harness.project / ".treadle" / "status.json"
    marked = json.loads(plan.read_text())
    for deliverable in marked["deliverables"]:
        del deliverable["rehearsed"]
    plan.write_text(json.dumps(marked))
    api = rehearse(script(BUILD_IT.replace("role: implementer", "name: real")))

    real = harness.treadle(
        *("deliver", "--no-sandbox", "--json"),
        ANTHROPIC_BASE_URL=api.base_url,
        ANTHROPIC_API_KEY="dummy-key-of-the-test",
    )

    # The work had landed, so the agent changes nothing, and its claim is its word alone.
    assert (real.result["reason"], real.result["rounds"]) == ("unproven", 1)
    assert "pending again" in real.stderr


def test_a_changed_specification_is_planned_anew(harness: CommandHarness) -> None:
    harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))
    (harness.project / "SPEC.md").write_text("# A greeting\n\nAnd bye.txt says bye.\n")
    more = TWO_DELIVERABLES.replace(
        "            - {id: DL-001, description: A greeting,"
        " acceptanceCriteria: [hello.txt says hello]}\n",
        "",
    )

    finished = harness.deliver(script(more, BYE))

    assert (finished.exit_code, finished.result["tally"]["passed"]) == (0, 2)
    instructions = [event["instruction"] for event in finished.of_type("round.started")]
    assert instructions == ["initializer", "coding"]
    assert (
        harness.deliver(script("  - {optional: true, turns: [{text: x}]}\n")).result["rounds"] == 0
    )
