"""What the findings of a probe amount to."""

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
    told = "; ".join(names)
    return SandboxFailed(f"the sandbox does not hold, for this is not so: it {told}", HINT)


@pytest.mark.parametrize(
    ("findings", "as_root", "probed"),
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
def test_only_a_sandbox_that_passes_every_trial_is_proven(
    findings: CanaryResult, as_root: bool, probed: ProbeResult
) -> None:
    assert evaluate_probe(findings, (), as_root=as_root) == probed


def test_what_the_host_saw_counts() -> None:
    assert evaluate_probe(CanaryResult(GOOD, 7, 3), ("leaks",), as_root=False) == failed("leaks")


def test_findings_are_read_from_what_the_canary_prints() -> None:
    text = json.dumps({"findings": {"a": True, "b": 1}, "separation": {"version": 7, "held": 3}})

    assert parse_result(text) == CanaryResult({"a": True, "b": False}, 7, 3)


@pytest.mark.parametrize("text", ["", "{}", "[]", "Traceback", '{"findings": {}}'])
def test_anything_else_is_no_finding(text: str) -> None:
    assert parse_result(text) is None


def test_trials_that_were_wanted_and_not_made_have_failed() -> None:
    findings = CanaryResult(GOOD, 0, 0)

    assert findings.only({"writes here", "flies"}).tests == {"flies": False, "writes here": True}
