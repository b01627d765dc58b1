"""What is green is run again with the user's judges, and its grade says who wrote the judge."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import with_checks
from tests.unit.workflows.deliver.verifier_harness import (
    ACCEPTED,
    BASE,
    LATER,
    ONE,
    TIPS,
    TWO,
    WORK,
    PresetJudges,
    VerifierHarness,
    make_verifier_harness,
    passed,
    turned,
)
from treadle.domain.check import Check, Grade
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.verification import (
    CheckFinished,
    CriterionGrade,
    DeliverableGraded,
)
from treadle.domain.pin_plan import MixedFile, PinnedFile, PinPlan
from treadle.verify.grades.grade import AGENT_CHECK, NO_ACCESS_TIMES
from treadle.verify.grades.suite_grade import SuiteGrade
from treadle.verify.results.memory_check_runner import GREEN, RED, MemoryCheckRunner, PresetResult
from treadle.workflows.loop.findings import VerificationFindings

SEEN = "DL-1 can be seen"
PLAN = PinPlan(BASE, (PinnedFile("test_one.py", "restored", "tests"),))
MIXED = PinPlan(BASE, mixed=(MixedFile("src/lib.rs"),))
CHANGED = "it fails with your version of test_one.py"
UNKNOWN = PresetResult(2, "", setup_failure="the setup failed: the index answered 503")
RED_THEN_GREEN = {("make one", BASE): RED, ("make one", ""): GREEN}


def changes_test(*commits: str, command: str = "make one") -> PresetJudges:
    """The agent's work changed the user's test, from one of these commits on."""
    return PresetJudges(
        dict.fromkeys([(command, each) for each in commits], PLAN), ("test_one.py",)
    )


def self_tested(why: str, name: str = "DL-1") -> DeliverableGraded:
    criterion = CriterionGrade(f"{name} can be seen", "self-tested", "agent", "failed", why)
    return DeliverableGraded(name, "self-tested", (criterion,))


def proven(name: str = "DL-1") -> DeliverableGraded:
    criterion = CriterionGrade(f"{name} can be seen", "proven", "spec", "passed")
    return DeliverableGraded(name, "proven", (criterion,))


def lowered(of: Deliverable, why: str) -> Deliverable:
    """The proven deliverable with its judge changed."""
    checks = tuple(replace(check, pinned="failed", why=why) for check in of.checks)
    return replace(of, checks=checks, proof="self-tested")


async def claimed_work(
    directory: Path,
    judges: PresetJudges | None = None,
    *,
    pinned: PresetResult = GREEN,
    left: Deliverable = ONE,
) -> VerifierHarness:
    """A claim whose check is red before the work, green on it, and so with the user's judges."""
    harness = make_verifier_harness(directory, left, said=RED_THEN_GREEN, judges=judges)
    harness.runner.pinned[("make one", "")] = pinned
    await harness.claims("DL-1")
    return harness


async def test_work_that_changed_a_judge_is_proven_if_it_holds_with_the_users_own(
    tmp_path: Path,
) -> None:
    harness = await claimed_work(tmp_path, changes_test(WORK))

    findings = await harness.shows()

    assert findings == VerificationFindings(green_checks=1, failing_checks=())
    assert harness.commands_run == [
        ("make one", BASE, "before"),
        ("make one", WORK, "after"),
        ("make one", WORK, "pinned"),
    ]
    assert [each.pins for each in harness.runner.commands] == [None, None, PLAN]
    assert harness.grades == [proven()]
    assert harness.harness.saved() == (passed(ONE),)


async def test_work_that_holds_only_with_the_judge_that_it_changed_is_self_tested(
    tmp_path: Path,
) -> None:
    harness = await claimed_work(tmp_path, changes_test(WORK), pinned=RED)

    findings = await harness.shows()

    # The default asks for no more.
    assert findings == VerificationFindings(green_checks=1, failing_checks=())
    assert harness.harness.events[-2:] == [
        self_tested(CHANGED),
        turned("DL-1", "pending", "passed", "self-tested", commit=WORK),
    ]
    assert harness.harness.saved() == (lowered(passed(ONE), CHANGED),)


