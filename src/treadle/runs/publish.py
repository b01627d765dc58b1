"""Publishes the work of a run that ended: pushes its branch and opens a pull request."""

import re
from collections.abc import Iterable
from dataclasses import replace

from treadle.domain.check import FileChange
from treadle.domain.events.run import RunWarned
from treadle.domain.run import RunResult
from treadle.policy.tool_files import ToolFileSettings
from treadle.runs.follow import with_following
from treadle.verify.judges.judge_files import is_run_by_ci
from treadle.wiring.protected_paths import tool_file_settings
from treadle.wiring.publishing import find_publish_target
from treadle.wiring.run_context import RunContext
from treadle.workflows.loop.feedback import PUBLISHED
from treadle.workflows.loop.following import FeedbackTaken, FollowingEnded
from treadle.workflows.loop.publishing import NotPublished, Publication, Publisher
from treadle.workflows.loop.pull_request_text import FACT_EVENTS, pull_request_text, read_facts
from treadle.workflows.loop.run_history import read_history
from treadle.workflows.loop.run_parts import RunParts
from treadle.workspace.branch import title_of
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import Git
from treadle.workspace.push import find_push_remote
from treadle.workspace.secret_files import list_names

NO_REMOTE = "the project has no git remote to push it to"
# Files besides those of CI that a service of the forge runs, or builds by, for any branch.
_DEPLOYMENT = re.compile(
    r"(?:.*/)?(?:action\.ya?ml|netlify\.toml|vercel\.json|render\.ya?ml|codefresh\.ya?ml"
    r"|circle\.yml|wercker\.yml|\.build\.yml|\.(?:builds|semaphore|teamcity|tekton|harness)/.+"
    r"|amplify\.ya?ml|\.?readthedocs\.ya?ml|heroku\.yml|wrangler\.(?:toml|jsonc?)|railway\.(?:toml|json)"
    r"|nixpacks\.toml|\.gitpod\.ya?ml|\.?bitrise\.ya?ml|\.taskcluster\.ya?ml|\.?zuul(?:\.d/.+|\.ya?ml)"
    r"|\.cirrus\.star|\.drone\.(?:star|jsonnet)|buildspec[\w.-]*\.ya?ml|\.gitlab(?:-ci)?/.+\.ya?ml)",
    re.IGNORECASE | re.DOTALL,
)


async def warn_if_not_publishable(context: RunContext, parts: RunParts) -> None:
    """Say before anything is spent why the work will stay here, while it can still be changed."""
    if parts.landing.when != "pull_request" or context.checked.request.rehearsal:
        return
    git = context.checked.project.git
    remote = await find_push_remote(git)
    warning = ""
    if reason := NO_REMOTE if remote is None else _why_not_clean(parts):
        warning = f"the work will stay on its branch: {reason}"
    elif remote and (
        reason := await why_not_yours(git, parts.workspace.origin.commit, remote.name)
    ):
        warning = f"push your commits, or the work will stay on its branch: {reason}"
    if warning:
        context.recorder.record(RunWarned(warning), once="not publishable")


async def publish_at_end(context: RunContext, parts: RunParts, result: RunResult) -> RunResult:
    """Publish finished work; otherwise record why it is kept on its branch. The result says whether
    its pull request is followed."""
    work = parts.workspace.imported
    if work is None or isinstance(parts.followed, FollowingEnded):
        # What there is was published by an earlier leg.
        return result
    if reason := _why_not(context, parts, result):
        parts.workspace.keep(reason)
        return result
    target = await find_publish_target(context, parts.workspace.origin.branch)
    if target is None:
        parts.workspace.keep(NO_REMOTE)
        return result
    command = f"git push -u {target.remote} {work.branch}"
    git, origin = context.checked.project.git, parts.workspace.origin
    changes = await changed_files(git, origin.commit, work.commit)
    held = why_not_pushed(changes, tool_file_settings(context.settings))
    if reason := held or await why_not_yours(git, origin.commit, target.remote):
        parts.workspace.keep(reason, command)
        return result
    context.recorder.flush()
    inputs = parts.request.inputs
    facts = replace(read_facts(parts.read_log(FACT_EVENTS)), issue=inputs.get("issue", ""))
    deliverables = read_history(context.read_log()).deliverables
    words = inputs.get("words", "") or title_of(context.checked.spec_text)
    text = pull_request_text(words, facts, deliverables, result, context.run)
    publication = Publication(
        work.branch,
        work.commit,
        text,
        draft=result.reason == "unproven",
        answers_feedback=isinstance(parts.followed, FeedbackTaken),
    )
    publisher = Publisher(target, parts.steps, parts.driver.clock, parts.log)
    outcome = await publisher.publish(publication)
    if isinstance(outcome, NotPublished):
        parts.workspace.keep(outcome.reason, command)
        return result
    return with_following(context, parts, result) if outcome.url else result


def _why_not(context: RunContext, parts: RunParts, result: RunResult) -> str:
    """Why the work stays here; empty if it may be published."""
    if result.reason not in PUBLISHED:
        return "the run did not finish its work"
    if context.checked.request.rehearsal:
        return "a rehearsal pushes nothing"
    return _why_not_clean(parts)


def _why_not_clean(parts: RunParts) -> str:
    origin = parts.workspace.origin
    return "" if origin.commit == origin.head else "it contains your uncommitted changes"


def why_not_pushed(changes: Iterable[FileChange], settings: ToolFileSettings) -> str:
    """Why a person must push this: a forge runs such files as soon as it has the branch, with the
    secrets of the repository. `land_name` lets one through."""
    run = [
        change.path
        for change in changes
        if change.how != "removed"
        and (is_run_by_ci(change.path) or _DEPLOYMENT.fullmatch(change.path))
        and not settings.lets_through(change.path)
    ]
    if not run:
        return ""
    return (
        f"it changes what CI runs once it is pushed: {list_names(run)} (land_name lets it through)"
    )


async def why_not_yours(git: Git, start: str, remote: str) -> str:
    """Why a person must push this: it would bring commits of theirs along that the remote does not
    have, as far as the last fetch or push shows."""
    count = await git.run("rev-list", "--count", start, "--not", f"--remotes={remote}")
    if count == "0":
        return ""
    commits = "a commit" if count == "1" else f"{count} commits"
    return f"it would push {commits} of yours that {remote} does not have"
