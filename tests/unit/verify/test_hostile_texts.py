"""No text of an agent takes long to read, whatever it repeats: what is linear ends in a moment."""

from collections.abc import Callable

import pytest

from treadle.verify.checks.spec_checks import spec_checks
from treadle.verify.commands.task_lines import read_task
from treadle.verify.judges.assertion_files import (
    are_assertions,
    can_object,
    defined_names,
    holds_tests,
    imports_test_library,
)
from treadle.verify.judges.case_files import CaseReaders
from treadle.verify.judges.inline_tests import loses_document_tests, loses_tests
from treadle.verify.judges.judge_references import JudgeScripts, judge_reference, linter_silence
from treadle.verify.judges.python_test_names import read_python_test_names
from treadle.verify.judges.source_imports import SourceImports
from treadle.verify.judges.weakened_tests import count_assertions
from treadle.verify.manifests.lock_files import LOCK_FILES, merge_lock
from treadle.verify.manifests.manifest_merge import first_settings_merge
from treadle.verify.results.failure_cause import cause_lines
from treadle.verify.results.outside_failure import outside_failure
from treadle.verify.results.runner_end import missing_end, ran_tests

# The square of it takes minutes.
SIZE = 60_000
PIECES = (
    *("\n", " ", " \n", "\\", '\\"', "\\'", "\\`", '"a', "'a", "`a", "/*", "<!--", "<a", 'r#"'),
    *("#[a]", "#[cfg(test)]\n", "use {", "test ", "test\n", "test {\n", "unittest {\n", "(a", "[a"),
    *("resolved ", "url=", "tarball", "remote:"),
    *("```\n", "``` ", "python_files = a\n", "python_files=", "import words\n"),
    *("import a\n", "a.", "a\n", "a,", "same(a", "gem 'a',", "a: ", "if (import.meta.vitest) {\n"),
)
ENDINGS = (".py", ".js", ".go", ".rs", ".c", ".rb", ".php", ".java", ".pm", ".zig", ".d", ".bats")
MANIFESTS = (
    *("package.json", "pyproject.toml", "setup.cfg", "Cargo.toml", "go.mod", "Gemfile", "pom.xml"),
    *("package-lock.json", "requirements.txt", "tsconfig.json", "Makefile", "CMakeLists.txt"),
    *("build.gradle", "mix.exs"),
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def read_source(ending: str) -> Callable[[str], object]:
    path = f"words{ending}"
    scripts = JudgeScripts(are_run=True, import_it=True)
    return lambda text: (
        judge_reference(path, "", text, scripts),
        loses_tests(path, text, text, runs_doctests=True),
        count_assertions(path, text),
        (holds_tests(path, text), imports_test_library(path, text), can_object(path, text)),
        are_assertions(["same"], {path: text}),
        SourceImports(lambda _: text, [path], []).judges_of("other.py"),
    )


def merge(name: str) -> Callable[[str], object]:
    merged = first_settings_merge(name)
    assert merged is not None
    return lambda text: merged(b"x\n" * 50, text.encode())


READERS: dict[str, Callable[[str], object]] = {
    **{ending: read_source(ending) for ending in ENDINGS},
    **{name: merge(name) for name in MANIFESTS},
    "definitions": defined_names,
    "linters": lambda text: linter_silence("", text),
    "make": lambda text: read_task(["make"], "", lambda _: text),
    "tox": lambda text: read_task(["tox"], "", lambda _: text),
    "causes": cause_lines,
    "outside": outside_failure,
    "summaries": lambda text: (missing_end("make", text, 0), ran_tests(text)),
    "specification": spec_checks,
    "document of a crate": lambda text: loses_document_tests(text, text),
    "names of tests": lambda text: read_python_test_names([text]),
    "values": lambda text: CaseReaders(
        SourceImports(lambda _: text, ["test_a.py"], ["app.py"]), ["test_a.py"], ["app.py"]
    ).is_constants("words.py"),
    "locks": lambda text: [
        merge_lock(name, b"url='https://a.example'", text.encode()) for name in LOCK_FILES
    ],
}


@pytest.mark.parametrize("reader", READERS)
def test_a_text_that_repeats_one_piece_is_read_in_a_moment(reader: str) -> None:
    for piece in PIECES:
        text = piece * (SIZE // len(piece))
        READERS[reader](text)
        READERS[reader](f"{text}\0x")


def test_a_guard_of_many_attributes_is_read_in_a_moment() -> None:
    text = "#[a]" * 90 + " x\nmod words;\n"

    assert not loses_tests("lib.rs", text, text, runs_doctests=False)
