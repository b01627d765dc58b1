"""Finds product code that refers to its judge: ends the process, patches a runner, asks whether it
is tested. Data; pure.

No list of these is complete: code that knows it is tested cannot be told from other code in the
end. What is newly in a file and on this list is no honest product's, or a person should look at it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

from treadle.verify.judges.assertion_files import SCRIPT_ENDINGS


@dataclass(frozen=True, slots=True)
class ReferenceRule:
    """What files with these endings must not bring, with examples."""

    endings: tuple[str, ...]
    pattern: re.Pattern[str]
    # Paths that may have it: programs of their own, unless a script that judges imports them.
    unless: re.Pattern[str] | None = None
    # Texts that may have it.
    unless_text: re.Pattern[str] | None = None
    # Whether it ends a script with success, and is nothing to a test runner.
    ends_scripts: bool = False
    examples: tuple[str, ...] = ()


_PROGRAMS = re.compile(
    r"(?:^|/)(?:bin|exe|scripts|cli|commands|public)/"
    r"|(?:^|/)(?:__main__|main|cli|index|server|app|manage)\b[^/]*$"
)
_C_ENDINGS = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm")

RULES = (
    ReferenceRule(
        (".py", ".pyx"),
        re.compile(
            r"\bos\._exit\b|\bimport\b[^\n]{0,200}\b_exit\b"
            r"|\bos\.abort\b|\bos\.kill\(\s*os\.getpid|^(?:sys\.)?exit\(\s*0?\s*\)"
            r"|^raise SystemExit(?:\(\s*0?\s*\))?\s*$|\bPYTEST_CURRENT_TEST\b|\bsys\.meta_path\b"
            r"|^[ \t]*(?:import|from)[ \t]+"
            r"(?:unittest|pytest|_pytest|nose2?|doctest|hypothesis|pluggy)\b"
            r"|(?:\bsys\.modules\b|\bimport_module\(|__import__\().*[\"'](?:unittest|_?pytest)\b"
            r"|\bbuiltins\.\w+\s*=|__builtins__|\bskipTest\b"
            r"|^[ \t]*(?:TEST_RUNNER|load_tests)[ \t]*="
            r"|^[ \t]*def[ \t]+(?:load_tests|pytest_\w+)\b",
            re.MULTILINE,
        ),
        examples=(
            *(
                "import os\nos._exit(0)\n",
                "import unittest\n",
                "sys.exit(0)\n",
                "raise SystemExit\n",
            ),
            *("TEST_RUNNER = 'x'\n", "def load_tests(*_): ...\n", "sys.modules['unittest']\n"),
        ),
    ),
    ReferenceRule(
        (".py", ".pyx"),
        re.compile(
            r"(?<![\w.])(?:(?:sys\.)?exit|quit)\([ \t]*0?[ \t]*\)"
            r"|\braise[ \t]+SystemExit(?:\([ \t]*0?[ \t]*\)|[ \t]*$)",
            re.MULTILINE,
        ),
        unless=_PROGRAMS,
        ends_scripts=True,
        examples=("def f():\n    sys.exit()\n", "def f():\n    raise SystemExit(0)\n"),
    ),
    ReferenceRule(
        SCRIPT_ENDINGS,
        re.compile(
            r"[\"'](?:node:test(?:/\w+)?|vitest|@vitest/\w+|jest|@jest/\w+|mocha|ava|chai|tap|uvu"
            r"|@playwright/test)[\"']|\bprocess\.(?:reallyExit|abort)\b|^process\.exit\("
            r"|\bprocess\.exitCode\s*=\s*0|\bprocess\.(?:on|once)\(\s*[\"'](?:exit|beforeExit)"
            r"|\bglobal(?:This)?\.(?:expect|test|it|describe|assert|suite)\b"
            r"|\bNODE_TEST_CONTEXT\b|\bJEST_WORKER_ID\b|\bprocess\.env\.VITEST\b"
            r"|\bassert(?:\.strict)?\.\w{1,40}\s{0,9}=(?![=>])",
            re.MULTILINE,
        ),
        examples=(
            "import { test } from 'node:test'\n",
            "process.exit(0)\n",
            "globalThis.expect = x\n",
            "assert.equal = () => {}\n",
        ),
    ),
    ReferenceRule(
        SCRIPT_ENDINGS,
        re.compile(r"\bprocess\.exit\(\s*0?\s*\)"),
        unless=_PROGRAMS,
        examples=("export function slug() { process.exit(0) }\n",),
    ),
    ReferenceRule(
        (".go",),
        re.compile(
            r"^[ \t]*(?:import[ \t]+)?\"testing\"[ \t\r]*$|\bsyscall\.Exit\(|\bruntime\.Goexit\("
            r"|^(?:func|var|const|type)\s+(?:panic|len|cap|append|copy|true|false|nil|error|string"
            r"|recover|make|new|any)\b|^[ \t]*(?:true|false|nil)[ \t]*="
            r"|^func init\(\)[^}]{0,500}\bos\.Exit\(|[\"`]-?test\.(?:run|list|v|skip|count)\b"
            r"|__attribute__\s*\(\(\s*constructor",
            re.MULTILINE,
        ),
        examples=(
            'os.Args = append(os.Args, "-test.list=x")\n',
            'import "testing"\n',
            "func panic(any) {}\n",
            "const true = false\n",
        ),
    ),
    ReferenceRule(
        (".go",),
        re.compile(r"\bos\.Exit\(\s*0\s*\)"),
        unless=re.compile(r"(?:^|/)(?:main\.go|cmd/.*)$"),
        examples=("func init() { os.Exit(0) }\n",),
    ),
    ReferenceRule(
        (".rs",),
        re.compile(
            r"#!\[\s*(?:cfg|test_runner|no_main|reexport_test)[^\]]*\]|custom_test_frameworks"
            r"|\bcfg!\s*\(\s*(?:not\s*\(\s*)?test\b|\bcfg\s*\(\s*not\s*\(\s*test\b"
            r"|\bcfg\(any\(\)\)|\bprocess::(?:abort|exit\s*\(\s*0)|\blibc::_?exit\b"
            r"|\bmacro_rules!\s*(?:debug_)?(?:assert(?:_eq|_ne)?|panic|unreachable|matches)\b"
        ),
        unless=re.compile(r"(?:^|/)(?:src/main|src/bin/.*|build)\.rs$"),
        examples=(
            "#![cfg(any())]\n",
            "macro_rules! assert_eq { () => {} }\n",
            "if cfg!(test) {}\n",
        ),
    ),
    ReferenceRule(
        _C_ENDINGS,
        re.compile(
            r"^[ \t]*#[ \t]*(?:define|undef)[ \t]+"
            r"(?:assert|NDEBUG|main|exit|abort|strcmp|memcmp|printf"
            r"|static_assert|EXPECT_\w+|ASSERT_\w+|TEST\w*|REQUIRE\w*|CHECK_\w+)\b"
            r"|\b_exit\s*\(\s*0|\bquick_exit\s*\(|__attribute__\s*\(\(\s*constructor|\batexit\s*\(",
            re.MULTILINE,
        ),
        examples=("#define NDEBUG\n", "#undef assert\n", "__attribute__((constructor)) f();\n"),
    ),
    ReferenceRule(
        _C_ENDINGS,
        re.compile(r"\bexit\s{0,9}\(\s{0,9}(?:0|EXIT_SUCCESS)\s{0,9}\)"),
        unless_text=re.compile(r"\bmain\s{0,9}\("),
        examples=("int answer(void) { exit(0); }\n",),
    ),
    ReferenceRule(
        (".rb",),
        re.compile(
            r"(?<![\w.@$:])exit(?:\([ \t]*(?:0|true)?[ \t]*\)|[ \t]+(?:0|true)\b|[ \t]*$)",
            re.MULTILINE,
        ),
        unless=_PROGRAMS,
        ends_scripts=True,
        examples=("def f\n  exit\nend\n", "def f\n  exit(0)\nend\n"),
    ),
    ReferenceRule(
        (".php",),
        re.compile(r"\b(?:exit|die)\s{0,9}(?:\(\s{0,9}0?\s{0,9}\)\s{0,9})?;"),
        unless=_PROGRAMS,
        ends_scripts=True,
        examples=("<?php function f() { exit; }\n",),
    ),
    ReferenceRule(
        (".pm",),
        re.compile(r"(?<![\w$@%&>-])exit\s{0,9}(?:\(\s{0,9}0?\s{0,9}\)|0)?\s{0,9};"),
        ends_scripts=True,
        examples=("sub f {\n  exit 0;\n}\n",),
    ),
    ReferenceRule(
        (".rb",),
        re.compile(
            r"\bexit!|\bat_exit\b|^exit\b|\bMinitest\b|\bRSpec\b|\bTest::Unit\b", re.MULTILINE
        ),
        examples=("exit!(0)\n", "module Minitest; end\n", "at_exit { exit! 0 }\n"),
    ),
    ReferenceRule(
        (".php",),
        re.compile(
            r"\bPHPUnit\\|\bPest\\|\bregister_shutdown_function\b|^[ \t]*exit\(0\);", re.MULTILINE
        ),
        examples=("namespace PHPUnit\\Framework;\n", "register_shutdown_function(f(...));\n"),
    ),
    ReferenceRule(
        (".java", ".kt", ".scala", ".groovy"),
        re.compile(
            r"\bSystem\.exit\s{0,9}\(\s{0,9}0|\bgetRuntime\(\)\.halt\b|\borg\.junit\b|\bopentest4j\b"
        ),
        unless=re.compile(r"(?:^|/)(?:Main|App|Application)\.\w+$"),
        examples=("System.exit(0);\n", "import org.junit.Assert;\n"),
    ),
    ReferenceRule(
        (".java", ".kt", ".scala", ".groovy"),
        re.compile(r"\b(?:static|init)\s{0,9}\{[^}]{0,500}\bSystem\.exit\b"),
        examples=("class App { static { System.exit(0); } }\n",),
    ),
    ReferenceRule(
        (".pm", ".pl"),
        re.compile(
            r"\bTest::(?:More|Builder|Simple|Harness)\b|\bPOSIX::_exit\b|^exit\b|\*main::",
            re.MULTILINE,
        ),
        unless=re.compile(r"\.pl$"),
        examples=("package Test::More;\n", "*main::is = sub {};\n"),
    ),
)

_SILENCING = re.compile(
    r"#\s*(?:noqa|type:\s*ignore|(?:ruff|flake8|mypy|pyright|pylint|pyre|nosec|isort|fmt):?\s*\S+"
    r"|nosec|pragma:\s*no\s+(?:cover|branch)|rubocop:disable|shellcheck\s+disable|nopycln)"
    r"|@ts-(?:nocheck|ignore|expect-error)|eslint-disable|biome-ignore|oxlint-disable|tslint:disable"
    r"|prettier-ignore|(?:istanbul|v8|c8)\s+ignore|//\s*nolint|#!?\[\s*(?:allow|expect)\s*\("
    r"|@SuppressWarnings|phpcs:(?:ignore|disable)|@phpstan-ignore|@psalm-suppress|NOLINT|NOSONAR"
    r"|swiftlint:disable|detekt:disable|credo:disable|simplecov:disable|:nocov:"
)

_LONGEST_LINE = 60


@dataclass(frozen=True, slots=True)
class JudgeScripts:
    """Whether scripts judge, and whether one of them imports the file that is looked at."""

    are_run: bool = False
    import_it: bool = False


NO_SCRIPTS = JudgeScripts()


def judge_reference(path: str, base: str, work: str, scripts: JudgeScripts = NO_SCRIPTS) -> str:
    """The line by which a file newly refers to its judge; empty if there is none."""
    for rule in RULES:
        if _applies(rule, path, work, scripts) and (new := _new(rule.pattern, base, work)):
            return new
    return ""


def _applies(rule: ReferenceRule, path: str, work: str, scripts: JudgeScripts) -> bool:
    if PurePosixPath(path).suffix not in rule.endings or (
        rule.ends_scripts and not scripts.are_run
    ):
        return False
    if rule.unless_text is not None and rule.unless_text.search(work):
        return False
    return scripts.import_it or rule.unless is None or rule.unless.search(path) is None


def linter_silence(base: str, work: str) -> str:
    """The line that newly tells a linter, a type checker or a coverage tool to look away."""
    return _new(_SILENCING, base, work)


def _new(pattern: re.Pattern[str], base: str, work: str) -> str:
    """The first line of the work with a text that the base has less often."""
    more = Counter(pattern.findall(work)) - Counter(pattern.findall(base))
    return next((_line_of(text, work) for text in more), "")


def _line_of(text: str, work: str) -> str:
    end = work.find(text) + len(text.rstrip())
    line = work[work.rfind("\n", 0, end) + 1 : end] + work[end:].partition("\n")[0]
    plain = " ".join(line.split())
    return plain if len(plain) <= _LONGEST_LINE else f"{plain[: _LONGEST_LINE - 1]}…"


def can_refer(path: str) -> bool:
    """Whether there are rules for files of this name."""
    return any(PurePosixPath(path).suffix in rule.endings for rule in RULES)
