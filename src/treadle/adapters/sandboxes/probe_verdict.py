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
    """What the canary printed; the number of attacks is negative if the launcher failed."""

    tests: dict[str, bool]
    landlock: int
    attacks_blocked: int

    def only(self, names: Collection[str]) -> "CanaryResult":
        """Only the tests with these names; a missing one counts as failed."""
        tests = {name: self.tests.get(name, False) for name in sorted(names)}
        return CanaryResult(tests, self.landlock, self.attacks_blocked)


def parse_result(text: str) -> CanaryResult | None:
    """None if the text is not a canary's result."""
    try:
        match json.loads(text):
            case {
                "tests": dict(tests),
                "landlock": int(landlock),
                "attacks_blocked": int(blocked),
            }:
                passed = {str(name): value is True for name, value in tests.items()}
                return CanaryResult(passed, landlock, blocked)
            case _:
                return None
    except ValueError:
        return None


def evaluate_probe(result: CanaryResult, leaks: Collection[str], *, as_root: bool) -> ProbeResult:
    """The probe passes if every test passed and the host found no `leaks`."""
    failed = [name for name, passed in result.tests.items() if not passed]
    if result.attacks_blocked < 0:
        failed.append("starts programs by the launcher")
    elif result.attacks_blocked < _attacks_to_block(result.landlock):
        failed.append("is kept apart from the programs that it starts")
    failed += leaks
    if failed:
        names = "; ".join(failed)
        return SandboxFailed(
            f"the sandbox does not hold, for this is not so: it {names}", hint=HINT
        )
    warnings = (*_landlock_warnings(result.landlock), *((AS_ROOT,) if as_root else ()))
    return ProbePassed(warnings, separated=result.landlock > 0)


def _attacks_to_block(landlock: int) -> int:
    """All three with Landlock's scopes, all but the signal with an older Landlock."""
    if landlock >= SCOPES_SINCE:
        return 3
    return 2 if landlock > 0 else 0


def _landlock_warnings(landlock: int) -> tuple[str, ...]:
    if landlock >= SCOPES_SINCE:
        return ()
    return (NO_SCOPES,) if landlock > 0 else (NO_LANDLOCK,)
