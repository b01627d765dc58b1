"""Reports are read as the tools themselves write them: each of these starts the tool."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.missing import missing
from treadle.domain.testing import Case, CaseOutcome, SuiteReport
from treadle.verify.reports.asked_for import asked_for
from treadle.verify.reports.reading import read_reports

PLAYWRIGHT = ROOT / ".venv/playwright/node_modules"
VITEST = ROOT / ".venv/reports/node_modules"


def node() -> str:
    return shutil.which("node") or missing("no node on this machine")


def compiler(name: str, *, where: str = "") -> str:
    """Nobody is made to have one: what it wrote is also in test_recorded_reports.py."""
    found = shutil.which(name) or shutil.which(name, path=where)
    return found or pytest.skip(f"no {name} on this machine")


def ran(top: Path, command: str, arguments: list[str], **variables: str) -> SuiteReport:
    """What is read after the command has run, which is asked for a report as a run does it."""
    asked = asked_for(command, (), ())
    done = subprocess.run(
        arguments,
        cwd=top,
        env={"PATH": os.defpath, "HOME": str(top), **asked.variables, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    files = {
        str(path.relative_to(top)): path.read_bytes()
        for pattern in asked.collect
        for path in top.glob(pattern)
        if path.is_file()
    }
    report = read_reports(files, done.stdout, command)
    assert isinstance(report, SuiteReport), done.stdout
    return report


def lay_out(top: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def outcomes(report: SuiteReport) -> dict[str, CaseOutcome]:
    return {case.id: case.outcome for case in report.cases}


def test_pytest_leaves_a_report_though_nobody_asked_the_project(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "pytest.ini": "[pytest]\n",
            "tests/test_broken.py": "import nowhere\n",
            "tests/integration/test_whole.py": "def test_together(): pass\n",
            "tests/test_sums.py": (
                "import pytest\n"
                "@pytest.fixture\n"
                "def torn():\n"
                "    yield\n"
                "    raise RuntimeError('torn')\n"
                "@pytest.mark.parametrize('n', [1, 2, object()])\n"
                "def test_is_odd(n): assert n != 2, 'even'\n"
                "def test_torn(torn): assert 1 + 1 == 3\n"
                "@pytest.mark.skip(reason='later')\n"
                "def test_later(): ...\n"
                "@pytest.mark.xfail\n"
                "def test_known(): assert False\n"
                "class TestIn:\n"
                "    def test_in(self): pass\n"
            ),
        },
    )

    report = ran(
        tmp_path,
        "python3 -m pytest -q",
        [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors"],
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )

    place = "tests.test_sums"
    broken, *others = report.cases
    assert (broken.id, broken.outcome, broken.file, broken.line) == (
        "tests.test_broken::(load)",
        "failed",
        "tests/test_broken.py",
        1,
    )
    assert "No module named 'nowhere'" in broken.message
    assert SuiteReport(tuple(others)) == SuiteReport(
        (
            Case("tests.integration.test_whole::test_together", "integration", "passed"),
            Case(f"{place}::test_is_odd[1]", "unit", "passed"),
            Case(
                f"{place}::test_is_odd[2]",
                "unit",
                "failed",
                "tests/test_sums.py",
                7,
                "AssertionError: even\nassert 2 != 2",
            ),
            Case(f"{place}::test_is_odd[n2]", "unit", "passed"),
            # Its teardown failed as well, of which pytest tells as if it were a second test.
            Case(
                f"{place}::test_torn",
                "unit",
                "failed",
                "tests/test_sums.py",
                8,
                "assert (1 + 1) == 3",
            ),
            Case(f"{place}::test_later", "unit", "skipped", message="later"),
            Case(f"{place}::test_known", "unit", "skipped"),
            Case(f"{place}.TestIn::test_in", "unit", "passed"),
        )
    )


def test_unittest_is_read_from_what_it_prints(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "tests/__init__.py": "",
            "tests/test_broken.py": "import nowhere\n",
            "tests/test_sums.py": (
                "import sys, unittest\n"
                "class Sums(unittest.TestCase):\n"
                "    def test_adds(self): pass\n"
                "    def test_told(self):\n"
                '        """One and one is three."""\n'
                "        print('hello', flush=True)\n"
                "        self.assertEqual(1 + 1, 3)\n"
                '    @unittest.skip("it\'s later")\n'
                "    def test_later(self): ...\n"
                "    @unittest.expectedFailure\n"
                "    def test_known(self): self.fail()\n"
                "    @unittest.expectedFailure\n"
                "    def test_better(self): ...\n"
                "    def test_parts(self):\n"
                "        for n in (1, 2, 3):\n"
                "            with self.subTest(n=n): self.assertEqual(n, 2)\n"
                "    def test_says(self): sys.stderr.write('more')\n"
                "class Never(unittest.TestCase):\n"
                "    @classmethod\n"
                "    def setUpClass(cls): raise RuntimeError('no class')\n"
                "    def test_never(self): ...\n"
            ),
        },
    )
    command = "python3 -m unittest discover -v -s tests -t ."

    report = ran(
        tmp_path,
        command,
        [sys.executable, *command.split()[1:]],
    )

    assert outcomes(report) == {
        "tests.test_broken::(load)": "failed",
        "tests.test_sums.Never::(load)": "failed",
        "tests.test_sums.Sums::test_adds": "passed",
        "tests.test_sums.Sums::test_better": "failed",
        "tests.test_sums.Sums::test_known": "passed",
        "tests.test_sums.Sums::test_later": "skipped",
        "tests.test_sums.Sums::test_parts": "failed",
        "tests.test_sums.Sums::test_says": "passed",
        "tests.test_sums.Sums::test_told": "failed",
    }
    told = {case.id.rpartition("::")[2]: case for case in report.cases}
    assert told["test_later"].message == "it's later"
    assert told["test_better"].message == "it passed, and was expected to fail"
    assert (told["test_told"].file, told["test_told"].line) == (
        str(tmp_path / "tests/test_sums.py"),
        7,
    )
    assert told["test_told"].message.endswith("AssertionError: 2 != 3")


def test_vitest_writes_junit_and_its_own_json(tmp_path: Path) -> None:
    if not (VITEST / "vitest").is_dir():
        missing("no vitest: run `make setup`")
    (tmp_path / "node_modules").symlink_to(VITEST)
    lay_out(
        tmp_path,
        {
            "package.json": '{"type": "module"}',
            "src/broken.test.js": 'import "./nowhere.js";\n',
            "src/sums.test.js": (
                'import { describe, expect, it } from "vitest";\n'
                'describe("sums", () => {\n'
                '  it("adds", () => { expect(1 + 1).toBe(2); });\n'
                '  it("adds", () => { expect(1 + 2).toBe(3); });\n'
                '  it.each([1, 2])("is odd: %i", (n) => {\n'
                "    expect(n % 2).toBe(1);\n"
                "  });\n"
                '  it.skip("waits", () => {});\n'
                '  it.todo("later");\n'
                "});\n"
            ),
            "tests/e2e/page.test.js": (
                'import { test } from "vitest";\ntest("opens", () => {});\n'
            ),
        },
    )
    options = "--reporter=default --reporter=junit --outputFile.junit=.treadle-reports/vitest.xml"
    own = "--reporter=json --outputFile.json=own.json"

    report = ran(
        tmp_path,
        f"npx vitest run {options}",
        [node(), "node_modules/vitest/vitest.mjs", "run", *options.split(), *own.split()],
    )

    assert outcomes(report) == {
        "src/broken.test.js::(load)": "failed",
        "src/sums.test.js::sums > adds": "passed",
        "src/sums.test.js::sums > adds (2)": "passed",
        "src/sums.test.js::sums > is odd: 1": "passed",
        "src/sums.test.js::sums > is odd: 2": "failed",
        "src/sums.test.js::sums > waits": "skipped",
        "src/sums.test.js::sums > later": "skipped",
        "tests/e2e/page.test.js::opens": "passed",
    }
    odd = next(case for case in report.cases if case.id.endswith("is odd: 2"))
    assert (odd.file, odd.line) == ("src/sums.test.js", 6)
    assert odd.message == "expected +0 to be 1 // Object.is equality"
    assert {case.id: case.kind for case in report.cases if case.kind != "unit"} == {
        "tests/e2e/page.test.js::opens": "e2e"
    }
    written = read_reports({"own.json": (tmp_path / "own.json").read_bytes()}, "", "")
    assert isinstance(written, SuiteReport)
    # The same tests, by names without the folder.
    assert [(case.kind, case.outcome) for case in written.cases] == [
        (case.kind, case.outcome) for case in report.cases
    ]


def test_node_itself_writes_junit_and_lcov(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "sums.mjs": "export const add = (a, b) => a + b;\nexport const never = () => {\n"
            "  return 1;\n};\n",
            "sums.test.mjs": (
                'import test from "node:test";\n'
                'import assert from "node:assert";\n'
                'import { add } from "./sums.mjs";\n'
                'test("adds", () => assert.equal(add(1, 1), 2));\n'
                'test("fails", () => assert.equal(1, 2));\n'
                'test("outer", async (t) => { await t.test("inner", () => {}); });\n'
            ),
        },
    )
    (tmp_path / "coverage").mkdir()

    report = ran(
        tmp_path,
        "npm test",
        [
            *(node(), "--test", "--experimental-test-coverage"),
            *("--test-reporter=junit", "--test-reporter-destination=junit.xml"),
            *("--test-reporter=lcov", "--test-reporter-destination=coverage/lcov.info"),
            "sums.test.mjs",
        ],
    )

    # Older versions do not tell the file.
    assert {case.id.rpartition("::")[2]: case.outcome for case in report.cases} == {
        "adds": "passed",
        "fails": "failed",
        "inner": "passed",
    }
    assert report.coverage is not None
    assert 50 < report.coverage < 100


def test_playwright_writes_json_where_a_variable_says(tmp_path: Path) -> None:
    if not (PLAYWRIGHT / "playwright").is_dir():
        missing("no Playwright: run `make setup`")
    (tmp_path / "node_modules").symlink_to(PLAYWRIGHT)
    lay_out(
        tmp_path,
        {
            "playwright.config.js": (
                'module.exports = { testDir: "e2e", projects: [{ name: "one" }] };\n'
            ),
            "e2e/page.spec.js": (
                'const { test, expect } = require("playwright/test");\n'
                'test.describe("page", () => {\n'
                '  test("opens", async () => {});\n'
                '  test.skip("waits", async () => {});\n'
                '  test("closes", async () => {\n'
                "    expect(1).toBe(2);\n"
                "  });\n"
                "});\n"
            ),
        },
    )
    command = "npx playwright test --reporter=list,json"

    report = ran(
        tmp_path,
        command,
        [node(), "node_modules/playwright/cli.js", "test", "--reporter=list,json"],
    )

    assert outcomes(report) == {
        "e2e/page.spec.js::page › opens [one]": "passed",
        "e2e/page.spec.js::page › waits [one]": "skipped",
        "e2e/page.spec.js::page › closes [one]": "failed",
    }
    assert {case.kind for case in report.cases} == {"e2e"}
    closes = report.cases[-1]
    assert (closes.file, closes.line) == ("e2e/page.spec.js", 6)
    assert closes.message.startswith("Error: expect(received).toBe(expected)")


def test_cargo_is_read_from_what_it_prints(tmp_path: Path) -> None:
    home = Path("~").expanduser()
    cargo = compiler("cargo", where=str(home / ".cargo/bin"))
    lay_out(
        tmp_path,
        {
            "Cargo.toml": '[package]\nname = "sums"\nversion = "0.0.0"\nedition = "2021"\n',
            "src/lib.rs": (
                "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n"
                '#[test]\nfn fails() { assert_eq!(1, 2, "no"); }\n'
                "#[test]\n#[ignore]\nfn waits() {}\n"
            ),
            "tests/whole.rs": "#[test]\nfn together() {}\n",
        },
    )

    report = ran(
        tmp_path,
        "cargo test --no-fail-fast",
        [cargo, "test", "--no-fail-fast", "--offline"],
        PATH=f"{Path(cargo).parent}:{os.defpath}",
        CARGO_HOME=str(home / ".cargo"),
        RUSTUP_HOME=str(home / ".rustup"),
    )

    assert outcomes(report) == {
        "sums src/lib.rs::adds": "passed",
        "sums src/lib.rs::fails": "failed",
        "sums src/lib.rs::waits": "skipped",
        "whole tests/whole.rs::together": "passed",
    }
    fails = next(case for case in report.cases if case.outcome == "failed")
    assert (fails.file, fails.line) == ("src/lib.rs", 4)
    assert report.cases[-1].kind == "integration"


@pytest.mark.parametrize("option", ["-v", "-json"])
def test_go_is_read_from_what_it_prints(tmp_path: Path, option: str) -> None:
    go = compiler("go")
    lay_out(
        tmp_path,
        {
            "go.mod": "module example.org/sums\n\ngo 1.19\n",
            "sums_test.go": (
                'package sums\n\nimport "testing"\n\n'
                "func TestAdds(t *testing.T) {}\n"
                'func TestFails(t *testing.T) { t.Run("part", func(t *testing.T) {\n'
                '\tt.Error("no")\n}) }\n'
            ),
        },
    )

    report = ran(
        tmp_path,
        f"go test {option} ./...",
        [go, "test", "-vet=off", option, "./..."],
        PATH=f"{Path(go).parent}:{os.defpath}",
        CGO_ENABLED="0",
    )

    assert outcomes(report) == {
        "example.org/sums::TestAdds": "passed",
        "example.org/sums::TestFails": "failed",
        "example.org/sums::TestFails/part": "failed",
    }
