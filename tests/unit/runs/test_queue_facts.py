"""What keeps the items of a queue from starting."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import NOON, RUN, RUN_LIMITS, FakeClock, run_started
from tests.unit.workflows.queue.records import queue
from treadle.adapters.stores.memory_store import MemoryStore
from treadle.adapters.stores.recorder import Recorder
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.queue import ItemEnded, ItemStarted
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.policy.known_secrets import KnownSecrets
from treadle.policy.redaction import make_redactor
from treadle.runs.queue_facts import (
    has_spent_today,
    is_watchable,
    running_s,
    wait_for_changes,
    why_not_named,
)
from treadle.workflows.queue.definition import EndQueue


@pytest.fixture
def recorder() -> Recorder:
    clean = make_redactor(KnownSecrets(("correct-horse-battery",)))
    return Recorder(MemoryStore(), RUN, FakeClock(), (), clean=clean)


@pytest.mark.parametrize(
    "name",
    [
        "correct-horse-battery.md",
        "rotate AKIAIOSFODNN7ABCDEFG.md",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a.md",
        "\udcff.md",
    ],
)
def test_an_item_that_the_log_would_call_otherwise_does_not_start(
    recorder: Recorder, name: str
) -> None:
    # Its end would be that of no item, and it would be done for as long as there is money.
    ended = why_not_named(name, recorder)

    assert isinstance(ended, EndQueue)
    assert ended.reason == "error"
    assert name not in ended.message


@pytest.mark.parametrize("name", ["010-dates.md", "Größe.md", "ein name mit lücken", "audit"])
def test_others_start(recorder: Recorder, name: str) -> None:
    assert why_not_named(name, recorder) is None


def test_nothing_starts_on_a_day_whose_money_an_item_has_spent_until_a_person_resumes() -> None:
    started = ItemStarted("a", "1", RUN, "focus")
    ended = ItemEnded("a", "1", RUN, "budget_exceeded", "a day (limits.day_cost_usd)")
    spent = queue([started, ended])

    assert not has_spent_today(queue([started, replace(ended, message="the limit is $1")]), NOON)
    assert has_spent_today(spent, NOON + timedelta(minutes=1))
    assert not has_spent_today(spent, NOON + timedelta(days=1))
    resumed = queue([started, ended, RunReopened("resume", RUN_LIMITS)])
    assert not has_spent_today(resumed, NOON + timedelta(minutes=1))


def test_the_time_between_two_legs_of_a_queue_is_not_running_time() -> None:
    result = RunResult("interrupted", 1, Tally(), 0.0, Usage(), 60.0)
    events: list[tuple[int, Event]] = [
        (0, run_started()),
        (60, RunEnded(result)),
        (3_600, RunReopened("resume", RUN_LIMITS)),
    ]
    store = MemoryStore()
    store.append(RUN, [(NOON + timedelta(seconds=at), event) for at, event in events])

    assert running_s(store, RUN, NOON + timedelta(seconds=3_630)) == 90.0
    assert running_s(MemoryStore(), RUN, NOON) == 0.0


@pytest.mark.parametrize("target", ["/", "/proc", "../../elsewhere"])
async def test_a_link_of_the_project_does_not_lead_to_files_elsewhere_that_are_watched(
    tmp_path: Path, target: str
) -> None:
    # Otherwise the watch ends with the first folder that it may not read, and again when resumed.
    backlog, specs = tmp_path / "project" / "backlog", tmp_path / "project" / "specs"
    for folder in (backlog, specs, tmp_path / "elsewhere"):
        folder.mkdir(parents=True)
    (specs / "all").symlink_to(target)

    waiting = asyncio.ensure_future(wait_for_changes((backlog, specs)))
    number = 0
    while not waiting.done():
        (backlog / f"{number}.md").write_text("x")
        number += 1
        await asyncio.wait({waiting}, timeout=0.1)

    await waiting
    assert (is_watchable(backlog), is_watchable(specs)) == (True, False)


def test_links_within_a_folder_and_to_files_are_watched_and_a_linked_folder_is_not(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "specs"
    (folder / "inner").mkdir(parents=True)
    (folder / "again").symlink_to("inner")
    (folder / "hosts").symlink_to("/etc/hosts")
    (tmp_path / "link").symlink_to("specs")

    assert is_watchable(folder)
    assert not is_watchable(tmp_path / "link")
