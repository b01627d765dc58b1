"""The steps of a review in `focus`: set its scope, check its findings, record its verdict."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from treadle.domain.events.focus import BacklogSaved, ReviewJudged, ReviewWritten
from treadle.domain.events.verification import TouchedFile
from treadle.domain.ports import Clock, Log
from treadle.domain.review import ReviewFinding
from treadle.verify.judges.judge_files import find_touched_evidence
from treadle.verify.results.check_runner import CheckCommand, CheckRunner, CommandStopped
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.phases import PhaseState, ReviewOutcome, ReviewVerdict
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

# Outcomes with an approval of the reviewer.
APPROVALS: tuple[ReviewOutcome, ...] = ("approved", "unproven")
# Commands of findings that one review runs.
MAX_COMMANDS = 10
# Of the files that a finding is compared with.
LARGEST_FILE = 4 << 20


@dataclass(frozen=True, slots=True)
class SuiteFindings:
    """What the tests say about a commit: their objections as text, and why their grade is too low;
    both are empty if there is nothing against it."""

    objections: str = ""
    shortfall: str = ""


# Runs the tests of a commit.
VerifyTests = Callable[[str], Awaitable[SuiteFindings | CommandStopped]]


async def no_objection(commit: str) -> SuiteFindings:
    """For projects that have no tests to run."""
    return SuiteFindings()


@dataclass(frozen=True, slots=True)
class CheckedReview:
    """The findings of a review with why each is dropped, and the state of earlier ones."""

    findings: list[tuple[ReviewFinding, str]]
    previous: PreviousFindings
    settled: tuple[ReviewFinding, ...]


@dataclass(frozen=True, slots=True)
class ReviewSteps:
    """Judges the reviews of one run. Reads files from the user's repository, never from the
    agent's clone."""

    history: Callable[[], FocusHistory]
    git: Git
    runner: CheckRunner
    notes: ProjectNotes
    rules: ReviewRules
    clock: Clock
    # The time limit of a finding's command.
    command_s: float
    # Counts its keys per leg.
    log: Log
    # Whether the policy lets an agent run this line; Treadle runs no other for it.
    is_allowed: Callable[[str], bool]
    verify_tests: VerifyTests = no_objection

    async def review(self, number: int, state: PhaseState, commit: str) -> ReviewVerdict:
        """The verdict of the round's review; an approval needs the tests to pass, too."""
        started_at = self.clock.monotonic()
        history = self.history()
        accepted = history.verdict
        checked = await self._check_review(history, state.number, commit)
        if isinstance(checked, CommandStopped):
            return ReviewVerdict("cut", "")
        judgement = judge_review(
            None if accepted is None else accepted.signal.kind,
            checked.findings,
            self.rules,
            reviews_before=state.reviews,
            previous=checked.previous,
        )
        outcome, reason = judgement.outcome, judgement.reason
        if outcome == "approved":
            tests = await self.verify_tests(commit)
            if isinstance(tests, CommandStopped):
                return ReviewVerdict("cut", "")
            if tests.objections:
                last = state.reviews + 1 >= self.rules.max_reviews
                outcome, reason = "tests_failed" if last else "changes", tests.objections
                judgement = replace(judgement, reason=_one_line(tests.objections))
            elif tests.shortfall:
                outcome = "unproven"
                judgement = replace(judgement, reason=tests.shortfall)
        self.log.record(
            ReviewJudged(
                number=state.number,
                verdict="approved" if outcome in APPROVALS else "changes_requested",
                commit=commit,
                reason=truncate(reason, MAX_REVIEW),
                findings=judgement.findings,
                dropped=judgement.dropped,
                settled=checked.settled,
            ),
            once=f"review {number}",
        )
        if outcome != "changes":
            self._save_backlog(number, history, judgement)
        return ReviewVerdict(
            outcome, judgement.reason, round(self.clock.monotonic() - started_at, 3)
        )

    async def scope(self, number: int, commit: str) -> ReviewScope:
        """What the reviewer of this round must review."""
        history = self.history()
        touched_files: tuple[TouchedFile, ...] = ()
        if history.baseline is not None:
            changes = await changed_files(self.git, history.baseline, commit)
            touched_files = find_touched_evidence(changes)
        reviews = _reviews_before(history, number)
        return ReviewScope(touched_files, await self._changes_since(reviews, commit))

    async def _changes_since(
        self, reviews: Sequence[ReviewJudged], commit: str
    ) -> ChangesSince | None:
        if not reviews:
            return None
        last = reviews[-1]
        patch = await self.git.run(
            # A larger file is said to differ, as a binary file is.
            *("-c", f"core.bigFileThreshold={LARGEST_FILE}"),
            *("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--patch"),
            *(last.commit, commit, "--"),
        )
        return ChangesSince(last.commit, patch)

    async def _check_review(
        self, history: FocusHistory, number: int, commit: str
    ) -> CheckedReview | CommandStopped:
        """Check the new and the earlier findings against the commit."""
        reviews = _reviews_before(history, number)
        earlier, written = earlier_findings(reviews), history.review or ReviewWritten(())
        fails_by_command: dict[str, bool] = {}
        # Earlier findings first, so that many new ones do not use up the limit.
        for findings in (most_severe_first(earlier), written.findings):
            stopped = await self._run_commands(findings, commit, fails_by_command)
            if stopped is not None:
                return stopped
        changed = None
        if reviews:
            files = await changed_files(self.git, reviews[-1].commit, commit)
            changed = frozenset(change.path for change in files)
        checked = []
        for finding in written.findings:
            text = await self._text_of(finding.file, commit)
            fails = fails_by_command.get(finding.command)
            context = FindingContext(text, fails, changed, earlier)
            checked.append((finding, why_dropped(finding, context)))
        settled = settled_findings(earlier, written.settled, written.findings)
        repeated = {finding_key(finding) for finding in written.findings}
        by_status: dict[FindingStatus, list[ReviewFinding]] = {
            "failing": [],
            "open": [],
            "fixed": [],
        }
        for finding in earlier:
            if finding_key(finding) not in repeated:
                text = await self._text_of(finding.file, commit)
                fails = fails_by_command.get(finding.command)
                is_settled = finding in settled
                status = finding_status(finding, text=text, fails=fails, is_settled=is_settled)
                by_status[status].append(finding)
        previous = PreviousFindings(tuple(by_status["failing"]), tuple(by_status["open"]))
        return CheckedReview(checked, previous, settled)

    async def _run_commands(
        self, findings: Sequence[ReviewFinding], commit: str, fails_by_command: dict[str, bool]
    ) -> CommandStopped | None:
        """Run the allowed commands once each, and add whether they fail; None if none was
        stopped."""
        commands = dict.fromkeys(finding.command for finding in findings)
        new = [command for command in commands if command not in fails_by_command]
        runnable = [command for command in new if self._may_run(command)]
        for command in runnable[:MAX_COMMANDS]:
            fails = await self._fails(command, commit)
            if isinstance(fails, CommandStopped):
                return fails
            fails_by_command[command] = fails
        return None

    def _may_run(self, command: str) -> bool:
        return bool(command.strip()) and self.is_allowed(command)

    async def _fails(self, command: str, commit: str) -> bool | CommandStopped:
        result = await self.runner.run(CheckCommand(command, commit, "after", self.command_s))
        return result if isinstance(result, CommandStopped) else not result.evidence.is_green

    async def _text_of(self, file: str, commit: str) -> str | None:
        if not file:
            return None
        size = await self.git.try_run("cat-file", "-s", f"{commit}:{file}")
        if not size.ok or int(size.output) > LARGEST_FILE:
            return None
        result = await self.git.try_run("cat-file", "blob", f"{commit}:{file}")
        return result.output if result.ok else None

    def _save_backlog(self, number: int, history: FocusHistory, judgement: ReviewJudgement) -> None:
        accepted = history.verdict
        if not judgement.leftovers or accepted is None:
            return
        texts = tuple(_item(finding) for finding in judgement.leftovers)
        if paths := self.notes.save_items(texts, accepted.at):
            self.log.record(BacklogSaved(paths), once=f"backlog {number}")


def _one_line(objections: str) -> str:
    """The message of a run's end is one line; the log has all objections."""
    first = objections.strip().splitlines()[0].removeprefix("- ")
    return f"the tests object to what the review approved: {first[:200]}"


def _reviews_before(history: FocusHistory, number: int) -> tuple[ReviewJudged, ...]:
    """The reviews of earlier rounds; this round's may be in the log after a crash."""
    return tuple(review for review in history.reviews if review.number < number)


def _item(finding: ReviewFinding) -> str:
    first = " ".join(finding.text.split())
    title = first if len(first) <= 80 else f"{first[:79]}…"
    rest = finding_lines(1, finding)[1:]
    location = f" in `{finding.file}`" if finding.file else ""
    return "\n".join(
        [f"# {title}", "", f"A review left this ({finding.severity}{location}).", *rest]
    )
