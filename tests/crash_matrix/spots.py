"""Places in the product where a process can be made to die, and the traps that make it die there.

Nothing is put into the product: a trap takes the place of one of its functions in a process that
the tests start.
"""

import os
import signal
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, Literal, TypeAlias

Moment: TypeAlias = Literal["before", "during", "after"]
StepMoment: TypeAlias = Literal["begun", "acted", "stored"]

# Long enough to be inside whatever takes its time, short enough to be there before its end.
DURING_S = 0.3


@dataclass(frozen=True, slots=True)
class Call:
    """The `number`th call of a function whose arguments hold all these `words`.

    `function` is where the caller finds it: `module:name` or `module:Class.name`.
    """

    function: str
    moment: Moment
    words: tuple[str, ...] = ()
    number: int = 1


@dataclass(frozen=True, slots=True)
class AtStep:
    """A step of the run: before it is acted, acted and not stored, or stored."""

    step: str
    moment: StepMoment


Spot: TypeAlias = Call | AtStep


def die() -> None:
    """As the kernel ends a process that runs out of memory: nothing is closed, nothing is said."""
    os.kill(os.getpid(), signal.SIGKILL)


def plant(spot: Spot) -> None:
    """From here on this process dies when it comes to the spot."""
    match spot:
        case AtStep():
            _plant_in_steps(spot)
        case Call():
            owner, name = find_function(spot.function)
            setattr(owner, name, _trap(getattr(owner, name), spot))


def find_function(function: str) -> tuple[Any, str]:
    """Who has the function, and under which name."""
    module, _, path = function.partition(":")
    owner: Any = import_module(module)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    if not callable(getattr(owner, name)):
        raise TypeError(f"{function} is no function")
    return owner, name


def _trap(original: Callable[..., Any], spot: Call) -> Callable[..., Any]:
    calls = iter(range(1, spot.number))

    def is_it(given: tuple[Any, ...], named: dict[str, Any]) -> bool:
        said = described((*given, *named.values()))
        return all(word in said for word in spot.words) and next(calls, None) is None

    def sudden(*given: Any, **named: Any) -> Any:
        if not is_it(given, named):
            return original(*given, **named)
        with _Death(spot.moment):
            return original(*given, **named)

    async def slow(*given: Any, **named: Any) -> Any:
        if not is_it(given, named):
            return await original(*given, **named)
        with _Death(spot.moment):
            return await original(*given, **named)

    return slow if iscoroutinefunction(original) else sudden


class _Death:
    """Comes at its moment of the block; a block that is over before it gets away with its life."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment
        self._timer = threading.Timer(DURING_S, die)

    def __enter__(self) -> None:
        if self._moment == "before":
            die()
        if self._moment == "during":
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._moment == "after":
            die()


def described(values: tuple[Any, ...]) -> str:
    """What the words of a spot are looked for in: names of events, texts, paths."""
    return " ".join(
        described(tuple(value)) if isinstance(value, list | tuple) else _word(value)
        for value in values
    )


def _word(value: Any) -> str:
    kind = getattr(getattr(value, "event", value), "type", None)
    return kind if isinstance(kind, str) else str(value) if _is_plain(value) else ""


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int) or hasattr(value, "__fspath__")


def _plant_in_steps(spot: AtStep) -> None:
    from treadle.durable.stored_steps import StoredSteps

    original = StoredSteps.step

    async def step(
        self: StoredSteps, name: str, act: Callable[[], Awaitable[Any]], *, returns: Any
    ) -> Any:
        async def acted() -> Any:
            if spot.moment == "begun":
                die()
            result = await act()
            if spot.moment == "acted":
                die()
            return result

        if name != spot.step:
            return await original(self, name, act, returns=returns)
        result = await original(self, name, acted, returns=returns)
        if spot.moment == "stored":
            die()
        return result

    StoredSteps.step = step  # type: ignore[method-assign]
