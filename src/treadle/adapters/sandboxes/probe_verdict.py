"""Evaluates what the canary reports about a sandbox. Pure."""

import json
from collections.abc import Collection
from dataclasses import dataclass, replace

from treadle.adapters.sandboxes.launch import REFER_SINCE, SCOPES_SINCE
from treadle.domain.sandbox import ProbePassed, ProbeResult, SandboxFailed

NO_LANDLOCK = (
    "this kernel has no Landlock: programs that the agent starts could speak in its name, so "
    "finished work lands only with your approval"
)
OLD_LANDLOCK = (
    "this kernel is older than 5.19, where Landlock keeps programs from renaming files into other "
    "directories, so it is not used: programs that the agent starts could speak in its name, and "
    "finished work lands only with your approval"
)
NO_SCOPES = "this kernel is older than 6.12: programs that the agent starts can end the agent"
AS_ROOT = (
    "as root without a control group, the number of processes is not limited; an ordinary "
    "user is safer"
)
NO_MOVES = (
    "on this file system, files cannot be renamed or linked into another directory, in the sandbox "
    "or outside: installers may fail. Set TREADLE_ROOT to a directory on a local disk"
)
UNUSABLE_HINT = (
    "something outside Treadle restricts it: another sandbox, a container's seccomp profile or a "
    "security module. Start Treadle outside of that, or set TREADLE_ROOT to a directory on a local "
    "disk; if neither helps, report what `treadle doctor` says"
)
HINT = "do not use it here: run `treadle doctor`, and report what it says"


@dataclass(frozen=True, slots=True)
class CanaryResult:
    """What the canary printed; the number of attacks is negative if the launcher failed."""

    # What must work, and what the sandbox must prevent or have.
    access: dict[str, bool]
    tests: dict[str, bool]
    landlock: int
    attacks_blocked: int

    def only(self, names: Collection[str]) -> "CanaryResult":
        """Only the tests with these names; a missing one counts as failed."""
        tests = {name: passed for name, passed in self.tests.items() if name in names}
        access = {name: passed for name, passed in self.access.items() if name in names}
        missing = sorted(set(names) - set(tests) - set(access))
        tests |= dict.fromkeys(missing, False)
        return replace(self, access=access, tests=tests)


@dataclass(frozen=True, slots=True)
class HostFindings:
    """What was found on the host."""

    # Forbidden files that changed, and allowed writes that are lost.
    leaks: tuple[str, ...] = ()
    # Root's are not counted for each user, only in a control group.
    any_number_of_processes: bool = False
    # Whether files can be renamed and linked across directories outside of the sandbox.
    moves_files: bool = True


def parse_result(text: str) -> CanaryResult | None:
    """None if the text is not a canary's result."""
    try:
        match json.loads(text):
            case {
                "access": dict(access),
                "tests": dict(tests),
                "landlock": int(landlock),
                "attacks_blocked": int(blocked),
            }:
                return CanaryResult(_passed(access), _passed(tests), landlock, blocked)
            case _:
                return None
    except ValueError:
        return None


def evaluate_probe(result: CanaryResult, host: HostFindings) -> ProbeResult:
    """The probe passes if every test passed and the host found no leaks. A sandbox that holds, and
    in which programs cannot work, is said to be that."""
    unusable = [name for name, passed in result.access.items() if not passed]
    failed = [name for name, passed in result.tests.items() if not passed]
    if result.attacks_blocked < 0:
        unusable.append("starts programs by the launcher")
    elif result.attacks_blocked < _attacks_to_block(result.landlock):
        failed.append("is kept apart from the programs that it starts")
    failed += host.leaks
    if failed:
        return SandboxFailed(
            f"the sandbox does not hold; failed tests: {'; '.join(unusable + failed)}",
            hint=HINT,
        )
    if unusable:
        return SandboxFailed(
            f"programs cannot work in the sandbox; failed tests: {'; '.join(unusable)}",
            hint=UNUSABLE_HINT,
        )
    warnings = (
        *_landlock_warnings(result.landlock),
        *(() if host.moves_files else (NO_MOVES,)),
        *((AS_ROOT,) if host.any_number_of_processes else ()),
    )
    return ProbePassed(warnings, separated=result.landlock >= REFER_SINCE)


def _passed(tests: dict[object, object]) -> dict[str, bool]:
    return {str(name): value is True for name, value in tests.items()}


def _attacks_to_block(landlock: int) -> int:
    """All three with Landlock's scopes, all but the signal with an older Landlock."""
    if landlock >= SCOPES_SINCE:
        return 3
    return 2 if landlock >= REFER_SINCE else 0


def _landlock_warnings(landlock: int) -> tuple[str, ...]:
    if landlock >= SCOPES_SINCE:
        return ()
    if landlock >= REFER_SINCE:
        return (NO_SCOPES,)
    return (OLD_LANDLOCK,) if landlock > 0 else (NO_LANDLOCK,)
