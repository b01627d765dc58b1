"""Acts the judging of a review: looks findings up, asks the tests, leaves the rest for later."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from treadle.domain.events.focus import BacklogSaved, ReviewJudged, ReviewWritten
from treadle.domain.events.verification import Touched
from treadle.domain.ports import Clock
from treadle.domain.review import Finding
from treadle.verify.judges import touched
from treadle.verify.proving_ground import NotShown, ProvingGround, Trial
from treadle.workflows.focus.acts import Cabinet, RecordOnce
from treadle.workflows.focus.prompts import MOST_REVIEW, Scope, Since, bounded
from treadle.workflows.focus.recollection import Course
from treadle.workflows.focus.reviews import Judgement, Seen, Terms, fault_of, judge
from treadle.workflows.focus.stage import Reviewed, Stage
from treadle.workflows.focus.working_files import finding_lines
from treadle.workspace.changed_files import changed_files
from treadle.workspace.git import Git

# Commands of findings that are tried in one review.
MOST_COMMANDS = 10

# What stands against the tests of a commit, in words; empty: nothing.
JudgeTests = Callable[[str], Awaitable[str | NotShown]]


async def no_objection(commit: str) -> str:
    """For projects that have no tests to run."""
    return ""


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Judges the reviews of one run. Files are read from the user's repository, never from the
    agent's clone."""

    course: Callable[[], Course]
    git: Git
    ground: ProvingGround
    cabinet: Cabinet
    terms: Terms
    clock: Clock
    # Seconds that the command of a finding may take.
    command_s: float
    record_once: RecordOnce
    # Whether the policy lets an agent run this line: nobody runs another for it.
    is_allowed: Callable[[str], bool]
    judge_tests: JudgeTests = no_objection

    async def review(self, turn: int, stage: Stage, commit: str) -> Reviewed:
        """What the review of this round comes to, with the tests as the last word before yes."""
        began = self.clock.monotonic()
        course = self.course()
        said = course.verdict
        looked_into = await self._looked_into(course, stage.number, commit)
        if isinstance(looked_into, NotShown):
            return Reviewed("cut", "")
        judgement = judge(
            None if said is None else said.signal.kind,
            looked_into,
            self.terms,
            reviews_before=stage.reviews,
        )
        outcome, reason = judgement.outcome, judgement.reason
        if outcome == "approved":
            objections = await self.judge_tests(commit)
            if isinstance(objections, NotShown):
                return Reviewed("cut", "")
            if objections:
                last = stage.reviews + 1 >= self.terms.max_reviews
                outcome, reason = "tests_failed" if last else "changes", objections
                judgement = replace(judgement, reason=_in_short(objections))
        self.record_once(
            f"review {turn}",
            ReviewJudged(
                number=stage.number,
                verdict="approved" if outcome == "approved" else "changes_requested",
                commit=commit,
                reason=bounded(reason, MOST_REVIEW),
                findings=judgement.findings,
                dropped=judgement.dropped,
            ),
        )
        if outcome != "changes":
            self._leave_for_later(turn, course, judgement)
        return Reviewed(outcome, judgement.reason, round(self.clock.monotonic() - began, 3))

    async def scope(self, number: int, commit: str) -> Scope:
        """What the reviewer of this round is to look at."""
        course = self.course()
        touched_files: tuple[Touched, ...] = ()
        if course.baseline is not None:
            changes = await changed_files(self.git, course.baseline, commit)
            touched_files = touched(changes)
        return Scope(touched_files, await self._since(_before(course, number), commit))

    async def _since(self, last: ReviewJudged | None, commit: str) -> Since | None:
        if last is None:
            return None
        told = await self.git.run(
            *("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--patch"),
            *(last.commit, commit, "--"),
        )
        return Since(last.commit, told)

    async def _looked_into(
        self, course: Course, number: int, commit: str
    ) -> list[tuple[Finding, str]] | NotShown:
        last = _before(course, number)
        changed = None
        if last is not None:
            files = await changed_files(self.git, last.commit, commit)
            changed = frozenset(change.path for change in files)
        written = course.review or ReviewWritten(())
        looked, tried = [], 0
        for finding in written.findings:
            fails: bool | NotShown | None = None
            if tried < MOST_COMMANDS and self._can_be_tried(finding.command):
                tried += 1
                fails = await self._fails(finding.command, commit)
            if isinstance(fails, NotShown):
                return fails
            seen = Seen(
                text=await self._text_of(finding.file, commit),
                fails=fails,
                changed=changed,
                earlier=() if last is None else last.findings,
            )
            looked.append((finding, fault_of(finding, seen)))
        return looked

    def _can_be_tried(self, command: str) -> bool:
        return bool(command.strip()) and self.is_allowed(command)

    async def _fails(self, command: str, commit: str) -> bool | NotShown:
        shown = await self.ground.show(Trial(command, commit, "after", self.command_s))
        return shown if isinstance(shown, NotShown) else not shown.evidence.is_green

    async def _text_of(self, file: str, commit: str) -> str | None:
        if not file:
            return None
        ran = await self.git.try_run("cat-file", "blob", f"{commit}:{file}")
        return ran.output if ran.ok else None

    def _leave_for_later(self, turn: int, course: Course, judgement: Judgement) -> None:
        said = course.verdict
        if not judgement.leftovers or said is None:
            return
        texts = tuple(_item(finding) for finding in judgement.leftovers)
        self.record_once(f"backlog {turn}", BacklogSaved(self.cabinet.keep_items(texts, said.at)))


def _in_short(objections: str) -> str:
    """What ends a run is said in one line; the log has all of it."""
    first = objections.strip().splitlines()[0].removeprefix("- ")
    return f"the tests object to what the review approved: {first[:200]}"


def _before(course: Course, number: int) -> ReviewJudged | None:
    """The last review of an earlier round: this one's may have been told before a crash."""
    earlier = [judged for judged in course.judged if judged.number < number]
    return earlier[-1] if earlier else None


def _item(finding: Finding) -> str:
    first = " ".join(finding.text.split())
    title = first if len(first) <= 80 else f"{first[:79]}…"
    rest = finding_lines(1, finding)[1:]
    where = f" in `{finding.file}`" if finding.file else ""
    return "\n".join([f"# {title}", "", f"A review left this ({finding.severity}{where}).", *rest])
