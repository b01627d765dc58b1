"""What the tools of a session left running in its sandbox."""

import pytest

from treadle.adapters.agents.claude.orphans import ProcessStat, find_orphans

OUTER, FIRST, AGENT = ProcessStat(10, 1, 5), ProcessStat(11, 10, 5), ProcessStat(12, 11, 6)
SERVER, TOOL = ProcessStat(13, 12, 7), ProcessStat(14, 12, 8)
DAEMON, ITS_CHILD = ProcessStat(9, 11, 9), ProcessStat(15, 9, 10)
OTHERS = [ProcessStat(1, 0, 1), ProcessStat(2, 1, 1)]


@pytest.mark.parametrize(
    ("table", "left"),
    [
        ([], []),
        ([OUTER], []),
        ([OUTER, FIRST], []),
        ([OUTER, FIRST, AGENT], []),
        # what the agent holds ends with it
        ([OUTER, FIRST, AGENT, SERVER, TOOL], []),
        # a number may be used again, so age decides which one is the agent
        ([OUTER, FIRST, AGENT, DAEMON], [9]),
        ([OUTER, FIRST, AGENT, SERVER, DAEMON, ITS_CHILD], [9, 15]),
    ],
)
def test_a_process_that_the_sandbox_adopted_and_all_below_it_is_left(
    table: list[ProcessStat], left: list[int]
) -> None:
    assert find_orphans([*OTHERS, *table], OUTER.pid) == left
