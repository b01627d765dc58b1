"""Asking a person about one tool use: bound to it, used once, found again after a crash."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, FakeClock
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.domain.agent import Allow, Ask, Decision, Deny, ToolUse
from treadle.domain.approval import (
    Answer,
    AnswerVerdict,
    ApprovalId,
    ApprovalQuestion,
    LapsedQuestion,
    VoidedQuestion,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked, ApprovalLapsed
from treadle.domain.storage import Storage
from treadle.workflows.loop.approval_requests import ApprovalOutcome, ApprovalRequester, NotAnswered
from treadle.workflows.loop.tool_approval import (
    MAX_SHOWN,
    ToolApproval,
    decision_of,
    escape_invisible,
    gate_question,
)

USE = ToolUse("t1", "Bash", {"command": "npm publish"}, "/srv/clone")
ASK = Ask("It publishes a package.", "npm publish", "gate-publish")
HOUR = timedelta(hours=1)
INSTEAD = "Do not try it in another way; go on without it, and note what is left to do by a person."


@dataclass
class GateHarness:
    """One run with real stored approvals; a person looks at it whenever time passes."""

    approvals: DatabaseApprovals
    clock: FakeClock = field(default_factory=FakeClock)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    log: dict[str, Event] = field(default_factory=dict)

    def record(self, event: Event, *, once: str = "") -> None:
        self.log.setdefault(once, event)

    def gate(self, *used: str, leg: int = 1, policy_hash: str = "policy") -> ToolApproval:
        """That of a process which knows of these answers that they were used."""
        asker = ApprovalRequester(RUN, leg, self.approvals, self.clock, self.stop, self)
        return ToolApproval(asker, HOUR, policy_hash, used={ApprovalId(each) for each in used})

    def says(self, verdict: AnswerVerdict, text: str = "") -> None:
        """Whatever is asked, from the next look on."""

        def look() -> None:
            for each in self.approvals.list_for_run(RUN):
                if each.settled is None:
                    answer = Answer(verdict, "ada", self.clock.moment, text)
                    asked = each.approval
                    self.approvals.answer(asked.id, answer, subject_hash=asked.subject_hash)

        self.clock.on_sleep = look

    @property
    def asked(self) -> list[ApprovalId]:
        return [each.approval.id for each in self.approvals.list_for_run(RUN)]


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[GateHarness]:
    with closing(open_database(Storage(tmp_path))) as database:
        yield GateHarness(DatabaseApprovals(database))


async def test_a_person_is_asked_and_the_use_goes_on_with_their_yes(harness: GateHarness) -> None:
    harness.says("approved")

    decision = await harness.gate().ask(USE, ASK)

    (approval,) = harness.asked
    assert decision == Allow("ada allowed it", "gate-publish", approval)
    told = list(harness.log.values())
    assert isinstance(told[0], ApprovalAsked)
    assert (told[0].approval.kind, told[0].approval.question, told[0].approval.subject) == (
        "gate",
        "Allow this command? It publishes a package.",
        "npm publish\nin /srv/clone\nrule gate-publish",
    )
    assert told[0].approval.deadline == NOON + HOUR
    assert told[1:] == [ApprovalAnswered(approval, "approved", "ada")]


async def test_a_no_is_told_to_the_agent_with_the_persons_words(harness: GateHarness) -> None:
    harness.says("denied", "not before Monday")

    decision = await harness.gate().ask(USE, ASK)

    said = f"A person (ada) was asked and said no: not before Monday. {INSTEAD}"
    assert decision == Deny(said, "gate-publish", harness.asked[0])


async def test_without_an_answer_in_time_it_is_a_no(harness: GateHarness) -> None:
    decision = await harness.gate().ask(USE, ASK)

    assert isinstance(decision, Deny)
    assert decision.reason.startswith("A person must allow this, and nobody answered in time. ")
    assert harness.clock.moment == NOON + HOUR
    assert list(harness.log.values())[1:] == [ApprovalLapsed(harness.asked[0], "denied")]


async def test_a_yes_is_for_one_use(harness: GateHarness) -> None:
    gate = harness.gate()
    harness.says("approved")
    await gate.ask(USE, ASK)
    harness.says("denied")

    again = await gate.ask(replace(USE, id="t2"), ASK)

    assert isinstance(again, Deny)
    assert len(set(harness.asked)) == 2


async def test_a_no_holds_and_nobody_is_asked_again(harness: GateHarness) -> None:
    gate = harness.gate()
    harness.says("denied")
    first = await gate.ask(USE, ASK)
    harness.says("approved")

    assert await gate.ask(replace(USE, id="t2"), ASK) == first
    assert len(harness.asked) == 1


async def test_an_answer_that_came_while_the_process_was_gone_is_found(
    harness: GateHarness,
) -> None:
    waiting = asyncio.ensure_future(harness.gate().ask(USE, ASK))
    harness.clock.on_sleep = waiting.cancel  # type: ignore[assignment]
    with pytest.raises(asyncio.CancelledError):
        await waiting
    (approval,) = harness.asked
    harness.says("approved")
    harness.clock.on_sleep()

    decision = await harness.gate().ask(replace(USE, id="another"), ASK)

    assert (decision, harness.asked) == (
        Allow("ada allowed it", "gate-publish", approval),
        [approval],
    )


async def test_a_yes_that_the_log_shows_as_used_is_not_used_again_after_a_crash(
    harness: GateHarness,
) -> None:
    harness.says("approved")
    first = await harness.gate().ask(USE, ASK)

    second = await harness.gate(first.approval).ask(USE, ASK)

    assert (isinstance(second, Allow), len(set(harness.asked))) == (True, 2)


async def test_two_uses_at_once_are_two_questions(harness: GateHarness) -> None:
    gate = harness.gate()
    harness.says("approved")

    found = await asyncio.gather(gate.ask(USE, ASK), gate.ask(USE, ASK))

    assert {each.approval for each in found} == set(harness.asked)
    assert len(set(harness.asked)) == 2


async def test_where_nobody_answers_little_time_is_lost_until_somebody_does(
    harness: GateHarness,
) -> None:
    patience = timedelta(minutes=5)
    gate, waited = replace(harness.gate(), patience=patience), list[timedelta]()

    async def ask(command: str) -> None:
        began = harness.clock.moment
        await gate.ask(USE, replace(ASK, subject=command))
        waited.append(harness.clock.moment - began)

    for command in ("one", "two", "three", "four", "one"):
        await ask(command)
    harness.says("denied")
    await ask("five")
    harness.clock.on_sleep = lambda: None
    await ask("six")

    minute, second = timedelta(minutes=1), timedelta(seconds=1)
    assert waited == [*[patience] * 3, minute, timedelta(0), second, patience]


async def test_a_run_that_is_stopped_waits_no_longer(harness: GateHarness) -> None:
    harness.clock.on_sleep = harness.stop.set

    decision = await harness.gate().ask(USE, ASK)

    said = f"A person must allow this, and the run is being stopped. {INSTEAD}"
    assert decision == Deny(said, "gate-publish", harness.asked[0])


def question(
    use: ToolUse = USE,
    ask: Ask = ASK,
    policy_hash: str = "policy",
    patience: timedelta = HOUR,
    clean: Callable[[str], str] = str,
) -> ApprovalQuestion:
    return gate_question(use, ask, policy_hash=policy_hash, patience=patience, clean=clean)


@pytest.mark.parametrize(
    "other",
    [
        question(use=replace(USE, directory="/srv/clone/src")),
        question(use=replace(USE, name="mcp__x__y")),
        question(ask=replace(ASK, subject="npm publish ")),
        question(policy_hash="another"),
    ],
)
def test_an_answer_is_bound_to_use_directory_and_policy(other: ApprovalQuestion) -> None:
    assert other.subject_hash != question().subject_hash


def test_neither_the_id_of_a_use_nor_the_words_about_it_matter() -> None:
    same = question(use=replace(USE, id="t9"), ask=replace(ASK, reason="For fun."))

    assert same.subject_hash == question().subject_hash


def test_nothing_hides_from_who_decides() -> None:
    sneaky = "ls \x1b[2K\r rm -rf \u202egpj\x00\nend"

    asked = question(ask=replace(ASK, subject=sneaky))

    assert asked.subject.splitlines()[:2] == [r"ls \x1b[2K\r rm -rf \u202egpj\x00", "end"]
    assert escape_invisible("héllo ✓\n") == "héllo ✓\n"


def test_a_person_is_shown_all_of_what_they_decide_about() -> None:
    line = "true " * 3000 + "; npm publish"

    shown = question(ask=replace(ASK, subject=line))

    assert shown.subject.splitlines()[0] == line


async def test_what_is_too_long_to_be_shown_is_denied_and_nobody_is_asked(
    harness: GateHarness,
) -> None:
    harness.says("approved")
    fits, longer = "x" * MAX_SHOWN, "x" * (MAX_SHOWN - 3) + "\0"

    asked = await harness.gate().ask(USE, replace(ASK, subject=fits))
    denied = await harness.gate().ask(USE, replace(ASK, subject=longer))

    assert (type(asked), len(harness.asked)) == (Allow, 1)
    assert denied == Deny(
        "A person must allow this, and it is too long to be shown to one: 65537 characters, where "
        "65536 have room. Do it in smaller parts that a person can read. It publishes a package.",
        "gate-publish",
    )


def test_secrets_are_taken_out_of_what_is_shown() -> None:
    asked = question(
        ask=replace(ASK, subject="login --token s3cr3t"),
        clean=lambda text: text.replace("s3cr3t", "***"),
    )

    assert asked.subject.startswith("login --token ***\n")


def test_no_question_waits_longer_than_the_agent_does() -> None:
    assert question(patience=timedelta(days=9999)).patience == timedelta(days=7)


@pytest.mark.parametrize(
    ("outcome", "decision"),
    [
        (Answer("approved", "ada", NOON), Allow("ada allowed it", "gate-publish", "q")),
        (Answer("replied", "ada", NOON, "why?"), "A person (ada) was asked and said no: why?."),
        (Answer("denied", "ada", NOON), "A person (ada) was asked and said no."),
        (LapsedQuestion("approved", NOON), Allow("nobody objected in time", "gate-publish", "q")),
        (
            LapsedQuestion("denied", NOON),
            "A person must allow this, and nobody answered in time.",
        ),
        (
            VoidedQuestion("the run ended", NOON),
            "A person must allow this, and the question is void: the run ended.",
        ),
        (
            NotAnswered(ApprovalId("q")),
            "A person must allow this, and the run is being stopped.",
        ),
    ],
)
def test_only_a_yes_is_a_yes(outcome: ApprovalOutcome, decision: Decision | str) -> None:
    wanted = (
        Deny(f"{decision} {INSTEAD}", "gate-publish", "q")
        if isinstance(decision, str)
        else decision
    )

    assert decision_of(outcome, ASK, ApprovalId("q")) == wanted
