"""The light policy lets ordinary work run: lists of commands, written without a look at its code.

Two hundred lines for each of six stacks, as coding agents write them.
"""

from pathlib import Path

import pytest

from treadle.domain.agent import Allow
from treadle.policy.judging.shell_context import ShellContext
from treadle.policy.light.line_decision import decide_light_line
from treadle.wiring.policy import system_lookups

LISTS = sorted((Path(__file__).parents[3] / "harmless_commands").glob("*.txt"))
MOST_REFUSED = 0.01


@pytest.mark.parametrize("listed", LISTS, ids=lambda path: path.stem)
def test_at_most_one_in_a_hundred_harmless_commands_is_refused(
    listed: Path, tmp_path: Path
) -> None:
    lines = listed.read_text("utf-8").splitlines()
    context, lookups = ShellContext(str(tmp_path)), system_lookups()

    refused = [
        (line, decision.rule)
        for line in lines
        if not isinstance(decision := decide_light_line(line, context, lookups=lookups), Allow)
    ]

    assert (len(lines), refused[round(len(lines) * MOST_REFUSED) :]) == (200, [])


def test_there_is_a_list_for_each_of_six_stacks() -> None:
    stacks = ["go", "java", "node", "python", "ruby-php", "rust"]

    assert [path.stem for path in LISTS] == stacks
