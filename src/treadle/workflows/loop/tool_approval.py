"""Asks a person about a tool use, and turns the answer into a decision."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import assert_never

from treadle.domain.agent import Allow, Ask, Decision, Deny, ToolUse
from treadle.domain.approval import (
    Answer,
    ApprovalId,
    ApprovalQuestion,
    LapsedQuestion,
    VoidedQuestion,
    hash_of,
)
from treadle.workflows.loop.approval_requests import (
    ApprovalOutcome,
    ApprovalRequester,
    NotAnswered,
    ask_within,
    id_of,
)

# Characters: room for the longest line that a shell is given, were each of them unprintable. What
# is longer is nothing that a person reads, and nobody says yes to what was not shown.
MOST_SHOWN = 64 * 1024
# The agent waits no longer for its hooks: see `adapters/agents/claude`.
LONGEST_PATIENCE = timedelta(days=7)
# After so many questions in a row that nobody answered, this is how long the next one waits.
LAPSES = 3
IMPATIENCE = timedelta(minutes=1)

_INSTEAD = "Do not try it in another way; go on without it, and note what is left to do by a person"


@dataclass(frozen=True, slots=True)
class ToolApproval:
    """Puts uses before a person, one question each.

    A yes is for one use: the same one again is asked again, because what it does may have changed
    with everything around it. A no holds for the rest of the leg, so that nobody is pestered. Where
    nobody has answered several times, nobody seems to be there, and little time is lost on asking.
    """

    asker: ApprovalRequester
    patience: timedelta
    # Whatever changes what the policy says changes this, and with it every question.
    policy_hash: str
    # Takes secrets out of what is shown and stored.
    clean: Callable[[str], str] = lambda text: text
    # Questions whose yes was used, as far as the log tells, and those that are being asked.
    used: set[ApprovalId] = field(default_factory=set)
    open: set[ApprovalId] = field(default_factory=set)

    async def ask(self, use: ToolUse, ask: Ask) -> Decision:
        """Ask and wait; what was not allowed by a person in time is denied."""
        if too_long := _too_long(ask, self.clean):
            return too_long
        patience = min(self.patience, IMPATIENCE) if self._nobody_is_there() else self.patience
        question = gate_question(
            use, ask, policy_hash=self.policy_hash, patience=patience, clean=self.clean
        )
        step, approval = self._free(question.subject_hash)
        self.open.add(approval)
        try:
            _, outcome = await ask_within(self.asker, question, step=step)
        finally:
            self.open.discard(approval)
        decision = decision_of(outcome, ask, approval)
        if isinstance(decision, Allow):
            self.used.add(approval)
        return decision

    def _nobody_is_there(self) -> bool:
        earlier = [
            standing.settled
            for standing in self.asker.approvals.list_for_run(self.asker.run)
            if standing.approval.kind == "gate" and standing.settled is not None
        ]
        last = earlier[-LAPSES:]
        return len(last) == LAPSES and all(isinstance(settled, LapsedQuestion) for settled in last)

    def _free(self, subject_hash: str) -> tuple[str, ApprovalId]:
        """The first place of this subject whose answer is not used up; the same after a crash."""
        for number in count(1):
            step = f"gate {subject_hash[:16]} {number}"
            approval = id_of(self.asker, step, subject_hash)
            if approval not in self.used and approval not in self.open:
                return step, approval
        raise AssertionError


def gate_question(
    use: ToolUse,
    ask: Ask,
    *,
    policy_hash: str,
    patience: timedelta,
    clean: Callable[[str], str],
) -> ApprovalQuestion:
    """Bound to exactly this use in this directory under this policy; all of it is shown."""
    bound = json.dumps([use.name, ask.subject, use.directory, policy_hash])
    where = f"\nin {use.directory}" if use.directory else ""
    shown = visible(clean(ask.subject))
    return ApprovalQuestion(
        kind="gate",
        text=f"May the agent use {use.name} so? {ask.reason}",
        subject=f"{shown}{where}\nrule {ask.rule}",
        subject_hash=hash_of(bound),
        patience=min(patience, LONGEST_PATIENCE),
        at_deadline="deny",
    )


def decision_of(outcome: ApprovalOutcome, ask: Ask, approval: ApprovalId) -> Decision:
    """What a person's answer, or the lack of one, means for the use."""
    match outcome:
        case Answer(verdict="approved", by=by):
            return Allow(f"{by} allowed it", ask.rule, approval)
        case LapsedQuestion(verdict="approved"):
            return Allow("nobody objected in time", ask.rule, approval)
        case Answer(by=by, text=text):
            words = f": {text}" if text else ""
            why = f"A person ({by}) was asked and said no{words}"
        case LapsedQuestion():
            why = "A person must allow this, and nobody answered in time"
        case VoidedQuestion(reason=reason):
            why = f"A person must allow this, and the question is void: {reason}"
        case NotAnswered():
            why = "A person must allow this, and the run is being stopped"
        case _:
            assert_never(outcome)
    return Deny(f"{why.rstrip('.')}. {_INSTEAD}.", ask.rule, approval)


def visible(text: str) -> str:
    """Every character as something that can be seen: nothing may hide from who decides."""
    return "".join(c if c == "\n" or _is_seen(c) else ascii(c)[1:-1] for c in text)


def _is_seen(character: str) -> bool:
    """Selectors of variants count as printable, and have no picture of their own."""
    selector = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return character.isprintable() and not selector


def _too_long(ask: Ask, clean: Callable[[str], str]) -> Deny | None:
    size = len(visible(clean(ask.subject)))
    if size <= MOST_SHOWN:
        return None
    return Deny(
        f"A person must allow this, and it is too long to be shown to one: {size} characters, where"
        f" {MOST_SHOWN} have room. Do it in smaller parts that a person can read. {ask.reason}",
        ask.rule,
    )