@pytest.mark.parametrize(
    ("plan", "pinned", "why", "has_run"),
    [
        (PinPlan(BASE), RED, "", False),
        (MIXED, GREEN, "the agent changed tests inside src/lib.rs", False),
        (
            PinPlan(BASE, (PinnedFile("unittest.py", "left_out", "shadows unittest"),)),
            RED,
            "it fails without unittest.py, which the agent added",
            True,
        ),
        (
            PLAN,
            UNKNOWN,
            "with your tests it could not be run: the setup failed: the index answered 503",
            True,
        ),
        (PLAN, replace(GREEN, read_files=None), NO_ACCESS_TIMES, True),
    ],
)
async def test_a_second_run_is_made_where_it_can_say_something_and_its_reason_is_kept(
    tmp_path: Path, plan: PinPlan, pinned: PresetResult, why: str, has_run: bool
) -> None:
    judges = PresetJudges({("make one", WORK): plan}, ("one.py",))
    harness = await claimed_work(tmp_path, judges, pinned=pinned)

    await harness.shows()
    # At the end the same commit is graded once more, with the same result.
    await harness.verification.reverify(TIPS[:2], ACCEPTED)

    ran = [when for _, _, when in harness.commands_run if when == "pinned"]
    assert bool(ran) is has_run
    assert harness.grades == [self_tested(why) if why else proven()]
    assert harness.harness.saved() == (lowered(passed(ONE), why) if why else passed(ONE),)


async def test_the_next_process_trusts_a_second_run_no_more_than_the_first_did(
    tmp_path: Path,
) -> None:
    blind = replace(GREEN, read_files=None)
    harness = await claimed_work(tmp_path, changes_test(WORK), pinned=blind)
    await harness.shows()
    known = [event for event in harness.harness.events if isinstance(event, CheckFinished)]
    harness.verification.checks.green = [e for e in known if e.evidence.is_green]

    await harness.verification.reverify(TIPS[:2], ACCEPTED)

    assert harness.harness.saved() == (lowered(passed(ONE), NO_ACCESS_TIMES),)
    assert [when for _, _, when in harness.commands_run] == ["before", "after", "pinned"]


async def test_what_the_command_read_of_the_work_is_recorded(tmp_path: Path) -> None:
    judges = replace(changes_test(WORK), changed=("one.py", "test_one.py", "notes.md"))
    harness = await claimed_work(
        tmp_path, judges, pinned=replace(GREEN, read_files=("one.py", "other.py"))
    )

    await harness.shows()

    finished = [event for event in harness.harness.events if isinstance(event, CheckFinished)]
    assert [(each.evidence.when, each.read_files) for each in finished] == [
        ("before", ()),
        ("after", ()),
        ("pinned", ("one.py",)),
    ]
    assert [each.watched for each in harness.runner.commands] == [
        (),
        judges.changed,
        judges.changed,
    ]


@pytest.mark.parametrize("pinned", [GREEN, RED])
async def test_a_check_that_the_agent_wrote_gives_self_tested_at_most(
    tmp_path: Path, pinned: PresetResult
) -> None:
    own = with_checks(deliverable("DL-1"), "make one")
    harness = await claimed_work(tmp_path, changes_test(WORK), pinned=pinned, left=own)

    await harness.shows()

    # Its result is kept: a person may accept the check later.
    [check] = harness.harness.saved()[0].checks
    written = Check(SEEN, "make one", "agent", "failed", "passed", AGENT_CHECK)
    contradicted = replace(written, pinned="failed", why=f"{AGENT_CHECK}, and {CHANGED}")
    assert check == (written if pinned is GREEN else contradicted)
    assert [each.grade for each in harness.grades] == ["self-tested"]


async def test_one_command_for_two_deliverables_is_run_once_with_the_users_judges(
    tmp_path: Path,
) -> None:
    same = with_checks(deliverable("DL-2"), "make one", origin="spec")
    harness = make_verifier_harness(
        tmp_path, ONE, same, said=RED_THEN_GREEN, judges=changes_test(WORK)
    )
    await harness.claims("DL-1", "DL-2")

    await harness.shows()

    assert [when for _, _, when in harness.commands_run] == ["before", "before", "after", "pinned"]
    finished = [event for event in harness.harness.events if isinstance(event, CheckFinished)]
    assert [each.deliverable for each in finished if each.evidence.when == "pinned"] == [
        "DL-1",
        "DL-2",
    ]
    assert harness.grades == [proven("DL-1"), proven("DL-2")]


@dataclass
class StoppedJudges(PresetJudges):
    """The run is asked to stop when a check is green on the work."""

    runner: MemoryCheckRunner = field(default_factory=lambda: MemoryCheckRunner({}))

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        self.runner.results.clear()
        return PLAN


