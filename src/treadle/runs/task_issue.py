"""Reads the issue that a task starts from: the text of people with write access, at this moment."""

from collections.abc import Mapping
from pathlib import Path

from treadle.adapters.clock import SystemClock
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.service_failures import failure_text
from treadle.domain.tracker import (
    Issue,
    IssueReference,
    Tracker,
    TrustedIssue,
    UntrustedIssue,
    WrongReference,
    parse_issue_reference,
    trusted_text,
)
from treadle.settings.environment import Environment
from treadle.wiring.forge import (
    ForgeSite,
    connect_tracker,
    describe_forge,
    find_forge,
    forge_connection,
    http_client,
)
from treadle.workflows.loop.prompt_fences import visible_text
from treadle.workspace.project import find_project

MAX_TEXT = 30_000


async def read_task_issue(
    project_dir: Path, environment: Environment, reference: str
) -> Mapping[str, str]:
    """The inputs of a task for this issue; later edits of the issue change nothing."""
    project = await find_project(project_dir, environment.raw)
    site = await find_forge(project, environment)
    if not isinstance(site, ForgeSite) or site.token is None:
        text, fix = describe_forge(site)
        raise UsageError(
            f"no issue can be read here: {text}", hint=fix or "describe the task in words instead"
        )
    parsed = parse_issue_reference(reference, site.address)
    if isinstance(parsed, WrongReference):
        raise UsageError(parsed.reason, hint="treadle task --issue 12")
    connection = forge_connection(site, site.token, http_client(environment), SystemClock().now)
    return await issue_inputs(connect_tracker(connection), parsed)


async def issue_inputs(tracker: Tracker, reference: IssueReference) -> Mapping[str, str]:
    """What the issue gives to a task; raises if nothing may start from it."""
    issue = await tracker.read_issue(reference.number)
    if not isinstance(issue, Issue):
        raise ProjectError(
            f"cannot read issue #{reference.number}: {failure_text(issue)}",
            hint="`treadle doctor` says which token is used",
        )
    trusted = trusted_text(issue)
    if isinstance(trusted, UntrustedIssue):
        raise UsageError(
            f"{trusted.author}, who wrote issue #{reference.number}, has no write access",
            hint="read it, then describe the task in your own words",
        )
    return {
        "words": issue_words(trusted),
        "issue": trusted.url,
        "issue_hash": trusted.digest,
    }


def issue_words(issue: TrustedIssue) -> str:
    """The visible text of an issue as the words of a task."""
    parts = [f"{visible_text(issue.title)} (#{issue.number})", visible_text(issue.body)]
    parts += [f"{each.author.login} adds:\n\n{visible_text(each.body)}" for each in issue.comments]
    return "\n\n".join(part.strip() for part in parts if part.strip())[:MAX_TEXT]
