"""Drills: the model service fails in the middle of the work; the run waits and goes on with it."""

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    assert_sound,
    script,
)
from treadle.rehearsal.fixtures import Rehearse

DOWN = "{error: {status: 529, message: Overloaded, headers: {x-should-retry: 'false'}}}"
FORBIDDEN = "{error: {status: 403, message: Request not allowed}}"
NO_LOGIN = 4


def test_a_session_that_an_outage_cuts_off_is_taken_up_by_the_next(
    harness: CommandHarness, rehearse: Rehearse
) -> None:
    half = (
        "  - role: implementer\n    turns:\n"
        "      - text: I begin with the greeting.\n"
        "        tool: Write\n"
        '        input: {file_path: half.txt, content: "half\\n"}\n'
        f"      - {DOWN}\n"
    )
    still_down = f"  - {{role: implementer, turns: [{DOWN}]}}\n"
    api = rehearse(script(ONE_DELIVERABLE, half, still_down, BUILD_IT))
    harness.settings({"limits.max_retries": "0", "limits.max_iterations": "2"})

    finished = harness.treadle(
        "deliver",
        "--no-sandbox",
        "--json",
        ANTHROPIC_API_KEY="sk-ant-dummy",
        ANTHROPIC_BASE_URL=api.base_url,
    )

    assert (finished.exit_code, finished.result["rounds"]) == (0, 2)
    assert finished.of_type("round.failed") == []
    assert [event["type"] for event in finished.of_type("session.started", "run.paused")] == [
        *("session.started",) * 2,
        *("run.paused", "session.started") * 2,
    ]
    host = api.base_url.removeprefix("http://")
    assert {event["reason"].split(": ")[0] for event in finished.of_type("run.paused")} == {
        f"model API at {host}"
    }
    # The last session has the words of the first one before it.
    assert b"I begin with the greeting." in api.requests[-1].body
    assert_sound(harness, finished)


def test_a_stray_refusal_of_the_login_ends_nothing(harness: CommandHarness) -> None:
    stray = f"  - {{role: initializer, turns: [{FORBIDDEN}]}}\n"

    finished = harness.deliver(script(stray, ONE_DELIVERABLE, BUILD_IT))

    assert (finished.exit_code, finished.result["rounds"]) == (0, 2)


def test_a_login_that_is_refused_again_ends_the_run(harness: CommandHarness) -> None:
    refused = f"  - {{role: initializer, repeat: 2, turns: [{FORBIDDEN}]}}\n"

    finished = harness.deliver(script(refused))

    assert (finished.exit_code, finished.result["reason"]) == (NO_LOGIN, "authentication")
    assert finished.types().count("session.started") == 2
