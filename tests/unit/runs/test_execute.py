"""When finished work lands."""

import pytest

from treadle.domain.run import LandingMode
from treadle.domain.sandbox import ProbePassed
from treadle.runs.execute import landing_mode
from treadle.wiring.sandboxed_agent import prove


@pytest.mark.parametrize(
    ("wanted", "separated", "when"),
    [
        ("auto", True, "auto"),
        ("auto", False, "ask"),
        *(
            (wanted, separated, wanted)
            for wanted in ("ask", "never")
            for separated in (True, False)
        ),
    ],
)
def test_work_lands_by_itself_only_where_nobody_can_speak_for_the_agent(
    wanted: LandingMode, separated: bool, when: LandingMode
) -> None:
    assert landing_mode(wanted, separated=separated) == when


async def test_a_sandbox_that_a_person_gave_up_is_not_tried_out() -> None:
    assert await prove(None) == ProbePassed()
