"""Tricks without a judge's own file do not pass either."""

import pytest

from tests.unit.verify.tree_pairs import BASE, Work, actions_of, plan_of
from treadle.domain.pin_plan import PinPlan


@pytest.mark.parametrize(
    ("command", "path", "text"),
    [
        ("ruff check .", "words.py", "# ruff: noqa\n"),
        ("python3 -m mypy .", "words.py", "x = 1  # type: ignore\n"),
        ("npm run lint", "src/a.ts", "/* eslint-disable */\n"),
        ("npx tsc --noEmit", "src/a.ts", "// @ts-nocheck\n"),
        ("cargo clippy", "src/a.rs", "#![allow(clippy::all)]\n"),
        ("python3 -m unittest", "words.py", "import os\nos._exit(0)\n"),
        ("node --test", "words.js", "process.exit(0)\n"),
        ("cc -o t t_words.c words.c && ./t", "words.h", "#define NDEBUG\n"),
    ],
)
def test_a_product_that_silences_its_judge_is_named(command: str, path: str, text: str) -> None:
    assert plan_of(Work(command, {path: ""}, {path: text})) == PinPlan(BASE, (), (path,))


def test_unittest_has_a_wider_pattern_of_names_than_others() -> None:
    changes = {"testwords.py": "pass"}

    assert actions_of(Work("python3 -m unittest", {"testwords.py": "x"}, changes)) == {
        "testwords.py": "restored"
    }
    assert actions_of(Work("pytest", {"testwords.py": "x"}, changes)) == {}


def test_helpers_and_cases_of_the_tests_are_restored() -> None:
    base = {
        "test_a.py": "from helpers import same\nload('cases.json')\n",
        "helpers.py": "",
        "cases.json": "",
    }

    assert actions_of(Work("pytest", base, {"helpers.py": "x", "cases.json": "[]"})) == {
        "helpers.py": "restored",
        "cases.json": "restored",
    }


def test_a_go_module_that_cuts_off_tests_is_left_out() -> None:
    base = {"go.mod": "module a\n", "words/words_test.go": "x"}

    assert actions_of(Work("go test ./...", base, {"words/go.mod": "module b\n"})) == {
        "words/go.mod": "left_out"
    }
    assert actions_of(Work("go test ./...", base, {"tools/go.mod": "module b\n"})) == {}
