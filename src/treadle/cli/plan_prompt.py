"""Asks about a plan on the terminal of a run. Answers from elsewhere count as well: the first one
settles the question, and this prompt ends."""

import asyncio
import sys
from datetime import UTC, datetime

from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.cli.typed_lines import YES_ANSWERS, discard_typed_input, read_line
from treadle.domain.approval import Approval, ApprovalId
from treadle.domain.errors import TreadleError
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.oversight import (
    ApprovalAnswered,
    ApprovalAsked,
    ApprovalLapsed,
    ApprovalVoided,
)
from treadle.domain.storage import Storage
from treadle.runs.approvals import ApprovalReply, answer_question
from treadle.settings.user import login_name

NO_ANSWERS = ("n", "no", "deny")
# No one asks for a change with these words alone.
APPROVALS = (*YES_ANSWERS, "approve", "ok", "okay", "lgtm", "go", "go ahead")
QUESTION = "Approve it? [y]es, [n]o, or type what to change: "


def parse_answer(approval: ApprovalId, line: str) -> ApprovalReply | None:
    """The answer in a typed line; None for an empty one."""
    text = line.strip()
    if not text:
        return None
    # The commands are on the screen, above the prompt.
    words = text.lower().removeprefix("treadle ").removesuffix(approval).strip()
    if words.rstrip("!.") in APPROVALS:
        return ApprovalReply(approval, "approved")
    if words in NO_ANSWERS:
        return ApprovalReply(approval, "denied")
    return ApprovalReply(approval, "replied", text)


class PlanPrompt:
    """A reader of the event log: prompts for an answer while a plan waits for one."""

    def __init__(self, terminal: TerminalDisplay, storage: Storage) -> None:
        self._terminal = terminal
        self._storage = storage
        self._asking: tuple[ApprovalId, asyncio.Task[None]] | None = None

    def read_event(self, recorded: RecordedEvent) -> None:
        match recorded.event:
            case ApprovalAsked(approval=approval) if approval.kind == "plan":
                task = asyncio.get_running_loop().create_task(self._prompt(approval))
                self._asking = (approval.id, task)
            case (
                ApprovalAnswered(approval=name)
                | ApprovalLapsed(approval=name)
                | ApprovalVoided(approval=name)
            ):
                self._end(name)
            case _:
                pass

    def _end(self, approval: ApprovalId) -> None:
        if self._asking is not None and self._asking[0] == approval:
            self._asking[1].cancel()
            self._asking = None

    async def _prompt(self, approval: Approval) -> None:
        discard_typed_input(sys.stdin)
        while True:
            self._terminal.prompt(QUESTION)
            try:
                line = await read_line(sys.stdin)
            except asyncio.CancelledError:
                self._terminal.abandon_prompt()
                raise
            if line is None:
                # Ctrl-D: the question stays open for other terminals.
                self._terminal.abandon_prompt()
                return
            self._terminal.end_prompt()
            reply = parse_answer(approval.id, line)
            if reply is not None:
                await asyncio.to_thread(self._answer, reply)
                return

    def _answer(self, reply: ApprovalReply) -> None:
        """An answer that comes too late has no effect; the log says which one counted."""
        try:
            answer_question(self._storage, reply, by=login_name(), now=datetime.now(UTC))
        except TreadleError:
            return
