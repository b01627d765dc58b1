"""Forges to hold the contract against: in memory, and GitHub on loopback with a real repository.

A site is a forge, and what people and CI do there.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

from tests.builders import NOON
from tests.github.fake_answers import user
from tests.github.fake_github import FakeGitHub, serve_github
from tests.github.fake_state import FakeIssue, FakeJob, FakeRepository, FakeToken
from tests.github.git_backend import commit_of, git
from treadle.adapters.forges.forge_kinds import MemoryEtags
from treadle.adapters.forges.github.client import GitHubClient, github_client
from treadle.adapters.forges.github.forge import GitHubForge
from treadle.adapters.forges.memory_forge import MemoryForge
from treadle.adapters.http_client import HttpClient
from treadle.adapters.trackers.github_issues import GitHubIssues
from treadle.adapters.trackers.memory_tracker import MemoryTracker
from treadle.domain.forge import (
    Author,
    CheckLog,
    CiCheck,
    FeedbackKind,
    Forge,
    PullRequestState,
    RepositoryAddress,
    ReviewFeedback,
)
from treadle.domain.forge_kind import ForgeConnection, ForgeToken
from treadle.domain.service_failures import NoPermission
from treadle.domain.tracker import Issue, IssueComment, Tracker

TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
OWNER, NAME = "ada", "engine"
FAILED_STEP = "Run tests"


class ForgeSite(Protocol):
    """A forge, and what others do there."""

    @property
    def forge(self) -> Forge: ...

    def push(self, branch: str) -> str:
        """Add a commit to a branch, and return it."""
        ...

    def allow(self, login: str) -> None:
        """Give write access."""
        ...

    def end(self, number: int, state: PullRequestState) -> None: ...

    def run_job(self, commit: str, name: str, *, failed: bool, log: str) -> None: ...

    def report(self, commit: str, name: str, state: str, summary: str) -> None:
        """A status of a service."""
        ...

    def say(self, number: int, kind: FeedbackKind, author: str, body: str) -> str:
        """The id of what was said."""
        ...

    def edit(self, number: int, said: str, body: str) -> None: ...

    def stop_drafts(self) -> None: ...

    def revoke_token(self) -> None: ...


@dataclass
class MemorySite:
    forge: MemoryForge
    said: int = 0

    def push(self, branch: str) -> str:
        commit = f"{len(self.forge.branches) + 1:040x}"
        self.forge.branches[branch] = commit
        return commit

    def allow(self, login: str) -> None:
        self.forge.writers.add(login)

    def end(self, number: int, state: PullRequestState) -> None:
        self.forge.end_pull_request(number, state)

    def run_job(self, commit: str, name: str, *, failed: bool, log: str) -> None:
        check = CiCheck(name, "failed" if failed else "passed", log_id=f"job:{name}")
        self.forge.put_check(commit, check, CheckLog(log, FAILED_STEP if failed else ""))

    def report(self, commit: str, name: str, state: str, summary: str) -> None:
        states: dict[str, Any] = {"pending": "pending", "failure": "failed", "success": "passed"}
        self.forge.put_check(commit, CiCheck(name, states[state], summary=summary))

    def say(self, number: int, kind: FeedbackKind, author: str, body: str) -> str:
        self.said += 1
        at = NOON + timedelta(seconds=self.said)
        name = f"{kind}:{self.said}"
        writer = Author(author, can_write=False)
        self.forge.put_feedback(number, ReviewFeedback(name, kind, writer, body, at))
        return name

    def edit(self, number: int, said: str, body: str) -> None:
        kind: Any = said.partition(":")[0]
        changed = ReviewFeedback(said, kind, Author("grace", can_write=False), body, NOON)
        self.forge.put_feedback(number, changed)

    def stop_drafts(self) -> None:
        self.forge.has_drafts = False

    def revoke_token(self) -> None:
        self.forge.failure = NoPermission("the forge does not accept the token")


@dataclass
class GitHubSite:
    fake: FakeGitHub
    repository: FakeRepository
    client: GitHubClient
    address: RepositoryAddress
    lists: dict[str, str] = field(
        default_factory=lambda: {
            "review": "reviews",
            "line_comment": "line_comments",
            "comment": "comments",
        }
    )

    @property
    def forge(self) -> GitHubForge:
        return GitHubForge(self.address, self.client)

    @property
    def bare(self) -> str:
        return str(self.fake.bare(self.repository))

    def push(self, branch: str) -> str:
        parent = commit_of(Path(self.bare), branch) or commit_of(Path(self.bare), "main")
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
        git("-C", self.bare, "hash-object", "-t", "tree", "-w", "/dev/null")
        parents = ("-p", parent) if parent else ()
        commit = git("-C", self.bare, *who, "commit-tree", tree, *parents, "-m", branch)
        git("-C", self.bare, "update-ref", f"refs/heads/{branch}", commit)
        return commit

    def allow(self, login: str) -> None:
        self.repository.access[login] = "write"

    def end(self, number: int, state: PullRequestState) -> None:
        pull = self.repository.pulls[number]
        pull.head = commit_of(Path(self.bare), pull.branch)
        pull.state = "closed"
        pull.merged_at = self.repository.next_time() if state == "merged" else None

    def run_job(self, commit: str, name: str, *, failed: bool, log: str) -> None:
        number = self.repository.next_id()
        steps = [
            _step(1, "Set up job", "success", 0, 5),
            _step(2, FAILED_STEP, "failure" if failed else "success", 6, 9),
            _step(3, "Complete job", "success", 10, 11),
        ]
        lines = [_line(1, "Set up"), *(_line(7, line) for line in log.splitlines())]
        whole = "\n".join([*lines, _line(10, "Cleaning up")])
        result = "failure" if failed else "success"
        self.repository.jobs[number] = FakeJob(
            number, name, commit, conclusion=result, steps=steps, log=whole
        )

    def report(self, commit: str, name: str, state: str, summary: str) -> None:
        status = {"context": name, "state": state, "description": summary, "target_url": None}
        self.repository.statuses.setdefault(commit, []).append(status)

    def say(self, number: int, kind: FeedbackKind, author: str, body: str) -> str:
        said: dict[str, Any] = {"id": self.repository.next_id(), "body": body}
        at = self.repository.next_time()
        said |= {"user": user(author), "created_at": at, "updated_at": at}
        if kind == "review":
            said |= {"submitted_at": at, "state": "CHANGES_REQUESTED"}
            del said["created_at"], said["updated_at"]
        getattr(self.repository.pulls[number], self.lists[kind]).append(said)
        return f"{kind}:{said['id']}"

    def edit(self, number: int, said: str, body: str) -> None:
        kind, _, name = said.partition(":")
        for each in getattr(self.repository.pulls[number], self.lists[kind]):
            if each["id"] == int(name):
                each["body"] = body

    def stop_drafts(self) -> None:
        self.repository.has_drafts = False

    def revoke_token(self) -> None:
        self.fake.tokens.clear()


def _step(number: int, name: str, conclusion: str, first: int, last: int) -> dict[str, Any]:
    return {
        "number": number,
        "name": name,
        "status": "completed",
        "conclusion": conclusion,
        "started_at": f"2026-05-04T12:00:{first:02}Z",
        "completed_at": f"2026-05-04T12:00:{last:02}Z",
    }


def _line(second: int, text: str) -> str:
    return f"2026-05-04T12:00:{second:02}.1234567Z {text}"


@asynccontextmanager
async def memory_site() -> AsyncIterator[MemorySite]:
    forge = MemoryForge(RepositoryAddress("memory", "forge.example", OWNER, NAME))
    forge.branches["main"] = "0" * 40
    yield MemorySite(forge)


@asynccontextmanager
async def github_site(root: Path) -> AsyncIterator[GitHubSite]:
    with serve_github(root) as fake:
        sender = HttpClient(total_s=20)
        repository = fake.add_repository(OWNER, NAME)
        repository.access[OWNER] = "admin"
        fake.tokens[TOKEN] = FakeToken(OWNER)
        address = RepositoryAddress("github", fake.host, OWNER, NAME, "http")
        token = ForgeToken(TOKEN, "a test")
        connection = ForgeConnection(
            address, token, sender, MemoryEtags(), lambda: NOON, "treadle/test"
        )
        site = GitHubSite(fake, repository, github_client(connection), address)
        site.push("main")
        try:
            yield site
        finally:
            await sender.close()


class TrackerSite(Protocol):
    """A tracker, and what people write there."""

    @property
    def tracker(self) -> Tracker: ...

    def allow(self, login: str) -> None: ...

    def write(self, number: int, author: str, title: str, body: str) -> None:
        """Write an issue; the same number again is an edit."""
        ...

    def comment(self, number: int, author: str, body: str) -> None: ...


@dataclass
class MemoryTrackerSite:
    tracker: MemoryTracker
    issues: dict[int, Issue] = field(default_factory=dict)

    def allow(self, login: str) -> None:
        self.tracker.writers.add(login)

    def write(self, number: int, author: str, title: str, body: str) -> None:
        before = self.issues.get(number)
        comments = before.comments if before else ()
        writer = Author(author, can_write=False)
        url = f"https://forge.example/{OWNER}/{NAME}/issues/{number}"
        self.issues[number] = Issue(number, url, title, body, writer, "open", comments)
        self.tracker.put_issue(self.issues[number])

    def comment(self, number: int, author: str, body: str) -> None:
        before = self.issues[number]
        writer = Author(author, can_write=False)
        made = IssueComment(str(len(before.comments)), writer, body, NOON)
        self.issues[number] = replace(before, comments=(*before.comments, made))
        self.tracker.put_issue(self.issues[number])


@dataclass
class GitHubTrackerSite:
    site: GitHubSite

    @property
    def tracker(self) -> GitHubIssues:
        return GitHubIssues(self.site.client)

    def allow(self, login: str) -> None:
        self.site.allow(login)

    def write(self, number: int, author: str, title: str, body: str) -> None:
        before = self.site.repository.issues.get(number)
        comments = before.comments if before else []
        issue = FakeIssue(number, title, body, author, comments=comments)
        self.site.repository.issues[number] = issue

    def comment(self, number: int, author: str, body: str) -> None:
        at = self.site.repository.next_time()
        made = {"id": self.site.repository.next_id(), "body": body, "user": user(author)}
        self.site.repository.issues[number].comments.append(
            {**made, "created_at": at, "updated_at": at}
        )
