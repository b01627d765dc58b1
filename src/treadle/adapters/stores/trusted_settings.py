"""Settings that a person has trusted, by project: fingerprints, never the values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from treadle.adapters.stores.private_files import PrivateFiles
from treadle.domain.errors import StoreError

DIRECTORY = "trusted"


@dataclass(frozen=True, slots=True)
class TrustedProject:
    """Of one project: the fingerprint of each key's value, and since when."""

    project: str
    values: Mapping[str, str]
    since: datetime | None = None


class TrustedSettings:
    """One file for each project, named by the project's key."""

    def __init__(self, root: Path) -> None:
        self._path = root / DIRECTORY
        self._files = PrivateFiles(root, DIRECTORY)

    def write(self, key: str, trusted: TrustedProject) -> None:
        """In place of what was trusted before in this project."""
        said = {"project": trusted.project, "values": dict(trusted.values)}
        self._files.write(key, json.dumps(said))

    def find(self, key: str) -> TrustedProject | None:
        text = self._files.read(key)
        return None if text is None else self._parse(key, text, None)

    def list_all(self) -> list[TrustedProject]:
        """Every project's, by path."""
        found = [
            self._parse(kept.name, text, kept.since)
            for kept in self._files.list_files()
            if (text := self._files.read(kept.name)) is not None
        ]
        return sorted(found, key=lambda each: each.project)

    def remove(self, key: str) -> bool:
        """Whether there was something to take back."""
        return self._files.remove(key)

    def _parse(self, key: str, text: str, since: datetime | None) -> TrustedProject:
        try:
            said = json.loads(text)
            project, values = str(said["project"]), dict(said["values"])
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{self._path / key} is not what Treadle wrote",
                hint="remove it, and run `treadle trust` again where it is needed",
            ) from None
        return TrustedProject(
            project, {str(name): str(each) for name, each in values.items()}, since
        )
