"""How the result of a canary is evaluated."""

import json

import pytest

from treadle.adapters.sandboxes.probe_verdict import (
    AS_ROOT,
    HINT,
    NO_LANDLOCK,
    NO_SCOPES,
    CanaryResult,
    evaluate_probe,
    parse_result,
)
from treadle.domain.sandbox import ProbePassed, ProbeResult, SandboxFailed

GOOD = {"writes here": True, "cannot write there": True}


def failed(*names: str) -> SandboxFailed:
    listed = "; ".join(names)
    return SandboxFailed(f"the sandbox does not hold, for this is not so: it {listed}", HINT)


@pytest.mark.parametrize(
    ("result", "as_root", "probed"),
    [
        (CanaryResult(GOOD, 7, 3), False, ProbePassed()),
        (CanaryResult(GOOD, 7, 3), True, ProbePassed((AS_ROOT,))),
        (CanaryResult(GOOD, 5, 2), False, ProbePassed((NO_SCOPES,))),
        (CanaryResult(GOOD, 0, 0), False, ProbePassed((NO_LANDLOCK,), separated=False)),
        (CanaryResult(GOOD, 0, 0), True, ProbePassed((NO_LANDLOCK, AS_ROOT), separated=False)),
        (
            CanaryResult(GOOD, 7, 2),
            False,
            failed("is kept apart from the programs that it starts"),
        ),
        (CanaryResult(GOOD, 3, 1), False, failed("is kept apart from the programs that it starts")),
        (CanaryResult(GOOD, 0, -1), False, failed("starts programs by the launcher")),
        (CanaryResult({**GOOD, "writes here": False}, 7, 3), False, failed("writes here")),
        (CanaryResult(dict.fromkeys(GOOD, False), 7, 3), False, failed(*GOOD)),
    ],
)
def test_only_a_sandbox_that_passes_every_test_passes_the_probe(
    result: CanaryResult, as_root: bool, probed: ProbeResult
) -> None:
    assert evaluate_probe(result, (), as_root=as_root) == probed


def test_a_leak_that_the_host_found_fails_the_probe() -> None:
    assert evaluate_probe(CanaryResult(GOOD, 7, 3), ("leaks",), as_root=False) == failed("leaks")


def test_a_result_is_parsed_from_what_the_canary_prints() -> None:
    text = json.dumps({"tests": {"a": True, "b": 1}, "landlock": 7, "attacks_blocked": 3})

    assert parse_result(text) == CanaryResult({"a": True, "b": False}, 7, 3)


@pytest.mark.parametrize("text", ["", "{}", "[]", "Traceback", '{"tests": {}}'])
def test_any_other_text_is_no_result(text: str) -> None:
    assert parse_result(text) is None


def test_a_required_test_that_is_missing_has_failed() -> None:
    result = CanaryResult(GOOD, 0, 0)

    assert result.only({"writes here", "flies"}).tests == {"flies": False, "writes here": True}
