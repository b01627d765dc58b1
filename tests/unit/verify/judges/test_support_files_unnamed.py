"""Judges are known by who uses them: in scripts, under any name, in projects of any size."""

import pytest

from tests.unit.verify.judges.test_support_files import JS_MUST, PY_MUST, PY_TEST, found
from tests.unit.verify.tree_pairs import Files, read_pair
from treadle.verify.judges.support_files import SupportFiles


def judged(base: Files, script: str, path: str) -> str:
    pair = read_pair(base, {**base, path: "changed"})
    return SupportFiles(pair, frozenset({script})).find().get(path, "")


@pytest.mark.parametrize(
    ("base", "script", "path"),
    [
        (
            {
                "try.py": "from must import same\nfrom app import answer\nsame(answer(), 42)\n",
                "must.py": PY_MUST,
                "app.py": "",
            },
            "try.py",
            "must.py",
        ),
        (
            {
                "try.mjs": "import { same } from './must.js'\nimport { answer } from './app.js'\n"
                "same(answer(), 42)\n",
                "must.js": JS_MUST,
                "app.js": "",
            },
            "try.mjs",
            "must.js",
        ),
    ],
)
def test_assertions_of_a_script_that_judges_are_judges(base: Files, script: str, path: str) -> None:
    assert judged(base, script, path) == "assertions that the tests use"
    assert judged({**base, script: ""}, script, path) == ""


def test_assertions_are_known_among_thousands_of_tests_and_products() -> None:
    many = {
        **{f"shop/part{number:04}.py": "x = 1\n" for number in range(900)},
        **{f"tests/test_{number:04}.py": "def test_it(): ...\n" for number in range(900)},
    }
    base = {**many, "tests/test_z.py": PY_TEST, "must.py": PY_MUST, "app.py": ""}

    assert found(base, "must.py") == "assertions that the tests use"


def test_files_that_all_import_each_other_are_looked_at_once() -> None:
    names = [f"must{number}" for number in range(40)]
    imports = "".join(f"from {name} import {name}\n" for name in names)
    base = {f"{name}.py": f"import unittest\n{imports}" for name in names}

    assert found({**base, "test_a.py": imports}, "must7.py") == "assertions that the tests use"


def test_a_namesake_of_the_product_speaks_for_no_assertions() -> None:
    base = {
        "tests/test_a.py": PY_TEST.replace("must", "must.util"),
        "must/util.py": PY_MUST,
        "app.py": "from shop.util import total\n",
        "shop/util.py": "",
    }

    assert found(base, "must/util.py") == "assertions that the tests use"
    assert found(base, "shop/util.py") == ""


MOCHA = "describe('answer', () => {\n  it('is 42', () => assert.equal(answer(), 42))\n})\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("examples/answer.js", MOCHA),
        ("scenarios/answer.ts", "test(`is 42`, () => expect(answer()).toBe(42))\n"),
        ("examples/answer.rb", "RSpec.describe 'answer' do\nend\n"),
        ("cases/AnswerCase.php", "<?php class AnswerCase extends TestCase {}\n"),
        ("src/verify/AnswerV.java", "class AnswerV { @Test void answers() {} }\n"),
    ],
)
def test_a_source_with_tests_that_nobody_imports_is_a_test(path: str, text: str) -> None:
    added = read_pair({"app.js": ""}, {"app.js": "", path: text})

    assert found({path: text, "app.js": ""}, path) == "tests under another name"
    assert SupportFiles(added).find() == {path: "tests under another name"}
    stem = path.rpartition("/")[2].partition(".")[0]
    assert found({path: text, f"main.{path.rpartition('.')[2]}": f"import {stem}"}, path) == ""


@pytest.mark.parametrize(
    "text",
    ["exports.ok = (s) => /x/.test('x') && s.it('x')\n", "const test = () => submit('x')\n"],
)
def test_a_product_without_tests_is_none(text: str) -> None:
    assert found({"lib/words.js": text}, "lib/words.js") == ""


@pytest.mark.parametrize("name", ["expected.json", "data/expected-1.txt", "golden-words.csv"])
def test_what_tests_expect_is_data_of_the_tests(name: str) -> None:
    base = {"test_a.py": f"open({name!r})\n", name: ""}

    assert found(base, name) == "cases that the tests read"
    assert found({**base, "test_a.py": ""}, name) == ""


BATS_TEST = "load ../lib/must\n\n@test 'answers' {\n  same \"$(./app)\" 42\n}\n"


def test_a_function_of_a_shell_judges_by_its_exit_code() -> None:
    base = {"test/app.bats": BATS_TEST, "lib/must.bash": 'same() { [ "$1" = "$2" ]; }\n'}

    assert found(base, "lib/must.bash") == "assertions that the tests use"
    assert found({**base, "lib/must.bash": "same() { echo; }\n"}, "lib/must.bash") == ""
