"""The state of an `audit` run behind the loop: one session, whose findings are files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from treadle.domain.agent import SessionBrief, Tool, ToolReply
from treadle.domain.events.audit import FindingDropped, FindingSaved
from treadle.domain.events.session import SignalGiven
from treadle.domain.finding import KnownFindings
from treadle.domain.limits import SessionLimits
from treadle.domain.session import SessionResult
from treadle.domain.wire import without_surrogates
from treadle.workflows.audit.decisions import decide_next, slug, why_dropped
from treadle.workflows.loop.next_action import DecisionRules, NextAction
from treadle.workflows.loop.prompt_fences import in_fence
from treadle.workflows.loop.round_steps import nothing_to_prepare
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.session_briefs import SessionBriefs
from treadle.workflows.loop.work_without_claims import WorkWithoutClaims, begin_leg
from treadle.workflows.loop.workflow_state import RoundImport, RoundRef
from treadle.workflows.loop.workspace_spec import ImportedTip

MAX_TITLE = 120
MAX_TEXT = 8_000
# What a prompt holds of the memory.
MAX_MEMORY = 20_000


async def build_audit(parts: RunParts) -> RunLoop:
    tip, progress = await begin_leg(parts)
    return parts.loop(
        AuditWork(parts, parts.sessions.briefs),
        progress=progress,
        tip=tip,
        landing=parts.landing,
        prepare=nothing_to_prepare,
    )


@dataclass(frozen=True, slots=True)
class MarkedFindings:
    """The findings that the sessions have marked in their text. Stored as a step result."""

    count: int


@dataclass(frozen=True, slots=True)
class AuditWork(WorkWithoutClaims):
    """The `WorkflowState` of `audit`."""

    parts: RunParts
    briefs: SessionBriefs

    def decide(self, progress: RunProgress, rules: DecisionRules) -> NextAction:
        saved = sum(1 for _ in self.parts.read_log(("finding.saved",)))
        return decide_next(progress, rules, saved)

    def brief(self, instruction: str, limits: SessionLimits) -> SessionBrief:
        text = self.briefs.text_of(instruction).rstrip()
        prompt = audit_prompt(text, self.parts, self.parts.notes.read_findings())
        tools = (finding_tool(self.save_finding, self.parts.redact),)
        return self.briefs.write(instruction, limits, prompt, tools)

    def save_finding(self, title: str, text: str) -> str:
        """Save a new finding; what the agent is told."""
        parts = self.parts
        saved = (recorded.event for recorded in parts.read_log(("finding.saved",)))
        if any(isinstance(event, FindingSaved) and event.title == title for event in saved):
            return "The finding is kept."
        reason = why_dropped(title, parts.notes.read_findings())
        if reason is not None:
            parts.leg_log.record(FindingDropped(title, reason), once=f"dropped {title}")
            return "A person has dismissed it." if reason == "dismissed" else "It is known already."
        path = parts.notes.save_finding(slug(title), f"# {title}\n\n{text}\n")
        parts.leg_log.record(FindingSaved(title, path), once=f"finding {title}")
        return "The finding is kept."

    async def import_session(self, ref: RoundRef, before: str) -> ImportedTip:
        """Import nothing, because files that a session leaves are not work."""
        return ImportedTip(before)

    async def after_import(
        self, ref: RoundRef, progress: RunProgress, result: SessionResult, imported: RoundImport
    ) -> RunProgress:
        """Save what the session marked in its text: that counts as much as a call of the tool."""
        await self.parts.steps.step(
            f"turn {ref.index + 1}", self._save_marked, returns=MarkedFindings
        )
        return progress

    async def _save_marked(self) -> "MarkedFindings":
        marked = [
            recorded.event.text.strip()
            for recorded in self.parts.read_log(("signal.given",))
            if isinstance(recorded.event, SignalGiven) and recorded.event.kind == "to_be_discussed"
        ]
        for content in marked:
            title, _, text = content.partition("\n")
            self.save_finding(title[:MAX_TITLE], text.strip() or title)
        return MarkedFindings(len(marked))


def audit_prompt(text: str, parts: RunParts, known: KnownFindings) -> str:
    """The instruction, then what the session must know."""
    lines = [text, "", "## This project", "", f"- Specifications: `{parts.facts.specs}`", ""]
    if words := parts.request.inputs.get("words", ""):
        lines += ["## What to look at first", "", in_fence(words), ""]
    if known.titles:
        lines += ["## Known findings", "", *(f"- {title}" for title in known.titles), ""]
    if known.memory.strip():
        lines += ["## Dismissed, and what else a person said", ""]
        lines += [in_fence(known.memory[-MAX_MEMORY:]), ""]
    return "\n".join(lines).rstrip() + "\n"


def finding_tool(
    save: Callable[[str, str], str], clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> Tool:
    """The auditor's tool: takes one finding."""

    async def call(arguments: Mapping[str, Any]) -> ToolReply:
        cleaned = clean(arguments)
        title, text = cleaned.get("title"), cleaned.get("text")
        if not isinstance(title, str) or not isinstance(text, str) or not title.strip():
            return ToolReply("Pass `title` and `text`, both as text.", is_error=True)
        title = " ".join(without_surrogates(title).split())[:MAX_TITLE]
        return ToolReply(save(title, without_surrogates(text)[:MAX_TEXT].strip()))

    return Tool(
        name="add_finding",
        description=(
            "Hand over one place where code and specifications differ, or where a specification is "
            "unclear, for a person to decide about. It is kept at once."
        ),
        schema={
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "The matter in a few words."},
                "text": {"type": "string", "description": "What each side says, and where."},
            },
            "required": ["title", "text"],
        },
        call=call,
    )
