"""What a fake GitHub knows: people, tokens, pull requests, CI results, issues."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

Access = Literal["admin", "write", "read", "none"]
BEGINNING = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@dataclass
class FakePullRequest:
    number: int
    branch: str
    base: str
    title: str
    body: str
    draft: bool
    author: str
    # Of its end; while it is open, its head is that of the branch.
    head: str = ""
    state: Literal["open", "closed"] = "open"
    merged_at: str | None = None
    # Comments on lines and reviews, as GitHub's JSON has what differs from a sample.
    reviews: list[dict[str, Any]] = field(default_factory=list)
    line_comments: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class FakeIssue:
    number: int
    title: str
    body: str
    author: str
    state: Literal["open", "closed"] = "open"
    comments: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class FakeJob:
    """A check run; one of Actions has steps and a log."""

    id: int
    name: str
    commit: str
    status: str = "completed"
    conclusion: str | None = "success"
    app: str = "github-actions"
    output: dict[str, str] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    log: str = ""


@dataclass(frozen=True)
class FakeToken:
    """What a token may do besides reading."""

    login: str
    may_write: bool = True
    may_read_checks: bool = True


@dataclass
class FakeRepository:
    """One repository; its branches are those of a real bare repository."""

    owner: str
    name: str
    access: dict[str, Access] = field(default_factory=dict)
    pulls: dict[int, FakePullRequest] = field(default_factory=dict)
    issues: dict[int, FakeIssue] = field(default_factory=dict)
    jobs: dict[int, FakeJob] = field(default_factory=dict)
    statuses: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    has_drafts: bool = True
    # Each time is a second later than the one before.
    ticks: int = 0

    @property
    def path(self) -> str:
        return f"{self.owner}/{self.name}"

    def workflow_runs(self) -> dict[int, str]:
        """The commits of the runs of workflows: one for each commit with jobs."""
        commits = [job.commit for job in self.jobs.values() if job.app == "github-actions"]
        return dict(enumerate(dict.fromkeys(commits), 1))

    def next_number(self) -> int:
        return len(self.pulls) + len(self.issues) + 1

    def next_time(self) -> str:
        self.ticks += 1
        return f"{BEGINNING + timedelta(seconds=self.ticks):%Y-%m-%dT%H:%M:%SZ}"

    def next_id(self) -> int:
        self.ticks += 1
        return 1_000_000 + self.ticks