async def test_a_run_that_is_to_stop_before_the_second_run_passes_nothing(tmp_path: Path) -> None:
    judges = StoppedJudges()
    harness = make_verifier_harness(tmp_path, ONE, said=RED_THEN_GREEN, judges=judges)
    judges.runner = harness.runner
    await harness.claims("DL-1")

    findings = await harness.shows()

    assert (findings, harness.grades) == (VerificationFindings(stopped=True), [])
    assert [d.status for d in harness.harness.saved()] == ["pending"]


async def test_a_judge_that_a_later_round_changes_lowers_what_had_passed(tmp_path: Path) -> None:
    harness = await claimed_work(tmp_path, changes_test(LATER), pinned=RED)
    await harness.shows()

    findings = await harness.verification.reverify(TIPS, ACCEPTED)
    again = await harness.verification.reverify(TIPS, ACCEPTED)

    assert findings == again == VerificationFindings(green_checks=1, failing_checks=())
    # Recorded once for a commit.
    assert harness.grades == [proven(), self_tested(CHANGED)]
    assert harness.harness.saved() == (lowered(passed(ONE), CHANGED),)


async def test_a_judge_that_a_later_round_brings_back_gives_the_grade_back(tmp_path: Path) -> None:
    harness = await claimed_work(tmp_path, changes_test(WORK), pinned=RED)
    await harness.shows()

    await harness.verification.reverify(TIPS, ACCEPTED)

    assert harness.grades == [self_tested(CHANGED), proven()]
    assert harness.harness.saved() == (passed(ONE),)


@pytest.mark.parametrize(
    ("left", "pinned", "recorded", "after"),
    [
        # Its own judges were changed by an earlier run, and are the base of this one.
        (lowered(passed(ONE, "e4" * 20), CHANGED), GREEN, self_tested(CHANGED), None),
        (passed(ONE, "e4" * 20), GREEN, proven(), None),
        (
            passed(ONE, "e4" * 20),
            RED,
            self_tested(CHANGED),
            lowered(passed(ONE, "e4" * 20), CHANGED),
        ),
    ],
)
async def test_a_pass_of_an_earlier_run_keeps_its_grade_or_loses_it(
    tmp_path: Path,
    left: Deliverable,
    pinned: PresetResult,
    recorded: DeliverableGraded,
    after: Deliverable | None,
) -> None:
    harness = make_verifier_harness(tmp_path, left, said=RED_THEN_GREEN, judges=changes_test(LATER))
    harness.runner.pinned[("make one", "")] = pinned

    await harness.verification.reverify(TIPS, ACCEPTED)

    assert harness.grades == [recorded]
    assert harness.harness.saved() == (after or left,)


async def test_tests_of_the_user_that_fail_with_the_work_lower_every_deliverable(
    tmp_path: Path,
) -> None:
    harness = await claimed_work(tmp_path)
    why = "2 tests of yours fail with the work"
    harness.verification.suite_grade = SuiteGrade("claimed", "agent", why, failing=("test_b",))

    await harness.shows()

    assert harness.grades == [replace(proven(), grade="self-tested", why=why)]
    assert harness.harness.saved() == (replace(passed(ONE), proof="self-tested", why=why),)


@pytest.mark.parametrize(
    ("pinned", "shortfall"),
    [
        (GREEN, ""),
        (RED, f"DL-1 is self-tested ({CHANGED}), and verify.require asks for proven"),
    ],
)
async def test_a_run_that_must_be_proven_falls_short_by_a_judge_of_the_agent(
    tmp_path: Path, pinned: PresetResult, shortfall: str
) -> None:
    harness = await claimed_work(tmp_path, changes_test(WORK), pinned=pinned)
    harness.verification.required = "proven"

    findings = await harness.shows()
    again = await harness.verification.reverify(TIPS[:2], ACCEPTED)

    assert (findings.shortfall, again.shortfall) == (shortfall, shortfall)
    # It is no failure of the work: the next session is told nothing.
    assert (findings.told, findings.hold) == ("", True)


async def test_the_grade_of_each_deliverable_is_its_own(tmp_path: Path) -> None:
    said = {("make one", BASE): RED, ("make two", BASE): RED, ("make one", ""): GREEN}
    harness = make_verifier_harness(
        tmp_path, ONE, TWO, said={**said, ("make two", ""): GREEN}, judges=changes_test(WORK)
    )
    harness.runner.pinned[("make one", "")] = RED
    await harness.claims("DL-1", "DL-2")

    await harness.shows()

    grades: list[Grade | None] = [each.proof for each in harness.harness.saved()]
    assert grades == ["self-tested", "proven"]
