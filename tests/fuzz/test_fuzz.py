"""Some hundred random lines in our reader and in real bash; `make fuzz` takes many more."""

from itertools import islice

import pytest

from tests.fuzz.__main__ import cases
from tests.fuzz.bash import Ran, bubblewrap, run_in_bash
from tests.fuzz.line_batch import try_lines
from tests.fuzz.strings import lines
from tests.missing import missing
from treadle.adapters.shell.shfmt import find_shfmt


@pytest.fixture(scope="module")
def bwrap() -> str:
    return bubblewrap() or missing("bwrap")


def test_bash_runs_nothing_that_was_not_read(bwrap: str) -> None:
    some = list(islice(lines(4, cases()), 300))
    tally = try_lines(some, shfmt=find_shfmt(), bwrap=bwrap)
    assert tally.failures == ()
    assert tally.active > 30


def test_every_readable_case_runs_nothing_that_was_not_read(bwrap: str) -> None:
    assert try_lines(cases(), shfmt=find_shfmt(), bwrap=bwrap).failures == ()


def test_the_run_in_bash_sees_commands_builtins_and_files(bwrap: str) -> None:
    found = run_in_bash(["a 'b c' $(d) > f", "x=1; cd ."], bwrap=bwrap)
    # The function that logs turns the trace off for itself, and says so.
    first = Ran((("d",), ("a", "b c")), ("d", "set +x", "a 'b c'", "set +x"), ("f",))
    assert found == [first, Ran((), ("x=1", "cd ."), ())]


def test_commands_that_run_at_the_same_time_are_told_apart(bwrap: str) -> None:
    found = run_in_bash(["a '1\n2' & c '3\n4' | d '5\n6'; wait"] * 20, bwrap=bwrap)
    told = {frozenset(each.commands) for each in found}

    assert told == {frozenset({("a", "1\n2"), ("c", "3\n4"), ("d", "5\n6")})}
