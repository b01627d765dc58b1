"""Files that tests and runners of the base use besides are known, and the product is not."""

import pytest

from tests.unit.verify.tree_pairs import Files, read_pair
from treadle.verify.support_files import SupportFiles

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
            {"test_a.py": "from helpers import same\n", "helpers.py": "", "a.py": ""},
            "helpers.py",
            "a helper of the tests alone",
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
            "a helper of the tests alone",
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
        ({"test_a.py": 'open("rates.json")\n', "rates.json": ""}, "rates.json"),
        ({"test_a.py": "x\n", "data/cases.json": ""}, "data/cases.json"),
        ({"test_a.py": "from helpers import same\n"}, "helpers.py"),
    ],
)
def test_the_product_is_told_from_it(base: Files, path: str) -> None:
    assert found(base, path) == ""
