"""The manager's tools take what belongs into the files of `.treadle`; `apply_notes` writes it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from treadle.domain.agent import Tool, ToolReply
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.plan import NoteAction, NoteApplied, NoteSubmitted
from treadle.domain.finding import ProjectNote
from treadle.domain.ports import Log
from treadle.domain.wire import without_surrogates
from treadle.workflows.focus.workflow import LONGEST_WORDS
from treadle.workflows.loop.run_parts import ProjectNotes
from treadle.workflows.plan.next_action import file_name, open_notes

# Of one text, and of a session: what is handed over is in the log, outside the sandbox.
MOST_TEXT = 200_000
MOST_NOTES = 500
MOST_LISTED = 100_000
_LATER = "It is kept, and written when the session has ended and the specifications are landed."


@dataclass(frozen=True, slots=True)
class ManagerTools:
    """`list_notes` reads the files as they are now; `hand_over` stores what is to change."""

    list_notes: Callable[[], tuple[ProjectNote, ...]]
    hand_over: Callable[[NoteSubmitted], None]
    clean: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    # How many this run has handed over.
    count: Callable[[], int]

    def tools(self) -> tuple[Tool, ...]:
        return (
            Tool(
                "list_notes",
                "List the backlog, open spec issues, findings and the memory, with their texts.",
                {"type": "object", "properties": {}},
                self._list,
            ),
            self._tool(
                "add_backlog_item",
                "Add an item to the backlog: one piece of work that an agent builds and another "
                "reviews against the specifications. Items are done in the order of their names. "
                "The same name again replaces the text; an empty text takes it back.",
                ("name", "A short name, such as 010-export-csv."),
                ("text", "What to do, as one would tell a colleague."),
                self._add_item,
            ),
            self._tool(
                "resolve_issue",
                "Close a spec issue or a finding that the specifications or the backlog settle "
                "now. An empty resolution takes it back.",
                ("name", "Its name, as list_notes has it."),
                ("resolution", "How it is settled, in a sentence."),
                self._resolve,
            ),
            self._tool(
                "dismiss_finding",
                "Close a finding that is none. The memory keeps it, so that no audit finds it "
                "again. An empty reason takes it back.",
                ("name", "Its name, as list_notes has it."),
                ("reason", "Why it is none, in a sentence."),
                self._dismiss,
            ),
            self._tool(
                "remember",
                "Add a line to the memory, which audits read.",
                ("line", "What audits should know."),
                ("reason", "Why, in a few words."),
                self._remember,
            ),
        )

    def _tool(
        self,
        name: str,
        description: str,
        first: tuple[str, str],
        second: tuple[str, str],
        take: Callable[[str, str], ToolReply],
    ) -> Tool:
        async def call(arguments: Mapping[str, Any]) -> ToolReply:
            cleaned = self.clean(arguments)
            one, other = cleaned.get(first[0]), cleaned.get(second[0])
            if not isinstance(one, str) or not isinstance(other, str) or not one.strip():
                message = f"Pass `{first[0]}` and `{second[0]}`, both as text."
                return ToolReply(message, is_error=True)
            texts = (without_surrogates(each).strip()[:MOST_TEXT] for each in (one, other))
            return take(*texts)

        properties = {key: {"type": "string", "description": text} for key, text in (first, second)}
        schema = {"type": "object", "properties": properties, "required": [*properties]}
        return Tool(name, description, schema, call)

    async def _list(self, arguments: Mapping[str, Any]) -> ToolReply:
        notes = self.list_notes()
        parts = [f"## {note.kind}: {note.name}\n\n{note.text.strip()}" for note in notes]
        return ToolReply("\n\n".join(parts)[:MOST_LISTED] or "There is nothing.")

    def _add_item(self, name: str, text: str) -> ToolReply:
        plain = file_name(name)
        if not plain:
            return ToolReply("The name needs letters or digits.", is_error=True)
        if len(text) > LONGEST_WORDS:
            # A watch would end with it.
            return ToolReply(f"An item has at most {LONGEST_WORDS:,} characters.", is_error=True)
        return self._keep("add_item", plain, text)

    def _resolve(self, name: str, resolution: str) -> ToolReply:
        return self._about_note("resolve_issue", ("spec issue", "finding"), name, resolution)

    def _dismiss(self, name: str, reason: str) -> ToolReply:
        return self._about_note("dismiss_finding", ("finding",), name, reason)

    def _remember(self, line: str, reason: str) -> ToolReply:
        line = " ".join(line.split())
        text = f"{line} (because: {' '.join(reason.split())})" if reason else line
        return self._keep("remember", line, text)

    def _about_note(
        self, action: NoteAction, kinds: tuple[str, ...], name: str, text: str
    ) -> ToolReply:
        names = [note.name for note in self.list_notes() if note.kind in kinds]
        name = name.removesuffix(".md")
        if name not in names:
            known = ", ".join(names) or "none is open"
            return ToolReply(f"There is no {kinds[0]} {name!r}. Known: {known}.", is_error=True)
        return self._keep(action, name, " ".join(text.split()))

    def _keep(self, action: NoteAction, name: str, text: str) -> ToolReply:
        if self.count() >= MOST_NOTES:
            message = f"{MOST_NOTES} texts are handed over: the rest is for the next session."
            return ToolReply(message, is_error=True)
        self.hand_over(NoteSubmitted(action, name, text))
        return ToolReply(_LATER if text else "It is taken back.")


def apply_notes(events: Iterable[RecordedEvent], notes: ProjectNotes, log: Log) -> None:
    """Safe to repeat: a file that is written again is the same, one that is removed is gone."""
    for note in open_notes(events):
        log.record(NoteApplied(note.action, note.name, _apply(note, notes)))


def _apply(note: NoteSubmitted, notes: ProjectNotes) -> str:
    match note.action:
        case "add_item":
            return notes.save_item(note.name, note.text)
        case "resolve_issue":
            return notes.remove_note(note.name)
        case "dismiss_finding":
            return notes.dismiss_finding(note.name, note.text)
        case "remember":
            return notes.remember(note.text)
        case _:
            assert_never(note.action)
