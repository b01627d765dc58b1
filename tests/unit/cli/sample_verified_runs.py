"""Runs whose work Treadle itself looked into, made up for the screen like the others."""

from dataclasses import replace

from treadle.domain.check import Check, CheckTiming, Evidence, Grade
from treadle.domain.deliverable import Claim, Deliverable, Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.session import SessionStarted
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    ClaimRefused,
    CriterionGrade,
    DeliverableClaimed,
    DeliverableGraded,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
    SuiteGraded,
    TouchedFile,
)
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    ToolFile,
    ToolFilesTouched,
    WorkChanged,
    WorkImported,
    WorkKept,
    WorkLanded,
)
from treadle.domain.ids import SessionId
from treadle.domain.session import Completed
from treadle.domain.suite_report import CaseCounts, SuiteObjection

from .sample_runs import BRANCH, COMMIT, HEAD, PREPARED, STARTED, ended, recorded, session_ended

TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
SUM = Check("2 and 3 give 5", "python -m unittest test_add", "spec")
ERROR = Check("1/0 is an error", "python calc.py 1 / 0 2>&1 | grep zero", "agent")
WRITTEN = Check("it is documented", "grep -q divide README.md", "person")
ADD = Deliverable("DL-001", "Add two numbers", ("2 and 3 give 5",), checks=(SUM,))
DIVIDE = Deliverable(
    "DL-002", "Divide, and say so", ("1/0 is an error", "it is documented"), checks=(ERROR,)
)
ROUND = Deliverable("DL-003", "Round as accountants do", ("0.5 gives 0", "1.5 gives 2"))
SQUARE = Check("3 gives 9", "python -m unittest test_square", "person")
POWER = Deliverable("DL-004", "Raise to a power", ("3 gives 9",), checks=(SQUARE,))
PROVEN = replace(
    ADD,
    status="passed",
    claim=Claim(COMMIT),
    checks=(replace(SUM, before="failed", pinned="passed"),),
    proof="proven",
)
FAILED = (
    "test_add ... FAIL\n\nAssertionError: 4 != 5\n\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n"
)


def ran(
    command: str,
    when: CheckTiming,
    exit_code: int | None,
    *,
    commit: str = COMMIT,
    took_s: float = 2.4,
) -> Evidence:
    return Evidence(command, when, commit, TREE, exit_code, took_s, "e1", "l1")


def checked(
    deliverable: Deliverable,
    check: Check,
    when: CheckTiming,
    exit_code: int | None,
    output: str = "",
) -> CheckFinished:
    evidence = ran(check.command, when, exit_code, commit=HEAD if when == "before" else COMMIT)
    if when == "pinned":
        evidence = replace(evidence, judges_of=HEAD)
    return CheckFinished(deliverable.id, check.criterion, evidence, output)


def claimed(deliverable: Deliverable) -> DeliverableClaimed:
    return DeliverableClaimed(deliverable.id, deliverable.description)


def coding(number: int, *events: Event) -> list[Event]:
    return [
        RoundStarted(number, "coding"),
        SessionStarted(SessionId(f"s-{number}"), "implementer", "sonnet"),
        *events,
        session_ended(Completed("done")),
    ]


def passed(deliverable: Deliverable, grade: Grade = "claimed") -> DeliverableChanged:
    return DeliverableChanged(
        deliverable.id, deliverable.description, "pending", "passed", grade, COMMIT
    )


CHANGED_TEST = "it fails with your version of test_square.py"
ADD_GRADED = DeliverableGraded(
    ADD.id, "proven", (CriterionGrade(SUM.criterion, "proven", "spec", "passed"),)
)
DIVIDE_GRADED = DeliverableGraded(
    DIVIDE.id,
    "claimed",
    (
        CriterionGrade(
            ERROR.criterion, "self-tested", "agent", "passed", "the agent wrote the check"
        ),
        CriterionGrade(WRITTEN.criterion, "claimed", why="its check passed before the work"),
    ),
)
ROUND_GRADED = DeliverableGraded(
    ROUND.id,
    "claimed",
    tuple(CriterionGrade(text, "claimed", why="no check") for text in ROUND.acceptance_criteria),
)
POWER_GRADED = DeliverableGraded(
    POWER.id,
    "self-tested",
    (CriterionGrade(SQUARE.criterion, "self-tested", "agent", "failed", CHANGED_TEST),),
)
SUITE_GRADED = SuiteGraded(
    COMMIT, "self-tested", "agent", "1 test fails with your version of its file", ("test_power",)
)


