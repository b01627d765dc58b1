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

# Characters: enough for the longest shell line, even if every character is escaped. A person does
# not read more, and cannot approve what is not shown.
MAX_SHOWN = 64 * 1024
# The limit of the agent for its hooks: see `adapters/agents/claude`.
LONGEST_PATIENCE = timedelta(days=7)
# After this many lapsed questions in a row, the next one waits only so long.
MAX_LAPSES = 3
UNATTENDED_PATIENCE = timedelta(minutes=1)

# The question says this already.
PERSON_MUST_AGREE = "A person must agree: "
_INSTEAD = "Do not try it in another way; go on without it, and note what is left to do by a person"


@dataclass(frozen=True, slots=True)
class ToolApproval:
    """Asks a person about tool uses, one question each.

    An approval counts for one use: the same use is asked again, because its effect may have
    changed. A denial holds for the rest of the leg. After several lapsed questions the next ones
    wait less.
    """

    requester: ApprovalRequester
    patience: timedelta
    # Changes with the policy, so that answers under another policy do not count.
    policy_hash: str
    # Removes secrets before a text is shown or stored.
    clean: Callable[[str], str] = lambda text: text
    # Questions whose approval was used, and open ones.
    used: set[ApprovalId] = field(default_factory=set)
    open: set[ApprovalId] = field(default_factory=set)

    async def ask(self, use: ToolUse, ask: Ask) -> Decision:
        """Ask and wait; without an approval in time the use is denied."""
        if too_long := _too_long(ask, self.clean):
            return too_long
        patience = (
            min(self.patience, UNATTENDED_PATIENCE) if self._is_unattended() else self.patience
        )
        question = gate_question(
            use, ask, policy_hash=self.policy_hash, patience=patience, clean=self.clean
        )
        step, approval = self._unused_question(question.subject_hash)
        self.open.add(approval)
        try:
            _, outcome = await ask_within(self.requester, question, step=step)
        finally:
            self.open.discard(approval)
        decision = decision_of(outcome, ask, approval)
        if isinstance(decision, Allow):
            self.used.add(approval)
        return decision

    def _is_unattended(self) -> bool:
        settlements = [
            record.settled
            for record in self.requester.approvals.list_for_run(self.requester.run)
            if record.approval.kind == "gate" and record.settled is not None
        ]
        last = settlements[-MAX_LAPSES:]
        return len(last) == MAX_LAPSES and all(
            isinstance(settled, LapsedQuestion) for settled in last
        )

    def _unused_question(self, subject_hash: str) -> tuple[str, ApprovalId]:
        """The first question about this subject that is not used up; the same after a crash."""
        for number in count(1):
            step = f"gate {subject_hash[:16]} {number}"
            approval = id_of(self.requester, step, subject_hash)
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
    """The question about this use in this directory under this policy; it shows all of the use."""
    binding = json.dumps([use.name, ask.subject, use.directory, policy_hash])
    location = f"\nin {use.directory}" if use.directory else ""
    subject = escape_invisible(clean(ask.subject))
    return ApprovalQuestion(
        kind="gate",
        text=f"{_question(use)} {ask.reason.removeprefix(PERSON_MUST_AGREE)}",
        subject=f"{subject}{location}\nrule {ask.rule}",
        subject_hash=hash_of(binding),
        patience=min(patience, LONGEST_PATIENCE),
        at_deadline="deny",
    )


def _question(use: ToolUse) -> str:
    return "Allow this command?" if use.name == "Bash" else f"Allow this {use.name} call?"


def decision_of(outcome: ApprovalOutcome, ask: Ask, approval: ApprovalId) -> Decision:
    """The decision that follows from an answer, or from its absence."""
    match outcome:
        case Answer(verdict="approved", by=by):
            return Allow(f"{by} allowed it", ask.rule, approval)
        case LapsedQuestion(verdict="approved"):
            return Allow("nobody objected in time", ask.rule, approval)
        case Answer(by=by, text=text):
            comment = f": {text}" if text else ""
            why = f"A person ({by}) was asked and said no{comment}"
        case LapsedQuestion():
            why = "A person must allow this, and nobody answered in time"
        case VoidedQuestion(reason=reason):
            why = f"A person must allow this, and the question is void: {reason}"
        case NotAnswered():
            why = "A person must allow this, and the run is being stopped"
        case _:
            assert_never(outcome)
    return Deny(f"{why.rstrip('.')}. {_INSTEAD}.", ask.rule, approval)


def escape_invisible(text: str) -> str:
    """Escape invisible characters, so that nothing is hidden from the person who decides."""
    return "".join(c if c == "\n" or _is_visible(c) else ascii(c)[1:-1] for c in text)


def _is_visible(character: str) -> bool:
    """Variation selectors count as printable, but are invisible."""
    selector = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return character.isprintable() and not selector


def _too_long(ask: Ask, clean: Callable[[str], str]) -> Deny | None:
    size = len(escape_invisible(clean(ask.subject)))
    if size <= MAX_SHOWN:
        return None
    return Deny(
        f"A person must allow this, and it is too long to be shown to one: {size} characters, where"
        f" {MAX_SHOWN} have room. Do it in smaller parts that a person can read. {ask.reason}",
        ask.rule,
    )
