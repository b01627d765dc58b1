"""A bell and a desktop notice call a person whom a run or a queue waits for."""

import re
from dataclasses import replace
from io import StringIO

import pytest

from tests.builders import FakeClock
from tests.unit.cli.sample_queue import GREET, queue
from tests.unit.cli.sample_runs import recorded
from treadle.cli.terminal.screen import Screen
from treadle.cli.terminal.styled_lines import Verbosity
from treadle.cli.terminal.terminal import TerminalDisplay
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.queue import WaitReason, WaitStarted
from treadle.domain.events.run import InterruptRequested, RunEnded
from treadle.domain.ids import RunId
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage

SCREEN = Screen(live=True, columns=80)
WAITS = "\a\x1b]9;treadle watch: waits for your answer\a"
ENDS = "\x1b]9;treadle watch: "


def printed(log: list[RecordedEvent], screen: Screen) -> str:
    stream = StringIO()
    display = TerminalDisplay(stream, level=Verbosity.NORMAL, screen=screen, clock=FakeClock())
    for each in log:
        display.draw_event(each)
    return stream.getvalue()


def test_a_queue_calls_when_it_waits_for_a_person_and_when_it_ends() -> None:
    text = printed(queue(), SCREEN)

    assert text.count(WAITS) == 1
    assert text.count(ENDS) == 2


def test_the_end_of_an_item_calls_nobody() -> None:
    log = queue()[:4]
    [ended] = recorded([RunEnded(RunResult("approved", 1, Tally(), 0.5, Usage(), 60.0))])

    of_the_item = printed([*log, replace(ended, run=GREET)], SCREEN)
    of_another = printed([*log, replace(ended, run=RunId("another"))], SCREEN)

    assert ("\a" in of_the_item, "\a" in of_another) == (False, True)


def test_an_interrupted_queue_says_so_once() -> None:
    [request] = recorded([InterruptRequested("SIGINT")])

    text = printed([*queue()[:4], request, replace(request, run=GREET)], SCREEN)

    assert text.count("! Stopping: saving the work so far") == 1


def test_the_live_line_says_that_a_queue_waits_and_what_its_items_cost() -> None:
    *log, _ = queue()

    text = printed(log, SCREEN)

    assert "starting" in text
    assert re.search("⠋ waiting for you .* · [$]1.75", text.splitlines()[-1])


@pytest.mark.parametrize(
    ("reason", "needs_person", "calls"),
    [("spec_issue", True, True), ("empty", False, False)],
)
def test_only_a_wait_for_a_person_calls(
    reason: WaitReason, needs_person: bool, calls: bool
) -> None:
    [started, *_] = queue()
    [wait] = recorded([WaitStarted(reason, "why", needs_person=needs_person)])

    text = printed([started, wait], SCREEN)

    assert (WAITS in text) is calls


def test_a_pipe_hears_no_bell() -> None:
    assert "\a" not in printed(queue(), Screen(columns=80))
