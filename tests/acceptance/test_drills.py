"""Drills: agents that misbehave for ever, and the limit that stops each of them."""

import json
from collections.abc import Sequence

import pytest

from tests.acceptance.harness import (
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_sound,
    script,
)

STOPPED = 5
BUDGET_USD = 2.5
# 1 and 1,000 US dollars for one response, at the price of the model that codes.
ONE_DOLLAR = "{input: 0, output: 100000}"
THOUSAND_DOLLARS = "{input: 0, output: 100000000}"

# Ends the agent that started it, by way of the shell between the two.
DIE = """
import os, signal

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

shell = os.getppid()
named = open(f"/proc/{shell}/comm").read().strip()
os.kill(parent(shell) if named in ("bash", "sh") else shell, signal.SIGKILL)
"""


def implementer(turns: str, more: str = "") -> str:
    return f"  - {{role: implementer, turns: [{turns}]{more}}}\n"


def seen(finished: Finished) -> str:
    """What a person is shown, however its lines are broken."""
    return " ".join(finished.stderr.replace("│", " ").split())


def spent(harness: CommandHarness) -> tuple[int, float]:
    """What the ledger has: requests and US dollars."""
    cost = harness.treadle("cost", "--rehearsals", "--json")
    total = json.loads(cost.stdout)["total"]
    return total["requests"], round(total["cost_usd"], 6)


def outcomes(finished: Finished) -> list[str]:
    ended = finished.of_type("session.ended")
    return [event["result"]["outcome"]["type"] for event in ended]


def assert_stopped(harness: CommandHarness, finished: Finished, reason: str, *words: str) -> None:
    """It ended by this limit, says so in these words, and has cost what the ledger says."""
    assert (finished.exit_code, finished.result["reason"]) == (STOPPED, reason)
    for said in words:
        assert said in seen(finished)
    assert finished.result["message"] in seen(finished)
    assert spent(harness)[1] == finished.result["cost_usd"]
    assert harness.git("log", "--format=%s").splitlines() == ["The specification"]
    assert harness.git("status", "--porcelain") == ""
    assert_sound(harness, finished)


def test_an_agent_that_always_reports_progress_and_changes_nothing_is_stuck(
    harness: CommandHarness,
) -> None:
    great = implementer("{text: 'Great progress, nearly there!'}", ", repeat: forever")

    finished = harness.deliver(
        script(ONE_DELIVERABLE, great),
        settings={"limits.stuck_rounds": "3", "limits.stuck_repeats": "50"},
    )

    assert_stopped(
        harness,
        finished,
        "stuck",
        "Stopped: no progress",
        "3 rounds made no progress: no new changes, and no other deliverable,"
        " check or test passes now (limits.stuck_rounds = 3)",
    )
    assert (finished.result["rounds"], spent(harness)[0]) == (4, 5)


def test_an_agent_that_only_adds_deliverables_is_stuck(harness: CommandHarness) -> None:
    rounds = [
        implementer(
            "{tool: mcp__treadle__create_deliverable, input: {deliverables: [{id: NEW,"
            " description: More, acceptanceCriteria: [There is more]}]}}, {text: More.}".replace(
                "NEW", f"DL-10{n}"
            )
        )
        for n in range(3)
    ]

    finished = harness.deliver(
        script(ONE_DELIVERABLE, *rounds),
        settings={"limits.stuck_rounds": "3", "limits.stuck_repeats": "50"},
    )

    assert_stopped(harness, finished, "stuck", "3 rounds made no progress")
    assert finished.result["rounds"] == 4
    assert finished.result["tally"] == {"passed": 0, "blocked": 0, "total": 4}


@pytest.mark.parametrize(
    "sessions",
    [
        (ONE_DELIVERABLE, implementer("{text: Done.}", ", repeat: forever")),
        ("  - {role: initializer, repeat: forever, turns: [{text: Planned.}]}\n",),
    ],
    ids=["coding", "planning"],
)
def test_sessions_that_end_at_once_and_did_nothing_are_stuck(
    harness: CommandHarness, sessions: Sequence[str]
) -> None:
    finished = harness.deliver(script(*sessions), settings={"limits.stuck_rounds": "50"})

    assert_stopped(
        harness,
        finished,
        "stuck",
        "the last 3 sessions took less than 5 s each and made no progress",
    )
    ended = finished.of_type("session.ended")
    assert all(event["result"]["duration_s"] < 5 for event in ended[-3:])


