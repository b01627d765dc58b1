"""The checkpoints of a run, as the engine keeps them."""

from contextlib import suppress

from treadle.domain.errors import StoreError
from treadle.domain.ids import RunId
from treadle.domain.step_taken import StepTaken
from treadle.domain.storage import Storage
from treadle.wiring.legs import engine_location, leg_name


def steps_of(storage: Storage, run: RunId) -> list[StepTaken]:
    """In the order of the story, over all legs of the run."""
    # The engine's tables are read by a library that takes a while to load.
    from treadle.durable.looking import finished_steps

    location, leg = engine_location(storage), 1
    taken: list[StepTaken] = []
    # What else is known of the run can be shown without them.
    with suppress(StoreError):
        while steps := finished_steps(location, leg_name(run, leg)):
            # A run that was reopened has steps of the same name again.
            place = "" if leg == 1 else f"leg {leg}: "
            taken += [StepTaken(place + s.name, s.started, s.took.total_seconds()) for s in steps]
            leg += 1
    return taken
