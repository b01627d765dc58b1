"""How often the same check or test was found failing, so that each gets its own attempts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from treadle.workflows.loop.findings import VerificationFindings


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """What failed, and how often it was found since nothing of its kind failed."""

    times: tuple[tuple[str, int], ...] = ()
    # Of what failed last, how often that was found which was found most often.
    most: int = 0


@dataclass(frozen=True, slots=True)
class FixAttempts:
    """The failures of checks, and those of tests."""

    checks: FailureCounts = field(default_factory=FailureCounts)
    tests: FailureCounts = field(default_factory=FailureCounts)


def after_findings(before: FixAttempts, findings: VerificationFindings) -> FixAttempts:
    """One more for everything that fails. What was not looked at keeps its count."""
    tests = tuple(dict.fromkeys(each.test for each in findings.objections))
    return FixAttempts(
        _counted(before.checks, findings.failing_checks or ()), _counted(before.tests, tests)
    )


def with_another_try(attempts: FixAttempts) -> FixAttempts:
    """A person wants the tests mended: they get as many attempts as at first."""
    begun = tuple((name, 1) for name, _ in attempts.tests.times)
    return replace(attempts, tests=FailureCounts(begun, 1))


def _counted(before: FailureCounts, found: Sequence[str]) -> FailureCounts:
    if not found:
        return FailureCounts()
    times = dict(before.times)
    for name in found:
        times[name] = times.get(name, 0) + 1
    return FailureCounts(tuple(times.items()), max(times[name] for name in found))
