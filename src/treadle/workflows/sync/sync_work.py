"""The state of a `sync` run behind the loop: the deliverables, judged by a session and checks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.domain.agent import SessionBrief, Tool, ToolReply
from treadle.domain.limits import SessionLimits
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.build import build_loop, check_runs, record_unread_checks
from treadle.workflows.deliver.deliver_work import DeliverWork
from treadle.workflows.deliver.prompt import deliver_prompt
from treadle.workflows.deliver.verifier import DeliverableVerifier
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.workflow_state import RoundRef
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workflows.sync.next_action import decide_next

MAX_NOTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class SyncWork(DeliverWork):
    """The `WorkflowState` of `sync`: that of `deliver` without changes of files."""

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        return decide_next(progress, rules)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        text = self.briefs.text_of(instruction)
        prompt = deliver_prompt(text, self.facts, self.board.deliverables)
        tools = (*self.board.tools(), notes_tool(self.workspace.write_notes))
        return self.briefs.write(instruction, limits, prompt, tools)

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        """Import nothing, because files that a session leaves are not work."""
        self.board.confirm_passes(before)
        self.board.add_unmatched_checks()
        return ImportedTip(before)


async def build_sync(parts: RunParts) -> RunLoop:
    return await build_loop(parts, SyncWork, _verifier)


def _verifier(parts: RunParts, board: DeliverableBoard) -> DeliverableVerifier:
    """Without tests and without runs before the work, because no files change."""
    record_unread_checks(parts)
    return DeliverableVerifier(
        checks=check_runs(parts),
        board=board,
        suite=None,
        checks_before_work=lambda: (),
        must_hold=board.verifiable,
    )


def notes_tool(write: Callable[[str], str]) -> Tool:
    """`write` stores the project's hand-over notes and returns why it could not."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        text = arguments.get("text")
        if not isinstance(text, str) or not text.strip():
            return ToolReply("Pass `text`: the notes, whole, as they shall be.", is_error=True)
        if len(text) > MAX_NOTES:
            return ToolReply(f"Notes have at most {MAX_NOTES} characters.", is_error=True)
        if problem := write(text):
            return ToolReply(problem, is_error=True)
        return ToolReply("The notes are replaced.")

    return Tool(
        name="write_notes",
        description=(
            "Replace the hand-over notes between sessions by this text: what holds, what does not "
            "and why, what the next session should know."
        ),
        schema={
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
        call=call,
    )
