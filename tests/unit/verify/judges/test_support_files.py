"""Files that tests and runners of the base use besides are known, and the product is not."""

import pytest

from tests.unit.verify.tree_pairs import Files, read_pair
from treadle.verify.judges.support_files import SupportFiles

JEST = '{"main": "src/index.js", "jest": {"setupFiles": ["<rootDir>/config/first.js"]}}'
VITEST = (
    "import base from './vite.base'\nexport default {\n  test: {\n    setupFiles: [\n"
    "      './src/first.ts',\n    ],\n    environment: './src/dom',\n  },\n"
    "  entry: 'src/main.ts',\n}\n"
)


def found(base: Files, path: str, text: str = "changed") -> str:
    return SupportFiles(read_pair(base, {**base, path: text})).find().get(path, "")


@pytest.mark.parametrize(
    ("base", "path", "reason"),
    [
        (
            {"package.json": JEST, "config/first.js": ""},
            "config/first.js",
            "loaded by package.json",
        ),
        (
            {"vitest.config.ts": VITEST, "src/first.ts": ""},
            "src/first.ts",
            "loaded by vitest.config.ts",
        ),
        (
            {"vitest.config.ts": VITEST, "src/dom.ts": ""},
            "src/dom.ts",
            "loaded by vitest.config.ts",
        ),
        (
            {"vitest.config.ts": VITEST, "vite.base.js": ""},
            "vite.base.js",
            "loaded by vitest.config.ts",
        ),
        (
            {".mocharc.yml": "require: ./hooks.js\n", "hooks.js": ""},
            "hooks.js",
            "loaded by .mocharc.yml",
        ),
        (
            {"pytest.ini": "[pytest]\naddopts = -p tools.plug\n", "tools/plug.py": ""},
            "tools/plug.py",
            "loaded by pytest.ini",
        ),
        (
            {"conftest.py": 'pytest_plugins = ["app.plug"]\n', "app/plug.py": ""},
            "app/plug.py",
            "loaded by conftest.py",
        ),
        (
            {"phpunit.xml": '<phpunit bootstrap="boot.php">', "boot.php": ""},
            "boot.php",
            "loaded by phpunit.xml",
        ),
        ({".rspec": "--require ./first\n", "first.rb": ""}, "first.rb", "loaded by .rspec"),
        (
            {
                "Cargo.toml": '[[test]]\nname = "it"\npath = "acceptance/it.rs"\n',
                "acceptance/it.rs": "",
            },
            "acceptance/it.rs",
            "loaded by Cargo.toml",
        ),
        (
            {"test_a.py": "from helpers import same\n", "helpers.py": "", "a.py": ""},
            "helpers.py",
            "a helper only for tests",
        ),
        (
            {
                "a.test.js": "import { same } from './testFactories.js'\n",
                "myHelpers.js": "",
                "a.js": "",
            },
            "myHelpers.js",
            "",
        ),
        (
            {
                "a.test.js": "const { same } = require('./my-helpers')\n",
                "my-helpers.js": "",
                "a.js": "",
            },
            "my-helpers.js",
            "a helper only for tests",
        ),
        (
            {"test_a.py": 'open("data/cases.json")\n', "data/cases.json": ""},
            "data/cases.json",
            "cases that the tests read",
        ),
        (
            {"test_a.py": 'Path("samples").glob("*")\n', "samples/1.txt": ""},
            "samples/1.txt",
            "cases that the tests read",
        ),
    ],
)
def test_what_judges_use_is_no_product(base: Files, path: str, reason: str) -> None:
    assert found(base, path) == reason


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ({"package.json": JEST, "src/index.js": ""}, "src/index.js"),
        ({"vitest.config.ts": VITEST, "src/main.ts": ""}, "src/main.ts"),
        ({"conftest.py": "from app.db import Base\nimport app\n", "app/db.py": ""}, "app/db.py"),
        (
            {"tox.ini": '[testenv]\ncommands = python -c "from shop import a"\n', "shop.py": ""},
            "shop.py",
        ),
        (
            {
                "test_a.py": "from helpers import same\n",
                "helpers.py": "",
                "a.py": "import helpers\n",
            },
            "helpers.py",
        ),
        (
            {"tests/test_a.py": "from app.helpers import same\n", "app/helpers.py": ""},
            "app/helpers.py",
        ),
        ({"test_a.py": "from a import b\n", "a.py": ""}, "a.py"),
        ({"Cargo.toml": '[[bin]]\npath = "src/app.rs"\n', "src/app.rs": ""}, "src/app.rs"),
        ({"test_a.py": 'open("rates.json")\n', "rates.json": ""}, "rates.json"),
        ({"test_a.py": "x\n", "data/cases.json": ""}, "data/cases.json"),
        ({"test_a.py": "from helpers import same\n"}, "helpers.py"),
    ],
)
def test_the_product_is_told_from_it(base: Files, path: str) -> None:
    assert found(base, path) == ""


