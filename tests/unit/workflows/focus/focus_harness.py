"""A whole `focus` run over real git and a replayed agent, with preset results of its checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.builders import repository_in
from tests.unit.workflows.run_harness import RunHarness, ending, use
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.agent import TextClosed, TextStreamed, ToolUse
from treadle.domain.review import Severity
from treadle.verify.results.check_runner import CommandStopped
from treadle.verify.results.memory_check_runner import GREEN, MemoryCheckRunner, PresetResult
from treadle.workflows.definition import LogFollower
from treadle.workflows.focus.focus_files import FocusFiles
from treadle.workflows.focus.focus_work import FocusWork
from treadle.workflows.focus.review_rules import ReviewRules
from treadle.workflows.focus.review_steps import SuiteFindings
from treadle.workflows.loop.run_loop import RunLoop

WORDS = "Tell the time"
CHECK = "make check"


@dataclass(frozen=True)
class FocusOptions:
    """The settings of `focus`."""

    review_bar: Severity
    max_reviews: int


@dataclass
class FocusHarness(RunHarness):
    """As `RunHarness`, for `focus`; the results of its check command are preset."""

    given_review: str = ""
    review_terms: ReviewRules = field(default_factory=lambda: ReviewRules("major", 3))
    check: str = CHECK
    said: dict[tuple[str, str], PresetResult] = field(default_factory=lambda: {(CHECK, ""): GREEN})
    # What the tests say, one time after the other; then they have nothing against the work.
    tests: list[str] = field(default_factory=list)
    # Why the grade of the tests is too low.
    shortfall: str = ""
    set_up: list[str] = field(default_factory=list)
    focus_files: FocusFiles | None = None

    @property
    def wip(self) -> Mapping[str, str]:
        """The working files in the project, without the run's id before their names."""
        return files_in(self.user.path / ".treadle" / "wip", self.run)

    @property
    def history(self) -> Mapping[str, str]:
        return files_in(self.directory / self.run / "wip", self.run)

    def __post_init__(self) -> None:
        self.workflow, self.prepare = "focus", self._set_up
        self.forget_setup = lambda: self.set_up.append("anew")

    def follow_log(self) -> LogFollower:
        self.inputs = {"words": WORDS, "review": self.given_review}
        self.options = FocusOptions(self.review_terms.bar, self.review_terms.max_reviews)
        self.facts = replace(self.facts, check=self.check)
        self.runner = MemoryCheckRunner(self.said)
        files = WipFiles(
            self.user.path / ".treadle" / "wip", self.directory / self.run / "wip", self.run
        )
        self.focus_files = FocusFiles(files, given_review=self.given_review)
        self.focus_files.load(self.store.read(self.run))
        self.focus_files.refresh()
        return self.focus_files

    def adjust(self, loop: RunLoop) -> None:
        """The tests answer as a test says."""
        assert isinstance(loop.work, FocusWork)
        loop.work.review_steps = replace(loop.work.review_steps, verify_tests=self._verify_tests)

    async def _set_up(self) -> None:
        self.set_up.append("set up")

    async def _verify_tests(self, commit: str) -> SuiteFindings | CommandStopped:
        return SuiteFindings(self.tests.pop(0) if self.tests else "", self.shortfall)


def files_in(folder: Path, run: str) -> Mapping[str, str]:
    if not folder.is_dir():
        return {}
    return {
        path.name.removeprefix(run): path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
    }


def make_focus_harness(directory: Path) -> FocusHarness:
    specs = {"SPEC.md": "# Clock\n", "specs/clock.md": "# Clock\n\nTell the time.\n"}
    return FocusHarness(directory, repository_in(directory, **specs))


def said(*lines: str) -> list[ReplayStep]:
    """The agent says this in one block of text."""
    return [TextStreamed("\n".join(lines) + "\n"), TextClosed()]


def marker(kind: str, text: str) -> list[ReplayStep]:
    return said(f"<{kind}>", text, f"</{kind}>")


def planned(text: str) -> list[ReplayStep]:
    """A planner's whole session."""
    return [use("write_plan", {"text": text}), *marker("PLAN_COMPLETE", "Planned."), ending()]


def finding(severity: str, text: str, **shown: str) -> dict[str, str]:
    return {"severity": severity, "text": text, **shown}


def reviewed(kind: str, findings: Sequence[Mapping[str, str]] = ()) -> list[ReplayStep]:
    """A reviewer's whole session; one that approves without findings hands none over."""
    written: list[ReplayStep] = [_review(findings)] if findings else []
    return [*written, *marker(kind, "Reviewed."), ending()]


def _review(findings: Sequence[Mapping[str, str]]) -> ToolUse:
    return use("write_review", {"findings": [dict(each) for each in findings]})
