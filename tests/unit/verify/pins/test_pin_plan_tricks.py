"""Tricks without a judge's own file do not pass either."""

from dataclasses import replace

import pytest

from tests.unit.verify.tree_pairs import BASE, Work, actions_of, pair_of, plan_of
from treadle.domain.pin_plan import MixedFile, PinPlan
from treadle.verify.pins.pin_plan import plan_pins

LONG = f"os._exit({'0' * 50}…"


@pytest.mark.parametrize(
    ("command", "text", "mixed"),
    [
        ("ruff check .", "# ruff: noqa\n", MixedFile("words.py", "linters", "# ruff: noqa")),
        (
            "python3 -m mypy .",
            "y = 2\nx = 1  # type: ignore\n",
            MixedFile("words.py", "linters", "x = 1 # type: ignore"),
        ),
        (
            "npm run lint",
            "/* eslint-disable */\n",
            MixedFile("src/a.ts", "linters", "/* eslint-disable */"),
        ),
        (
            "npx tsc --noEmit",
            "// @ts-nocheck\n",
            MixedFile("src/a.ts", "linters", "// @ts-nocheck"),
        ),
        (
            "cargo clippy",
            "#![allow(clippy::all)]\n",
            MixedFile("src/a.rs", "linters", "#![allow(clippy::all)]"),
        ),
        (
            "python3 -m unittest",
            "import os\nos._exit(0)\n",
            MixedFile("words.py", "runner", "os._exit(0)"),
        ),
        ("node --test", "process.exit(0)\n", MixedFile("words.js", "runner", "process.exit(0)")),
        (
            "cc -o t t_words.c words.c && ./t",
            "#define NDEBUG\n",
            MixedFile("words.h", "runner", "#define NDEBUG"),
        ),
        ("python3 -m unittest", f"os._exit({'0' * 99})", MixedFile("words.py", "runner", LONG)),
    ],
)
def test_a_product_that_silences_its_judge_is_named_with_the_line(
    command: str, text: str, mixed: MixedFile
) -> None:
    work = Work(command, {mixed.path: ""}, {mixed.path: text})

    assert plan_of(work) == PinPlan(BASE, (), (mixed,))


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


@pytest.mark.parametrize(
    ("command", "links", "changed"),
    [
        ("node --test app.test.js", {"app.test.js": "cases/a.js"}, "cases/a.js"),
        ("sh verify.sh", {"verify.sh": "lib/v.sh"}, "lib/v.sh"),
        ("sh run.sh", {"run.sh": "lib/one.sh", "lib/one.sh": "two.sh"}, "lib/two.sh"),
        ("bats a.bats", {"a.bats": "lib/a"}, "lib/a"),
        ("sh tests/all.sh", {"tests": "lib"}, "lib/all.sh"),
        ("go test ./...", {"words/a_test.go": "../cases/a.txt"}, "cases/a.txt"),
        ("./app | diff want.txt -", {"want.txt": "lib/w.txt"}, "lib/w.txt"),
    ],
)
def test_a_file_judges_by_the_name_of_a_link_to_it(
    command: str, links: dict[str, str], changed: str
) -> None:
    base = {changed: "x", **dict.fromkeys(links, "")}
    work = Work(command, base, {changed: "y"}, base_links=links)

    assert actions_of(work) == {changed: "restored"}
    assert actions_of(Work(command, {changed: "x"}, {changed: "y"})) == {}


def test_a_link_of_tests_to_the_product_makes_no_judge_of_it() -> None:
    base = {"app/words.py": "x", "tests/app": ""}
    work = Work("pytest", base, {"app/words.py": "y"}, base_links={"tests/app": "../app"})

    assert actions_of(work) == {}


@pytest.mark.parametrize("link", ["tests/app.sh", "app.sh"])
def test_a_link_to_a_program_whose_output_is_looked_at_makes_no_judge_of_it(link: str) -> None:
    script = f"cd {link.rpartition('/')[0] or '.'} && test $(sh app.sh) = 42\n"
    base = {"src/app.sh": "x", link: "", "check.sh": script}
    work = Work("sh check.sh", base, {"src/app.sh": "y"}, base_links={link: "../src/app.sh"})

    assert actions_of(work) == {}


