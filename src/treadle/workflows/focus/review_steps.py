"""The steps of a review in `focus`: its scope, its findings checked, its verdict recorded."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from treadle.domain.events.focus import BacklogSaved, ReviewJudged, ReviewWritten
from treadle.domain.events.verification import TouchedFile
from treadle.domain.ports import Clock, Log
from treadle.domain.review import ReviewFinding
from treadle.verify.check_runner import CheckCommand, CheckRunner, CommandStopped
from treadle.verify.evidence_files import find_touched_evidence
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.phases import PhaseState, ReviewVerdict
from treadle.workflows.focus.previous_findings import (
    FindingStatus,
    PreviousFindings,
    earlier_findings,
    finding_key,
    finding_status,
    most_severe_first,
    settled_findings,
)
from treadle.workflows.focus.prompt import MAX_REVIEW, ChangesSince, ReviewScope, truncate
from treadle.workflows.focus.review_rules import (
    FindingContext,
    ReviewJudgement,
    ReviewRules,
    judge_review,
    why_dropped,
)
from treadle.workflows.focus.working_files import finding_lines
from treadle.workflows.loop.run_parts import ProjectNotes
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import Git

# Commands of findings that are tried in one review.
MAX_COMMANDS = 10

# What stands against the tests of a commit, in words; empty: nothing.
VerifyTests = Callable[[str], Awaitable[str | CommandStopped]]


async def no_objection(commit: str) -> str:
    """For projects that have no tests to run."""
    return ""


@dataclass(frozen=True, slots=True)
class CheckedReview:
    """The findings of a review, each with its fault, and how those of earlier reviews stand."""

    findings: list[tuple[ReviewFinding, str]]
    previous: PreviousFindings
    settled: tuple[ReviewFinding, ...]


@dataclass(frozen=True, slots=True)
class ReviewSteps:
    """Judges the reviews of one run. Files are read from the user's repository, never from the
    agent's clone."""

    history: Callable[[], FocusHistory]
    git: Git
    runner: CheckRunner
    notes: ProjectNotes
    rules: ReviewRules
    clock: Clock
    # Seconds that the command of a finding may take.
    command_s: float
    # Its keys are of the leg.
    log: Log
    # Whether the policy lets an agent run this line: nobody runs another for it.
    is_allowed: Callable[[str], bool]
    verify_tests: VerifyTests = no_objection

    async def review(self, number: int, stage: PhaseState, commit: str) -> ReviewVerdict:
        """What the review of this round comes to, with the tests as the last word before yes."""
        began = self.clock.monotonic()
        course = self.history()
        said = course.verdict
        checked = await self._check_review(course, stage.number, commit)
        if isinstance(checked, CommandStopped):
            return ReviewVerdict("cut", "")
        judgement = judge_review(
            None if said is None else said.signal.kind,
            checked.findings,
            self.rules,
            reviews_before=stage.reviews,
            earlier=checked.previous,
        )
        outcome, reason = judgement.outcome, judgement.reason
        if outcome == "approved":
            objections = await self.verify_tests(commit)
            if isinstance(objections, CommandStopped):
                return ReviewVerdict("cut", "")
            if objections:
                last = stage.reviews + 1 >= self.rules.max_reviews
                outcome, reason = "tests_failed" if last else "changes", objections
                judgement = replace(judgement, reason=_in_short(objections))
        self.log.record(
            ReviewJudged(
                number=stage.number,
                verdict="approved" if outcome == "approved" else "changes_requested",
                commit=commit,
                reason=truncate(reason, MAX_REVIEW),
                findings=judgement.findings,
                dropped=judgement.dropped,
                settled=checked.settled,
            ),
            once=f"review {number}",
        )
        if outcome != "changes":
            self._leave_for_later(number, course, judgement)
        return ReviewVerdict(outcome, judgement.reason, round(self.clock.monotonic() - began, 3))

    async def scope(self, number: int, commit: str) -> ReviewScope:
        """What the reviewer of this round is to look at."""
        course = self.history()
        touched_files: tuple[TouchedFile, ...] = ()
        if course.baseline is not None:
            changes = await changed_files(self.git, course.baseline, commit)
            touched_files = find_touched_evidence(changes)
        return ReviewScope(touched_files, await self._since(_before(course, number), commit))

    async def _since(self, reviews: Sequence[ReviewJudged], commit: str) -> ChangesSince | None:
        if not reviews:
            return None
        last = reviews[-1]
        told = await self.git.run(
            *("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--patch"),
            *(last.commit, commit, "--"),
        )
        return ChangesSince(last.commit, told)

    async def _check_review(
        self, course: FocusHistory, number: int, commit: str
    ) -> CheckedReview | CommandStopped:
        """Hold what was found now, and before, against the commit."""
        reviews = _before(course, number)
        before, written = earlier_findings(reviews), course.review or ReviewWritten(())
        tried: dict[str, bool] = {}
        # Those of before first: none is out of reach because the reviewer brought many others.
        for findings in (most_severe_first(before), written.findings):
            cut = await self._try_commands(findings, commit, tried)
            if cut is not None:
                return cut
        changed = None
        if reviews:
            files = await changed_files(self.git, reviews[-1].commit, commit)
            changed = frozenset(change.path for change in files)
        into = []
        for finding in written.findings:
            text, fails = await self._text_of(finding.file, commit), tried.get(finding.command)
            into.append(
                (finding, why_dropped(finding, FindingContext(text, fails, changed, before)))
            )
        settled = settled_findings(before, written.settled, written.findings)
        repeated = {finding_key(finding) for finding in written.findings}
        standing: dict[FindingStatus, list[ReviewFinding]] = {"again": [], "open": [], "mended": []}
        for finding in before:
            if finding_key(finding) not in repeated:
                text, fails = await self._text_of(finding.file, commit), tried.get(finding.command)
                how = finding_status(finding, text=text, fails=fails, is_settled=finding in settled)
                standing[how].append(finding)
        earlier = PreviousFindings(tuple(standing["again"]), tuple(standing["open"]))
        return CheckedReview(into, earlier, settled)

    async def _try_commands(
        self, findings: Sequence[ReviewFinding], commit: str, tried: dict[str, bool]
    ) -> CommandStopped | None:
        """Run what may be run, each once, and add whether it fails; None if nothing was cut."""
        commands = dict.fromkeys(finding.command for finding in findings)
        wanted = [each for each in commands if each not in tried and self._can_be_tried(each)]
        for command in wanted[:MAX_COMMANDS]:
            fails = await self._fails(command, commit)
            if isinstance(fails, CommandStopped):
                return fails
            tried[command] = fails
        return None

    def _can_be_tried(self, command: str) -> bool:
        return bool(command.strip()) and self.is_allowed(command)

    async def _fails(self, command: str, commit: str) -> bool | CommandStopped:
        shown = await self.runner.run(CheckCommand(command, commit, "after", self.command_s))
        return shown if isinstance(shown, CommandStopped) else not shown.evidence.is_green

    async def _text_of(self, file: str, commit: str) -> str | None:
        if not file:
            return None
        ran = await self.git.try_run("cat-file", "blob", f"{commit}:{file}")
        return ran.output if ran.ok else None

    def _leave_for_later(
        self, number: int, course: FocusHistory, judgement: ReviewJudgement
    ) -> None:
        said = course.verdict
        if not judgement.leftovers or said is None:
            return
        texts = tuple(_item(finding) for finding in judgement.leftovers)
        saved = BacklogSaved(self.notes.save_items(texts, said.at))
        self.log.record(saved, once=f"backlog {number}")


def _in_short(objections: str) -> str:
    """What ends a run is said in one line; the log has all of it."""
    first = objections.strip().splitlines()[0].removeprefix("- ")
    return f"the tests object to what the review approved: {first[:200]}"


def _before(course: FocusHistory, number: int) -> tuple[ReviewJudged, ...]:
    """The reviews of earlier rounds: this one's may have been told before a crash."""
    return tuple(judged for judged in course.reviews if judged.number < number)


def _item(finding: ReviewFinding) -> str:
    first = " ".join(finding.text.split())
    title = first if len(first) <= 80 else f"{first[:79]}…"
    rest = finding_lines(1, finding)[1:]
    where = f" in `{finding.file}`" if finding.file else ""
    return "\n".join([f"# {title}", "", f"A review left this ({finding.severity}{where}).", *rest])
