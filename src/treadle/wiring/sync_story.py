"""Puts the story of a `sync` run together: that of `deliver`, with a judge for a builder."""

from dataclasses import replace

from treadle.durable.port import Steps
from treadle.session.drive import Driver
from treadle.wiring.deliver_story import make_story
from treadle.wiring.telling import Telling
from treadle.workflows.deliver.briefing import Briefing
from treadle.workflows.deliver.rounds import Place
from treadle.workflows.deliver.story import Story
from treadle.workflows.site import Home
from treadle.workflows.sync.next_step import next_step
from treadle.workflows.sync.notes_tool import notes_tool
from treadle.workflows.worksite import Worksite


async def make_sync_story(
    telling: Telling, worksite: Worksite, driver: Driver, steps: Steps
) -> Story:
    story = await make_story(telling, worksite, driver, steps)
    rounds = story.rounds
    verification, briefing = rounds.verification, rounds.briefing
    if verification is None or not isinstance(briefing, Briefing):
        raise AssertionError("a deliver story has both")
    # The tests say the same before and after: nothing is built.
    verification = replace(verification, gate=None, looks_back="no")
    story.rounds = replace(
        rounds,
        briefing=replace(briefing, tools=(notes_tool(worksite.write_notes),)),
        bring=_nothing_to_bring,
        verification=verification,
    )
    story.decide = next_step
    return story


async def _nothing_to_bring(_: Place, before: str) -> Home:
    """Whatever a judge's commands have left in the workspace is no work."""
    return Home(before)
