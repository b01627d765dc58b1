"""The `Forge` port on GitHub."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from treadle.adapters.forges.github.check_results import (
    read_check_runs,
    read_failed_step,
    read_jobs,
    read_output,
    read_run_ids,
    read_statuses,
    step_log,
)
from treadle.adapters.forges.github.client import PAGE_SIZE, GitHubClient
from treadle.adapters.forges.github.feedback import (
    Permissions,
    read_comments,
    read_line_comments,
    read_reviews,
    with_authors,
)
from treadle.adapters.forges.github.pull_requests import (
    DRAFT,
    READY,
    changed_texts,
    choose,
    exists_already,
    lacks_drafts,
    new_body,
    of_branch,
    read_node_id,
    read_pull_request,
    read_repository,
)
from treadle.domain.forge import (
    CheckLog,
    CiCheck,
    CommitChecks,
    DraftsUnsupported,
    FeedbackList,
    ForgeRepository,
    NewPullRequest,
    OpenedPullRequest,
    PullRequest,
    PullRequestChange,
    RepositoryAddress,
    ReviewFeedback,
)
from treadle.domain.service_failures import NoPermission, NotFound, Refused, ServiceFailure

# A failed step is near the end of its job's log.
MAX_LOG_BYTES = 4 << 20
HIDDEN_CHECKS = "checks of services other than GitHub Actions"


@dataclass(frozen=True, slots=True)
class GitHubForge:
    """One repository on GitHub or on a GitHub Enterprise Server."""

    address: RepositoryAddress
    client: GitHubClient

    async def find_repository(self) -> ForgeRepository | ServiceFailure:
        what = f"the repository {self.address.path}"
        return await self.client.get(self.client.url(""), what, read_repository)

    async def find_pull_request(self, branch: str) -> PullRequest | ServiceFailure:
        owner = self.address.owner
        query: dict[str, str | int] = {"head": f"{owner}:{branch}", "state": "all"}
        url = self.client.url("/pulls", **query, per_page=PAGE_SIZE)
        found = await self.client.get_all(
            url, "the list of pull requests", lambda data: of_branch(data, owner, branch)
        )
        if not isinstance(found, list):
            return found
        return choose(found) or NotFound(f"a pull request of {branch}")

    async def open_pull_request(
        self, new: NewPullRequest
    ) -> OpenedPullRequest | DraftsUnsupported | ServiceFailure:
        existing = await self.find_pull_request(new.branch)
        if isinstance(existing, PullRequest):
            return OpenedPullRequest(existing, created=False)
        if not isinstance(existing, NotFound):
            return existing
        what = "the new pull request"
        opened = await self.client.change(
            "POST", self.client.url("/pulls"), new_body(new), what, read_pull_request
        )
        match opened:
            case PullRequest():
                return OpenedPullRequest(opened, created=True)
            case Refused(reason) if exists_already(reason):
                # Another process opened it meanwhile.
                found = await self.find_pull_request(new.branch)
                if not isinstance(found, PullRequest):
                    return found
                return OpenedPullRequest(found, created=False)
            case Refused(reason) if new.draft and lacks_drafts(reason):
                return DraftsUnsupported(reason)
            case _:
                return opened

    async def read_pull_request(self, number: int) -> PullRequest | ServiceFailure:
        url = self.client.url(f"/pulls/{number}")
        return await self.client.get(url, f"pull request #{number}", read_pull_request)

    async def update_pull_request(
        self, number: int, change: PullRequestChange
    ) -> PullRequest | ServiceFailure:
        url, what = self.client.url(f"/pulls/{number}"), f"pull request #{number}"
        before = await self.client.get(
            url, what, lambda data: (read_pull_request(data), read_node_id(data))
        )
        if not isinstance(before, tuple):
            return before
        current, node_id = before
        if texts := changed_texts(current, change):
            changed = await self.client.change("PATCH", url, texts, what, read_pull_request)
            if not isinstance(changed, PullRequest):
                return changed
            current = changed
        if change.draft is None or change.draft == current.draft or current.state != "open":
            return current
        # The REST API cannot change it.
        document = DRAFT if change.draft else READY
        failure = await self.client.mutate(document, {"id": node_id}, what)
        return failure or await self.read_pull_request(number)

    async def read_checks(self, commit: str) -> CommitChecks | ServiceFailure:
        url = self.client.url(f"/commits/{commit}/status", per_page=PAGE_SIZE)
        runs, statuses = await asyncio.gather(
            self._read_runs(commit),
            self.client.get_all(url, f"the statuses of {commit}", read_statuses),
        )
        hidden = ""
        if isinstance(runs, NoPermission):
            # A fine-grained token cannot be given this permission; that for Actions it can.
            runs, hidden = await self._read_jobs(commit), HIDDEN_CHECKS
        if not isinstance(runs, list):
            return runs
        if not isinstance(statuses, list):
            return statuses
        checks = sorted((*runs, *statuses), key=lambda each: (each.name, each.log_id))
        return CommitChecks(commit, tuple(checks), hidden)

    async def _read_runs(self, commit: str) -> list[CiCheck] | ServiceFailure:
        path = f"/commits/{commit}/check-runs"
        url = self.client.url(path, filter="latest", per_page=PAGE_SIZE)
        return await self.client.get_all(url, f"the checks of {commit}", read_check_runs)

    async def _read_jobs(self, commit: str) -> list[CiCheck] | ServiceFailure:
        what = f"the workflows of {commit}"
        url = self.client.url("/actions/runs", head_sha=commit, per_page=PAGE_SIZE)
        runs = await self.client.get_all(url, what, read_run_ids)
        if not isinstance(runs, list):
            return runs
        jobs: list[CiCheck] = []
        for run in runs:
            url = self.client.url(f"/actions/runs/{run}/jobs", filter="latest", per_page=PAGE_SIZE)
            of_run = await self.client.get_all(url, what, read_jobs)
            if not isinstance(of_run, list):
                return of_run
            jobs += of_run
        return jobs

    async def read_check_log(self, check: CiCheck) -> CheckLog | ServiceFailure:
        kind, _, number = check.log_id.partition(":")
        what = f"the log of {check.name}"
        if kind == "output":
            url = self.client.url(f"/check-runs/{number}")
            return await self.client.get(url, what, read_output)
        if kind != "job":
            return CheckLog(check.summary)
        job = self.client.url(f"/actions/jobs/{number}")
        steps = await self.client.get(job, what, lambda data: [read_failed_step(data)])
        if not isinstance(steps, list):
            return steps
        log = await self.client.get_text_end(f"{job}/logs", what, MAX_LOG_BYTES)
        return step_log(log, steps[0]) if isinstance(log, str) else log

    async def read_feedback(
        self, number: int, seen: Collection[str]
    ) -> FeedbackList | ServiceFailure:
        what = f"the reviews of #{number}"
        new: list[ReviewFeedback] = []
        for path, read in (
            (f"/pulls/{number}/reviews", read_reviews),
            (f"/pulls/{number}/comments", read_line_comments),
            (f"/issues/{number}/comments", read_comments),
        ):
            found = await self.client.get_all(self.client.url(path, per_page=PAGE_SIZE), what, read)
            if not isinstance(found, list):
                return found
            new += [each for each in found if each.id not in seen]
        logins = [each.author.login for each in new]
        writers = await Permissions(self.client).writers_among(logins)
        if not isinstance(writers, frozenset):
            return writers
        return FeedbackList(with_authors(new, writers))
