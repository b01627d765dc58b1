"""The steps of `focus` after a session: commit its work, read its signal, run setup and check
commands."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from treadle.domain.events.focus import (
    CommandFinished,
    CommitFailed,
    IssueSaved,
)
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import SetupFinished
from treadle.domain.ports import Clock, Log
from treadle.domain.session import Completed, SessionResult
from treadle.verify.results.check_runner import CheckCommand, CheckRunner, CommandStopped
from treadle.workflows.focus.focus_history import AcceptedSignal, FocusHistory
from treadle.workflows.focus.next_action import INSTRUCTION_OF
from treadle.workflows.focus.phases import SessionVerdict, no_effect_reason
from treadle.workflows.focus.prompt import MAX_CHECK
from treadle.workflows.loop.run_parts import ProjectNotes
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workflow_state import RoundRef
from treadle.workflows.loop.workspace_setup import setup_prompt
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workspace.git import GitFailed


@dataclass(frozen=True, slots=True)
class ProjectCommands:
    """The commands that Treadle runs between sessions; an empty check does not run."""

    check: str
    check_s: float
    # Sets the workspace up, unless it is up to date.
    set_up: Callable[[], Awaitable[SetupFinished | None]]
    # Makes the next `set_up` run in any case.
    forget_setup: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Elapsed:
    """The duration of a command, which may have been skipped. Stored as a step result."""

    seconds: float
    # What the next sessions must know about it.
    notice: str = ""


@dataclass(frozen=True, slots=True)
class FocusSteps:
    """The steps of one run, which depend on its log."""

    history: Callable[[], FocusHistory]
    workspace: RunWorkspace
    notes: ProjectNotes
    runner: CheckRunner
    commands: ProjectCommands
    clock: Clock
    # Counts its keys per leg.
    log: Log
    is_stopping: Callable[[], bool]

    async def import_work(self, ref: RoundRef, before: str) -> ImportedTip:
        """Commit and import the work of an implementer; other roles change no files.

        A failed commit does not stop the run: the work stays in the workspace.
        """
        if ref.instruction != INSTRUCTION_OF["implementing"]:
            return ImportedTip(before)
        try:
            imported = await self.workspace.commit_and_import(self._message(ref.number))
        except GitFailed as error:
            failed = CommitFailed(error.message)
            self.log.record(failed, once=f"commit failed {ref.index}")
            return ImportedTip(before, error.message)
        await self.workspace.review.record_round(self.workspace.imported)
        return imported

    def _message(self, number: int) -> str:
        default = f"Round {number}: work in progress"
        accepted = self.history().verdict
        if accepted is None or accepted.signal.kind not in ("progress", "done"):
            return default
        return message_of(accepted.signal.text, default=default)

    async def read_session(self, number: int, focus: str, result: SessionResult) -> SessionVerdict:
        """The signal of the session, and whether it counts. Saves a spec issue."""
        history = self.history()
        accepted = history.verdict
        if accepted is None or not isinstance(result.outcome, Completed):
            return SessionVerdict()
        if accepted.signal.kind == "spec_issue":
            return SessionVerdict(
                "spec_issue", issue=self._save_issue(number, focus, history, accepted)
            )
        verdict = SessionVerdict(
            accepted.signal.kind, handed_over=bool(history.draft or history.review)
        )
        if reason := no_effect_reason(verdict, history.refusal):
            self.log.record(RunWarned(reason), once=f"without effect {number}")
        return verdict

    def _save_issue(
        self, number: int, focus: str, history: FocusHistory, accepted: AcceptedSignal
    ) -> str:
        role = history.role or "implementer"
        text = f"# Spec issue\n\nFound by the {role}, with the focus: {focus}\n\n"
        path = self.notes.save_issue(f"{text}{accepted.signal.text.strip()}\n", accepted.at)
        self.log.record(IssueSaved(path, role, accepted.signal.text), once=f"issue {number}")
        return path

    async def set_up(self, *, force: bool) -> Elapsed:
        """Set the workspace up; a failure is recorded and left to the agent. With `force`, also
        where it is up to date, because there is a new plan."""
        started_at = self.clock.monotonic()
        finished = None
        if not self.is_stopping():
            if force:
                self.commands.forget_setup()
            finished = await self.commands.set_up()
        return replace(self._elapsed_since(started_at), notice=setup_prompt(finished))

    async def check(self, number: int, commit: str) -> Elapsed:
        """Run the check command on the commit; the next prompt contains its output."""
        started_at = self.clock.monotonic()
        command = self.commands.check.strip()
        if not command or self.is_stopping():
            return self._elapsed_since(started_at)
        check_command = CheckCommand(command, commit, "after", self.commands.check_s)
        result = await self.runner.run(check_command)
        if not isinstance(result, CommandStopped):
            evidence = result.evidence
            finished = CommandFinished(
                command=command,
                exit_code=evidence.exit_code,
                duration_s=evidence.duration_s,
                output=result.output[-MAX_CHECK:],
                commit=commit,
            )
            self.log.record(finished, once=f"check {number}")
        return self._elapsed_since(started_at)

    def _elapsed_since(self, started_at: float) -> Elapsed:
        return Elapsed(round(self.clock.monotonic() - started_at, 3))


MAX_SUBJECT = 72
MAX_MESSAGE = 4_000


def message_of(text: str, *, default: str) -> str:
    """An agent's signal text as a commit message: a short first line, then the rest."""
    lines = [_printable(line) for line in text.strip().splitlines()]
    text_lines = "\n".join(lines).strip()
    if not text_lines:
        return default
    first, _, body = text_lines.partition("\n")
    subject = _subject(first)
    # The body repeats a first line that is too long.
    body = text_lines if subject != first else body
    return f"{subject}\n\n{body.strip()[:MAX_MESSAGE]}".strip()


def _subject(line: str) -> str:
    if len(line) <= MAX_SUBJECT:
        return line
    shortened = line[: MAX_SUBJECT - 1]
    return f"{shortened.rpartition(' ')[0] or shortened}…"


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else " " for c in line).rstrip()
