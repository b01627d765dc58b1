"""Reads and writes `.treadle/status.json`: the deliverables as people and other tools edit them."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from treadle.adapters.stores.note_files import read_start
from treadle.adapters.stores.status_json import parse_deliverable, update_document
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError

LARGEST = 16 << 20
_LIST = re.compile(r'"deliverables"\s*:\s*(?=\[)')


class StatusFile:
    """The `StatusBoard` port on a file. Unknown keys are preserved."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_digest = ""

    def read(self) -> tuple[Deliverable, ...]:
        content = self._read_bytes()
        deliverables = parse_status(content, self._path) if content is not None else ()
        self._read_digest = _digest(content)
        return deliverables

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        current = self._read_bytes()
        valid = self._is_valid(current)
        if _digest(current) != self._read_digest and valid:
            return False
        before: dict[str, Any] = json.loads(current) if current is not None and valid else {}
        text = json.dumps(
            update_document(before, deliverables, today), indent=2, ensure_ascii=False
        )
        new_content = f"{text}\n".encode(errors="replace")
        try:
            if current is not None and not valid:
                back_up_invalid(self._path, current)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary = self._path.with_suffix(".json.new")
            temporary.unlink(missing_ok=True)
            # Exclusive: a link or pipe at that name is neither followed nor opened.
            with temporary.open("xb") as file:
                file.write(new_content)
            temporary.replace(self._path)
        except OSError as error:
            raise ProjectError(
                f"cannot write {self._path}: {error.strerror}",
                hint="make .treadle a directory you can write to, on a disk with free space",
            ) from error
        self._read_digest = _digest(new_content)
        return True

    def _is_valid(self, content: bytes | None) -> bool:
        if content is None:
            return True
        try:
            parse_status(content, self._path)
        except ProjectError:
            return False
        return True

    def _read_bytes(self) -> bytes | None:
        try:
            # Non-blocking: opening a pipe in its place would hang.
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
        with os.fdopen(descriptor, "rb") as file:
            return file.read(LARGEST)


def back_up_invalid(path: Path, content: bytes) -> Path:
    """Copy an invalid file beside itself, without overwriting an earlier copy."""
    number, backup = 1, path.with_suffix(".json.refused")
    while os.path.lexists(backup) and read_start(backup, LARGEST) != content:
        number += 1
        backup = path.with_suffix(f".json.refused-{number}")
    if not backup.exists():
        # Exclusive: a link at that name is not followed.
        with backup.open("xb") as file:
            file.write(content)
    return backup


def parse_status(content: bytes, path: Path) -> tuple[Deliverable, ...]:
    """Parse a status.json; raises a ProjectError that names the line."""
    text = _decode_text(content, path)
    document = _parse_json(text, path)
    entries = document.get("deliverables", []) if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise _invalid_file(path, 1, "expected an object with a list `deliverables`")
    deliverables: list[Deliverable] = []
    for entry in entries:
        deliverable = parse_deliverable(entry, known={d.id for d in deliverables})
        if isinstance(deliverable, str):
            raise _invalid_file(path, _line_of(text, entries, len(deliverables)), deliverable)
        deliverables.append(deliverable)
    return tuple(deliverables)


def _decode_text(content: bytes, path: Path) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _invalid_file(path, line, "not valid UTF-8") from error


def _parse_json(text: str, path: Path) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _invalid_file(path, error.lineno, f"not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        # A number with thousands of digits, or thousands of nested brackets.
        raise _invalid_file(
            path, 1, "not valid JSON: too large a number or too deeply nested"
        ) from error


def _invalid_file(path: Path, line: int, problem: str) -> ProjectError:
    return ProjectError(
        f"{path}:{line}: {problem}", hint="fix the file, or delete it to start over"
    )


def _line_of(text: str, entries: list[Any], index: int) -> int:
    """The line where the entry at `index` starts."""
    decoder = json.JSONDecoder()
    for match in _LIST.finditer(text):
        if decoder.raw_decode(text, match.end())[0] != entries:
            continue  # the list of another object inside the document
        start = position = match.end() + 1
        for _ in range(index + 1):
            while text[position] in " \t\r\n,":
                position += 1
            start = position
            _, position = decoder.raw_decode(text, start)
        return text.count("\n", 0, start) + 1
    return 1


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()
