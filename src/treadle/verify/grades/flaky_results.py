"""Finds checks and tests that ended in two ways on one tree of the work. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.events.verification import CheckFinished, SuiteFinished
from treadle.domain.suite_report import TEST_COMMAND, SuiteReport
from treadle.verify.results.before_look import cutting_signal
from treadle.verify.results.outside_failure import outside_failure
from treadle.verify.suites.suite_comparison import SuiteRun

_ON_THE_WORK: frozenset[CheckTiming] = frozenset({"after", "again", "bisect"})
_COMMIT_LENGTH = 8


def flaky_failure(commit: str) -> str:
    """Why a check that is green on the work proves nothing, in one line."""
    return f"flaky: it failed on {commit[:_COMMIT_LENGTH]}, and passed there as well"


def flaky_commit(results: Iterable[CheckFinished], command: str) -> str:
    """A commit of the work on whose tree a check failed and passed; empty if there is none."""
    own = _on_the_work(results, command)
    green = {each.evidence.tree for each in own if each.is_green}
    red = (each.evidence for each in own if _is_red_by_work(each))
    return next((evidence.commit for evidence in red if evidence.tree in green), "")


def untried_failure(results: Iterable[CheckFinished], command: str) -> str:
    """The last commit of the work on which a check failed, if it was tried there only once.

    What passes now may have failed there by chance.
    """
    own = _on_the_work(results, command)
    failures = [each.evidence for each in own if _is_red_by_work(each)]
    if not failures:
        return ""
    tree = failures[-1].tree
    is_tried = sum(each.evidence.tree == tree for each in own) > 1
    return "" if is_tried else failures[-1].commit


def earlier_flaky_tests(finished: Iterable[SuiteFinished], known: frozenset[str]) -> frozenset[str]:
    """Tests that were flaky on the work before; those that are `known` were so before the work."""
    return frozenset(test for each in finished for test in each.flaky) - known


def with_earlier_failures(now: SuiteRun, finished: Iterable[SuiteFinished]) -> SuiteRun:
    """The run, with tests as flaky that pass in it and failed on the same tree before."""
    failed = {
        objection.test
        for each in finished
        if _same_tree(each.evidence, now.evidence) and not _is_cut_short(each.evidence)
        for objection in each.objections
        if objection.finding in ("new_failure", "broken_run")
    }
    flaky = failed & _passed_tests(now)
    return replace(now, flaky=now.flaky | flaky) if flaky else now


def _passed_tests(run: SuiteRun) -> set[str]:
    cases = run.report.cases if isinstance(run.report, SuiteReport) else ()
    passed = {case.id for case in cases if case.outcome == "passed"}
    return passed | ({TEST_COMMAND} if run.evidence.is_green else set())


def _same_tree(one: Evidence, other: Evidence) -> bool:
    return (one.tree, one.judges_of) == (other.tree, other.judges_of)


def _on_the_work(results: Iterable[CheckFinished], command: str) -> Sequence[CheckFinished]:
    return [
        each
        for each in results
        if each.evidence.command == command and each.evidence.when in _ON_THE_WORK
    ]


def _is_red_by_work(event: CheckFinished) -> bool:
    """Whether a result is red by the work: not out of time, cut short, or without a network."""
    if event.is_green or _is_cut_short(event.evidence):
        return False
    return not outside_failure(event.output)


def _is_cut_short(evidence: Evidence) -> bool:
    return evidence.exit_code is None or cutting_signal(evidence.exit_code) != 0
