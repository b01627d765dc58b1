"""What a person has trusted, project by project: fingerprints of settings, never the values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.private_files import PrivateFiles
from treadle.domain.errors import StoreError

DIRECTORY = "trusted"


@dataclass(frozen=True, slots=True)
class Trusted:
    """Of one project: the fingerprint of each key's value, and since when."""

    project: str
    values: Mapping[str, str]
    since: datetime | None = None


class TrustedSettings:
    """One file for each project, named by the project's key."""

    def __init__(self, root: Path) -> None:
        self._path = root / DIRECTORY
        self._files = PrivateFiles(root, DIRECTORY)

    def keep(self, key: str, trusted: Trusted) -> None:
        """In place of what was trusted before in this project."""
        said = {"project": trusted.project, "values": dict(trusted.values)}
        self._files.keep(key, json.dumps(said))

    def of(self, key: str) -> Trusted | None:
        text = self._files.value(key)
        return None if text is None else self._read(key, text, None)

    def all(self) -> list[Trusted]:
        """Every project's, by path."""
        found = [
            self._read(kept.name, text, kept.since)
            for kept in self._files.kept()
            if (text := self._files.value(kept.name)) is not None
        ]
        return sorted(found, key=lambda each: each.project)

    def remove(self, key: str) -> bool:
        """Whether there was something to take back."""
        return self._files.remove(key)

    def _read(self, key: str, text: str, since: datetime | None) -> Trusted:
        try:
            said = json.loads(text)
            project, values = str(said["project"]), dict(said["values"])
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{self._path / key} is not what Treadle wrote",
                hint="remove it, and run `treadle trust` again where it is needed",
            ) from None
        return Trusted(project, {str(name): str(each) for name, each in values.items()}, since)
