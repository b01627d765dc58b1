"""Acts the steps of a `focus` run that follow a session: its work committed, its word taken, the
setup and check commands run."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import (
    CommandFinished,
    CommitFailed,
    IssueSaved,
)
from treadle.domain.events.run import RunWarned
from treadle.domain.ports import Clock
from treadle.domain.session import Completed, SessionResult
from treadle.verify.proving_ground import NotShown, ProvingGround, Trial
from treadle.workflows.deliver.rounds import Place
from treadle.workflows.focus.commit_message import message_of
from treadle.workflows.focus.prompts import MOST_CHECK
from treadle.workflows.focus.recollection import Course, Said
from treadle.workflows.focus.stage import Turned, without_effect
from treadle.workflows.site import Home
from treadle.workflows.worksite import Worksite
from treadle.workspace.git import GitFailed

RecordOnce = Callable[[str, Event], None]


class Cabinet(Protocol):
    """Keeps texts for people in the project; what is there already is never written over."""

    def keep_issue(self, text: str, at: datetime) -> str:
        """Where it was put, from the project's top. Asked again, the same place."""
        ...

    def keep_items(self, texts: tuple[str, ...], at: datetime) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Commands:
    """What Treadle itself runs between sessions; an empty check is none."""

    check: str
    check_s: float
    # Sets the workspace up, unless that was done for what it needs now.
    set_up: Callable[[], Awaitable[None]]
    # Lets that count as not done.
    forget_setup: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Took:
    """A command was run or skipped; the log says which."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Acts:
    """Acts the steps of one run, by what its log says."""

    course: Callable[[], Course]
    worksite: Worksite
    cabinet: Cabinet
    ground: ProvingGround
    commands: Commands
    clock: Clock
    # Under keys of the leg.
    record_once: RecordOnce
    stopping: Callable[[], bool]

    async def bring(self, place: Place, before: str) -> Home:
        """Commit and import what an implementer left; the others change nothing.

        A commit that fails does not stop the run: what it was to hold stays in the workspace.
        """
        if place.instruction != "task":
            return Home(before)
        try:
            return await self.worksite.bring_home(self._message(place.number))
        except GitFailed as error:
            failed = CommitFailed(error.message)
            self.record_once(f"commit failed {place.turn}", failed)
            return Home(before, error.message)

    def _message(self, number: int) -> str:
        otherwise = f"Round {number}: work in progress"
        said = self.course().verdict
        if said is None or said.signal.kind not in ("progress", "done"):
            return otherwise
        return message_of(said.signal.text, otherwise=otherwise)

    async def turn(self, turn: int, words: str, result: SessionResult) -> Turned:
        """What the session came to. A spec issue is saved before anybody acts on it."""
        course = self.course()
        said = course.verdict
        if said is None or not isinstance(result.outcome, Completed):
            return Turned()
        if said.signal.kind == "spec_issue":
            return Turned("spec_issue", issue=self._issue(turn, words, course, said))
        turned = Turned(said.signal.kind, handed_over=bool(course.draft or course.review))
        if why := without_effect(turned, course.refusal):
            self.record_once(f"without effect {turn}", RunWarned(why))
        return turned

    def _issue(self, turn: int, words: str, course: Course, said: Said) -> str:
        role = course.role or "implementer"
        text = f"# Spec issue\n\nFound by the {role}, with the focus: {words}\n\n"
        path = self.cabinet.keep_issue(f"{text}{said.signal.text.strip()}\n", said.at)
        self.record_once(f"issue {turn}", IssueSaved(path, role, said.signal.text))
        return path

    async def set_up(self, *, anew: bool) -> Took:
        """Make the workspace ready; what fails is told, and left to the agent. `anew`: there is a
        new plan, so also where it was ready before."""
        began = self.clock.monotonic()
        if not self.stopping():
            if anew:
                self.commands.forget_setup()
            await self.commands.set_up()
        return self._took(began)

    async def check(self, turn: int, commit: str) -> Took:
        """Run the check command on what is committed, for the next session to read."""
        began = self.clock.monotonic()
        command = self.commands.check.strip()
        if not command or self.stopping():
            return self._took(began)
        trial = Trial(command, commit, "after", self.commands.check_s)
        shown = await self.ground.show(trial)
        if not isinstance(shown, NotShown):
            evidence = shown.evidence
            finished = CommandFinished(
                command=command,
                exit_code=evidence.exit_code,
                duration_s=evidence.duration_s,
                output=shown.output[-MOST_CHECK:],
                commit=commit,
            )
            self.record_once(f"check {turn}", finished)
        return self._took(began)

    def _took(self, began: float) -> Took:
        return Took(round(self.clock.monotonic() - began, 3))
