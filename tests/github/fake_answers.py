"""The answers of a fake GitHub: its state in GitHub's JSON, every required field included."""

import base64
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.github.fake_state import FakeJob, FakePullRequest, FakeRepository, FakeToken
from tests.github.git_backend import commit_of, git
from tests.github.schema_check import resolve, response_schema, sample

REPOSITORY = "/repos/{owner}/{repo}"
APP = "#/components/schemas/nullable-integration"
DOCUMENTED = "https://docs.github.com/rest"


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any = None
    # A list in it is cut into pages: its key, or "" for the body itself.
    pages: str | None = None
    location: str = ""


def error(status: int, message: str, *details: str) -> Answer:
    body: dict[str, Any] = {"message": message, "documentation_url": DOCUMENTED}
    if details:
        body["errors"] = [
            {"resource": "PullRequest", "code": "custom", "message": each} for each in details
        ]
    return Answer(status, body)


NOT_FOUND = error(404, "Not Found")
FORBIDDEN = error(403, "Resource not accessible by personal access token")


def user(login: str) -> dict[str, Any]:
    made: dict[str, Any] = sample({"$ref": "#/components/schemas/simple-user"})
    return {**made, "login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


@dataclass(frozen=True)
class RepositoryAnswers:
    """Answers for requests below one repository."""

    repository: FakeRepository
    bare: Path
    site: str
    logs: str

    def answer(
        self, method: str, path: str, query: dict[str, str], body: Any, token: FakeToken
    ) -> Answer:
        routes: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
            ("GET", "", self.show_repository),
            ("GET", "/pulls", self.list_pulls),
            ("POST", "/pulls", self.open_pull),
            ("GET", r"/pulls/(\d+)", self.show_pull),
            ("PATCH", r"/pulls/(\d+)", self.change_pull),
            ("GET", r"/pulls/(\d+)/reviews", self.list_reviews),
            ("GET", r"/pulls/(\d+)/comments", self.list_line_comments),
            ("GET", r"/issues/(\d+)", self.show_issue),
            ("GET", r"/issues/(\d+)/comments", self.list_comments),
            ("GET", r"/commits/([^/]+)/check-runs", self.list_check_runs),
            ("GET", r"/commits/([^/]+)/status", self.show_status),
            ("GET", r"/check-runs/(\d+)", self.show_check_run),
            ("GET", "/actions/runs", self.list_workflow_runs),
            ("GET", r"/actions/runs/(\d+)/jobs", self.list_jobs),
            ("GET", r"/actions/jobs/(\d+)", self.show_job),
            ("GET", r"/actions/jobs/(\d+)/logs", self.show_log),
            ("GET", r"/collaborators/([^/]+)/permission", self.show_permission),
        )
        for wanted, pattern, handler in routes:
            match = re.fullmatch(pattern, path)
            if match and wanted == method:
                if method != "GET" and not token.may_write:
                    return FORBIDDEN
                if "check" in path and not token.may_read_checks:
                    return FORBIDDEN
                return handler(*match.groups(), query=query, body=body, token=token)
        return NOT_FOUND

    def show_repository(self, *, token: FakeToken, **_: Any) -> Answer:
        made = sample(response_schema(REPOSITORY, "get"))
        access = self.repository.access.get(token.login, "none")
        may_push = token.may_write and access in ("admin", "write")
        permissions = {"admin": access == "admin", "pull": True, "push": may_push}
        names = {"name": self.repository.name, "full_name": self.repository.path}
        extra = {"default_branch": "main", "permissions": permissions, "archived": False}
        return Answer(200, {**made, **names, **extra})

    def list_pulls(self, *, query: dict[str, str], **_: Any) -> Answer:
        owner, branch = (*query.get("head", "").split(":", 1), "")[:2]
        found = [
            self.pull_body(each, in_list=True)
            for each in sorted(self.repository.pulls.values(), key=lambda each: -each.number)
            if (query.get("state", "open") in ("all", each.state))
            and (not branch or (each.branch == branch and owner == self.repository.owner))
        ]
        return Answer(200, found, pages="")

    def open_pull(self, *, body: dict[str, Any], token: FakeToken, **_: Any) -> Answer:
        head, base = commit_of(self.bare, body["head"]), commit_of(self.bare, body["base"])
        failed = "Validation Failed"
        if not head or not base:
            return error(422, failed, "head or base is invalid")
        if any(each.branch == body["head"] and each.state == "open" for each in self.pulls):
            name = f"{self.repository.owner}:{body['head']}"
            return error(422, failed, f"A pull request already exists for {name}.")
        if git("-C", str(self.bare), "rev-list", "--count", f"{base}..{head}") == "0":
            return error(422, failed, f"No commits between {body['base']} and {body['head']}")
        if body.get("draft") and not self.repository.has_drafts:
            return error(422, "Draft pull requests are not supported in this repository.")
        opened = FakePullRequest(
            number=self.repository.next_number(),
            branch=body["head"],
            base=body["base"],
            title=body["title"],
            body=body.get("body", ""),
            draft=bool(body.get("draft")),
            author=token.login,
        )
        self.repository.pulls[opened.number] = opened
        return Answer(201, self.pull_body(opened))

    @property
    def pulls(self) -> list[FakePullRequest]:
        return list(self.repository.pulls.values())

    def show_pull(self, number: str, **_: Any) -> Answer:
        found = self.repository.pulls.get(int(number))
        return Answer(200, self.pull_body(found)) if found else NOT_FOUND

    def change_pull(self, number: str, *, body: dict[str, Any], **_: Any) -> Answer:
        found = self.repository.pulls.get(int(number))
        if found is None:
            return NOT_FOUND
        found.title = body.get("title", found.title)
        found.body = body.get("body", found.body)
        return Answer(200, self.pull_body(found))

    def pull_body(self, pull: FakePullRequest, *, in_list: bool = False) -> dict[str, Any]:
        path = f"{REPOSITORY}/pulls" if in_list else f"{REPOSITORY}/pulls/{{pull_number}}"
        made = sample(response_schema(path, "get"))
        head = pull.head or commit_of(self.bare, pull.branch)
        owner = {"user": user(self.repository.owner)}
        names = {"ref": pull.branch, "sha": head, "label": f"{self.repository.owner}:{pull.branch}"}
        base = {"ref": pull.base, "sha": commit_of(self.bare, pull.base)}
        # GitHub gives the lines of texts with its own ends.
        text = pull.body.replace("\n", "\r\n") or None
        return {
            **made,
            "number": pull.number,
            "node_id": node_id(pull.number),
            "html_url": f"{self.site}/{self.repository.path}/pull/{pull.number}",
            "title": pull.title,
            "body": text,
            "state": pull.state,
            "draft": pull.draft,
            "merged_at": pull.merged_at,
            "user": user(pull.author),
            "head": {**made["head"], **names, **owner},
            "base": {**made["base"], **base, **owner},
            **({} if in_list else {"merged": pull.merged_at is not None}),
        }

    def list_reviews(self, number: str, **_: Any) -> Answer:
        found = self.repository.pulls.get(int(number))
        path = f"{REPOSITORY}/pulls/{{pull_number}}/reviews"
        return NOT_FOUND if found is None else said(path, found.reviews)

    def list_line_comments(self, number: str, **_: Any) -> Answer:
        found = self.repository.pulls.get(int(number))
        path = f"{REPOSITORY}/pulls/{{pull_number}}/comments"
        return NOT_FOUND if found is None else said(path, found.line_comments)

    def list_comments(self, number: str, **_: Any) -> Answer:
        """Of an issue or of the conversation of a pull request."""
        issue = self.repository.issues.get(int(number))
        pull = self.repository.pulls.get(int(number))
        found = issue.comments if issue else pull.comments if pull else None
        path = f"{REPOSITORY}/issues/{{issue_number}}/comments"
        return NOT_FOUND if found is None else said(path, found)

    def show_issue(self, number: str, **_: Any) -> Answer:
        made = sample(response_schema(f"{REPOSITORY}/issues/{{issue_number}}", "get"))
        url = f"{self.site}/{self.repository.path}/issues/{number}"
        issue = self.repository.issues.get(int(number))
        pull = self.repository.pulls.get(int(number))
        if issue is None and pull is None:
            return NOT_FOUND
        if issue is None:
            empty = dict.fromkeys(("url", "html_url", "diff_url", "patch_url"), url)
            return Answer(200, {**made, "number": int(number), "pull_request": empty})
        names = {"number": issue.number, "html_url": url, "title": issue.title}
        texts = {"body": issue.body or None, "state": issue.state, "user": user(issue.author)}
        return Answer(200, {**made, **names, **texts})

    def list_check_runs(self, commit: str, **_: Any) -> Answer:
        runs = [self.run_body(job) for job in self.repository.jobs.values() if job.commit == commit]
        return Answer(200, {"total_count": len(runs), "check_runs": runs}, pages="check_runs")

    def show_check_run(self, number: str, **_: Any) -> Answer:
        job = self.repository.jobs.get(int(number))
        return Answer(200, self.run_body(job)) if job else NOT_FOUND

    def run_body(self, job: FakeJob) -> dict[str, Any]:
        made = sample(response_schema(f"{REPOSITORY}/check-runs/{{check_run_id}}", "get"))
        page = f"{self.site}/{self.repository.path}/actions/runs/1/job/{job.id}"
        app = sample({**resolve({"$ref": APP}), "nullable": False})
        return {
            **made,
            "id": job.id,
            "name": job.name,
            "head_sha": job.commit,
            "status": job.status,
            "conclusion": job.conclusion,
            "details_url": page if job.app == "github-actions" else "https://ci.example.com/7",
            "output": {**made["output"], **job.output},
            "app": {**app, "slug": job.app},
        }

    def list_workflow_runs(self, *, query: dict[str, str], **_: Any) -> Answer:
        one = sample({"$ref": "#/components/schemas/workflow-run"})
        runs = [
            {**one, "id": number, "head_sha": commit}
            for number, commit in self.repository.workflow_runs().items()
            if commit == query["head_sha"]
        ]
        return Answer(200, {"total_count": len(runs), "workflow_runs": runs}, pages="workflow_runs")

    def list_jobs(self, number: str, **_: Any) -> Answer:
        commit = self.repository.workflow_runs()[int(number)]
        own = [job for job in self.repository.jobs.values() if job.commit == commit]
        jobs = [job_body(job) for job in own if job.app == "github-actions"]
        return Answer(200, {"total_count": len(jobs), "jobs": jobs}, pages="jobs")

    def show_job(self, number: str, **_: Any) -> Answer:
        job = self.repository.jobs.get(int(number))
        return Answer(200, job_body(job)) if job else NOT_FOUND

    def show_log(self, number: str, **_: Any) -> Answer:
        job = self.repository.jobs.get(int(number))
        if job is None or not job.log:
            return NOT_FOUND
        return Answer(302, location=f"{self.logs}/{job.id}?signature=once")

    def show_status(self, commit: str, **_: Any) -> Answer:
        statuses = self.repository.statuses.get(commit, [])
        made = sample(response_schema(f"{REPOSITORY}/commits/{{ref}}/status", "get"))
        one = sample({"$ref": "#/components/schemas/simple-commit-status"})
        listed = [{**one, **each} for each in statuses]
        whole = {**made, "sha": commit, "total_count": len(listed), "statuses": listed}
        return Answer(200, whole, pages="statuses")

    def show_permission(self, login: str, **_: Any) -> Answer:
        if login.endswith("[bot]"):
            return NOT_FOUND
        access = self.repository.access.get(login, "read")
        path = f"{REPOSITORY}/collaborators/{{username}}/permission"
        made = sample(response_schema(path, "get"))
        return Answer(200, {**made, "permission": access, "role_name": access})


def job_body(job: FakeJob) -> dict[str, Any]:
    made = sample(response_schema(f"{REPOSITORY}/actions/jobs/{{job_id}}", "get"))
    facts = {"id": job.id, "name": job.name, "status": job.status, "steps": job.steps}
    return {**made, **facts, "conclusion": job.conclusion}


def said(path: str, items: list[dict[str, Any]]) -> Answer:
    made = sample(response_schema(path, "get"))
    return Answer(200, [{**made, **each} for each in items], pages="")


def node_id(number: int) -> str:
    return base64.b64encode(json.dumps(["PR", number]).encode()).decode()
