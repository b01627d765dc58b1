"""Evaluates what the canary reports about a sandbox. Pure."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from treadle.adapters.sandboxes.launch import SCOPES_SINCE
from treadle.domain.sandbox import ProbePassed, ProbeResult, SandboxFailed

NO_LANDLOCK = (
    "this kernel has no Landlock: programs that the agent starts could speak in its name, so "
    "finished work lands only when a person says so"
)
NO_SCOPES = "this kernel is older than 6.12: programs that the agent starts can end the agent"
AS_ROOT = "run by root, the number of processes is not limited; an ordinary user is safer"
HINT = "do not use it here: run `treadle doctor`, and report what it says"


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """What the canary printed."""

    tests: dict[str, bool]
    landlock: int
    attacks_blocked: int

    def only(self, trials: Collection[str]) -> "CanaryResult":
        """These trials alone; one that was not made counts as failed."""
        went = {name: self.tests.get(name, False) for name in sorted(trials)}
        return CanaryResult(went, self.landlock, self.attacks_blocked)


def parse_result(text: str) -> CanaryResult | None:
    """None when it is not what a canary prints."""
    try:
        match json.loads(text):
            case {
                "findings": dict(trials),
                "separation": {"version": int(version), "held": int(held)},
            }:
                went = {str(name): well is True for name, well in trials.items()}
                return CanaryResult(went, version, held)
            case _:
                return None
    except ValueError:
        return None


def evaluate_probe(findings: CanaryResult, leaks: Collection[str], *, as_root: bool) -> ProbeResult:
    """Proven only if every single trial went as it should; `leaks` is what the host saw itself."""
    failed = [name for name, held in findings.tests.items() if not held]
    if findings.attacks_blocked < 0:
        failed.append("starts programs by the launcher")
    elif findings.attacks_blocked < _attacks_to_block(findings.landlock):
        failed.append("is kept apart from the programs that it starts")
    failed += leaks
    if failed:
        names = "; ".join(failed)
        return SandboxFailed(
            f"the sandbox does not hold, for this is not so: it {names}", hint=HINT
        )
    told = (*_landlock_warnings(findings.landlock), *((AS_ROOT,) if as_root else ()))
    return ProbePassed(told, separated=findings.landlock > 0)


def _attacks_to_block(landlock: int) -> int:
    """Of reading, writing and signalling: with scopes all three, before them all but the last."""
    if landlock >= SCOPES_SINCE:
        return 3
    return 2 if landlock > 0 else 0


def _landlock_warnings(landlock: int) -> tuple[str, ...]:
    if landlock >= SCOPES_SINCE:
        return ()
    return (NO_SCOPES,) if landlock > 0 else (NO_LANDLOCK,)
