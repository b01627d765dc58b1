"""An agent sets a status to passed: it passes, is claimed until verified, or is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import claimed, deliverable
from tests.unit.workflows.deliver.board_harness import (
    COMMIT,
    ONE,
    THREE,
    TWO,
    BoardHarness,
    finished,
    graded,
    make_board_harness,
    reopen_board,
    with_checks,
)
from tests.unit.workflows.run_harness import BRANCH, ending, make_run_harness, turned
from treadle.domain.agent import ToolReply
from treadle.domain.check import Check
from treadle.domain.deliverable import Claim, Deliverable, RejectedChange, Tally
from treadle.domain.events.run import RoundStarted, RunWarned
from treadle.domain.events.verification import (
    ClaimRefused,
    DeliverableClaimed,
)
from treadle.domain.events.work import DeliverableChanged, StatusAdopted
from treadle.workflows.deliver.pass_rules import PassRules, PassTiming, Requirement, decide_claim

SEEN = "DL-1 can be seen"
CHECKED = with_checks(ONE, "make one", origin="spec")
[UNSEEN] = CHECKED.checks
FAILED = replace(CHECKED, checks=(replace(UNSEEN, before="failed"),))
PROVEN = replace(
    FAILED,
    status="passed",
    claim=Claim(COMMIT),
    checks=(replace(UNSEEN, before="failed", pinned="passed"),),
    proof="proven",
)
CLAIMED = DeliverableClaimed("DL-1", "What DL-1 is about")
WITHDRAWN = DeliverableChanged("DL-1", "What DL-1 is about", "pending", "pending")
REPLY = (
    "DL-1 is claimed and stays pending until it is shown: after this session Treadle runs "
    "its checks on the commit. Commit everything that belongs to it. "
    "0 passed, 0 blocked, 2 pending."
)


@pytest.fixture
def board_harness(tmp_path: Path) -> BoardHarness:
    """One deliverable with a check and one without."""
    board_harness = make_board_harness(tmp_path, left=[CHECKED, TWO])
    board_harness.events.clear()
    return board_harness


def refused(*texts: str) -> RejectedChange:
    names = ", ".join(repr(text) for text in texts)
    return RejectedChange(
        "DL-1 cannot pass yet: this project wants a check for every criterion, "
        f"and there is none for {names}. Add one with add_check."
    )


TWICE = replace(CHECKED, acceptance_criteria=(SEEN, "It ends", "It is fast"))


@pytest.mark.parametrize(
    ("said", "settling", "require", "taken"),
    [
        (ONE, "at_once", "optional", "at_once"),
        (ONE, "after_round", "optional", "after_round"),  # the tests have a say
        (CHECKED, "at_once", "optional", "after_round"),
        (TWICE, "at_once", "optional", "after_round"),
        (CHECKED, "at_once", "required", "after_round"),
        (ONE, "at_once", "required", refused(SEEN)),
        (TWICE, "after_round", "required", refused("It ends", "It is fast")),
    ],
)
def test_when_something_passes_that_is_said_to_be_done(
    said: Deliverable,
    settling: PassTiming,
    require: Requirement,
    taken: PassTiming | RejectedChange,
) -> None:
    assert decide_claim(said, PassRules(settling, require)) == taken


async def test_what_has_checks_is_claimed_and_stays_pending(board_harness: BoardHarness) -> None:
    replies = [
        await board_harness.set_status("DL-1", "passed"),
        await board_harness.set_status("DL-1", "passed"),
    ]

    assert replies == [ToolReply(REPLY)] * 2
    assert board_harness.events == [CLAIMED]
    assert board_harness.board.claims() == (CHECKED,)
    assert board_harness.board.deliverables == board_harness.saved() == (CHECKED, TWO)
    assert [d.id for d in board_harness.board.passed_this_round] == ["DL-1"]


async def test_where_there_are_tests_everything_is_claimed(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[ONE, TWO], rules=PassRules("after_round"))

    reply = await board_harness.set_status("DL-1", "passed")

    assert reply == ToolReply(REPLY.replace("its checks", "the tests"))
    assert (board_harness.events[1:], board_harness.board.claims(), board_harness.saved()) == (
        [CLAIMED],
        (ONE,),
        (ONE, TWO),
    )


async def test_what_has_no_checks_passes_at_once_beside_what_has(
    board_harness: BoardHarness,
) -> None:
    await board_harness.set_status("DL-1", "passed")
    reply = await board_harness.set_status("DL-2", "passed")
    board_harness.board.confirm_passes(COMMIT)

    assert reply == ToolReply("DL-2 is passed now. 1 passed, 0 blocked, 1 pending.")
    assert board_harness.saved() == (CHECKED, claimed("DL-2", COMMIT))
    assert [d.id for d in board_harness.board.passed_this_round] == ["DL-1", "DL-2"]
    assert board_harness.board.claims() == (CHECKED,)


async def test_a_pass_is_refused_where_every_criterion_must_have_a_check(tmp_path: Path) -> None:
    board_harness = make_board_harness(
        tmp_path, left=[ONE, TWO], rules=PassRules(require_checks="required")
    )
    board_harness.events.clear()

    before = await board_harness.set_status("DL-1", "passed")
    assert await board_harness.set_status("DL-1", "passed") == before
    assert board_harness.events == [ClaimRefused("DL-1", "What DL-1 is about", 0, unchecked=1)]
    board_harness.events.clear()
    await board_harness.add_check("DL-1", SEEN, "make one")
    after = await board_harness.set_status("DL-1", "passed")

    assert (before, after) == (
        ToolReply(refused(SEEN).reason, is_error=True),
        ToolReply(REPLY),
    )
    assert [event.type for event in board_harness.events] == ["check.added", "deliverable.claimed"]


@pytest.mark.parametrize(
    ("status", "reply", "event", "saved"),
    [
        (
            "pending",
            "DL-1 is not claimed any more. 0 passed, 0 blocked, 2 pending.",
            WITHDRAWN,
            CHECKED,
        ),
        (
            "blocked",
            "DL-1 is blocked now. 0 passed, 1 blocked, 1 pending.",
            DeliverableChanged("DL-1", "What DL-1 is about", "pending", "blocked"),
            replace(CHECKED, status="blocked"),
        ),
    ],
)
async def test_a_claim_can_be_withdrawn(
    board_harness: BoardHarness,
    status: str,
    reply: str,
    event: DeliverableChanged,
    saved: Deliverable,
) -> None:
    await board_harness.set_status("DL-1", "passed")

    assert await board_harness.set_status("DL-1", status) == ToolReply(reply)
    assert board_harness.events == [CLAIMED, event]
    assert (board_harness.board.claims(), board_harness.board.passed_this_round) == ((), [])
    assert board_harness.saved() == (saved, TWO)


async def test_a_claim_that_was_shown_is_passed_with_its_commit(
    board_harness: BoardHarness,
) -> None:
    await board_harness.set_status("DL-1", "passed")
    board_harness.board.set_before(finished("DL-1", UNSEEN))
    board_harness.events.clear()

    board_harness.board.pass_deliverable("DL-1", COMMIT, graded(FAILED))
    board_harness.board.pass_deliverable("DL-1", "b2" * 20, graded(FAILED))

    assert board_harness.events == [
        DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "proven", COMMIT)
    ]
    assert board_harness.board.deliverables == board_harness.saved() == (PROVEN, TWO)
    assert (board_harness.board.claims(), board_harness.board.verifiable()) == ((), (PROVEN,))
    assert board_harness.board.tally() == Tally(passed=1, total=2)


async def test_a_rehearsal_marks_what_it_proves(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[FAILED], rehearsed=True)
    await board_harness.set_status("DL-1", "passed")

    board_harness.board.pass_deliverable("DL-1", COMMIT, graded(FAILED))

    assert board_harness.saved() == (replace(PROVEN, claim=Claim(COMMIT, rehearsed=True)),)


@pytest.mark.parametrize("status", ["blocked", "passed", "removed"])
async def test_what_a_person_decides_meanwhile_stands(
    board_harness: BoardHarness, status: str
) -> None:
    await board_harness.set_status("DL-1", "passed")
    edits = {
        "blocked": [replace(CHECKED, status="blocked"), TWO],
        "passed": [replace(CHECKED, status="passed", proof="claimed"), TWO],
        "removed": [TWO],
    }
    board_harness.edit(*edits[status])

    board_harness.board.adopt()
    claims = board_harness.board.claims()
    board_harness.board.pass_deliverable("DL-1", COMMIT, graded(CHECKED))

    assert (claims, board_harness.saved()) == ((), tuple(edits[status]))


async def test_claims_that_were_not_shown_are_dropped_and_can_be_made_again(
    board_harness: BoardHarness,
) -> None:
    await board_harness.set_status("DL-1", "passed")
    board_harness.board.drop_claims(["DL-1", "DL-9"])
    dropped = board_harness.board.claims()
    board_harness.board.begin_round()
    await board_harness.set_status("DL-1", "passed")

    assert (dropped, board_harness.board.claims()) == ((), (CHECKED,))
    assert board_harness.events == [CLAIMED, CLAIMED]
    assert board_harness.saved() == (CHECKED, TWO)


async def test_no_claim_outlives_its_round(board_harness: BoardHarness) -> None:
    await board_harness.set_status("DL-1", "passed")

    board_harness.board.begin_round()

    assert (board_harness.board.claims(), board_harness.board.passed_this_round) == ((), [])


async def test_claims_of_a_round_whose_work_is_lost_are_lost_with_its_passes(
    board_harness: BoardHarness,
) -> None:
    for name in ("DL-1", "DL-2"):
        await board_harness.set_status(name, "passed")
    board_harness.events.clear()

    board_harness.board.withdraw_passes("it is gone")

    assert board_harness.events == [
        WITHDRAWN,
        DeliverableChanged("DL-2", "What DL-2 is about", "passed", "pending"),
        RunWarned("pending again, because it is gone: DL-2, DL-1"),
    ]
    assert (board_harness.board.claims(), board_harness.saved()) == ((), (CHECKED, TWO))


async def test_something_proven_that_broke_is_pending_again(tmp_path: Path) -> None:
    board_harness = make_board_harness(tmp_path, left=[PROVEN, TWO])
    board_harness.events.clear()

    for name in ("DL-1", "DL-2", "DL-9", "DL-1"):
        board_harness.board.reset_pass(name, "its check is red")

    assert board_harness.events == [
        DeliverableChanged("DL-1", "What DL-1 is about", "passed", "pending"),
        RunWarned("pending again, because its check is red: DL-1"),
    ]
    assert board_harness.board.deliverables == board_harness.saved() == (FAILED, TWO)


def test_checks_that_nobody_has_run_before_the_work_are_those_of_what_is_pending(
    tmp_path: Path,
) -> None:
    passed = with_checks(deliverable("DL-2", "passed"), "make two")
    board_harness = make_board_harness(
        tmp_path, left=[CHECKED, passed, with_checks(THREE, "make three")]
    )

    board, three = board_harness.board, Check("DL-3 can be seen", "make three")
    first = board.checks_before_work()
    board.set_before(finished("DL-1", UNSEEN, exit_code=0))
    board.set_before(finished("DL-3", replace(three, criterion="Else")))
    board.set_before(finished("DL-9", UNSEEN))
    board.set_before(finished("DL-3", replace(three, command="another")))

    assert first == (("DL-1", UNSEEN), ("DL-3", three))
    assert board.checks_before_work() == (("DL-3", three),)
    assert board_harness.saved()[0].checks == (replace(UNSEEN, before="passed"),)
    assert board.verifiable() == (passed,)


async def test_a_command_that_a_person_changes_is_to_be_seen_again_and_proves_nothing(
    tmp_path: Path,
) -> None:
    board_harness = make_board_harness(tmp_path, left=[PROVEN, FAILED_TWO])
    board_harness.events.clear()
    text = board_harness.path.read_text()
    board_harness.path.write_text(
        text.replace('"make one"', '"make all"').replace('"make two"', '"make"')
    )

    board_harness.board.adopt()
    board_harness.board.adopt()

    one = replace(PROVEN, checks=(Check(SEEN, "make all", "person"),), proof="claimed")
    two = with_checks(TWO, "make", origin="person")
    assert board_harness.events == [StatusAdopted((one, two), "hand_edit")]
    assert board_harness.board.deliverables == board_harness.saved() == (one, two)
    assert board_harness.board.checks_before_work() == (("DL-2", two.checks[0]),)


FAILED_TWO = replace(TWO, checks=(Check("DL-2 can be seen", "make two", before="failed"),))


async def test_a_process_that_takes_over_knows_the_rounds_claims(
    board_harness: BoardHarness,
) -> None:
    started = StatusAdopted((CHECKED, with_checks(TWO, "make two")), "earlier_run")
    board_harness.edit(*started.deliverables)
    board_harness.board.adopt()
    board_harness.events[:] = [started]
    await board_harness.set_status("DL-2", "passed")
    board_harness.events.append(RoundStarted(2, "coding"))
    board_harness.board.begin_round()
    for name, status in (("DL-2", "passed"), ("DL-1", "passed"), ("DL-2", "pending")):
        await board_harness.set_status(name, status)

    after = reopen_board(board_harness)

    assert after.board.claims() == (CHECKED,)
    assert [d.id for d in after.board.passed_this_round] == ["DL-1"]
    assert (after.events, after.saved()) == ([], started.deliverables)
    # Nothing was recorded of what was dropped: it is shown once more.
    after.board.drop_claims(["DL-1"])
    assert reopen_board(board_harness).board.claims() == (CHECKED,)


async def test_what_was_shown_and_not_written_is_written(board_harness: BoardHarness) -> None:
    board_harness.events[:] = [StatusAdopted((CHECKED, TWO), "earlier_run")]
    await board_harness.set_status("DL-1", "passed")
    shown = DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "proven", COMMIT)

    looked_at = reopen_board(board_harness, finished("DL-1", UNSEEN))
    # A run of an earlier version recorded no grades.
    proven = reopen_board(board_harness, finished("DL-1", UNSEEN), shown)

    assert looked_at.board.claims() == (FAILED,)
    assert proven.saved() == proven.board.deliverables == (PROVEN, TWO)
    assert (looked_at.events, proven.events, proven.board.claims()) == ([], [], ())


async def test_what_was_seen_of_another_command_is_not_written(board_harness: BoardHarness) -> None:
    board_harness.events[:] = [StatusAdopted((CHECKED, TWO), "earlier_run")]

    other = replace(UNSEEN, command="make")
    after = reopen_board(board_harness, finished("DL-1", other), finished("DL-1", UNSEEN, "after"))

    assert after.saved() == after.board.deliverables == (CHECKED, TWO)


async def test_the_commit_of_a_round_names_what_was_claimed_in_it(tmp_path: Path) -> None:
    harness = make_run_harness(tmp_path)
    harness.plan(CHECKED)
    harness.limit(max_iterations=1)
    harness.sessions = [[harness.wrote("one.py"), turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert harness.user.log(BRANCH) == ["Round 1: What DL-1 is about (DL-1)", "First"]
    assert (ended.tally, harness.status.read()) == (Tally(total=1), (CHECKED,))
