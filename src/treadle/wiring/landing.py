"""The end of a run: its work comes into the user's checkout, or waits on its branch."""

from dataclasses import dataclass
from datetime import timedelta

from treadle.adapters.stores.approvals import Approvals
from treadle.domain.errors import StoreError, TreadleError
from treadle.domain.events.run import RunWarned
from treadle.domain.run import Landing, RunResult, Workflow
from treadle.durable.port import Steps
from treadle.wiring.clock import SystemClock
from treadle.wiring.earlier import undone_landing
from treadle.wiring.telling import Telling
from treadle.workflows.approvals import Asker, ask, void_questions
from treadle.workflows.landing_question import landing_question, why_not_landed
from treadle.workflows.worksite import Worksite
from treadle.workspace.changes import diff_text

PATIENCE = timedelta(hours=24)

# What is said of work that changed nothing; a sync run has nothing to land.
EMPTY: dict[Workflow, str] = {
    "deliver": "everything was claimed as passed without a single change",
    "focus": "the review approved, and nothing was changed",
}


@dataclass(frozen=True, slots=True)
class LandingDone:
    """The work was landed or kept; the log says which."""


async def land(telling: Telling, worksite: Worksite, steps: Steps, result: RunResult) -> None:
    """Land finished work as the settings say; whatever is not landed is kept, and why is said."""
    if not result.succeeded:
        worksite.keep("the run did not finish its work")
        return
    empty = EMPTY.get(telling.ready.request.workflow)
    if empty and result.rounds and worksite.imported is None:
        telling.recorder.record_once(f"{telling.known.leg}: empty", RunWarned(empty))
    if not result.rounds and _has_claims(telling):
        await _tell_of_undone_landing(telling, worksite)
    landing = telling.landing.when
    if landing == "ask" and telling.landing.by_approval:
        if why_not := await _asked(telling, worksite, steps):
            worksite.keep(why_not)
            return
        landing = "auto"

    async def act() -> LandingDone:
        await _land(telling, worksite, landing)
        return LandingDone()

    await steps.step("land", act, returns=LandingDone)


def _has_claims(telling: Telling) -> bool:
    """Whether something counts as passed that no check has shown."""
    story = telling.story
    return story is not None and any(
        each.status == "passed" and each.proof != "proven"
        for each in story.rounds.board.deliverables
    )


async def _tell_of_undone_landing(telling: Telling, worksite: Worksite) -> None:
    """Nothing was to do; somebody who has taken the work back should know why."""
    ready, request = telling.ready, telling.ready.request
    told = await undone_landing(
        ready.environment.storage,
        ready.project,
        worksite.snapshot,
        before=request.run,
        rehearsal=request.rehearsal,
    )
    if told:
        telling.recorder.record_once(f"{telling.known.leg}: undone landing", RunWarned(told))


async def _land(telling: Telling, worksite: Worksite, landing: Landing) -> None:
    try:
        await worksite.finish(landing, ask=telling.ready.presence.ask)
    except StoreError:
        raise
    except TreadleError as error:
        # The work is finished all the same; it only has to wait on its branch.
        worksite.keep(error.message)


async def _asked(telling: Telling, worksite: Worksite, steps: Steps) -> str:
    """Ask whoever looks at `treadle approvals`; why not, or nothing."""
    work = worksite.imported
    if work is None:
        return ""
    project = telling.ready.project
    stat = await diff_text(project, worksite.snapshot, work.commit, stat=True)
    question = landing_question(commits=work.commits, tip=work.commit, stat=stat, patience=PATIENCE)
    return why_not_landed(await ask(steps, asker_of(telling), question, step="landing"))


def void_open_questions(telling: Telling) -> None:
    """Nothing is left to answer for a run that ends."""
    void_questions(asker_of(telling), reason="the run ended")


def asker_of(telling: Telling) -> Asker:
    """What the run asks a person through."""
    return Asker(
        run=telling.ready.request.run,
        leg=telling.known.leg,
        desk=Approvals(telling.database, clean=telling.clean),
        clock=SystemClock(),
        stop=telling.stop,
        record_once=telling.recorder.record_once,
    )
