"""Lands the work of a run in the user's checkout, or leaves it on its branch."""

from dataclasses import dataclass, replace
from datetime import timedelta

from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WorkImported
from treadle.domain.ports import Log
from treadle.domain.run import (
    DeletionLimits,
    LandingChoice,
    LandingMode,
    RunResult,
    WeakeningLimits,
)
from treadle.runs.previous_runs import reverted_landing
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.run_context import RunContext
from treadle.workflows.definition import WorkPlace
from treadle.workflows.loop.approval_requests import ask
from treadle.workflows.loop.landing import landing_question, why_not_landed
from treadle.workflows.loop.recorded_changes import RecordedChanges
from treadle.workflows.loop.run_history import read_history
from treadle.workflows.loop.run_parts import RunParts
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workspace.backups import ref_move
from treadle.workspace.diffs import diff_text
from treadle.workspace.landing_decision import (
    why_ask_about_deletions,
    why_ask_about_tool_files,
    why_ask_about_weaker_tests,
)
from treadle.workspace.merge import merge_cleanly
from treadle.workspace.snapshot import read_checkout, take_snapshot

PATIENCE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class LandingDecided:
    """The work was landed or kept; the log says which. Stored as a step result."""


async def land_at_end(
    context: RunContext,
    parts: RunParts,
    choice: LandingChoice,
    result: RunResult,
    changes: RecordedChanges | None,
) -> None:
    """Land finished work as the settings say; otherwise record why it is kept."""
    checked, workspace = context.checked, parts.workspace
    if not result.succeeded:
        workspace.keep("the run did not finish its work")
        return
    unchanged = checked.workflow.unchanged_warning
    if unchanged and result.rounds and workspace.imported is None:
        parts.leg_log.record(RunWarned(unchanged), once="empty")
    if not result.rounds and _has_claims(context):
        await _warn_of_reverted_landing(checked, parts)
    landing, because = choice.when, _why_ask(choice, parts, changes)
    if landing == "auto" and because:
        landing = "ask"
    if landing == "ask" and choice.by_approval:
        if why_not := await _ask(checked, parts, because):
            workspace.keep(why_not)
            return
        landing = "auto"

    async def act() -> LandingDecided:
        await _land(checked, parts, landing, because)
        return LandingDecided()

    await parts.steps.step("land", act, returns=LandingDecided)


def landing_mode(configured: LandingMode, place: WorkPlace, *, separated: bool) -> LandingMode:
    """Ask a person instead of landing if other processes could have used the agent's tools. Work
    on a branch of its own never lands: it is published, unless that is switched off."""
    if place == "branch":
        return configured if configured == "never" else "pull_request"
    return "ask" if configured == "auto" and not separated else configured


def _why_ask(choice: LandingChoice, parts: RunParts, changes: RecordedChanges | None) -> str:
    """Why a person must allow what the work changes, deletes or weakens; empty if nobody must."""
    if parts.workspace.imported is None:
        return ""
    if changes is None:
        return "git cannot tell what it changes"
    reasons = [why_ask_about_tool_files(changes.tool_files)]
    if choice.deletions is not None:
        reasons.append(why_ask_about_deletions(changes.counts, choice.deletions))
    if choice.weakenings is not None and changes.touched is not None:
        reasons.append(why_ask_about_weaker_tests(changes.touched, choice.weakenings))
    return "; ".join(filter(None, reasons))


def _has_claims(context: RunContext) -> bool:
    """Whether any passed deliverable is not proven."""
    context.recorder.flush()
    return any(
        each.status == "passed" and each.proof != "proven"
        for each in read_history(context.read_log()).deliverables
    )


async def _warn_of_reverted_landing(checked: CheckedRequest, parts: RunParts) -> None:
    """A run without rounds may surprise a person who reverted the work."""
    warning = await reverted_landing(
        checked.environment.storage,
        checked.project,
        parts.workspace.snapshot,
        before=parts.request.run,
        rehearsal=parts.request.rehearsal,
    )
    if warning:
        parts.leg_log.record(RunWarned(warning), once="undone landing")


async def _land(
    checked: CheckedRequest, parts: RunParts, landing: LandingMode, because: str
) -> None:
    try:
        if checked.workflow.place == "specs" and landing == "auto":
            await _join_with_checkout(checked, parts.workspace, parts.log)
        await parts.workspace.finish(landing, ask=checked.host.ask, because=because)
    except StoreError:
        raise
    except TreadleError as error:
        # The work is finished and stays on its branch.
        parts.workspace.keep(error.message)


async def _join_with_checkout(checked: CheckedRequest, workspace: RunWorkspace, log: Log) -> None:
    """Make the work one that starts from the checkout as it is now. Nothing happens if that is as
    it was, or if the two conflict: then the work waits on its branch."""
    work, project = workspace.imported, checked.project
    if work is None or await read_checkout(project) == workspace.origin.checkout:
        return
    now = await take_snapshot(project, checked.request.run)
    merged = await merge_cleanly(project, now.commit, work.commit)
    if merged in (None, now.commit) or now.branch != workspace.origin.branch:
        return
    joined = replace(work, commit=str(merged))
    ref = f"refs/heads/{work.branch}"
    await project.git.run(*ref_move(ref, joined.commit, from_=work.commit))
    event = WorkImported(work.branch, joined.commit, work.commits, work.commit, now.head)
    log.record(event, once=f"joined {merged}")
    workspace.origin, workspace.imported = now, joined


async def _ask(checked: CheckedRequest, parts: RunParts, because: str) -> str:
    """Ask through `treadle approvals`; why the work must not land, or an empty text."""
    work = parts.workspace.imported
    if work is None:
        return ""
    stat = await diff_text(checked.project, parts.workspace.snapshot, work.commit, stat=True)
    question = landing_question(
        commits=work.commits, tip=work.commit, stat=stat, patience=PATIENCE, because=because
    )
    return why_not_landed(await ask(parts.steps, parts.requester, question, step="landing"))


def landing_choice(checked: CheckedRequest, *, separated: bool) -> LandingChoice:
    """How the work of a run lands, by its settings."""
    settings = checked.settings
    return LandingChoice(
        landing_mode(settings.land, checked.workflow.place, separated=separated),
        by_approval=checked.host.asks_by_approval,
        deletions=DeletionLimits(settings.land_ask_deletions, settings.land_ask_deletions_percent),
        weakenings=WeakeningLimits(
            settings.land_ask_weaker_tests, settings.land_ask_weaker_tests_percent
        ),
    )
