"""The steps of `focus` after a session: commit its work, read its signal, run setup and check
commands."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from treadle.domain.events.focus import (
    CommandFinished,
    CommitFailed,
    IssueSaved,
)
from treadle.domain.events.run import RunWarned
from treadle.domain.ports import Clock, Log
from treadle.domain.session import Completed, SessionResult
from treadle.verify.check_runner import CheckCommand, CheckRunner, CommandStopped
from treadle.workflows.focus.focus_history import AcceptedSignal, FocusHistory
from treadle.workflows.focus.phases import SessionVerdict, no_effect_reason
from treadle.workflows.focus.prompt import MAX_CHECK
from treadle.workflows.loop.run_parts import ProjectNotes
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workflow_state import RoundRef
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workspace.git import GitFailed


@dataclass(frozen=True, slots=True)
class ProjectCommands:
    """What Treadle itself runs between sessions; an empty check is none."""

    check: str
    check_s: float
    # Sets the workspace up, unless that was done for what it needs now.
    set_up: Callable[[], Awaitable[None]]
    # Lets that count as not done.
    forget_setup: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Elapsed:
    """A command was run or skipped; the log says which."""

    seconds: float


@dataclass(frozen=True, slots=True)
class FocusSteps:
    """Acts the steps of one run, by what its log says."""

    history: Callable[[], FocusHistory]
    workspace: RunWorkspace
    notes: ProjectNotes
    runner: CheckRunner
    commands: ProjectCommands
    clock: Clock
    # Its keys are of the leg.
    log: Log
    is_stopping: Callable[[], bool]

    async def import_work(self, ref: RoundRef, before: str) -> ImportedTip:
        """Commit and import what an implementer left; the others change nothing.

        A commit that fails does not stop the run: what it was to hold stays in the workspace.
        """
        if ref.instruction != "task":
            return ImportedTip(before)
        try:
            return await self.workspace.commit_and_import(self._message(ref.number))
        except GitFailed as error:
            failed = CommitFailed(error.message)
            self.log.record(failed, once=f"commit failed {ref.index}")
            return ImportedTip(before, error.message)

    def _message(self, number: int) -> str:
        otherwise = f"Round {number}: work in progress"
        said = self.history().verdict
        if said is None or said.signal.kind not in ("progress", "done"):
            return otherwise
        return message_of(said.signal.text, otherwise=otherwise)

    async def read_session(self, number: int, words: str, result: SessionResult) -> SessionVerdict:
        """What the session came to. A spec issue is saved before anybody acts on it."""
        course = self.history()
        said = course.verdict
        if said is None or not isinstance(result.outcome, Completed):
            return SessionVerdict()
        if said.signal.kind == "spec_issue":
            return SessionVerdict("spec_issue", issue=self._issue(number, words, course, said))
        turned = SessionVerdict(said.signal.kind, handed_over=bool(course.draft or course.review))
        if why := no_effect_reason(turned, course.refusal):
            self.log.record(RunWarned(why), once=f"without effect {number}")
        return turned

    def _issue(self, number: int, words: str, course: FocusHistory, said: AcceptedSignal) -> str:
        role = course.role or "implementer"
        text = f"# Spec issue\n\nFound by the {role}, with the focus: {words}\n\n"
        path = self.notes.save_issue(f"{text}{said.signal.text.strip()}\n", said.at)
        self.log.record(IssueSaved(path, role, said.signal.text), once=f"issue {number}")
        return path

    async def set_up(self, *, anew: bool) -> Elapsed:
        """Make the workspace ready; what fails is told, and left to the agent. `anew`: there is a
        new plan, so also where it was ready before."""
        began = self.clock.monotonic()
        if not self.is_stopping():
            if anew:
                self.commands.forget_setup()
            await self.commands.set_up()
        return self._took(began)

    async def check(self, number: int, commit: str) -> Elapsed:
        """Run the check command on what is committed, for the next session to read."""
        began = self.clock.monotonic()
        command = self.commands.check.strip()
        if not command or self.is_stopping():
            return self._took(began)
        trial = CheckCommand(command, commit, "after", self.commands.check_s)
        shown = await self.runner.run(trial)
        if not isinstance(shown, CommandStopped):
            evidence = shown.evidence
            finished = CommandFinished(
                command=command,
                exit_code=evidence.exit_code,
                duration_s=evidence.duration_s,
                output=shown.output[-MAX_CHECK:],
                commit=commit,
            )
            self.log.record(finished, once=f"check {number}")
        return self._took(began)

    def _took(self, began: float) -> Elapsed:
        return Elapsed(round(self.clock.monotonic() - began, 3))


MAX_SUBJECT = 72
MAX_MESSAGE = 4_000


def message_of(text: str, *, otherwise: str) -> str:
    """What an agent said at its end, as a commit message: a short first line, then the rest."""
    lines = [_printable(line) for line in text.strip().splitlines()]
    rest = "\n".join(lines).strip()
    if not rest:
        return otherwise
    first, _, body = rest.partition("\n")
    subject = _subject(first)
    # A first line that is too long is said whole in the body.
    body = rest if subject != first else body
    return f"{subject}\n\n{body.strip()[:MAX_MESSAGE]}".strip()


def _subject(line: str) -> str:
    if len(line) <= MAX_SUBJECT:
        return line
    cut = line[: MAX_SUBJECT - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else " " for c in line).rstrip()