GO_TEST = 'package app\n\nimport (\n\t"testing"\n\n\t"example.com/app/must"\n)\n'
GO_MUST = 'package must\n\nimport "testing"\n\nfunc Equal(t *testing.T, a, b int) {}\n'
PY_TEST = (
    "from app import answer\nfrom must import same\n\n\ndef test_answer():\n"
    "    same(answer(), 42)\n"
)
PY_MUST = "def same(a, b):\n    if a != b:\n        raise ValueError(a)\n"
JS_TEST = (
    "import { test } from 'node:test'\nimport { answer } from './app.js'\n"
    "import { same } from './must.js'\n\ntest('answer', () => same(answer(), 42))\n"
)
JS_MUST = "export const same = (a, b) => {\n  if (a !== b) throw new Error(`${a}`)\n}\n"
FLUENT_TEST = JS_TEST.replace("same(answer(), 42)", "that(answer()).is(42)").replace("same", "that")
FLUENT_MUST = (
    "export function that(a) {\n  return { is(b) { if (a !== b) throw new Error() } }\n}\n"
)
RUST_TEST = "#[test]\nfn answer() {\n    must::equal(app::answer(), 42);\n}\n"
RUST_MUST = "pub fn equal(a: i32, b: i32) {\n    assert_eq!(a, b);\n}\n"
RUBY_SPEC = (
    "require_relative '../app'\nrequire_relative '../must'\n\n"
    "RSpec.describe 'app' do\n  it('answers') { same answer, 42 }\nend\n"
)
RUBY_MUST = "def same(a, b)\n  raise 'differs' if a != b\nend\n"
PHP_TEST = (
    "<?php\nrequire_once 'app.php';\nrequire_once 'Must.php';\n\nfinal class AnswerTest extends"
    " TestCase\n{\n    public function testAnswer(): void\n    {\n"
    "        Must::same(42, answer());\n    }\n}\n"
)
PHP_MUST = (
    "<?php\nfinal class Must\n{\n    public static function same($a, $b): void\n    {\n"
    "        if ($a !== $b) {\n            throw new Exception();\n        }\n    }\n}\n"
)
JAVA_TEST = "class AppTest {\n  @Test void answers() {\n    Must.same(App.answer(), 42);\n  }\n}\n"
JAVA_MUST = (
    "class Must {\n  static void same(int a, int b) {\n"
    "    if (a != b) throw new AssertionError();\n  }\n}\n"
)
C_TEST = '#include "app.h"\n#include "must.h"\n\nint main(void) {\n  SAME(answer(), 42);\n}\n'
C_MUST = "#define SAME(a, b) do { if ((a) != (b)) exit(1); } while (0)\n"


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ({"app_test.go": GO_TEST, "must/must.go": GO_MUST, "app.go": ""}, "must/must.go"),
        ({"app_test.go": GO_TEST, "must/equal.go": GO_MUST, "app.go": ""}, "must/equal.go"),
        # In the package of the product nothing imports it.
        ({"app_test.go": "package app\n", "same.go": GO_MUST, "app.go": ""}, "same.go"),
        ({"test_a.py": PY_TEST, "must.py": PY_MUST, "app.py": ""}, "must.py"),
        (
            {
                "tests/test_a.py": PY_TEST.replace("must", "shop.must"),
                "shop/must.py": "def same(a, b):\n    assert a == b\n",
                "shop/app.py": "",
            },
            "shop/must.py",
        ),
        (
            {
                "test_a.py": "from app import answer\nfrom cases import Case\n\n\n"
                "class TestIt(Case):\n    def test_it(self):\n        x = self.same(answer(), 4)\n",
                "cases.py": "import unittest\n\n\nclass Case(unittest.TestCase): ...\n",
                "app.py": "",
            },
            "cases.py",
        ),
        ({"a.test.js": JS_TEST, "must.js": JS_MUST, "app.js": ""}, "must.js"),
        ({"a.test.js": FLUENT_TEST, "must.js": FLUENT_MUST, "app.js": ""}, "must.js"),
        (
            {
                "test/a.test.ts": JS_TEST.replace("./must.js", "../lib/must"),
                "lib/must/index.ts": JS_MUST,
                "app.ts": "",
            },
            "lib/must/index.ts",
        ),
        (
            {"tests/it.rs": RUST_TEST, "must/src/lib.rs": RUST_MUST, "src/lib.rs": ""},
            "must/src/lib.rs",
        ),
        (
            {
                "tests/it.rs": RUST_TEST.replace("must", "to_be"),
                "to-be/src/lib.rs": f"mod near;\n{RUST_MUST}",
                "to-be/src/near.rs": "pub fn differ() {}\n",
                "src/lib.rs": "",
            },
            "to-be/src/near.rs",
        ),
        ({"spec/a_spec.rb": RUBY_SPEC, "must.rb": RUBY_MUST, "app.rb": ""}, "must.rb"),
        ({"tests/AnswerTest.php": PHP_TEST, "Must.php": PHP_MUST, "app.php": ""}, "Must.php"),
        ({"src/test/AppTest.java": JAVA_TEST, "Must.java": JAVA_MUST, "App.java": ""}, "Must.java"),
        ({"tests/app.c": C_TEST, "must.h": C_MUST, "app.h": ""}, "must.h"),
        # What only such a file uses.
        (
            {
                "test_a.py": PY_TEST,
                "must.py": f"from compare import differ\n\n\n{PY_MUST}",
                "compare.py": "def differ(a, b):\n    return a != b\n",
                "app.py": "",
            },
            "compare.py",
        ),
    ],
)
def test_assertions_under_any_name_judge(base: Files, path: str) -> None:
    assert found(base, path) == "assertions that the tests use"


