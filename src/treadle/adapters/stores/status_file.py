"""Reads and writes `.treadle/status.json`: the deliverables as people and other tools edit them."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treadle.adapters.stores.status_json import parse_deliverable, update_document
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError

LARGEST = 16 << 20
_LIST = re.compile(r'"deliverables"\s*:\s*(?=\[)')


class StatusFile:
    """The `StatusBoard` port on a file. Keys it does not know stay where they are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_digest = ""

    def read(self) -> tuple[Deliverable, ...]:
        found = self._read_bytes()
        deliverables = parse_status(found, self._path) if found is not None else ()
        self._read_digest = _digest(found)
        return deliverables

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        now = self._read_bytes()
        valid = self._is_valid(now)
        if _digest(now) != self._read_digest and valid:
            return False
        before: dict[str, Any] = json.loads(now) if now is not None and valid else {}
        text = json.dumps(
            update_document(before, deliverables, today), indent=2, ensure_ascii=False
        )
        fresh = f"{text}\n".encode(errors="replace")
        try:
            if now is not None and not valid:
                back_up_invalid(self._path, now)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside = self._path.with_suffix(".json.new")
            beside.unlink(missing_ok=True)
            # Exclusive: whatever somebody puts at that name is neither followed nor waited for.
            with beside.open("xb") as opened:
                opened.write(fresh)
            beside.replace(self._path)
        except OSError as error:
            raise ProjectError(
                f"cannot write {self._path}: {error.strerror}",
                hint="make .treadle a directory you can write to, on a disk with room left",
            ) from error
        self._read_digest = _digest(fresh)
        return True

    def _is_valid(self, found: bytes | None) -> bool:
        if found is None:
            return True
        try:
            parse_status(found, self._path)
        except ProjectError:
            return False
        return True

    def _read_bytes(self) -> bytes | None:
        try:
            # Not blocking: an agent could have put a pipe there that nobody writes to.
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ProjectError(
                f"cannot read {self._path}: {error.strerror}", hint="check its permissions"
            ) from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise ProjectError(f"{self._path} is not a plain file", hint="remove it")
        with os.fdopen(descriptor, "rb") as opened:
            return opened.read(LARGEST)


def back_up_invalid(path: Path, found: bytes) -> Path:
    """Keep a file that cannot be used beside its place, never over another that was kept."""
    number, aside = 1, path.with_suffix(".json.refused")
    while aside.exists() and aside.read_bytes() != found:
        number += 1
        aside = path.with_suffix(f".json.refused-{number}")
    aside.write_bytes(found)
    return aside


def parse_status(found: bytes, path: Path) -> tuple[Deliverable, ...]:
    """The deliverables of a status.json, or a ProjectError that names the line."""
    text = _decode_text(found, path)
    document = _parse_json(text, path)
    entries = document.get("deliverables", []) if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise _invalid_file(path, 1, "expected an object with a list `deliverables`")
    made: list[Deliverable] = []
    for entry in entries:
        deliverable = parse_deliverable(entry, known={d.id for d in made})
        if isinstance(deliverable, str):
            raise _invalid_file(path, _line_of(text, entries, len(made)), deliverable)
        made.append(deliverable)
    return tuple(made)


def _decode_text(found: bytes, path: Path) -> str:
    try:
        return found.decode("utf-8")
    except UnicodeDecodeError as error:
        line = found.count(b"\n", 0, error.start) + 1
        raise _invalid_file(path, line, "not valid UTF-8") from error


def _parse_json(text: str, path: Path) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _invalid_file(path, error.lineno, f"not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        # A number with thousands of digits, or thousands of brackets in each other.
        raise _invalid_file(
            path, 1, "not valid JSON: too large a number or too deeply nested"
        ) from error


def _invalid_file(path: Path, line: int, why: str) -> ProjectError:
    return ProjectError(f"{path}:{line}: {why}", hint="mend the file, or delete it to start over")


def _line_of(text: str, entries: list[Any], index: int) -> int:
    """The line where the entry at `index` begins."""
    decoder = json.JSONDecoder()
    for found in _LIST.finditer(text):
        if decoder.raw_decode(text, found.end())[0] != entries:
            continue  # the list of another object inside the document
        start = place = found.end() + 1
        for _ in range(index + 1):
            while text[place] in " \t\r\n,":
                place += 1
            start = place
            _, place = decoder.raw_decode(text, start)
        return text.count("\n", 0, start) + 1
    return 1


def _digest(found: bytes | None) -> str:
    return "" if found is None else hashlib.sha256(found).hexdigest()
