"""How the result of a canary is evaluated."""

import json

import pytest

from treadle.adapters.sandboxes.probe_verdict import (
    AS_ROOT,
    HINT,
    NO_LANDLOCK,
    NO_MOVES,
    NO_SCOPES,
    OLD_LANDLOCK,
    UNUSABLE_HINT,
    CanaryResult,
    HostFindings,
    evaluate_probe,
    parse_result,
)
from treadle.domain.sandbox import ProbePassed, ProbeResult, SandboxFailed

WORKS = {"writes here": True, "reads here": True}
GOOD = {"cannot write there": True, "has its own namespace": True}
USER = HostFindings()


def failed(*names: str) -> SandboxFailed:
    listed = "; ".join(names)
    return SandboxFailed(f"the sandbox does not hold; failed tests: {listed}", HINT)


def unusable(*names: str) -> SandboxFailed:
    listed = "; ".join(names)
    return SandboxFailed(
        f"programs cannot work in the sandbox; failed tests: {listed}", UNUSABLE_HINT
    )


@pytest.mark.parametrize(
    ("result", "host", "probed"),
    [
        (CanaryResult(WORKS, GOOD, 7, 3), USER, ProbePassed()),
        (
            CanaryResult(WORKS, GOOD, 7, 3),
            HostFindings(any_number_of_processes=True),
            ProbePassed((AS_ROOT,)),
        ),
        (
            CanaryResult(WORKS, GOOD, 7, 3),
            HostFindings(moves_files=False),
            ProbePassed((NO_MOVES,)),
        ),
        (CanaryResult(WORKS, GOOD, 5, 2), USER, ProbePassed((NO_SCOPES,))),
        (CanaryResult(WORKS, GOOD, 2, 2), USER, ProbePassed((NO_SCOPES,))),
        (CanaryResult(WORKS, GOOD, 1, 0), USER, ProbePassed((OLD_LANDLOCK,), separated=False)),
        (CanaryResult(WORKS, GOOD, 0, 0), USER, ProbePassed((NO_LANDLOCK,), separated=False)),
        (
            CanaryResult(WORKS, GOOD, 0, 0),
            HostFindings(any_number_of_processes=True),
            ProbePassed((NO_LANDLOCK, AS_ROOT), separated=False),
        ),
    ],
)
def test_a_sandbox_that_passes_every_test_passes_the_probe(
    result: CanaryResult, host: HostFindings, probed: ProbeResult
) -> None:
    assert evaluate_probe(result, host) == probed


@pytest.mark.parametrize("landlock", [2, 3, 7])
def test_a_program_that_reaches_the_agent_fails_the_probe(landlock: int) -> None:
    result = CanaryResult(WORKS, GOOD, landlock, 1)

    assert evaluate_probe(result, USER) == failed("is kept apart from the programs that it starts")


def test_a_test_that_fails_and_a_leak_that_the_host_found_fail_the_probe() -> None:
    result = CanaryResult(WORKS, dict.fromkeys(GOOD, False), 7, 3)

    assert evaluate_probe(result, HostFindings(("leaks",))) == failed(*GOOD, "leaks")


def test_a_sandbox_in_which_programs_cannot_work_is_called_that() -> None:
    result = CanaryResult({**WORKS, "writes here": False}, GOOD, 7, 3)

    assert evaluate_probe(result, USER) == unusable("writes here")


def test_so_is_one_whose_launcher_does_not_start() -> None:
    result = CanaryResult(WORKS, GOOD, 0, -1)

    assert evaluate_probe(result, USER) == unusable("starts programs by the launcher")


def test_one_that_does_not_hold_either_is_called_so_first() -> None:
    result = CanaryResult(
        {**WORKS, "reads here": False}, {**GOOD, "cannot write there": False}, 7, 3
    )

    assert evaluate_probe(result, USER) == failed("reads here", "cannot write there")


def test_a_result_is_parsed_from_what_the_canary_prints() -> None:
    printed = {"access": {"w": True}, "tests": {"a": True, "b": 1}}
    text = json.dumps({**printed, "landlock": 7, "attacks_blocked": 3})

    assert parse_result(text) == CanaryResult({"w": True}, {"a": True, "b": False}, 7, 3)


@pytest.mark.parametrize("text", ["", "{}", "[]", "Traceback", '{"tests": {}}'])
def test_any_other_text_is_no_result(text: str) -> None:
    assert parse_result(text) is None


def test_a_required_test_that_is_missing_has_failed() -> None:
    result = CanaryResult(WORKS, GOOD, 0, 0)

    assert result.only({"writes here", "cannot write there", "flies"}) == CanaryResult(
        {"writes here": True}, {"cannot write there": True, "flies": False}, 0, 0
    )
