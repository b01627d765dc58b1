"""A log is followed from any number until the run ends or its process is gone."""

from collections.abc import Iterable

from treadle.cli.log_follower import FollowedLog, follow_log
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.run import RunEnded
from treadle.domain.events.work import WorkLanded

from .sample_runs import BRANCH, COMMIT, recorded, success

RESULT = next(each.event.result for each in success() if isinstance(each.event, RunEnded))


class GrowingLog:
    """A log that gets one more event each time somebody waits for it."""

    def __init__(self, log: list[RecordedEvent], *, dies_after: int | None = None) -> None:
        self.log = log
        self.there = 1
        self.dies_after = dies_after

    def read(self, after: int) -> Iterable[RecordedEvent]:
        return [each for each in self.log[: self.there] if each.seq > after]

    def alive(self) -> bool:
        return self.dies_after is None or self.there < self.dies_after

    async def sleep(self, seconds: float) -> None:
        self.there += 1

    def followed(self) -> FollowedLog:
        return FollowedLog(self.read, self.alive, self.sleep)


def nothing() -> None:
    """No live line here."""


async def test_every_event_is_shown_once_until_the_end() -> None:
    log, shown = success(), list[RecordedEvent]()

    result = await follow_log(GrowingLog(log).followed(), shown.append, tick=nothing)

    assert (result, shown) == (RESULT, log)


async def test_following_begins_behind_any_number() -> None:
    log, shown = success(), list[RecordedEvent]()

    await follow_log(GrowingLog(log).followed(), shown.append, tick=nothing, after=5)

    assert shown == log[5:]


async def test_following_stops_when_the_process_is_gone_and_misses_nothing() -> None:
    log, shown = success(), list[RecordedEvent]()
    dying = GrowingLog(log, dies_after=4)

    result = await follow_log(dying.followed(), shown.append, tick=nothing)

    assert (result, shown) == (None, log[:4])


async def test_what_was_landed_after_the_end_is_shown_too() -> None:
    late = WorkLanded(BRANCH, COMMIT, "commits")
    log, shown = recorded([*(each.event for each in success()), late]), list[RecordedEvent]()
    whole = GrowingLog(log)
    whole.there = len(log)

    result = await follow_log(whole.followed(), shown.append, tick=nothing)

    assert (result, shown[-1].event) == (RESULT, late)
