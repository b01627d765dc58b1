"""Reports are read as the tools of Node write them, which are started here."""

import shutil
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.missing import missing
from tests.unit.verify.reports.tool_runs import lay_out, outcomes, ran
from tests.unit.workspace.detection import package, proposed
from treadle.domain.suite_report import SuiteReport
from treadle.verify.reports.report_reader import read_reports

pytestmark = pytest.mark.slow

PLAYWRIGHT = ROOT / ".venv/playwright/node_modules"
VITEST = ROOT / ".venv/reports/node_modules"


def node() -> str:
    return shutil.which("node") or missing("no node on this machine")


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


@pytest.mark.parametrize("reporter", ["tap", "spec"])
def test_node_is_read_from_what_it_prints(tmp_path: Path, reporter: str) -> None:
    lay_out(
        tmp_path,
        {
            "broken.test.mjs": 'import "./nowhere.mjs";\n',
            "ended.test.mjs": 'import test from "node:test";\ntest("x", () => process.exit(0));\n',
            "sums.test.mjs": (
                'import test, { describe, it } from "node:test";\n'
                'import assert from "node:assert";\n'
                'describe("sums", () => {\n'
                '  it("adds # 1", () => {});\n'
                '  it("waits", { skip: "why not" }, () => {});\n'
                '  describe("deep", () => { it("fails", () => assert.equal(1, 2)); });\n'
                "});\n"
                'test("outer", async (t) => { await t.test("inner", () => {}); });\n'
                'test("alone", async (t) => { await t.test("fine", () => {});'
                ' assert.fail("no"); });\n'
                'test("adds", () => {});\n'
                'test("adds", () => {});\n'
                'test.todo("later");\n'
                'test("known", { todo: true }, () => assert.equal(1, 2));\n'
            ),
        },
    )
    command = [node(), "--test", f"--test-reporter={reporter}"]

    report = ran(tmp_path, "node --test", command)

    place = str(tmp_path)
    assert {case.id.removeprefix(f"{place}/"): case.outcome for case in report.cases} == {
        "broken.test.mjs::(load)": "failed",
        "sums > adds # 1": "passed",
        "sums > waits": "skipped",
        "sums > deep > fails": "failed",
        "outer > inner": "passed",
        "alone > fine": "passed",
        "alone": "failed",
        "adds": "passed",
        "adds (2)": "passed",
        "later": "skipped",
        "known": "skipped",
    }
    alone = next(case for case in report.cases if case.id == "alone")
    assert (alone.file.removeprefix(f"{place}/"), alone.line) == ("sums.test.mjs", 9)
    assert "no" in alone.message


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


def install(project: Path) -> None:
    """What `npm install` would make of Vitest and Playwright."""
    programs = project / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    for folder in (PLAYWRIGHT, VITEST):
        for entry in folder.iterdir():
            if not entry.name.startswith("."):
                (programs.parent / entry.name).symlink_to(entry)
        for program in (folder / ".bin").iterdir():
            (programs / program.name).symlink_to(program.resolve())


@pytest.mark.parametrize(
    ("script", "runner"), [("", "vitest"), ("node --test src/sums.test.mjs", "node:test")]
)
def test_playwright_beside_a_unit_runner_is_the_e2e_suite_of_what_init_proposes(
    tmp_path: Path, script: str, runner: str
) -> None:
    if not (PLAYWRIGHT / "playwright").is_dir() or not (VITEST / "vitest").is_dir():
        missing("no Playwright or no Vitest: run `make setup`")
    install(tmp_path)
    scripts = {"test": script} if script else {}
    lay_out(
        tmp_path,
        {
            "package.json": package(scripts, "vitest", "@playwright/test"),
            "playwright.config.js": (
                'module.exports = { testDir: "e2e", testMatch: /page/, reporter: "dot" };\n'
            ),
            "e2e/page.js": (
                'const { test } = require("playwright/test");\ntest("opens", async () => {});\n'
            ),
            "src/sums.test.mjs": (
                f'import {{ test }} from "{runner}";\n'
                'test("adds", () => {});\ntest("fails", () => { throw new Error("no"); });\n'
            ),
        },
    )
    command = proposed(tmp_path).test

    report = ran(tmp_path, command, ["sh", "-c", command])

    assert {(case.kind, case.id.rpartition("::")[2]): case.outcome for case in report.cases} == {
        ("unit", "adds"): "passed",
        ("unit", "fails"): "failed",
        ("e2e", "opens"): "passed",
    }
