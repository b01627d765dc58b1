"""Puts the story of a `sync` run together: that of `deliver`, with a judge for a builder."""

from dataclasses import replace

from treadle.durable.port import Steps
from treadle.runs.active_run import ActiveRun
from treadle.session.driver import SessionDriver
from treadle.wiring.deliver_loop import make_deliver_loop
from treadle.workflows.deliver.briefing import DeliverBriefing
from treadle.workflows.loop.round_steps import RoundRef
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_spec import ImportedTip
from treadle.workflows.sync.next_action import decide_next
from treadle.workflows.sync.notes_tool import notes_tool


async def make_sync_loop(
    telling: ActiveRun, worksite: RunWorkspace, driver: SessionDriver, steps: Steps
) -> RunLoop:
    story = await make_deliver_loop(telling, worksite, driver, steps)
    rounds = story.rounds
    verification, briefing = rounds.verification, rounds.briefing
    if verification is None or not isinstance(briefing, DeliverBriefing):
        raise AssertionError("a deliver story has both")
    # The tests say the same before and after: nothing is built.
    verification = replace(verification, suite=None, looks_back="no")
    story.rounds = replace(
        rounds,
        briefing=replace(briefing, tools=(notes_tool(worksite.write_notes),)),
        import_work=_nothing_to_bring,
        verification=verification,
    )
    story.decide = decide_next
    return story


async def _nothing_to_bring(_: RoundRef, before: str) -> ImportedTip:
    """Whatever a judge's commands have left in the workspace is no work."""
    return ImportedTip(before)
