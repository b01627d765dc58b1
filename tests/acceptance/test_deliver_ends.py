"""How a `deliver` run ends, with the real Claude Code binary behind a scripted model."""

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_sound,
    script,
)

TWO_DELIVERABLES = """
  - role: initializer
    turns:
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - {id: DL-001, description: A greeting, acceptanceCriteria: [hello.txt says hello]}
            - {id: DL-002, description: A parcel, acceptanceCriteria: [it was posted]}
      - text: Written down.
"""


def ending(finished: Finished) -> tuple[int, str, int]:
    return finished.exit_code, finished.result["reason"], finished.result["rounds"]


def test_finished_work_is_landed_in_the_checkout(harness: CommandHarness) -> None:
    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert ending(finished) == (0, "all_passed", 2)
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    assert harness.git("status", "--porcelain") == ""
    assert harness.git("log", "--format=%an <%ae> %s").splitlines() == [
        "Ada Example <ada@example.com> Round 2: A greeting (DL-001)",
        "Ada Example <ada@example.com> The specification",
    ]
    assert_sound(harness, finished)


def test_the_fourth_error_in_a_row_ends_the_run(harness: CommandHarness) -> None:
    crash = "  - {repeat: 4, turns: [{error: {status: 400, message: broken}, repeat: forever}]}\n"

    finished = harness.deliver(script(crash))

    assert ending(finished) == (5, "max_retries_exceeded", 4)
    failed = finished.of_type("round.failed")
    assert [event["consecutive"] for event in failed] == [1, 2, 3, 4]
    assert_sound(harness, finished)


def test_the_last_round_allowed_ends_the_run(harness: CommandHarness) -> None:
    idle = "  - {role: implementer, repeat: 2, turns: [{text: Thinking about it.}]}\n"

    finished = harness.deliver(script(ONE_DELIVERABLE, idle), "-n", "3")

    assert ending(finished) == (5, "max_iterations", 3)
    assert not (harness.project / "hello.txt").exists()
    assert_sound(harness, finished)


def test_a_run_whose_deliverables_are_all_blocked_waits_for_a_person(
    harness: CommandHarness,
) -> None:
    blocked = """
  - role: implementer
    turns:
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: blocked}
      - text: There is no ink.
"""

    finished = harness.deliver(script(ONE_DELIVERABLE, blocked))

    assert ending(finished) == (3, "all_blocked", 2)
    assert finished.result["tally"] == {"passed": 0, "blocked": 1, "total": 1}
    assert_sound(harness, finished)


def test_success_is_all_that_can_be_achieved(harness: CommandHarness) -> None:
    partly = """
  - role: implementer
    turns:
      - tools:
          - Write: {file_path: hello.txt, content: "hello\\n"}
          - mcp__treadle__set_deliverable_status: {deliverableId: DL-001, status: passed}
          - mcp__treadle__set_deliverable_status: {deliverableId: DL-002, status: blocked}
      - text: The post office is closed.
"""

    finished = harness.deliver(script(TWO_DELIVERABLES, partly))

    assert ending(finished) == (0, "all_passed", 2)
    assert finished.result["tally"] == {"passed": 1, "blocked": 1, "total": 2}
    assert (harness.project / "hello.txt").exists()
    assert_sound(harness, finished)


def test_a_spent_quota_ends_the_run_and_touches_nothing(harness: CommandHarness) -> None:
    limit = "  - {turns: [{quota: {resets_in: 3600}}]}\n"
    before = harness.git("for-each-ref", "refs/heads"), harness.git("status", "--porcelain")

    finished = harness.deliver(script(limit, auth="subscription"))

    assert ending(finished) == (6, "quota_exceeded", 0)
    assert [event["status"] for event in finished.of_type("quota.reported")] == ["rejected"]
    assert finished.of_type("round.failed") == []
    assert (
        harness.git("for-each-ref", "refs/heads"),
        harness.git("status", "--porcelain"),
    ) == before
    assert_sound(harness, finished)


def test_a_run_that_waits_for_quota_goes_on_after_the_reset(harness: CommandHarness) -> None:
    limit = "  - {role: initializer, turns: [{quota: {resets_in: 1}}]}\n"

    finished = harness.deliver(
        script(limit, ONE_DELIVERABLE, BUILD_IT, auth="subscription"), "--wait-for-quota"
    )

    assert ending(finished) == (0, "all_passed", 2)
    pauses = finished.types()
    assert pauses.index("run.paused") < pauses.index("run.resumed") < pauses.index("work.landed")
    assert finished.of_type("round.failed") == []
    assert_sound(harness, finished)


def test_a_login_that_is_refused_twice_ends_the_run(harness: CommandHarness) -> None:
    refused = "  - {repeat: 2, turns: [{error: {status: 401}, repeat: forever}]}\n"

    finished = harness.deliver(script(refused))

    assert ending(finished) == (4, "authentication", 0)
    assert_sound(harness, finished)


def test_an_overloaded_service_is_asked_again(harness: CommandHarness) -> None:
    overloaded = ONE_DELIVERABLE.replace(
        "    turns:\n", "    turns:\n      - {error: {status: 529}}\n"
    )

    finished = harness.deliver(script(overloaded, BUILD_IT))

    assert ending(finished) == (0, "all_passed", 2)
    assert [event["status"] for event in finished.of_type("api.retried")] == [529]
    assert_sound(harness, finished)


def test_a_budget_spent_in_the_middle_of_a_session_ends_the_run(harness: CommandHarness) -> None:
    dear = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: echo one}
        usage: {input: 100000, output: 200000}
      - {text: never asked for, optional: true}
"""

    finished = harness.deliver(script(ONE_DELIVERABLE, dear), "--max-cost", "1.50")

    assert ending(finished) == (5, "budget_exceeded", 2)
    assert 1.5 <= finished.result["cost_usd"] < 3.0
    assert_sound(harness, finished)
