"""One report out of all that a test command left: files by content, output by command. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

from treadle.domain.testing import Malformed, SuiteReport
from treadle.verify.reports import (
    cargo_text,
    cobertura,
    coverage_json,
    go_json,
    go_text,
    jest_json,
    junit,
    lcov,
    playwright_json,
    rspec_json,
    unittest_text,
)
from treadle.verify.reports.bounds import (
    MOST_BYTES,
    MOST_BYTES_IN_ALL,
    MOST_CASES,
    MOST_FILES,
    refuse,
)
from treadle.verify.reports.coverage import Coverage, total
from treadle.verify.reports.json_reading import load
from treadle.verify.reports.told import Told, identified
from treadle.verify.reports.tools import Tool, tools_of

_Read: TypeAlias = tuple[Told, ...] | Coverage | Malformed

_HEAD = 4_096
_XML = (
    (re.compile(rb"<(?:[\w.-]+:)?testsuites?[\s/>]"), junit.parse),
    (re.compile(rb"<(?:[\w.-]+:)?coverage[\s/>]"), cobertura.parse),
)
_LCOV = re.compile(rb"^(?:TN:.*\n)?SF:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A kind of JSON report: the keys by which it is known, and who reads it."""

    keys: frozenset[str]
    parse: Callable[[str, Mapping[str, Any]], _Read]


_JSON = (
    _Shape(frozenset({"config", "suites", "stats"}), playwright_json.parse),
    _Shape(frozenset({"meta", "files", "totals"}), coverage_json.parse),
    _Shape(frozenset({"examples", "summary"}), rspec_json.parse),
    _Shape(frozenset({"testResults", "numTotalTests"}), jest_json.parse),
)


def read_reports(
    files: Mapping[str, bytes], output: str, command: str, named: Sequence[str] = ()
) -> SuiteReport | Malformed:
    """The tests of all reports together, and the share of lines that they cover.

    A file of no known format counts for nothing, unless a pattern of `named` asks for it.
    """
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES_IN_ALL:
        return Malformed(
            f"more than {MOST_FILES:,} report files, or more than"
            f" {MOST_BYTES_IN_ALL // 1024**2} MiB of them; name those that count in verify.reports"
        )
    told: list[Told] = []
    coverages: list[Coverage] = []
    # One after the other: what all of them say at once may be more than there is room for.
    read = (_read(name, files[name], named) for name in sorted(files))
    for each in chain(read, _printed(output, command)):
        if isinstance(each, Malformed):
            return each
        if isinstance(each, Coverage):
            coverages.append(each)
        else:
            told += each
        if len(told) > MOST_CASES:
            return Malformed(f"more than {MOST_CASES:,} tests; split the test command")
    return SuiteReport(identified(told), total(coverages))


def _read(name: str, content: bytes, named: Sequence[str]) -> _Read:
    # Whoever collects files may have stopped there.
    if len(content) >= MOST_BYTES:
        return refuse(name, f"{MOST_BYTES // 1024**2} MiB or more")
    found = _known(name, content)
    if found is not None:
        return found
    if not content.strip() and name.endswith((".xml", ".json", ".info")):
        return refuse(name, "it is empty")
    if any(is_named(name, pattern) for pattern in named):
        return refuse(name, "it is no report of a known format")
    return ()


def is_named(name: str, pattern: str) -> bool:
    """Whether a file is one that a glob asks for."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.replace("**/", ""))


def _known(name: str, content: bytes) -> _Read | None:
    """What a file of a known format says; None for all others."""
    head = content[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        plain = head.replace(b"\x00", b"")
        parse = next((parse for root, parse in _XML if root.search(plain)), None)
        return parse(name, content) if parse else None
    text = head.decode(errors="replace")
    if go_json.LINE.search(text):
        return go_json.parse(name, content.decode("utf-8-sig", errors="replace"))
    if head.startswith(b"{"):
        return _known_json(name, content)
    return lcov.parse(name, content) if _LCOV.search(head) else None


def _known_json(name: str, content: bytes) -> _Read | None:
    shapes = [s for s in _JSON if all(f'"{key}"'.encode() in content for key in s.keys)]
    cut = [s for s in _JSON if any(f'"{key}"'.encode() in content[:_HEAD] for key in s.keys)]
    if not shapes and not cut:
        return None
    found = load(name, content)
    if isinstance(found, Malformed):
        return found
    shape = next((s for s in shapes if s.keys <= found.keys()), None)
    return shape.parse(name, found) if shape else None


@dataclass(frozen=True, slots=True)
class _Printed:
    """A way to tell of tests in the output: whose it is, how it is known, and who reads it."""

    tool: Tool
    signs: tuple[re.Pattern[str], ...]
    parse: Callable[[str], _Read]


_TEXTS = (
    _Printed("go", (go_json.LINE,), partial(go_json.parse, go_text.NAME)),
    _Printed("go", (go_text.VERBOSE, go_text.PACKAGE), go_text.parse),
    _Printed("cargo", (cargo_text.RESULT,), cargo_text.parse),
    _Printed("unittest", (unittest_text.VERBOSE, unittest_text.RAN), unittest_text.parse),
)


def _printed(output: str, command: str) -> Sequence[_Read]:
    """What the output itself tells of tests. A command that names no tool may stand for any."""
    tools = tools_of(command)
    return [
        text.parse(output)
        for text in _TEXTS
        if (not tools or text.tool in tools) and all(sign.search(output) for sign in text.signs)
    ]
