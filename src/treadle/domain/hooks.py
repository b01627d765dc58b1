"""A user's hook before tool uses: how it is run, and how it ended. Types only."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class HookExit:
    """How a hook's command ended; no code if it did not end in time or never began."""

    code: int | None
    stderr: str = ""


# Runs one of the user's hooks with this on its stdin, in bounded time, and never raises.
RunHook: TypeAlias = Callable[[str, bytes], Awaitable[HookExit]]
