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
    """The fingerprint of each trusted value of one project, and since when."""

    project: str
    values: Mapping[str, str]
    since: datetime | None = None


class TrustedSettings:
    """One file per project, named by the project's key."""

    def __init__(self, root: Path) -> None:
        self._path = root / DIRECTORY
        self._files = PrivateFiles(root, DIRECTORY)

    def write(self, key: str, trusted: TrustedProject) -> None:
        """Replace what is trusted in this project."""
        document = {"project": trusted.project, "values": dict(trusted.values)}
        self._files.write(key, json.dumps(document))

    def find(self, key: str) -> TrustedProject | None:
        text = self._files.read(key)
        return None if text is None else self._parse(key, text, None)

    def list_all(self) -> list[TrustedProject]:
        """All projects, by path."""
        projects = [
            self._parse(file.name, text, file.since)
            for file in self._files.list_files()
            if (text := self._files.read(file.name)) is not None
        ]
        return sorted(projects, key=lambda each: each.project)

    def remove(self, key: str) -> bool:
        """Delete the trust in a project; False if there was none."""
        return self._files.remove(key)

    def _parse(self, key: str, text: str, since: datetime | None) -> TrustedProject:
        try:
            document = json.loads(text)
            project, values = str(document["project"]), dict(document["values"])
        except (ValueError, KeyError, TypeError):
            raise StoreError(
                f"{self._path / key} is not what Treadle wrote",
                hint="remove it, and run `treadle trust` again where it is needed",
            ) from None
        return TrustedProject(
            project, {str(name): str(value) for name, value in values.items()}, since
        )
