"""Packages of which only parts are used: what the whole would load besides stays out."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import get_ident
from types import ModuleType
from typing import Any


class BarePackage(ModuleType):
    """Stands for a package: its parts are found as ever, and its own code has not run.

    `names` are those of its names that are known to be in one of its parts. Whoever asks for any
    other gets it, too: then the package is loaded as a whole.
    """

    def __init__(self, spec: ModuleSpec, names: Mapping[str, str]) -> None:
        super().__init__(spec.name)
        self.__spec__ = spec
        self.__loader__ = spec.loader
        self.__file__ = spec.origin
        self.__path__ = spec.submodule_search_locations or []
        self.__package__ = spec.name
        self._names = names
        self._loading: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._names:
            with suppress(ImportError, AttributeError):  # another release has it elsewhere
                return getattr(import_module(self._names[name]), name)
        if get_ident() not in self._loading:
            self._load()
        if name not in self.__dict__:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return self.__dict__[name]

    def _load(self) -> None:
        """Once it is whole it is a module like any other, the same object for whoever has it.

        Two threads may come here at once. Each loads it then, which does no harm; to wait for the
        other could be for ever, for it may be waiting for what this one imports.
        """
        self._loading.add(get_ident())
        try:
            if self.__spec__ is not None and self.__spec__.loader is not None:
                self.__spec__.loader.exec_module(self)
        finally:
            self._loading.discard(get_ident())
        self.__class__ = ModuleType  # type: ignore[assignment]


def bare_package(name: str, names: Mapping[str, str]) -> None:
    """Let nobody load the whole package who needs a part of it; one that is there stays."""
    spec = None if name in sys.modules else find_spec(name)
    # One that is missing is missed by whoever imports it. And to find a part is to wait for whoever
    # loads the whole just now.
    if spec is None or name in sys.modules:
        return
    package = BarePackage(spec, names)
    sys.modules[name] = package
    above, _, last = name.rpartition(".")
    if above:
        setattr(sys.modules[above], last, package)
