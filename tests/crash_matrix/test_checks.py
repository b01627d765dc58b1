"""The checks of the crash matrix see what they are there to see."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.crash_matrix.case import Case, CaseCommand
from tests.crash_matrix.case_runner import CaseResult, Checkout, Killed
from tests.crash_matrix.checks import KILLED, failures
from tests.crash_matrix.spots import Call

CASE = Case("here", (CaseCommand("deliver", Call("os:getcwd", "before")), CaseCommand("resume")))
BEFORE = Checkout("a1", "refs/heads/main", "", {"SPEC.md": "spec"})
AFTER = Checkout("b2", "refs/heads/main", "", {"SPEC.md": "spec", "hello.txt": "hello"})
STATUS = '{"updatedAt": "today", "deliverables": [{"id": "DL-001", "claim": {"commit": "b2"}}]}'


def log(*events: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    return tuple({"seq": n, "event": event} for n, event in enumerate(events, 1))


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


STARTED = event("session.started", session="s1", resumed=False)
RESUMED = event("session.started", session="s1", resumed=True)
ENDED = event("session.ended", result={"session": "s1", "outcome": {"type": "completed"}})
LANDED = event("work.landed", form="commits")

WANTED = CaseResult(
    exit_codes=(0,),
    log=log(STARTED, ENDED, LANDED),
    killed=(),
    before=BEFORE,
    after=AFTER,
    tree="t1",
    subjects=("Round 2", "The specification"),
    status=STATUS,
    branches=2,
    orphans=(),
    said="",
)
GOOD = replace(
    WANTED,
    exit_codes=(KILLED, 0),
    log=log(STARTED, RESUMED, ENDED, LANDED),
    killed=(Killed(seq=1, cut_session="s1", remembered=True, checkout=BEFORE, orphans=()),),
)
CUT = GOOD.killed[0]


def test_a_run_that_went_on_as_it_should_keeps_every_promise() -> None:
    assert failures(CASE, GOOD, WANTED) == []


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            replace(GOOD, exit_codes=(0, 0)),
            "command 1 (deliver) never came to its point: exit code 0",
        ),
        (replace(GOOD, exit_codes=(KILLED, 5)), "command 2 (resume) ended with 5: "),
        (replace(GOOD, tree="t2"), "the final tree differs: ['SPEC.md', 'hello.txt']"),
        (replace(GOOD, subjects=("Round 2", *WANTED.subjects)), "commits differ: "),
        (replace(GOOD, branches=3), "3 branches instead of 2"),
        (replace(GOOD, status=STATUS.replace("DL-001", "DL-002")), "status.json differs: "),
        (replace(GOOD, status=STATUS.replace("b2", "")), "a pass in status.json names no commit"),
        (replace(GOOD, log=(*GOOD.log[:2], *GOOD.log[3:])), "events are not numbered without a "),
        (replace(GOOD, log=log(STARTED, RESUMED, ENDED, LANDED, LANDED)), "facts differ: too oft"),
        (replace(GOOD, log=log(STARTED, RESUMED, LANDED, ENDED)), "facts differ: in another ord"),
        (
            replace(
                GOOD, log=log(*(e["event"] for e in GOOD.log), event("run.warned", message="!"))
            ),
            "warned too often: !",
        ),
        (replace(GOOD, orphans=("sleep",)), "processes live on at the end: ('sleep',)"),
        (replace(GOOD, killed=(replace(CUT, orphans=("sleep",)),)), "processes live on after kil"),
        (replace(GOOD, killed=(replace(CUT, remembered=False),)), "the cut session s1 went on as"),
        (replace(GOOD, killed=(replace(CUT, cut_session=None),)), "session s1 was started 2 times"),
        (replace(GOOD, killed=(replace(CUT, checkout=AFTER),)), "the checkout was touched before "),
    ],
)
def test_a_promise_that_is_not_kept_is_seen(result: CaseResult, sentence: str) -> None:
    assert any(each.startswith(sentence) for each in failures(CASE, result, WANTED))


def test_in_the_landing_every_file_is_the_users_or_the_runs() -> None:
    half = replace(AFTER, files={"SPEC.md": "spec", "hello.txt": "hel"})
    result = replace(GOOD, killed=(replace(CUT, checkout=half),))

    assert failures(replace(CASE, landing=True), result, WANTED) == [
        "kill 1 left hello.txt in a state that is nobody's"
    ]