CLI_TEST = (
    "import json\nfrom cli import main\nfrom words import count\n\n\ndef test_main(capsys):\n"
    '    main(["--count", "a b"])\n    assert capsys.readouterr().out == "2"\n'
    '    assert count("a") == 1\n'
)


@pytest.mark.parametrize(
    ("base", "path"),
    [
        # The only source that the tests use.
        (
            {"test_a.py": PY_TEST.replace("from app", "#"), "must.py": PY_MUST, "a.py": ""},
            "must.py",
        ),
        # The product uses it.
        ({"test_a.py": PY_TEST, "must.py": PY_MUST, "app.py": "import must\n"}, "must.py"),
        # The tests look at what it returns.
        (
            {
                "test_a.py": PY_TEST.replace("    same(", "    assert same("),
                "must.py": PY_MUST,
                "app.py": "",
            },
            "must.py",
        ),
        # A command of its own.
        (
            {
                "test_a.py": CLI_TEST,
                "cli.py": "def main(words):\n    if words == []:\n        raise SystemExit(2)\n",
                "words.py": "",
            },
            "cli.py",
        ),
        # It cannot fail.
        ({"test_a.py": PY_TEST, "must.py": "def same(a, b): ...\n", "app.py": ""}, "must.py"),
        # Two files that import each other, and that no test imports.
        ({"test_a.py": "", "a.py": f"import b\n{PY_MUST}", "b.py": f"import a\n{PY_MUST}"}, "a.py"),
        ({"a.test.js": JS_TEST, "must.js": JS_MUST, "app.js": ""}, "app.js"),
        ({"app_test.go": GO_TEST, "must/must.go": GO_MUST, "app.go": "package app\n"}, "app.go"),
        ({"tests/app.c": C_TEST, "must.h": C_MUST, "app.h": ""}, "app.h"),
    ],
)
def test_a_product_that_objects_to_its_arguments_is_no_assertion(base: Files, path: str) -> None:
    assert found(base, path) == ""
