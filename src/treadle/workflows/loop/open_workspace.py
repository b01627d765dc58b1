"""Opens the workspace of a run: makes a new one, or reopens the one that another process made."""

from dataclasses import replace
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WorkContinued, WorkImported, WorkspacePrepared
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_spec import WorkspaceSpec
from treadle.workspace.branch import branch_name
from treadle.workspace.clone import CommitRules, make_clone
from treadle.workspace.external_files import external_notices, find_external_files
from treadle.workspace.partial_clone import fetch_missing
from treadle.workspace.restore import restore_import, restore_snapshot
from treadle.workspace.round_losses import note_if_gone
from treadle.workspace.secret_files import CheckoutSecrets, secrets_notices
from treadle.workspace.snapshot import (
    Snapshot,
    inspect_checkout,
    snapshot_ref,
    take_head,
    take_snapshot,
)


async def _take_starting_snapshot(spec: WorkspaceSpec, branch: str) -> Snapshot:
    """A snapshot of the checkout. With unlanded work, the run's branch starts at that work."""
    unlanded = spec.unlanded
    if spec.place == "branch":
        return await _take_head(spec)
    if unlanded is None:
        return await take_snapshot(spec.project, spec.run)
    continued = WorkContinued(unlanded.run, unlanded.branch, unlanded.commit)
    spec.log.record(continued, once="continued")
    git = spec.project.git
    await git.run("update-ref", snapshot_ref(spec.run), unlanded.snapshot.commit)
    await git.run("update-ref", f"refs/heads/{branch}", unlanded.commit)
    _, secrets = await inspect_checkout(spec.project)
    return replace(unlanded.snapshot, secrets=secrets)


async def _take_head(spec: WorkspaceSpec) -> Snapshot:
    snapshot = await take_head(spec.project, spec.run)
    if snapshot.dirty:
        warning = "your uncommitted changes are not part of this run, which starts from your commit"
        spec.log.record(RunWarned(warning), once="uncommitted changes left out")
    return snapshot


def _warn_of_secrets(spec: WorkspaceSpec, secrets: CheckoutSecrets, spec_path: str) -> None:
    if spec_path in secrets.left_out:
        raise ProjectError(
            f"{spec_path} is untracked and contains what looks like a secret, so the agent"
            " does not get it",
            hint="take the secret out of it, or commit the file yourself",
        )
    for notice in secrets_notices(secrets):
        spec.log.record(RunWarned(notice), once=notice)


async def reopen_workspace(
    spec: WorkspaceSpec, prepared: WorkspacePrepared, imported: WorkImported | None
) -> RunWorkspace:
    """The workspace of a run that another process started, as its log names it."""
    snapshot = await restore_snapshot(spec.project, prepared)
    note_if_gone(Path(prepared.path))
    clone = await make_clone(
        spec.project,
        snapshot,
        branch=prepared.branch,
        identity=spec.identity,
        into=Path(prepared.path),
        rules=CommitRules(spec.credit_patterns, spec.included),
    )
    imported_branch = None
    if imported is not None:
        imported_branch = await restore_import(spec.project, snapshot, imported)
    return RunWorkspace.reopened(spec, snapshot, clone, imported_branch)


async def make_workspace(spec: WorkspaceSpec, *, spec_text: str, spec_path: str) -> RunWorkspace:
    """Snapshot the checkout and clone it; the clone must contain the specification."""
    branch = branch_name(spec_text, spec.run)
    snapshot = await _take_starting_snapshot(spec, branch)
    _warn_of_secrets(spec, snapshot.secrets, spec_path)
    start = spec.unlanded.commit if spec.unlanded else snapshot.commit
    await fetch_missing(
        spec.project, start, lambda text: spec.log.record(RunWarned(text), once="partial clone")
    )
    for notice in external_notices(await find_external_files(spec.project, start)):
        spec.log.record(RunWarned(notice), once=notice)
    clone = await make_clone(
        spec.project,
        snapshot,
        branch=branch,
        identity=spec.identity,
        into=spec.directory / "workspace",
        rules=CommitRules(spec.credit_patterns, spec.included),
    )
    spec.log.record(
        WorkspacePrepared(
            path=str(clone.path),
            branch=branch,
            head=snapshot.head,
            checkout=snapshot.branch,
            snapshot=snapshot.commit,
        )
    )
    workspace = RunWorkspace(spec, snapshot, clone)
    await workspace.prepare(spec_path)
    return workspace
