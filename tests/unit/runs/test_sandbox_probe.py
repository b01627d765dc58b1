"""Which sandbox is tried out before a run."""

from treadle.domain.sandbox import ProbePassed
from treadle.runs.sandbox_probe import probe_sandbox


async def test_a_sandbox_that_a_person_gave_up_is_not_tried_out() -> None:
    assert await probe_sandbox(None) == ProbePassed()
