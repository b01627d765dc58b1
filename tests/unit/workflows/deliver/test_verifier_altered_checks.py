"""A check that the work changed after it was seen to fail proves nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.builders import deliverable
from tests.unit.workflows.deliver.board_harness import history_of, with_checks
from tests.unit.workflows.deliver.test_verifier import (
    BASE,
    LATER,
    TIPS,
    WORK,
    VerifierHarness,
    make_verifier_harness,
    passed,
    turned,
)
from treadle.domain.check import FileChange
from treadle.domain.deliverable import Claim
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import CheckAdded
from treadle.verify.memory_check_runner import GREEN, RED
from treadle.workflows.deliver.verifier import CHECK_CHANGED

COMMAND = "./check.sh"
ONE = with_checks(deliverable("DL-1"), COMMAND)
UNSEEN = ONE.checks[0]
SEEN = replace(UNSEEN, before="failed")
TOLD = RunWarned(CHECK_CHANGED.format("DL-1", "check.sh"))


def altered_in(harness: VerifierHarness, *spans: tuple[str, str], change: str = "check.sh") -> None:
    """The script differs between these commits and no others."""

    async def changes(before: str, after: str) -> Sequence[FileChange]:
        return [FileChange(change, "changed")] if (before, after) in spans else []

    harness.verification.changes = changes


async def test_what_a_changed_check_shows_is_claimed(tmp_path: Path) -> None:
    harness = make_verifier_harness(
        tmp_path, ONE, said={(COMMAND, BASE): RED, (COMMAND, WORK): GREEN}
    )
    altered_in(harness, (BASE, WORK))
    await harness.claims("DL-1")

    await harness.shows()

    claimed = turned("DL-1", "pending", "passed", "claimed", commit=WORK)
    assert harness.recorded == [CheckAdded("DL-1", UNSEEN), TOLD, claimed]
    assert harness.harness.saved() == (
        replace(ONE, status="passed", claim=Claim(WORK), proof="claimed"),
    )


async def test_a_change_of_the_product_that_it_starts_is_the_work(tmp_path: Path) -> None:
    of = with_checks(deliverable("DL-1"), "./greet")
    harness = make_verifier_harness(
        tmp_path, of, said={("./greet", BASE): RED, ("./greet", WORK): GREEN}
    )
    altered_in(harness, (BASE, WORK), change="greet")
    await harness.claims("DL-1")

    await harness.shows()

    assert harness.harness.saved() == (passed(of),)


async def test_it_counts_where_the_check_was_seen_to_fail_first(tmp_path: Path) -> None:
    left = replace(ONE, checks=(SEEN,))
    harness = make_verifier_harness(tmp_path, left, said={(COMMAND, WORK): GREEN})
    harness.verification.first_commits = {("DL-1", SEEN.criterion, COMMAND): LATER}
    altered_in(harness, (BASE, WORK))
    await harness.claims("DL-1")

    await harness.shows()

    assert harness.harness.saved() == (passed(ONE),)


async def test_a_later_change_of_the_check_takes_the_proof_and_not_the_pass(
    tmp_path: Path,
) -> None:
    harness = make_verifier_harness(tmp_path, passed(ONE), said={(COMMAND, ""): GREEN})
    altered_in(harness, (BASE, LATER))

    findings = await harness.verification.reverify(TIPS, ())

    after = replace(passed(ONE), checks=(UNSEEN,), proof="claimed")
    assert findings.told == ""
    assert harness.recorded == [CheckAdded("DL-1", UNSEEN), TOLD]
    assert [replace(d, claim=after.claim) for d in harness.harness.saved()] == [after]
    # Whoever goes on with the run knows no more of it.
    again = history_of(*harness.harness.events)
    assert again.added_checks == (CheckAdded("DL-1", UNSEEN),)


async def test_a_replayed_verification_comes_to_the_same(tmp_path: Path) -> None:
    harness = make_verifier_harness(
        tmp_path, ONE, said={(COMMAND, BASE): RED, (COMMAND, WORK): GREEN}
    )
    altered_in(harness, (BASE, WORK))
    await harness.shows()
    await harness.claims("DL-1")
    # By a process that was killed right after it.
    harness.harness.board.reset_check("DL-1", SEEN)

    await harness.verification.verify_round(WORK, WORK, ())

    assert [d.proof for d in harness.harness.saved()] == ["claimed"]
