"""Packages of which only parts are used: what the whole would load besides stays out."""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
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

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._names:
            return getattr(import_module(self._names[name]), name)
        # From here on it is a module like any other, the same object for whoever has it already.
        self.__class__ = ModuleType  # type: ignore[assignment]
        if self.__spec__ is not None and self.__spec__.loader is not None:
            self.__spec__.loader.exec_module(self)
        return getattr(self, name)


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