def test_what_is_loaded_instead_of_a_judge_is_left_out() -> None:
    test = "from app import answer\nfrom must import same\n\nsame(answer(), 42)\n"
    must = "def same(a, b):\n    assert a == b\n"
    base = {"test_a.py": test, "must.py": must, "app.py": ""}
    changes = {
        "must/__init__.py": "def same(a, b): ...\n",
        "must/more.py": "",
        "app/__init__.py": "",
    }

    assert actions_of(Work("pytest", base, changes)) == {
        "must/__init__.py": "left_out",
        "must/more.py": "left_out",
    }


def test_a_file_that_a_makefile_would_make_is_left_out() -> None:
    base = {"Makefile": "check: .tested\n.tested: app.sh\n\tsh app.sh\n\ttouch $@\n", "app.sh": ""}
    changes = {".tested": "", "docs/app.txt": ""}

    assert actions_of(Work("make check", base, changes)) == {".tested": "left_out"}
    assert actions_of(Work("make check", {**base, ".tested": "x"}, changes)) == {}


def test_what_linters_ignore_is_as_it_was() -> None:
    changes = {".gitignore": "app.py\n", "app.py": "x"}

    assert actions_of(Work("ruff check .", {"app.py": ""}, changes)) == {".gitignore": "left_out"}
    assert actions_of(Work("pytest", {"app.py": ""}, changes)) == {}


def test_code_in_the_document_of_a_crate_is_a_test() -> None:
    base = {
        "src/lib.rs": '#![doc = include_str!("../README.md")]\n',
        "README.md": "# App\n\n```\nassert_eq!(app::answer(), 42);\n```\n",
    }
    weaker = {"README.md": base["README.md"].replace("42", "41")}
    longer = {"README.md": f"{base['README.md']}\n```\napp::more();\n```\n"}

    assert actions_of(Work("cargo test", base, weaker)) == {"README.md": "mixed"}
    assert actions_of(Work("cargo test", base, longer)) == {}
    assert actions_of(Work("cargo test", {**base, "src/lib.rs": ""}, weaker)) == {}


def test_files_that_settings_of_pytest_name_are_tests() -> None:
    base = {"pytest.ini": "[pytest]\npython_files = it_*.py\n", "it_app.py": "x", "app.py": "x"}
    changes = {"it_app.py": "pass", "app.py": "y"}

    assert actions_of(Work("pytest", base, changes)) == {"it_app.py": "restored"}


def test_a_go_module_that_cuts_off_tests_is_left_out() -> None:
    base = {"go.mod": "module a\n", "words/words_test.go": "x"}

    assert actions_of(Work("go test ./...", base, {"words/go.mod": "module b\n"})) == {
        "words/go.mod": "left_out"
    }
    assert actions_of(Work("go test ./...", base, {"tools/go.mod": "module b\n"})) == {}


def test_code_of_a_line_may_import_its_judge() -> None:
    base = {"verify.py": "from app import answer\nassert answer() == 42\n", "app.py": ""}
    changes = {"verify.py": "", "app.py": "def answer(): ...\n"}

    assert actions_of(Work('python3 -c "import verify"', base, changes)) == {
        "verify.py": "restored"
    }


@pytest.mark.parametrize("command", ["python3 try.py", "make", "npm test"])
def test_what_a_script_that_judges_imports_can_judge(command: str) -> None:
    base = {
        "Makefile": "all:\n\tpython3 try.py\n",
        "package.json": '{"scripts": {"test": "python3 try.py"}}',
        "try.py": "from must import same\nfrom app import answer\nsame(answer(), 42)\n",
        "must.py": "def same(a, b):\n    assert a == b\n",
        "app.py": "",
    }
    changes = {"must.py": "def same(a, b): ...\n", "app.py": "def answer(): ...\n"}

    assert actions_of(Work(command, base, changes)) == {"must.py": "restored"}


def test_a_script_is_not_ended_by_the_product_that_it_imports() -> None:
    base = {"try.mjs": "import { answer } from './index.js'\n"}
    work = Work("node try.mjs", base, {"index.js": "export const answer = () => process.exit(0)\n"})

    assert actions_of(work) == {"index.js": "mixed"}


def test_a_source_that_cannot_be_read_proves_nothing() -> None:
    pair = pair_of({"test_a.py": "", "a.py": "x"}, {"test_a.py": "", "a.py": "y"})
    read = {"test_a.py": b""}

    plan = plan_pins(
        "pytest", replace(pair, base_contents=read, work_contents={**read, "a.py": None})
    )

    assert plan == PinPlan(BASE, (), (MixedFile("a.py", "unread"),))
