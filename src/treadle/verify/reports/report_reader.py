"""Reads all reports of a test command into one: files by content, output by command. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

from treadle.domain.suite_report import MalformedReport, SuiteReport
from treadle.verify.reports import (
    cargo_text,
    cobertura,
    go_json,
    go_text,
    json_reports,
    junit,
    lcov,
    node_text,
    unittest_text,
)
from treadle.verify.reports.bounds import (
    MOST_BYTES,
    MOST_BYTES_IN_ALL,
    MOST_CASES,
    MOST_FILES,
    refuse,
)
from treadle.verify.reports.case_ids import ReportedCase, assign_ids
from treadle.verify.reports.command_tools import ToolName, find_tools
from treadle.verify.reports.coverage import Coverage, parse_coverage_json, total_percent
from treadle.verify.reports.untrusted_json import load_object

_ParsedReport: TypeAlias = tuple[ReportedCase, ...] | Coverage | MalformedReport

_HEAD = 4_096
_XML_FORMATS = (
    (re.compile(rb"<(?:[\w.-]+:)?testsuites?[\s/>]"), junit.parse),
    (re.compile(rb"<(?:[\w.-]+:)?coverage[\s/>]"), cobertura.parse),
)
_TOO_MANY = MalformedReport(f"more than {MOST_CASES:,} tests; split the test command")
_LCOV = re.compile(rb"^(?:TN:.*\n)?SF:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _JsonFormat:
    """A JSON report format: the keys that identify it, and its parser."""

    keys: frozenset[str]
    parse: Callable[[str, Mapping[str, Any]], _ParsedReport]


_JSON_FORMATS = (
    _JsonFormat(frozenset({"config", "suites", "stats"}), json_reports.parse_playwright),
    _JsonFormat(frozenset({"meta", "files", "totals"}), parse_coverage_json),
    _JsonFormat(frozenset({"examples", "summary"}), json_reports.parse_rspec),
    _JsonFormat(frozenset({"testResults", "numTotalTests"}), json_reports.parse_jest),
)


def read_reports(
    files: Mapping[str, bytes], output: str, command: str, named: Sequence[str] = ()
) -> SuiteReport | MalformedReport:
    """The tests of all reports together, and their line coverage.

    A file of unknown format is ignored, unless a pattern in `named` asks for it.
    """
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES_IN_ALL:
        return MalformedReport(
            f"more than {MOST_FILES:,} report files, or more than"
            f" {MOST_BYTES_IN_ALL // 1024**2} MiB of them; name those that count in verify.reports"
        )
    cases: list[ReportedCase] = []
    coverages: list[Coverage] = []
    # Lazily, because all parsed reports at once may not fit into memory.
    parsed_files = (_read_file(name, files[name], named) for name in sorted(files))
    for parsed in chain(parsed_files, _read_output(output, command, _OUTPUT_FORMATS)):
        if isinstance(parsed, MalformedReport):
            return parsed
        if isinstance(parsed, Coverage):
            coverages.append(parsed)
        else:
            cases += parsed
        if len(cases) > MOST_CASES:
            return _TOO_MANY
    # Node prints what its reports have as well; those of Playwright have other tests.
    if all(each.kind == "e2e" for each in cases):
        # Its parsers refuse nothing.
        printed = _read_output(output, command, _NODE_FORMATS)
        cases += [case for each in printed if isinstance(each, tuple) for case in each]
    if len(cases) > MOST_CASES:
        return _TOO_MANY
    return SuiteReport(assign_ids(cases), total_percent(coverages))


def _read_file(name: str, content: bytes, named: Sequence[str]) -> _ParsedReport:
    # The collector cuts files at this size.
    if len(content) >= MOST_BYTES:
        return refuse(name, f"{MOST_BYTES // 1024**2} MiB or more")
    parsed = _read_known_format(name, content)
    if parsed is not None:
        return parsed
    if not content.strip() and name.endswith((".xml", ".json", ".info")):
        return refuse(name, "it is empty")
    if any(matches_pattern(name, pattern) for pattern in named):
        return refuse(name, "its format is not known")
    return ()


def matches_pattern(name: str, pattern: str) -> bool:
    """Whether a file matches a glob; `**/` also matches no directory."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.replace("**/", ""))


def _read_known_format(name: str, content: bytes) -> _ParsedReport | None:
    """Parse a file of a known format; None for any other file."""
    head = content[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        plain = head.replace(b"\x00", b"")
        parse = next((parse for root, parse in _XML_FORMATS if root.search(plain)), None)
        return parse(name, content) if parse else None
    text = head.decode(errors="replace")
    if go_json.LINE.search(text):
        return go_json.parse(name, content.decode("utf-8-sig", errors="replace"))
    if head.startswith(b"{"):
        return _read_known_json(name, content)
    return lcov.parse(name, content) if _LCOV.search(head) else None


def _read_known_json(name: str, content: bytes) -> _ParsedReport | None:
    complete = [
        each for each in _JSON_FORMATS if all(f'"{key}"'.encode() in content for key in each.keys)
    ]
    possible = [
        each
        for each in _JSON_FORMATS
        if any(f'"{key}"'.encode() in content[:_HEAD] for key in each.keys)
    ]
    if not complete and not possible:
        return None
    report = load_object(name, content)
    if isinstance(report, MalformedReport):
        return report
    json_format = next((each for each in complete if each.keys <= report.keys()), None)
    return json_format.parse(name, report) if json_format else None


@dataclass(frozen=True, slots=True)
class _OutputFormat:
    """A text format of a test tool: the patterns that identify it, and its parser."""

    tool: ToolName
    signs: tuple[re.Pattern[str], ...]
    parse: Callable[[str], _ParsedReport]


_OUTPUT_FORMATS = (
    _OutputFormat("go", (go_json.LINE,), partial(go_json.parse, go_text.NAME)),
    _OutputFormat("go", (go_text.VERBOSE, go_text.PACKAGE), go_text.parse),
    _OutputFormat("cargo", (cargo_text.RESULT,), cargo_text.parse),
    _OutputFormat("unittest", (unittest_text.VERBOSE, unittest_text.RAN), unittest_text.parse),
)
_NODE_FORMATS = (
    _OutputFormat("node", (node_text.TAP, node_text.TAP_END), node_text.parse_tap),
    _OutputFormat("node", (node_text.SPEC_END,), node_text.parse_spec),
)


def _read_output(
    output: str, command: str, formats: Sequence[_OutputFormat]
) -> Sequence[_ParsedReport]:
    """Parse test results in the output. A command that names no known tool, or only Playwright
    beside a script, may run any of them."""
    tools = {tool for tool in find_tools(command) if tool != "playwright"}
    return [
        text_format.parse(output)
        for text_format in formats
        if (not tools or text_format.tool in tools)
        and all(sign.search(output) for sign in text_format.signs)
    ]