COUNTS = (CaseCounts("unit", 9, 1, 2), CaseCounts("e2e", 3))
BASELINE = SuiteFinished(
    ran("npm test", "before", 1, commit=HEAD),
    (CaseCounts("unit", 8, 1, 2),),
    81.5,
    (),
    known_red=("test_old",),
)
OPEN = SuiteFinished(
    ran("npm test", "after", 1, took_s=64.0),
    COUNTS,
    84.25,
    (),
    known_red=("test_old",),
    flaky=("test_clock",),
)
NEW = SuiteObjection(
    "new_failure", "test_divide", "tests/test_calc.py", 12, "assert 0 == 1\n+ more"
)
SHUT = replace(
    OPEN,
    objections=(
        NEW,
        SuiteObjection("removed", "test_round"),
        SuiteObjection("newly_skipped", "test_slow", "tests/test_slow.py", message="not today"),
        SuiteObjection(
            "coverage", "", message="70.0 % is below 80 %, and was 81.5 % before the work"
        ),
        *(SuiteObjection("new_failure", f"test_{n}") for n in range(3)),
    ),
)
BROKEN = SuiteFinished(
    ran("make test", "after", 2),
    (),
    None,
    (SuiteObjection("broken_run", "the test command", message="it ended with exit code 2"),),
    output="cc: no such file\nmake: *** [test] Error 2\n",
)
TOUCHED = EvidenceTouched(
    (
        TouchedFile("tests/test_old.py", "tests", "removed"),
        TouchedFile("pyproject.toml", "lint", "changed"),
        TouchedFile("tests/test_add.py", "tests", "added"),
    )
)
TOOL_FILES = ToolFilesTouched(
    (
        ToolFile(".npmrc", "added", "ask", "a package manager loads it, and runs what it names"),
        ToolFile("CLAUDE.md", "changed", "named", "coding agents follow it"),
    )
)
FEW_CHANGES = WorkChanged(COMMIT, 40, 1, 2, 1, ("tests/test_old.py",), None, 31, 12)
MASS_DELETION = WorkChanged(
    COMMIT, 80, 3, 12, 62, tuple(f"src/part_{n:02}.py" for n in range(20)), 5_200, 10, 4_000
)


def verified() -> list[RecordedEvent]:
    """One is proven, one claimed by a check that shows nothing, one claimed without any, and one
    self-tested by a test that the agent changed."""
    planned = (ADD, DIVIDE, ROUND, POWER)
    return recorded(
        [
            STARTED,
            PREPARED,
            *coding(1, *(DeliverableCreated(each) for each in planned)),
            CheckAdded(DIVIDE.id, WRITTEN),
            checked(ADD, SUM, "before", 1, FAILED),
            checked(DIVIDE, ERROR, "before", 1),
            checked(DIVIDE, WRITTEN, "before", 0),
            checked(POWER, SQUARE, "before", 1),
            *coding(2, claimed(ADD)),
            checked(ADD, SUM, "after", 1, FAILED),
            ClaimRefused(ADD.id, ADD.description, 1),
            *coding(3, *(claimed(each) for each in planned)),
            checked(ADD, SUM, "after", 0),
            checked(DIVIDE, ERROR, "after", 0),
            checked(DIVIDE, WRITTEN, "after", 0),
            checked(POWER, SQUARE, "after", 0),
            BASELINE,
            OPEN,
            replace(OPEN, evidence=replace(OPEN.evidence, when="pinned", judges_of=HEAD)),
            SUITE_GRADED,
            checked(ADD, SUM, "pinned", 0),
            ADD_GRADED,
            passed(ADD, "proven"),
            DIVIDE_GRADED,
            passed(DIVIDE),
            ROUND_GRADED,
            passed(ROUND),
            checked(POWER, SQUARE, "pinned", 1, FAILED),
            POWER_GRADED,
            passed(POWER, "self-tested"),
            WorkImported(BRANCH, COMMIT, 3),
            checked(ADD, SUM, "again", 0),
            FEW_CHANGES,
            TOUCHED,
            TOOL_FILES,
            WorkLanded(BRANCH, COMMIT),
            ended("all_passed", Tally(4, 0, 4), rounds=3),
        ]
    )


def gate_shut() -> list[RecordedEvent]:
    """What had been shown broke, and the tests fail until nobody wants to go on."""
    return recorded(
        [
            STARTED,
            PREPARED,
            *coding(1, *(DeliverableCreated(each) for each in (ADD, DIVIDE)), claimed(ADD)),
            checked(ADD, SUM, "before", 1),
            checked(ADD, SUM, "after", 0),
            ADD_GRADED,
            passed(ADD, "proven"),
            *coding(2, claimed(DIVIDE)),
            checked(DIVIDE, ERROR, "after", None, "still at it\n"),
            BROKEN,
            ClaimRefused(DIVIDE.id, DIVIDE.description, 0),
            checked(ADD, SUM, "again", 1, FAILED),
            checked(ADD, SUM, "bisect", 0),
            RegressionFound(ADD.id, SUM.criterion, 2),
            DeliverableChanged(ADD.id, ADD.description, "passed", "pending"),
            SHUT,
            WorkImported(BRANCH, COMMIT, 2),
            MASS_DELETION,
            WorkKept(BRANCH, "the tests do not pass", f"git merge --ff-only {BRANCH}"),
            ended("tests_failed", Tally(0, 0, 2), message="3 rounds could not mend the tests."),
        ]
    )


VERIFIED_RUNS = {"verified": verified, "gate-shut": gate_shut}
