"""The `Teller` and `Steps` ports, the same for every engine: what was done is never done again."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.builders import NOON
from tests.contracts.engines import BrokenAct, EngineStarter, Kind, RecordedActs, engine_starter
from tests.postgres import ON_POSTGRES
from treadle.durable.port import Json, Steps, WorkflowChanged


@pytest.fixture(
    params=[
        "memory",
        "sqlite",
        pytest.param("postgres", marks=ON_POSTGRES),
    ]
)
def start_engine(request: pytest.FixtureRequest, tmp_path: Path) -> EngineStarter:
    kind: Kind = request.param
    return engine_starter(kind, request, tmp_path)


async def test_a_workflow_is_run_with_its_argument_and_gives_its_result(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs()
    async with start_engine(plain=acts.workflow("one", "two")) as engine:
        result = await engine.run("w", "plain", {"goal": ["ship"]})

    assert (result, acts.done) == ([{"goal": ["ship"]}, "ONE", "TWO"], ["one", "two"])


async def test_a_finished_workflow_is_not_run_again_but_gives_its_result(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs()
    async with start_engine(plain=acts.workflow("one")) as engine:
        first = await engine.run("w", "plain", 1)
        second = await engine.run("w", "plain", 2)
    async with start_engine(plain=acts.workflow("one")) as engine:
        third = await engine.run("w", "plain", 3)

    assert (first, second, third, acts.done) == ([1, "ONE"], [1, "ONE"], [1, "ONE"], ["one"])


async def test_runs_of_different_workflows_are_independent(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs()
    async with start_engine(
        plain=acts.workflow("one"), other=acts.workflow("two", "one")
    ) as engine:
        results = await asyncio.gather(
            engine.run("a", "plain", "a"),
            engine.run("b", "other", "b"),
            engine.run("c", "plain", "c"),
        )

    assert list(results) == [["a", "ONE"], ["b", "TWO", "ONE"], ["c", "ONE"]]
    assert sorted(acts.done) == ["one", "one", "one", "two"]


async def test_what_a_step_raises_is_raised_by_the_run(start_engine: EngineStarter) -> None:
    acts = RecordedActs(broken={"two"})
    async with start_engine(plain=acts.workflow("one", "two", "three")) as engine:
        with pytest.raises(BrokenAct, match="two"):
            await engine.run("w", "plain", None)

    assert acts.done == ["one", "two"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_after_a_repair_the_step_that_failed_is_acted_again_and_none_before_it(
    start_engine: EngineStarter, restarted: bool
) -> None:
    acts = RecordedActs(broken={"two"})
    async with start_engine(plain=acts.workflow("one", "two", "three")) as engine:
        for _ in range(2):
            with pytest.raises(BrokenAct):
                await engine.run("w", "plain", "x")
        acts.broken.clear()
        if not restarted:
            assert await engine.run("w", "plain", "x") == ["x", "ONE", "TWO", "THREE"]
    if restarted:
        async with start_engine(plain=acts.workflow("one", "two", "three")) as engine:
            assert await engine.run("w", "plain", "x") == ["x", "ONE", "TWO", "THREE"]

    assert acts.done == ["one", "two", "two", "two", "three"]


async def test_what_the_workflow_itself_raises_ends_the_run_and_it_can_be_run_again(
    start_engine: EngineStarter,
) -> None:
    acts, moods = RecordedActs(), iter(["bad", "good"])

    async def run_moody(steps: Steps, argument: Json) -> Json:
        await steps.step("one", acts.act("one"), returns=str)
        if next(moods) == "bad":
            raise OSError("no such mood")
        return "finished"

    async with start_engine(moody=run_moody) as engine:
        with pytest.raises(OSError, match="no such mood"):
            await engine.run("w", "moody", None)
        result = await engine.run("w", "moody", None)

    assert (result, acts.done) == ("finished", ["one"])


async def test_a_workflow_that_catches_a_failed_step_gets_no_further(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs(broken={"one"})

    async def run_stubborn(steps: Steps, argument: Json) -> Json:
        try:
            await steps.step("one", acts.act("one"), returns=str)
        except BrokenAct:
            await steps.step("apology", acts.act("apology"), returns=str)
        return "finished"

    async with start_engine(stubborn=run_stubborn) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "stubborn", None)
        acts.broken.clear()
        assert await engine.run("w", "stubborn", None) == "finished"

    assert acts.done == ["one", "one"]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_step_that_was_cut_is_acted_again(
    start_engine: EngineStarter, restarted: bool
) -> None:
    acts = RecordedActs(held={"two": asyncio.Event()})
    async with start_engine(plain=acts.workflow("one", "two", "three")) as engine:
        running = asyncio.create_task(engine.run("w", "plain", "x"))
        await acts.reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        acts.held.clear()
        if not restarted:
            assert await engine.run("w", "plain", "x") == ["x", "ONE", "TWO", "THREE"]
    if restarted:
        async with start_engine(plain=acts.workflow("one", "two", "three")) as engine:
            assert await engine.run("w", "plain", "x") == ["x", "ONE", "TWO", "THREE"]

    assert acts.done == ["one", "two", "two", "three"]


async def test_a_caller_that_stops_waiting_stops_the_workflow_which_may_clean_up(
    start_engine: EngineStarter,
) -> None:
    reached, cleaned = asyncio.Event(), []

    async def run_tidy(steps: Steps, argument: Json) -> Json:
        async def act() -> None:
            reached.set()
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                cleaned.append("act")

        try:
            await steps.step("one", act, returns=type(None))
        finally:
            cleaned.append("workflow")
        return None

    async with start_engine(tidy=run_tidy) as engine:
        running = asyncio.create_task(engine.run("w", "tidy", None))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert cleaned == ["act", "workflow"]


@pytest.mark.parametrize("cut", [False, True])
async def test_a_workflow_runs_on_the_loop_where_the_engine_was_opened(
    start_engine: EngineStarter, cut: bool
) -> None:
    acts, loops = RecordedActs(broken={"one"} if cut else set()), []

    async def run_where(steps: Steps, argument: Json) -> Json:
        loops.append(asyncio.get_running_loop())
        await steps.step("one", acts.act("one"), returns=str)
        loops.append(asyncio.get_running_loop())
        return None

    async with start_engine(where=run_where) as engine:
        if cut:
            with pytest.raises(BrokenAct):
                await engine.run("w", "where", None)
            acts.broken.clear()
        await engine.run("w", "where", None)

    assert set(loops) == {asyncio.get_running_loop()}


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Passed:
    at: datetime
    took: timedelta
    type: Literal["passed"] = "passed"


@dataclass(frozen=True, slots=True)
class Failed:
    reasons: tuple[str, ...]
    worst: "Failed | None" = None
    type: Literal["failed"] = "failed"


Outcome = Passed | Failed

VALUES: list[tuple[Any, Any]] = [
    (None, type(None)),
    ("plain", str),
    ("half a \ud83d, a whole 😀 and \x00 none", str),
    (2**80, int),
    (0.1, float),
    (float("inf"), float),
    (True, bool),
    (b"bytes", bytes),
    ((1, "two", None), tuple[int, str, None]),
    (("a", "b"), tuple[str, ...]),
    ({"a": (1, 2)}, dict[str, tuple[int, int]]),
    (frozenset({1, 2}), frozenset[int]),
    (Colour.RED, Colour),
    (Path("src/a.py"), Path),
    (NOON, datetime),
    (Passed(NOON, timedelta(seconds=1.5)), Passed),
    (Passed(NOON, timedelta(0)), Outcome),
    (Failed(("a", "b"), worst=Failed(())), Outcome),
    ([Failed(()), Passed(NOON, timedelta(1))], list[Outcome]),
    (None, Passed | None),
]


async def test_results_come_back_unchanged_when_acted_and_when_replayed(
    start_engine: EngineStarter,
) -> None:
    seen: list[list[Any]] = []
    endings = iter(["bad", "good"])

    def giving(value: Any) -> Callable[[], Awaitable[Any]]:
        async def act() -> Any:
            return value

        return act

    async def run_values(steps: Steps, argument: Json) -> Json:
        seen.append(
            [
                await steps.step(f"value {n}", giving(value), returns=returns)
                for n, (value, returns) in enumerate(VALUES)
            ]
        )
        if next(endings) == "bad":
            raise BrokenAct
        return None

    async with start_engine(values=run_values) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "values", None)
        await engine.run("w", "values", None)

    expected = [value for value, _ in VALUES]
    assert seen == [expected, expected]
    assert [[type(each) for each in row] for row in seen] == [[type(each) for each in expected]] * 2


async def begin(start_engine: EngineStarter, acts: RecordedActs, *names: str) -> None:
    """Runs `names` as a workflow that is interrupted in its last step."""
    acts.broken.add(names[-1])
    async with start_engine(plain=acts.workflow(*names)) as engine:
        with pytest.raises(BrokenAct):
            await engine.run("w", "plain", None)
    acts.broken.clear()


async def test_a_workflow_with_other_steps_than_those_stored_is_refused(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs()
    await begin(start_engine, acts, "one", "two", "three")
    async with start_engine(plain=acts.workflow("one", "new", "three")) as engine:
        with pytest.raises(WorkflowChanged, match="its next step was “two” and is “new” now"):
            await engine.run("w", "plain", None)
    async with start_engine(plain=acts.workflow("one", "two", "three")) as engine:
        assert await engine.run("w", "plain", None) == [None, "ONE", "TWO", "THREE"]

    assert acts.done == ["one", "two", "three", "three"]


async def test_a_stored_result_that_no_longer_fits_its_type_is_refused(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs()
    await begin(start_engine, acts, "one", "two")

    async def run_changed(steps: Steps, argument: Json) -> Json:
        async def act() -> Passed:
            raise AssertionError("it is stored")

        await steps.step("one", act, returns=Passed)
        return None

    async with start_engine(plain=run_changed) as engine:
        with pytest.raises(WorkflowChanged, match="the result of its step “one” does not fit"):
            await engine.run("w", "plain", None)


async def test_a_changed_workflow_keeps_the_old_steps_for_runs_that_took_them(
    start_engine: EngineStarter,
) -> None:
    acts = RecordedActs()
    await begin(start_engine, acts, "one", "old", "end")

    async def run_changed(steps: Steps, argument: Json) -> Json:
        await steps.step("one", acts.act("one"), returns=str)
        middle = "new" if await steps.patched("better-middle") else "old"
        await steps.step(middle, acts.act(middle), returns=str)
        return await steps.step("end", acts.act("end"), returns=str)

    acts.done.clear()
    async with start_engine(plain=run_changed) as engine:
        await engine.run("w", "plain", None)
        acts.broken.add("end")
        with pytest.raises(BrokenAct):
            await engine.run("fresh", "plain", None)
        acts.broken.clear()
        await engine.run("fresh", "plain", None)

    assert acts.done == ["end", "one", "new", "end", "end"]
