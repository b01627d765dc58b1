"""What the findings of a probe amount to."""

import json

import pytest

from treadle.adapters.sandboxes.verdict import (
    AS_ROOT,
    HINT,
    NO_LANDLOCK,
    NO_SCOPES,
    Findings,
    parsed,
    verdict,
)
from treadle.domain.sandbox import Probed, Proven, SandboxFailed

GOOD = {"writes here": True, "cannot write there": True}


def failed(*names: str) -> SandboxFailed:
    told = "; ".join(names)
    return SandboxFailed(f"the sandbox does not hold, for this is not so: it {told}", HINT)


@pytest.mark.parametrize(
    ("findings", "as_root", "probed"),
    [
        (Findings(GOOD, 7, 3), False, Proven()),
        (Findings(GOOD, 7, 3), True, Proven((AS_ROOT,))),
        (Findings(GOOD, 5, 2), False, Proven((NO_SCOPES,))),
        (Findings(GOOD, 0, 0), False, Proven((NO_LANDLOCK,), separated=False)),
        (Findings(GOOD, 0, 0), True, Proven((NO_LANDLOCK, AS_ROOT), separated=False)),
        (
            Findings(GOOD, 7, 2),
            False,
            failed("is kept apart from the programs that it starts"),
        ),
        (Findings(GOOD, 3, 1), False, failed("is kept apart from the programs that it starts")),
        (Findings(GOOD, 0, -1), False, failed("starts programs by the launcher")),
        (Findings({**GOOD, "writes here": False}, 7, 3), False, failed("writes here")),
        (Findings(dict.fromkeys(GOOD, False), 7, 3), False, failed(*GOOD)),
    ],
)
def test_only_a_sandbox_that_passes_every_trial_is_proven(
    findings: Findings, as_root: bool, probed: Probed
) -> None:
    assert verdict(findings, (), as_root=as_root) == probed


def test_what_the_host_saw_counts() -> None:
    assert verdict(Findings(GOOD, 7, 3), ("leaks",), as_root=False) == failed("leaks")


def test_findings_are_read_from_what_the_canary_prints() -> None:
    text = json.dumps({"findings": {"a": True, "b": 1}, "separation": {"version": 7, "held": 3}})

    assert parsed(text) == Findings({"a": True, "b": False}, 7, 3)


@pytest.mark.parametrize("text", ["", "{}", "[]", "Traceback", '{"findings": {}}'])
def test_anything_else_is_no_finding(text: str) -> None:
    assert parsed(text) is None


def test_trials_that_were_wanted_and_not_made_have_failed() -> None:
    findings = Findings(GOOD, 0, 0)

    assert findings.of({"writes here", "flies"}).trials == {"flies": False, "writes here": True}
