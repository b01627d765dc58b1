"""The tests of a run: the baseline is looked at a few times, and their grade has a reason."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from treadle.domain.check import Evidence
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import SuiteFinished, SuiteGraded
from treadle.domain.pin_plan import PinnedFile, PinPlan
from treadle.verify.grades.suite_grade import SuiteGrade
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.verify.suites.suite import SuiteCommand
from treadle.verify.suites.suite_comparison import RegressionRules
from treadle.workflows.loop.suite_verifier import SuiteVerdict, SuiteVerifier

BASE, WORK = "base", "work"
COMMAND = "python3 -m unittest -v"
UNPINNED = PinPlan(BASE)
PLAN = PinPlan(BASE, (PinnedFile("tests/test_it.py", "restored", "tests"),))


def unittest(**outcomes: str) -> tuple[int, str]:
    """What unittest says of tests by these names."""
    lines = [f"test_{name} (test_it.It.test_{name}) ... {end}" for name, end in outcomes.items()]
    is_red = "FAIL" in outcomes.values()
    end = "FAILED (failures=1)" if is_red else "OK"
    lines += ["-" * 70, f"Ran {len(outcomes)} tests in 0.001s", "", end]
    return int(is_red), "\n".join(lines) + "\n"


GREEN, RED = unittest(a="ok", b="ok"), unittest(a="ok", b="FAIL")


@dataclass
class TreeRunner:
    """A runner that answers by the tree: the base, the work, or the work with pins."""

    answer: Callable[[str], tuple[int | None, str]]
    trees: list[str] = field(default_factory=list)
    setup_failures: int = 0
    # A program or shell function of the work.
    program: str = ""

    async def run(self, check: CheckCommand) -> CommandResult | CommandStopped:
        tree = check.commit if check.pins is None else "pinned"
        self.trees.append(tree)
        exit_code, output = self.answer(tree)
        evidence = Evidence(check.command, check.when, check.commit, "t", exit_code, 0.1, "f", "l")
        failure = ""
        if tree == BASE and self.setup_failures:
            self.setup_failures -= 1
            failure = "setup failed with exit code 1"
        present = tree == WORK and bool(self.program) and check.find_program == self.program
        return CommandResult(
            evidence, output, log=output, setup_failure=failure, program_present=present
        )


@dataclass(frozen=True)
class SamePins:
    """The same plan for the test command on the work."""

    pins: PinPlan

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        assert (command, base, tip) == (COMMAND, BASE, WORK)
        return self.pins

    async def changed_paths(self, base: str, tip: str) -> Sequence[str]:
        return ()


@dataclass
class SuiteHarness:
    """A verifier over a runner, and what it recorded."""

    runner: TreeRunner
    plan: PinPlan = UNPINNED
    recorded: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        rules = RegressionRules("", 0.0)
        self.verifier = SuiteVerifier(
            self.runner,
            SuiteCommand(COMMAND, 60.0),
            BASE,
            lambda: rules,
            self.recorded.append,
            SamePins(self.plan),
        )

    async def verify(self, *accepted: str) -> SuiteVerdict:
        verdict = await self.verifier.verify(WORK, accepted=accepted)
        assert isinstance(verdict, SuiteVerdict)
        return verdict

    @property
    def grades(self) -> list[SuiteGraded]:
        return [event for event in self.recorded if isinstance(event, SuiteGraded)]

    @property
    def finished(self) -> list[str]:
        return [event.evidence.when for event in self.recorded if isinstance(event, SuiteFinished)]


async def test_tests_that_the_work_left_alone_prove_it_in_one_run() -> None:
    harness = SuiteHarness(TreeRunner({BASE: RED, WORK: GREEN}.__getitem__))

    verdict = await harness.verify()

    assert verdict.grade == SuiteGrade("proven", "person")
    assert harness.runner.trees == [BASE, BASE, WORK]
    assert harness.grades == [SuiteGraded(WORK, "proven", "person")]


async def test_tests_that_the_work_changed_run_again_as_they_were() -> None:
    answers = {BASE: GREEN, WORK: GREEN, "pinned": GREEN}
    harness = SuiteHarness(TreeRunner(answers.__getitem__), PLAN)

    verdict = await harness.verify()

    assert verdict.grade == SuiteGrade("proven", "person")
    assert harness.runner.trees == [BASE, WORK, "pinned"]
    assert harness.finished == ["before", "after", "pinned"]


async def test_work_that_only_its_own_tests_like_is_self_tested() -> None:
    answers = {BASE: RED, WORK: GREEN, "pinned": RED}
    harness = SuiteHarness(TreeRunner(answers.__getitem__), PLAN)

    verdict = await harness.verify()

    why = "your tests fail with the work: test_b; the agent changed tests/test_it.py"
    assert verdict.comparison.passes
    failing = ("test_it.It::test_b",)
    assert verdict.grade == SuiteGrade("self-tested", "agent", why, failing=failing)
    assert harness.grades == [SuiteGraded(WORK, "self-tested", "agent", why, failing)]


async def test_what_the_tests_object_to_has_no_grade() -> None:
    harness = SuiteHarness(TreeRunner({BASE: GREEN, WORK: RED}.__getitem__), PLAN)

    verdict = await harness.verify()

    assert not verdict.comparison.passes
    assert verdict.grade is None
    assert harness.grades == []


async def test_what_a_person_accepts_counts_with_the_tests_of_the_base_too() -> None:
    answers = {BASE: GREEN, WORK: RED, "pinned": RED}
    harness = SuiteHarness(TreeRunner(answers.__getitem__), PLAN)

    verdict = await harness.verify("new_failure test_it.It::test_b")

    assert verdict.grade == SuiteGrade("proven", "person")


async def test_an_unknown_baseline_is_looked_at_three_times_and_proves_nothing() -> None:
    runner = TreeRunner({BASE: (1, ""), WORK: GREEN}.__getitem__, setup_failures=100)
    harness = SuiteHarness(runner)

    grades = [(await harness.verify()).grade for _ in range(5)]

    why = "the tests could not be run before the work: setup failed with exit code 1"
    assert grades == [SuiteGrade("claimed", "", why)] * 5
    assert harness.finished.count("before") == 3


async def test_a_baseline_that_can_be_looked_at_later_counts_from_then_on() -> None:
    runner = TreeRunner({BASE: RED, WORK: GREEN}.__getitem__, setup_failures=2)
    harness = SuiteHarness(runner)

    grades = [(await harness.verify()).grade for _ in range(4)]

    assert [graded and graded.grade for graded in grades] == [
        *("claimed", "claimed"),
        *("proven", "proven"),
    ]
    assert harness.finished.count("before") == 3


@pytest.mark.parametrize(("program", "grade"), [("title", "proven"), ("jq", "claimed")])
async def test_a_baseline_that_lacked_what_the_work_brings_is_red(program: str, grade: str) -> None:
    lacking = 1, "test.sh: 3: title: not found\n"
    runner = TreeRunner({BASE: lacking, WORK: GREEN}.__getitem__, program=program)

    verdict = await SuiteHarness(runner).verify()

    assert verdict.grade is not None
    assert verdict.grade.grade == grade


async def test_tests_that_failed_on_the_same_tree_of_this_run_are_flaky() -> None:
    answers = iter([GREEN, RED, RED, GREEN])
    harness = SuiteHarness(TreeRunner(lambda _: next(answers)))

    refused, verdict = await harness.verify(), await harness.verify()

    assert not refused.comparison.passes
    assert verdict.grade == SuiteGrade("self-tested", "person", "flaky since the work: test_b")
    assert harness.runner.trees == [BASE, WORK, WORK, WORK]


async def test_tests_that_were_flaky_once_are_run_twice_from_then_on() -> None:
    answers = iter([GREEN, RED, GREEN, GREEN, RED])
    harness = SuiteHarness(TreeRunner(lambda _: next(answers)))

    grades = [(await harness.verify()).grade for _ in range(2)]

    assert grades == [SuiteGrade("self-tested", "person", "flaky since the work: test_b")] * 2
    assert harness.runner.trees == [BASE, *[WORK] * 4]
