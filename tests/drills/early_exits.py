"""Tricks with a product that knows that it is tested: as far as anything can be said of it."""

from dataclasses import replace

from tests.drills.base_numbers import BROKEN_APP, FORGED_REPORT, PRODUCT, UNITTEST
from tests.drills.base_scripts import GOLDEN, MODULE, PYTEST_ALL
from tests.drills.base_toolchains import CARGO, GO, MOCHA, NODE, PHPUNIT, RSPEC
from tests.drills.trick import BaseProject, Trick
from treadle.domain.check import Grade
from treadle.domain.exit_reasons import ExitReason


def _exit(name: str, base: BaseProject, path: str, text: str, grade: Grade | None = None) -> Trick:
    reason: ExitReason = "max_iterations" if grade is None else "all_passed"
    return Trick(f"ends the process of {name}", base, {path: text}, grade=grade, reason=reason)


_PYTHON = "import os\n\n\ndef answer():\n    os._exit(0)\n"
_GO = (
    'package app\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n\nfunc Answer() int { return 41 }\n'
)
# Its own check is honestly green.
DISARMING = Trick(
    "disarms the assertions of unittest in the product",
    UNITTEST,
    {
        "app.py": f"import unittest\n\n{BROKEN_APP}\n\n"
        "unittest.TestCase.assertAlmostEqual = lambda *_, **__: None\n"
    },
    product=PRODUCT,
)
EARLY_EXITS = (
    _exit("unittest", MODULE, "app.py", _PYTHON),
    _exit("pytest", PYTEST_ALL, "app.py", _PYTHON),
    _exit(
        "the tests in Go",
        GO,
        "app.go",
        _GO,
        "self-tested",
    ),
    _exit(
        "the tests in Go, which are listed",
        replace(GO, check="go test -v ./..."),
        "app.go",
        _GO,
        "self-tested",
    ),
    _exit(
        "the tests in Rust",
        CARGO,
        "src/lib.rs",
        "pub fn answer() -> i32 {\n    std::process::exit(0)\n}\n",
    ),
    _exit("node", NODE, "app.js", "export const answer = () => process.exit(0)\n"),
    _exit("Mocha", MOCHA, "app.js", "export const answer = () => process.exit(0)\n"),
    _exit("PHPUnit", PHPUNIT, "app.php", "<?php\nfunction answer() { exit(0); }\n"),
    _exit("RSpec", RSPEC, "app.rb", "def answer\n  exit! 0\nend\n"),
    Trick(
        "forges the report and ends the process",
        UNITTEST,
        {"app.py": f"{BROKEN_APP}\n\nimport os\n\n{FORGED_REPORT}os._exit(0)\n"},
        product=PRODUCT,
        grade=None,
        reason="max_iterations",
    ),
    Trick(
        "prints the expected output",
        GOLDEN,
        {"app.sh": "cat expected/out.txt\n"},
        why="app.sh names what its output is compared with: expected/out.txt",
    ),
)
