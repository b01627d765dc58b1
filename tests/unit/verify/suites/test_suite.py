"""The test command: how it is run, and the bounded record of its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from tests.unit.verify.suite_runs import case, evidence, suite
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.pin_plan import PinPlan
from treadle.domain.suite_report import (
    CaseCounts,
    CaseOutcome,
    CaseResult,
    MalformedReport,
    SuiteObjection,
    SuiteReport,
)
from treadle.durable.step_codec import decode, encode
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.verify.results.runner_end import RunnerGap
from treadle.verify.suites.suite import SuiteCommand, event_of, failures_text, run_suite
from treadle.verify.suites.suite_comparison import (
    RegressionRules,
    SuiteComparison,
    SuiteRun,
    compare_suite_runs,
)

SUITE = SuiteCommand("pytest -q", seconds=60)
OUTCOMES = {"passed": "", "failed": '<failure message="no"/>', "skipped": "<skipped/>"}


def junit(**outcomes: CaseOutcome) -> Mapping[str, bytes]:
    cases = "".join(
        f'<testcase classname="cart" name="{name}">{OUTCOMES[outcome]}</testcase>'
        for name, outcome in outcomes.items()
    )
    return {"junit.xml": f"<testsuite>{cases}</testsuite>".encode()}


@dataclass
class InTurn:
    """A runner on which each trial shows the next of these."""

    shows: list[CommandResult]
    trials: list[CheckCommand] = field(default_factory=list)

    async def run(self, trial: CheckCommand) -> CommandResult | CommandStopped:
        self.trials.append(trial)
        return self.shows.pop(0) if self.shows else CommandStopped()


def shown(exit_code: int | None, output: str = "", **outcomes: CaseOutcome) -> CommandResult:
    files = junit(**outcomes) if outcomes else {}
    return CommandResult(evidence(exit_code), output, files)


async def test_green_tests_are_run_once_with_a_time_limit_and_asked_for_a_report() -> None:
    runner = InTurn([shown(0, "2 passed", test_adds="passed", test_pays="skipped")])

    run = await run_suite(runner, SUITE, "c1", "after")

    (trial,) = runner.trials
    assert (trial.command, trial.commit, trial.when, trial.seconds) == (
        *("pytest -q", "c1", "after"),
        60,
    )
    assert "PYTEST_ADDOPTS" in trial.variables
    assert "junit.xml" in trial.collect
    cases = (case("cart::test_adds"), case("cart::test_pays", "skipped"))
    assert run == SuiteRun(evidence(0), SuiteReport(cases), output="2 passed")


async def test_red_ones_are_run_once_more() -> None:
    runner = InTurn(
        [
            shown(1, test_adds="passed", test_pays="failed"),
            shown(0, test_adds="passed", test_pays="passed"),
        ]
    )

    run = await run_suite(runner, SUITE, "c1", "after")

    cases = (case("cart::test_adds"), case("cart::test_pays"))
    assert run == SuiteRun(evidence(0), SuiteReport(cases), frozenset({"cart::test_pays"}))
    assert len(runner.trials) == 2


async def test_but_not_for_what_was_red_before_the_work() -> None:
    runner = InTurn([shown(1, test_pays="failed")])

    run = await run_suite(runner, SUITE, "c1", "after", before=suite({"cart::test_pays": "failed"}))

    assert isinstance(run, SuiteRun)
    assert len(runner.trials) == 1


async def test_a_run_that_is_asked_to_stop_shows_nothing_not_half() -> None:
    assert await run_suite(InTurn([]), SUITE, "c1", "before") == CommandStopped()
    half = InTurn([shown(1, test_pays="failed")])
    assert await run_suite(half, SUITE, "c1", "before") == CommandStopped()


async def test_a_command_without_a_report_goes_by_its_exit_code() -> None:
    runner = InTurn([shown(1, "boom"), shown(1, "boom")])

    run = await run_suite(runner, SuiteCommand("./check.sh", 60), "c1", "after")

    assert run == SuiteRun(evidence(1), SuiteReport(), is_broken=True, output="boom")


@pytest.mark.parametrize(
    ("command", "result", "unknown"),
    [
        ("./check.sh", shown(1, "npm error code E503"), "the network failed: npm error code E503"),
        ("./check.sh", shown(137), "it was ended by signal 9 (exit code 137)"),
        ("pytest -q", shown(143, test_pays="failed"), "it was ended by signal 15 (exit code 143)"),
        ("pytest -q", shown(1, "python: No module named pytest"), "pytest is not installed"),
        ("./check.sh", shown(127, "sh: 1: jq: not found"), "jq was not found (exit code 127)"),
        # A test that fails without the network has a name, and the script is to be written.
        ("pytest -q", shown(1, "npm error code E503", test_pays="failed"), ""),
        ("./check.sh", shown(127, "sh: 1: ./check.sh: not found"), ""),
        ("./check.sh", shown(1, "no"), ""),
    ],
)
async def test_a_run_that_was_cut_or_lacks_a_tool_is_unknown(
    command: str, result: CommandResult, unknown: str
) -> None:
    run = await run_suite(InTurn([result, result]), SuiteCommand(command, 60), "c1", "before")

    assert isinstance(run, SuiteRun)
    assert run.unknown == unknown


async def test_a_runner_that_ended_early_is_seen() -> None:
    early = replace(shown(0), evidence=replace(evidence(0), command="pytest -q"))

    run = await run_suite(InTurn([early]), SUITE, "c1", "after")

    assert isinstance(run, SuiteRun)
    assert run.gap == RunnerGap("end", "pytest did not report its end")


async def test_tests_are_counted_where_nothing_names_them() -> None:
    counted = shown(0, "..\nRan 2 tests in 0.001s\n\nOK\n")

    run = await run_suite(InTurn([counted]), SuiteCommand("make test", 60), "c1", "after")

    assert isinstance(run, SuiteRun)
    assert run.ran == 2


async def test_the_pinned_tree_is_passed_on_in_both_runs() -> None:
    runner = InTurn([shown(1, test_pays="failed"), shown(1, test_pays="failed")])
    pins = PinPlan("base")

    await run_suite(runner, SUITE, "c1", "pinned", pins=pins)

    assert [(trial.when, trial.pins) for trial in runner.trials] == [("pinned", pins)] * 2


async def test_a_report_that_cannot_be_read_is_no_report() -> None:
    broken = CommandResult(evidence(0), "", {"junit.xml": b"<testsuite><testcase"})

    run = await run_suite(InTurn([broken]), SUITE, "c1", "after")

    assert isinstance(run, SuiteRun)
    assert isinstance(run.report, MalformedReport)
    assert not compare_suite_runs(suite(), run, RegressionRules("", 80)).passes


async def test_results_are_looked_for_in_the_whole_log() -> None:
    ok = "test_adds (cart.Cart.test_adds) ... ok\n\nRan 1 test in 0.001s\n\nOK\n"
    long = replace(shown(0, "OK"), log=ok)

    run = await run_suite(InTurn([long]), SuiteCommand("python3 -m unittest -v", 60), "c1", "after")

    assert isinstance(run, SuiteRun)
    assert run.report == SuiteReport((CaseResult("cart.Cart::test_adds", "unit", "passed"),))
    assert run.output == "OK"


def test_what_is_recorded_counts_by_kind() -> None:
    cases = (
        case("a"),
        case("b", "failed"),
        CaseResult("c", "e2e", "skipped"),
        CaseResult("d", "e2e", "passed"),
    )
    run = SuiteRun(evidence(1), SuiteReport(cases, 71.5), frozenset({"d"}), output="the end")
    objection = SuiteObjection("new_failure", "b", "b.py", 3, "no")

    assert event_of(run, SuiteComparison((objection,), ("x",), ("d",))) == SuiteFinished(
        evidence=evidence(1),
        counts=(CaseCounts("unit", 1, 1, 0), CaseCounts("e2e", 1, 0, 1)),
        coverage=71.5,
        objections=(objection,),
        known_red=("x",),
        flaky=("d",),
        output="the end",
    )


def test_and_is_bounded_whatever_the_reports_say() -> None:
    run = SuiteRun(evidence(1), MalformedReport("no"), output="line\n" * 10_000)
    many = tuple(SuiteObjection("removed", f"t{n}", message="x" * 9_000) for n in range(70))

    event = event_of(run, SuiteComparison(many, tuple("abc" * 100), tuple("abc" * 100)))

    assert len(event.objections) == 50
    assert event.objections[-1] == SuiteObjection("removed", "and 21 more")
    assert all(len(each.message) <= 500 for each in event.objections)
    assert (len(event.known_red), event.known_red[-1]) == (200, "and 101 more")
    assert len(event.output) <= 4_000
    assert event.output.startswith("…\nline\n")
    assert event.counts == ()


def test_the_agent_gets_each_objection_with_its_location_and_the_end_of_the_output() -> None:
    judged = SuiteComparison(
        (
            SuiteObjection(
                "new_failure", "cart::test_pays", "tests/test_cart.py", 7, "assert 1 == 2\nE"
            ),
            SuiteObjection("removed", "cart::test_adds", message="it was green"),
            SuiteObjection("newly_skipped", "cart::test_ends", "tests/test_cart.py"),
            SuiteObjection("coverage", "", message="59.0 % is below 80 %"),
        )
    )

    assert failures_text(judged, "1 failed\n") == (
        "- cart::test_pays fails, and did not before the work (tests/test_cart.py:7):"
        " assert 1 == 2\n  E\n"
        "- cart::test_adds is gone: it was green\n"
        "- cart::test_ends is skipped, and ran before the work (tests/test_cart.py)\n"
        "- coverage: 59.0 % is below 80 %\n"
        "\n"
        "The end of what the test command said:\n"
        "\n"
        "1 failed\n"
    )
    assert failures_text(judged, "").endswith("- coverage: 59.0 % is below 80 %\n")
    assert failures_text(SuiteComparison(), "all well") == ""


def test_in_bounded_room() -> None:
    many = SuiteComparison(
        tuple(SuiteObjection("removed", f"t{n}", message="x" * 900) for n in range(90))
    )

    text = failures_text(many, "the beginning " + "y" * 90_000 + " the end")

    assert len(text) <= 6_000
    assert "\n- and 82 more\n" in text
    assert text.endswith("y the end\n")


def test_a_run_is_stored_and_comes_back_the_same() -> None:
    for report in (
        SuiteReport(),
        SuiteReport(coverage=3.5),
        SuiteReport((case("a", "failed"),), 60.0),
        MalformedReport("not XML"),
    ):
        run = SuiteRun(evidence(1), report, frozenset({"a"}), is_broken=True, output="end")
        assert decode(encode(run, SuiteRun | CommandStopped), SuiteRun | CommandStopped) == run


async def test_patterns_that_matched_no_report_of_the_work_are_reported() -> None:
    unmatched: list[str] = []
    suite = replace(
        SUITE,
        reports=("./junit.xml", "reports/**/*.xml"),
        coverage_reports=("*/lcov.info",),
        on_unmatched=unmatched.append,
    )

    await run_suite(InTurn([shown(0, test_adds="passed")]), suite, "c0", "before")
    await run_suite(InTurn([shown(None), shown(None)]), suite, "c1", "after")
    assert unmatched == []

    await run_suite(InTurn([shown(0, test_adds="passed")]), suite, "c1", "after")
    assert unmatched == ["reports/**/*.xml", "*/lcov.info"]
