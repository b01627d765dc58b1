"""Ends a run: its work lands in the user's checkout, or stays on its branch."""

from dataclasses import dataclass
from datetime import timedelta

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.events.run import RunWarned
from treadle.domain.run import LandingMode, RunResult, Workflow
from treadle.durable.port import Steps
from treadle.runs.active_run import ActiveRun
from treadle.runs.previous_runs import reverted_landing
from treadle.workflows.loop.approval_requests import ApprovalRequester, ask, void_questions
from treadle.workflows.loop.landing import landing_question, why_not_landed
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workspace.diffs import diff_text

PATIENCE = timedelta(hours=24)

# What is said of work that changed nothing; a sync run has nothing to land.
EMPTY: dict[Workflow, str] = {
    "deliver": "everything was claimed as passed without a single change",
    "focus": "the review approved, and nothing was changed",
}


@dataclass(frozen=True, slots=True)
class LandingDecided:
    """The work was landed or kept; the log says which."""


async def land_at_end(
    telling: ActiveRun, worksite: RunWorkspace, steps: Steps, result: RunResult
) -> None:
    """Land finished work as the settings say; whatever is not landed is kept, and why is said."""
    if not result.succeeded:
        worksite.keep("the run did not finish its work")
        return
    empty = EMPTY.get(telling.ready.request.workflow)
    if empty and result.rounds and worksite.imported is None:
        telling.recorder.record(RunWarned(empty), once=f"{telling.history.leg}: empty")
    if not result.rounds and _has_claims(telling):
        await _tell_of_undone_landing(telling, worksite)
    landing = telling.landing.when
    if landing == "ask" and telling.landing.by_approval:
        if why_not := await _asked(telling, worksite, steps):
            worksite.keep(why_not)
            return
        landing = "auto"

    async def act() -> LandingDecided:
        await _land(telling, worksite, landing)
        return LandingDecided()

    await steps.step("land", act, returns=LandingDecided)


def _has_claims(telling: ActiveRun) -> bool:
    """Whether something counts as passed that no check has shown."""
    story = telling.loop
    return story is not None and any(
        each.status == "passed" and each.proof != "proven"
        for each in story.rounds.board.deliverables
    )


async def _tell_of_undone_landing(telling: ActiveRun, worksite: RunWorkspace) -> None:
    """Nothing was to do; somebody who has taken the work back should know why."""
    ready, request = telling.ready, telling.ready.request
    told = await reverted_landing(
        ready.environment.storage,
        ready.project,
        worksite.snapshot,
        before=request.run,
        rehearsal=request.rehearsal,
    )
    if told:
        telling.recorder.record(RunWarned(told), once=f"{telling.history.leg}: undone landing")


async def _land(telling: ActiveRun, worksite: RunWorkspace, landing: LandingMode) -> None:
    try:
        await worksite.finish(landing, ask=telling.ready.host.ask)
    except StoreError:
        raise
    except TreadleError as error:
        # The work is finished all the same; it only has to wait on its branch.
        worksite.keep(error.message)


async def _asked(telling: ActiveRun, worksite: RunWorkspace, steps: Steps) -> str:
    """Ask whoever looks at `treadle approvals`; why not, or nothing."""
    work = worksite.imported
    if work is None:
        return ""
    project = telling.ready.project
    stat = await diff_text(project, worksite.snapshot, work.commit, stat=True)
    question = landing_question(commits=work.commits, tip=work.commit, stat=stat, patience=PATIENCE)
    return why_not_landed(await ask(steps, approval_requester(telling), question, step="landing"))


def void_open_questions(telling: ActiveRun) -> None:
    """Nothing is left to answer for a run that ends."""
    void_questions(approval_requester(telling), reason="the run ended")


def approval_requester(telling: ActiveRun) -> ApprovalRequester:
    """What the run asks a person through."""
    return ApprovalRequester(
        run=telling.ready.request.run,
        leg=telling.history.leg,
        approvals=DatabaseApprovals(telling.database, clean=telling.clean),
        clock=SystemClock(),
        stop=telling.stop,
        log=telling.recorder,
    )