FOR_EVER = "{tool: Bash, input: {command: 'true'}, repeat: forever}"


def test_tool_calls_for_ever_end_with_the_turns_of_a_session_and_then_of_the_run(
    harness: CommandHarness,
) -> None:
    finished = harness.deliver(
        script(ONE_DELIVERABLE, implementer(FOR_EVER, ", repeat: forever")),
        settings={
            "agent.max_turns": "4",
            "limits.stuck_rounds": "2",
            "limits.stuck_repeats": "50",
        },
    )

    assert_stopped(harness, finished, "stuck", "2 rounds made no progress")
    assert outcomes(finished) == ["completed", "max_turns", "max_turns"]
    assert spent(harness)[0] == 2 + 4 + 4


def test_tool_calls_for_ever_end_with_the_budget(harness: CommandHarness) -> None:
    dear = FOR_EVER.replace("repeat", f"usage: {ONE_DOLLAR}, repeat")

    finished = harness.deliver(
        script(ONE_DELIVERABLE, implementer(dear)), "--max-cost", str(BUDGET_USD)
    )

    assert_stopped(
        harness,
        finished,
        "budget_exceeded",
        "the limit is $2.50 (--max-cost, limits.max_cost_usd)",
        "--max-cost",
    )
    assert outcomes(finished) == ["completed", "budget_exceeded"]
    requests, cost_usd = spent(harness)
    assert requests == 2 + 3
    assert BUDGET_USD <= cost_usd < BUDGET_USD + 1


def test_tool_calls_for_ever_end_with_the_time_of_the_run(harness: CommandHarness) -> None:
    planning = f"  - {{role: initializer, optional: true, turns: [{FOR_EVER}]}}\n"

    finished = harness.deliver(script(planning), settings={"limits.max_minutes": "0.05"})

    assert_stopped(
        harness,
        finished,
        "time_exceeded",
        "the limit is 0.05 minutes (--max-minutes, limits.max_minutes)",
    )
    [ended] = finished.of_type("session.ended")
    # What is left of the run's three seconds when the session starts.
    after_s = ended["result"]["outcome"].pop("after_s")
    assert ended["result"]["outcome"] == {"type": "timeout", "limit": "wall"}
    assert 0 < after_s <= 3


def test_a_failure_that_comes_again_and_again_is_stuck_also_with_other_rounds_in_between(
    harness: CommandHarness,
) -> None:
    broken = implementer("{error: {status: 400, message: 'tool 17 is broken'}, repeat: forever}")
    busy = [
        implementer(f"{{tool: Write, input: {{file_path: {n}.txt, content: x}}}}, {{text: On.}}")
        for n in (1, 2)
    ]

    finished = harness.deliver(
        script(ONE_DELIVERABLE, broken, busy[0], broken, busy[1], broken),
        settings={"limits.max_retries": "1"},
    )

    assert_stopped(
        harness,
        finished,
        "stuck",
        "3 rounds failed in the same way and nothing passed meanwhile:",
        "tool # is broken (limits.stuck_repeats = 3)",
    )
    assert [event["consecutive"] for event in finished.of_type("round.failed")] == [1, 1, 1]


def test_an_agent_that_always_kills_itself_has_its_retries_and_no_more(
    harness: CommandHarness,
) -> None:
    # In a sandbox it cannot: what it starts is kept from touching it.
    (harness.project / "die.py").write_text(DIE)
    harness.git("add", "-A")
    harness.git("commit", "-q", "--amend", "--no-edit")
    suicidal = implementer(
        "{tool: Bash, input: {command: 'python3 die.py'}}, {text: never, optional: true}",
        ", repeat: 2",
    )

    finished = harness.deliver(
        script(ONE_DELIVERABLE, suicidal), "--no-sandbox", settings={"limits.max_retries": "1"}
    )

    assert_stopped(
        harness,
        finished,
        "max_retries_exceeded",
        "after 1 retry in a row (--max-retries, limits.max_retries)",
    )
    assert outcomes(finished) == ["completed", "crashed", "crashed"]


