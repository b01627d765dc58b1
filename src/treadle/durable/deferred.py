"""Modules that are loaded only when something of them is asked for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any


class Deferred(ModuleType):
    """Stands for a module; whatever is asked of it, the module itself answers."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            # Asked by whoever imports it: it has no parts but those it was given.
            raise AttributeError(name)
        _leave(self)
        return getattr(import_module(self.__name__), name)


@contextmanager
def deferred(name: str, *parts: str) -> Iterator[None]:
    """Whoever imports the module within the block gets it, or a part of it, when it is first used.

    For what a library imports and seldom needs.
    """
    if name in sys.modules:
        yield
        return
    whole = Deferred(name)
    for part in parts:
        setattr(whole, part, Deferred(f"{name}.{part}"))
    sys.modules[name] = whole
    try:
        yield
    finally:
        _leave(whole)


def _leave(stand_in: Deferred) -> None:
    if sys.modules.get(stand_in.__name__) is stand_in:
        del sys.modules[stand_in.__name__]
