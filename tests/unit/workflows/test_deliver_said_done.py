"""An agent says that something is done: it passes, is claimed until it is shown, or is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import claimed, deliverable
from treadle.domain.agent import ToolReply
from treadle.domain.check import Check, CheckTiming, Evidence
from treadle.domain.deliverable import Claim, Deliverable, RejectedChange, Tally
from treadle.domain.events.run import RoundStarted, RunWarned
from treadle.domain.events.verification import CheckFinished, ClaimRefused, DeliverableClaimed
from treadle.domain.events.work import DeliverableChanged, StatusAdopted
from treadle.workflows.deliver.pass_rules import PassRules, PassTiming, Requirement, decide_claim

from .desk import ONE, THREE, TWO, Desk, desk_in, reopened, with_checks
from .story_stage import BRANCH, ending, stage_in, turned

COMMIT = "a1" * 20
SEEN = "DL-1 can be seen"
CHECKED = with_checks(ONE, "make one")
FAILED = replace(CHECKED, checks=(Check(SEEN, "make one", before="failed"),))
PROVEN = replace(FAILED, status="passed", claim=Claim(COMMIT), proof="proven")
CLAIMED = DeliverableClaimed("DL-1", "What DL-1 is about")
WITHDRAWN = DeliverableChanged("DL-1", "What DL-1 is about", "pending", "pending")
REPLY = (
    "DL-1 is claimed and stays pending until it is shown: after this session Treadle runs "
    "its checks on the commit. Commit everything that belongs to it. "
    "0 passed, 0 blocked, 2 pending."
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """One deliverable with a check and one without."""
    desk = desk_in(tmp_path, left=[CHECKED, TWO])
    desk.events.clear()
    return desk


def finished(command: str, when: CheckTiming = "before", exit_code: int = 1) -> CheckFinished:
    evidence = Evidence(command, when, COMMIT, "tree", exit_code, 0.5, "environment", "log")
    return CheckFinished("DL-1", SEEN, evidence, "")


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


async def test_what_has_checks_is_claimed_and_stays_pending(desk: Desk) -> None:
    replies = [await desk.set_status("DL-1", "passed"), await desk.set_status("DL-1", "passed")]

    assert replies == [ToolReply(REPLY)] * 2
    assert desk.events == [CLAIMED]
    assert desk.board.claims() == (CHECKED,)
    assert desk.board.deliverables == desk.saved() == (CHECKED, TWO)
    assert [d.id for d in desk.board.passed_this_round] == ["DL-1"]


async def test_where_there_are_tests_everything_is_claimed(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, left=[ONE, TWO], terms=PassRules("after_round"))

    reply = await desk.set_status("DL-1", "passed")

    assert reply == ToolReply(REPLY.replace("its checks", "the tests"))
    assert (desk.events[1:], desk.board.claims(), desk.saved()) == ([CLAIMED], (ONE,), (ONE, TWO))


async def test_what_has_no_checks_passes_at_once_beside_what_has(desk: Desk) -> None:
    await desk.set_status("DL-1", "passed")
    reply = await desk.set_status("DL-2", "passed")
    desk.board.confirm_passes(COMMIT)

    assert reply == ToolReply("DL-2 is passed now. 1 passed, 0 blocked, 1 pending.")
    assert desk.saved() == (CHECKED, claimed("DL-2", COMMIT))
    assert [d.id for d in desk.board.passed_this_round] == ["DL-1", "DL-2"]
    assert desk.board.claims() == (CHECKED,)


async def test_a_pass_is_refused_where_every_criterion_must_have_a_check(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, left=[ONE, TWO], terms=PassRules(require_checks="required"))
    desk.events.clear()

    before = await desk.set_status("DL-1", "passed")
    assert await desk.set_status("DL-1", "passed") == before
    assert desk.events == [ClaimRefused("DL-1", "What DL-1 is about", 0, unchecked=1)]
    desk.events.clear()
    await desk.add_check("DL-1", SEEN, "make one")
    after = await desk.set_status("DL-1", "passed")

    assert (before, after) == (
        ToolReply(refused(SEEN).reason, is_error=True),
        ToolReply(REPLY),
    )
    assert [event.type for event in desk.events] == ["check.added", "deliverable.claimed"]


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
    desk: Desk, status: str, reply: str, event: DeliverableChanged, saved: Deliverable
) -> None:
    await desk.set_status("DL-1", "passed")

    assert await desk.set_status("DL-1", status) == ToolReply(reply)
    assert desk.events == [CLAIMED, event]
    assert (desk.board.claims(), desk.board.passed_this_round) == ((), [])
    assert desk.saved() == (saved, TWO)


async def test_a_claim_that_was_shown_is_passed_with_its_commit(desk: Desk) -> None:
    await desk.set_status("DL-1", "passed")
    desk.board.set_before("DL-1", SEEN, "failed")
    desk.events.clear()

    desk.board.pass_deliverable("DL-1", COMMIT, "proven")
    desk.board.pass_deliverable("DL-1", "b2" * 20, "proven")

    assert desk.events == [
        DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "proven", COMMIT)
    ]
    assert desk.board.deliverables == desk.saved() == (PROVEN, TWO)
    assert (desk.board.claims(), desk.board.verifiable()) == ((), (PROVEN,))
    assert desk.board.tally() == Tally(passed=1, total=2)


async def test_nothing_is_proven_whose_checks_were_not_seen_to_fail(desk: Desk) -> None:
    await desk.set_status("DL-1", "passed")

    desk.board.pass_deliverable("DL-1", COMMIT, "proven")

    (found, _) = desk.saved()
    assert (found.proof, desk.events[-1]) == (
        "claimed",
        DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "claimed", COMMIT),
    )


async def test_a_rehearsal_marks_what_it_proves(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, left=[FAILED], rehearsed=True)
    await desk.set_status("DL-1", "passed")

    desk.board.pass_deliverable("DL-1", COMMIT, "proven")

    assert desk.saved() == (replace(PROVEN, claim=Claim(COMMIT, rehearsed=True)),)


@pytest.mark.parametrize("status", ["blocked", "passed", "removed"])
async def test_what_a_person_decides_meanwhile_stands(desk: Desk, status: str) -> None:
    await desk.set_status("DL-1", "passed")
    edits = {
        "blocked": [replace(CHECKED, status="blocked"), TWO],
        "passed": [replace(CHECKED, status="passed", proof="claimed"), TWO],
        "removed": [TWO],
    }
    desk.edit(*edits[status])

    desk.board.adopt()
    claims = desk.board.claims()
    desk.board.pass_deliverable("DL-1", COMMIT, "claimed")

    assert (claims, desk.saved()) == ((), tuple(edits[status]))


async def test_claims_that_were_not_shown_are_dropped_and_can_be_made_again(desk: Desk) -> None:
    await desk.set_status("DL-1", "passed")
    desk.board.drop_claims(["DL-1", "DL-9"])
    dropped = desk.board.claims()
    desk.board.begin_round()
    await desk.set_status("DL-1", "passed")

    assert (dropped, desk.board.claims()) == ((), (CHECKED,))
    assert desk.events == [CLAIMED, CLAIMED]
    assert desk.saved() == (CHECKED, TWO)


async def test_no_claim_outlives_its_round(desk: Desk) -> None:
    await desk.set_status("DL-1", "passed")

    desk.board.begin_round()

    assert (desk.board.claims(), desk.board.passed_this_round) == ((), [])


async def test_claims_of_a_round_whose_work_is_lost_are_lost_with_its_passes(desk: Desk) -> None:
    for name in ("DL-1", "DL-2"):
        await desk.set_status(name, "passed")
    desk.events.clear()

    desk.board.withdraw_passes("it is gone")

    assert desk.events == [
        WITHDRAWN,
        DeliverableChanged("DL-2", "What DL-2 is about", "passed", "pending"),
        RunWarned("pending again, because it is gone: DL-2, DL-1"),
    ]
    assert (desk.board.claims(), desk.saved()) == ((), (CHECKED, TWO))


async def test_something_proven_that_broke_is_pending_again(tmp_path: Path) -> None:
    desk = desk_in(tmp_path, left=[PROVEN, TWO])
    desk.events.clear()

    for name in ("DL-1", "DL-2", "DL-9", "DL-1"):
        desk.board.reset_pass(name, "its check is red")

    assert desk.events == [
        DeliverableChanged("DL-1", "What DL-1 is about", "passed", "pending"),
        RunWarned("pending again, because its check is red: DL-1"),
    ]
    assert desk.board.deliverables == desk.saved() == (FAILED, TWO)


def test_checks_that_nobody_has_run_before_the_work_are_those_of_what_is_pending(
    tmp_path: Path,
) -> None:
    passed = with_checks(deliverable("DL-2", "passed"), "make two")
    desk = desk_in(tmp_path, left=[CHECKED, passed, with_checks(THREE, "make three")])

    first = desk.board.checks_before_work()
    desk.board.set_before("DL-1", SEEN, "passed")
    desk.board.set_before("DL-3", "Else", "passed")
    desk.board.set_before("DL-9", SEEN, "passed")
    desk.board.set_before("DL-3", "DL-3 can be seen", "failed", command="another")

    three = ("DL-3", Check("DL-3 can be seen", "make three"))
    assert first == (("DL-1", Check(SEEN, "make one")), three)
    assert desk.board.checks_before_work() == (three,)
    assert desk.saved()[0].checks == (Check(SEEN, "make one", before="passed"),)
    assert desk.board.verifiable() == (passed,)


async def test_a_command_that_a_person_changes_is_to_be_seen_again_and_proves_nothing(
    tmp_path: Path,
) -> None:
    desk = desk_in(tmp_path, left=[PROVEN, FAILED_TWO])
    desk.events.clear()
    text = desk.path.read_text()
    desk.path.write_text(text.replace('"make one"', '"make all"').replace('"make two"', '"make"'))

    desk.board.adopt()
    desk.board.adopt()

    one = replace(PROVEN, checks=(Check(SEEN, "make all", "person"),), proof="claimed")
    two = with_checks(TWO, "make", origin="person")
    assert desk.events == [StatusAdopted((one, two), "hand_edit")]
    assert desk.board.deliverables == desk.saved() == (one, two)
    assert desk.board.checks_before_work() == (("DL-2", two.checks[0]),)


FAILED_TWO = replace(TWO, checks=(Check("DL-2 can be seen", "make two", before="failed"),))


async def test_a_process_that_takes_over_knows_the_rounds_claims(desk: Desk) -> None:
    started = StatusAdopted((CHECKED, with_checks(TWO, "make two")), "earlier_run")
    desk.edit(*started.deliverables)
    desk.board.adopt()
    desk.events[:] = [started]
    await desk.set_status("DL-2", "passed")
    desk.events.append(RoundStarted(2, "coding"))
    desk.board.begin_round()
    for name, status in (("DL-2", "passed"), ("DL-1", "passed"), ("DL-2", "pending")):
        await desk.set_status(name, status)

    after = reopened(desk)

    assert after.board.claims() == (CHECKED,)
    assert [d.id for d in after.board.passed_this_round] == ["DL-1"]
    assert (after.events, after.saved()) == ([], started.deliverables)
    # Nothing was recorded of what was dropped: it is shown once more.
    after.board.drop_claims(["DL-1"])
    assert reopened(desk).board.claims() == (CHECKED,)


async def test_what_was_shown_and_not_written_is_written(desk: Desk) -> None:
    desk.events[:] = [StatusAdopted((CHECKED, TWO), "earlier_run")]
    await desk.set_status("DL-1", "passed")
    shown = DeliverableChanged("DL-1", "What DL-1 is about", "pending", "passed", "proven", COMMIT)

    looked_at = reopened(desk, finished("make one"))
    proven = reopened(desk, finished("make one"), shown)

    assert looked_at.board.claims() == (FAILED,)
    assert proven.saved() == proven.board.deliverables == (PROVEN, TWO)
    assert (looked_at.events, proven.events, proven.board.claims()) == ([], [], ())


async def test_what_was_seen_of_another_command_is_not_written(desk: Desk) -> None:
    desk.events[:] = [StatusAdopted((CHECKED, TWO), "earlier_run")]

    after = reopened(desk, finished("make"), finished("make one", "after"))

    assert after.saved() == after.board.deliverables == (CHECKED, TWO)


async def test_the_commit_of_a_round_names_what_was_claimed_in_it(tmp_path: Path) -> None:
    stage = stage_in(tmp_path)
    stage.plan(CHECKED)
    stage.limit(max_iterations=1)
    stage.sessions = [[stage.wrote("one.py"), turned("DL-1", "passed"), ending()]]

    ended = await stage.tell()

    assert stage.user.log(BRANCH) == ["Round 1: What DL-1 is about (DL-1)", "First"]
    assert (ended.tally, stage.status.read()) == (Tally(total=1), (CHECKED,))
