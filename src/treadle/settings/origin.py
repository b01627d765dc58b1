"""The origin of a setting's value: default, file, environment or flag."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Source: TypeAlias = Literal["default", "file", "environment", "flag"]


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """A source, and where in it: `treadle.toml:7` or the name of a variable."""

    source: Source
    location: str = ""

    def __str__(self) -> str:
        return self.location or {"flag": "command line"}.get(self.source, self.source)


@dataclass(frozen=True, slots=True)
class SettingValue:
    """A checked value of one key with its origin."""

    value: Any
    origin: ValueOrigin


DEFAULT = ValueOrigin("default")
FLAG = ValueOrigin("flag")
