"""The test gate: what the tests say about the work, against what they said before it. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from treadle.domain.check import Evidence
from treadle.domain.testing import Case, Malformed, Objection, SuiteReport
from treadle.verify.moved import moved
from treadle.verify.named import is_named, letting_go
from treadle.verify.reports.told import is_stand_in

# Stands for a test where the command tells of none, or of none that explains how it ended.
TEST_COMMAND = "the test command"
# Percent of coverage that come and go with the lines of a clean-up.
_SLACK = 0.1
# Tests that are looked for in the plan.
MOST_LOOKED_UP = 5_000
# Of the output this much goes with an objection that no test explains.
_LONGEST_ENDING = 400


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What the test command said on one tree, once or twice."""

    evidence: Evidence
    report: SuiteReport | Malformed
    # Tests that ended in different ways on this one tree.
    flaky: frozenset[str] = frozenset()
    # The command failed, and no test that it told of says why.
    is_broken: bool = False
    # The end of what was printed.
    output: str = field(default="", repr=False)

    @property
    def is_cut(self) -> bool:
        """Its time was over first."""
        return self.evidence.exit_code is None


@dataclass(frozen=True, slots=True)
class GateRules:
    """What the gate goes by: texts that may name tests to let go, and percent of coverage."""

    plan: str
    coverage: float


@dataclass(frozen=True, slots=True)
class Judged:
    """Why the gate stays shut, if it does; and what was seen, and does not count."""

    objections: tuple[Objection, ...] = ()
    known_red: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        return not self.objections


def judge(before: SuiteRun, now: SuiteRun, rules: GateRules) -> Judged:
    """No new red, no test gone or skipped without the plan's word, no coverage lost.

    What was red before, and what ends now so and now so, does not count. A run that was cut or
    cannot be read shows nothing, so that it never opens the gate.
    """
    flaky = tuple(sorted(before.flaky | now.flaky))
    if isinstance(now.report, Malformed):
        return Judged((_broken(now.report.reason),), flaky=flaky)
    then = before.report if isinstance(before.report, SuiteReport) else SuiteReport()
    past = {case.id: case for case in then.cases}
    shown = {case.id: case for case in now.report.cases}
    doubted = before.flaky | now.flaky
    red = _new_failures(past, shown, doubted)
    known = _known_red(past, shown)
    if now.is_cut:
        return Judged((_cut(now), *red), known, flaky)
    if past and not shown:
        return Judged((_vanished(len(past), now),), flaky=flaky)
    if breaks_as_before(before, now):
        known = (TEST_COMMAND, *known)
    elif now.is_broken:
        red = (_unexplained(now), *red)
    plan = letting_go(rules.plan)
    objections = (
        *red,
        *_removed(past, shown, plan),
        *_newly_skipped(past, shown, plan),
        *_coverage(then.coverage, now.report.coverage, rules.coverage),
    )
    return Judged(objections, known, flaky)


def breaks_as_before(before: SuiteRun, now: SuiteRun) -> bool:
    """Whether the command fails as it did before the work, with no test that says why.

    Not if it ends in another way, or tells of tests only now: a command that was not there yet or
    found no tests failed, too, and that excuses nothing.
    """
    return (
        before.is_broken
        and now.is_broken
        and before.evidence.exit_code == now.evidence.exit_code
        and _tells_of_tests(before) == _tells_of_tests(now)
    )


def _tells_of_tests(run: SuiteRun) -> bool:
    return isinstance(run.report, SuiteReport) and bool(run.report.cases)


def known_before(before: SuiteRun) -> Judged:
    """What the tests said before the work, for the record: nothing of it is an objection."""
    cases = before.report.cases if isinstance(before.report, SuiteReport) else ()
    red = tuple(case.id for case in cases if case.outcome == "failed")
    if before.is_broken or before.is_cut or isinstance(before.report, Malformed):
        red = (TEST_COMMAND, *red)
    return Judged((), red, tuple(sorted(before.flaky)))


def _new_failures(
    past: Mapping[str, Case], shown: Mapping[str, Case], doubted: frozenset[str]
) -> tuple[Objection, ...]:
    return tuple(
        Objection("new_failure", case.id, case.file, case.line, case.message)
        for case in shown.values()
        if case.outcome == "failed" and case.id not in doubted and not _was_red(past, case.id)
    )


def _known_red(past: Mapping[str, Case], shown: Mapping[str, Case]) -> tuple[str, ...]:
    return tuple(
        case.id for case in shown.values() if case.outcome == "failed" and _was_red(past, case.id)
    )


def _was_red(past: Mapping[str, Case], test: str) -> bool:
    return test in past and past[test].outcome == "failed"


def _removed(
    past: Mapping[str, Case], shown: Mapping[str, Case], plan: Sequence[str]
) -> Iterable[Objection]:
    gone = [case for case in past.values() if case.id not in shown and not is_stand_in(case.id)]
    elsewhere = moved(gone, (case for case in shown.values() if case.id not in past))
    named = _named(plan)
    for case in gone:
        if case.id in elsewhere or named(case.id):
            continue
        how = "red" if case.outcome == "failed" else case.outcome
        told = f"it was {how} before the work, and is not there any more"
        yield Objection("removed", case.id, message=told)


def _named(plan: Sequence[str]) -> Callable[[str], bool]:
    """Whether the plan names a test; of so many that looking takes too long, it names none."""
    looks = 0

    def is_it(test: str) -> bool:
        nonlocal looks
        looks += 1
        return looks <= MOST_LOOKED_UP and is_named(test, plan)

    return is_it


def _newly_skipped(
    past: Mapping[str, Case], shown: Mapping[str, Case], plan: Sequence[str]
) -> Iterable[Objection]:
    named = _named(plan)
    for case in shown.values():
        ran = case.id in past and past[case.id].outcome != "skipped"
        if case.outcome == "skipped" and ran and not named(case.id):
            told = case.message or "it ran before the work, and is skipped now"
            yield Objection("newly_skipped", case.id, case.file, case.line, told)


def _coverage(then: float | None, now: float | None, wanted: float) -> Iterable[Objection]:
    if now is None:
        if then is not None:
            told = f"{then:.1f} % before the work, and no report of it now"
            yield Objection("coverage", "", message=told)
        return
    if now < wanted and (then is None or now < then - _SLACK):
        was = "" if then is None else f", and was {then:.1f} % before the work"
        yield Objection("coverage", "", message=f"{now:.1f} % is below {wanted:g} %{was}")


def _broken(message: str) -> Objection:
    return Objection("broken_run", TEST_COMMAND, message=message)


def _cut(now: SuiteRun) -> Objection:
    seconds = now.evidence.duration_s
    told = f"it was not done after {seconds:.0f} s and was ended (see verify.test_minutes)"
    return _broken(_with_ending(told, now))


def _vanished(tests: int, now: SuiteRun) -> Objection:
    told = f"it told of {tests} tests before the work, and tells of none now"
    return _broken(_with_ending(told, now))


def _unexplained(now: SuiteRun) -> Objection:
    told = f"it ended with exit code {now.evidence.exit_code}, and no test says why"
    return _broken(_with_ending(told, now))


def _with_ending(told: str, now: SuiteRun) -> str:
    return f"{told}\n{now.output.strip()[-_LONGEST_ENDING:]}".strip()
