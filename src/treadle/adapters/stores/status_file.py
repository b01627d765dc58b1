"""`.treadle/status.json`: the deliverables in the shape people and other tools read and edit."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treadle.adapters.stores.status_shape import deliverable_from, document_with
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError


class StatusFile:
    """The `StatusBoard` port on a file. Keys it does not know stay where they are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = ""

    def read(self) -> tuple[Deliverable, ...]:
        text = self._text()
        deliverables = parse_status(text, self._path) if text is not None else ()
        self._seen = _digest(text)
        return deliverables

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        now = self._text()
        if _digest(now) != self._seen and self._valid(now):
            return False
        before = self._kept(now)
        text = json.dumps(document_with(before, deliverables, today), indent=2, ensure_ascii=False)
        text += "\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        beside = self._path.with_suffix(".json.new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self._path)
        self._seen = _digest(text)
        return True

    def _valid(self, text: str | None) -> bool:
        try:
            parse_status(text or "{}", self._path)
        except ProjectError:
            return False
        return True

    def _kept(self, text: str | None) -> dict[str, Any]:
        """The document to write into. One that is broken is put aside first, not lost."""
        if text is None:
            return {}
        if self._valid(text):
            document: dict[str, Any] = json.loads(text)
            return document
        self._path.with_suffix(".json.refused").write_text(text, encoding="utf-8")
        return {}

    def _text(self) -> str | None:
        try:
            return self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ProjectError(f"cannot read {self._path}: {error}") from error


def parse_status(text: str, path: Path) -> tuple[Deliverable, ...]:
    """The deliverables of a status.json, or a ProjectError that names the line."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ProjectError(
            f"{path}:{error.lineno}: not valid JSON: {error.msg}",
            hint="mend the file, or delete it to start over",
        ) from error
    entries = document.get("deliverables", []) if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ProjectError(f"{path}:1: expected an object with a list `deliverables`")
    found: list[Deliverable] = []
    for entry in entries:
        made = deliverable_from(entry, known={d.id for d in found})
        if isinstance(made, str):
            line = _line_of(text, entry, len(found))
            raise ProjectError(f"{path}:{line}: {made}", hint="mend the file and run again")
        found.append(made)
    return tuple(found)


def _line_of(text: str, entry: object, index: int) -> int:
    """The line where the entry's id stands, else where its opening brace does."""
    name = entry.get("id") if isinstance(entry, dict) else None
    if isinstance(name, str) and name:
        needle = json.dumps(name, ensure_ascii=False)
        places = [n for n, line in enumerate(text.splitlines(), 1) if needle in line]
        if places:
            return places[-1]
    decoder = json.JSONDecoder()
    place = text.find("[", text.find('"deliverables"')) + 1
    for _ in range(index + 1):
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        start = place
        _, place = decoder.raw_decode(text, start)
    return text.count("\n", 0, start) + 1


def _digest(text: str | None) -> str:
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()
