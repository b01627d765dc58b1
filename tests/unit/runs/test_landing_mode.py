"""When finished work lands."""

import pytest

from treadle.domain.run import LandingMode
from treadle.runs.land import landing_mode


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
    assert landing_mode(wanted, "checkout", separated=separated) == when


@pytest.mark.parametrize(
    ("wanted", "when"),
    [("auto", "pull_request"), ("ask", "pull_request"), ("never", "never")],
)
def test_work_on_a_branch_of_its_own_is_published_and_never_lands(
    wanted: LandingMode, when: LandingMode
) -> None:
    assert landing_mode(wanted, "branch", separated=True) == when