def test_a_response_of_a_thousand_dollars_is_the_last_one(harness: CommandHarness) -> None:
    ruinous = implementer(
        f"{{tool: Bash, input: {{command: 'true'}}, usage: {THOUSAND_DOLLARS}}},"
        " {text: never asked for, optional: true}"
    )

    finished = harness.deliver(script(ONE_DELIVERABLE, ruinous))

    assert_stopped(harness, finished, "budget_exceeded", "the limit is $20.00")
    assert outcomes(finished) == ["completed", "budget_exceeded"]
    requests, cost_usd = spent(harness)
    assert (requests, 1000 <= cost_usd < 1000.01) == (3, True)


def test_a_sub_agent_beside_a_ruinous_one_asks_no_more(harness: CommandHarness) -> None:
    asked = "{description: look, prompt: Look, subagent_type: general-purpose,"
    asked += " run_in_background: false}"
    two = f"{{tools: [{{Agent: {asked}}}, {{Agent: {asked}}}]}}, {{text: x, optional: true}}"
    looks = "tool: Bash, input: {command: 'true'}"
    sub_agents = (
        f", subagent: [{{{looks}, usage: {THOUSAND_DOLLARS}}}, {{{looks}, optional: true}},"
        " {text: never asked for, repeat: 9, optional: true}]"
    )

    finished = harness.deliver(
        script(ONE_DELIVERABLE, implementer(two, sub_agents)),
        settings={"allowed_tools": '["Agent"]'},
    )

    assert_stopped(harness, finished, "budget_exceeded", "the limit is $20.00")
    requests, cost_usd = spent(harness)
    # The plan, the two calls, the ruinous answer, and at most one that was under way beside it.
    assert requests in (4, 5)
    assert 1000 <= cost_usd < 1000.01


@pytest.mark.parametrize(
    ("silence", "setting", "limit"),
    [
        ("{hang: before}", "session.first_byte_s", "first_byte"),
        ("{hang: middle, text: 'I was about to say something.'}", "session.idle_s", "idle"),
    ],
)
def test_a_model_that_is_silent_in_every_session_is_hung(
    harness: CommandHarness, silence: str, setting: str, limit: str
) -> None:
    silent = f"  - {{role: initializer, repeat: forever, optional: true, turns: [{silence}]}}\n"

    finished = harness.deliver(script(silent), settings={setting: "2"})

    assert_stopped(harness, finished, "hung", "the last 3 sessions hung (limits.stuck_repeats = 3)")
    failed = [event["message"] for event in finished.of_type("round.failed")]
    assert failed == [f"the session was ended by its {limit} limit after 2 s"] * 3


def test_a_busy_program_in_the_background_does_not_hide_a_silent_model(
    harness: CommandHarness,
) -> None:
    busy = (
        "{tool: Bash, input: {command: \"python3 -c 'while True: pass'\", run_in_background: true}}"
    )
    silence = "{hang: middle, text: 'I was about to say something.'}"
    hidden = (
        f"  - {{role: initializer, repeat: forever, optional: true, turns: [{busy}, {silence}]}}\n"
    )

    finished = harness.deliver(
        script(hidden), settings={"session.idle_s": "6", "limits.stuck_repeats": "1"}
    )

    assert_stopped(harness, finished, "hung", "the last session hung (limits.stuck_repeats = 1)")
    failed = [event["message"] for event in finished.of_type("round.failed")]
    assert failed == ["the session was ended by its idle limit after 6 s"]


def test_an_agent_that_takes_back_its_commits_round_after_round_is_stuck(
    harness: CommandHarness,
) -> None:
    rounds = []
    for n in range(3):
        build = f"seq {n}00 {n}20 > work.txt && git add -A && git commit -qm work"
        rounds += [
            implementer(f"{{tool: Bash, input: {{command: '{command}'}}}}, {{text: Progress.}}")
            for command in (build, "git reset -q --hard HEAD~1")
        ]

    finished = harness.deliver(script(ONE_DELIVERABLE, *rounds), "--allow-destructive")

    assert_stopped(
        harness,
        finished,
        "stuck",
        "3 rounds undid earlier work, and nothing passed meanwhile (limits.stuck_repeats = 3)",
    )
    assert finished.result["rounds"] == 7
