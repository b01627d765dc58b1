"""Real test runners, with quiet options and with code under test that ends them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.missing import missing
from tests.unit.verify.reports.tool_runs import lay_out
from treadle.verify.results.runner_end import RunnerGap, missing_end

pytestmark = pytest.mark.slow

VITEST = ROOT / ".venv/reports/node_modules"
CARGO = Path("~").expanduser() / ".cargo"


def end_of(
    directory: Path, command: str, arguments: list[str], **variables: str
) -> RunnerGap | None:
    """What a green run of this command lacks; `arguments` are how it is started here."""
    ended = subprocess.run(
        arguments,
        cwd=directory,
        env={"PATH": os.defpath, "HOME": str(directory), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return missing_end(command, ended.stdout, 0)


def program(name: str, *, where: str = "") -> str:
    return shutil.which(name) or shutil.which(name, path=where) or missing(name)


def no_end(tool: str) -> RunnerGap:
    return RunnerGap("end", f"{tool} did not report its end")


PYTHON = "import os, unittest\nclass A(unittest.TestCase):\n    def test_a(self): {}\n"


@pytest.mark.parametrize("options", ["", "-q", "-v", "-b"])
def test_unittest(tmp_path: Path, options: str) -> None:
    lay_out(
        tmp_path, {"test_a.py": PYTHON.format("pass"), "test_x.py": PYTHON.format("os._exit(0)")}
    )
    command = f"-m unittest {options}"
    start = [sys.executable, *command.split()]

    assert end_of(tmp_path, f"python3 {command}", [*start, "test_a"]) is None
    assert end_of(tmp_path, f"python3 {command}", [*start, "test_x"]) == no_end("unittest")


@pytest.mark.parametrize(
    "options", ["", "-q", "-qq", "-qqs", "-v", "--no-header", "-rN --tb=no -q"]
)
def test_pytest(tmp_path: Path, options: str) -> None:
    lay_out(
        tmp_path,
        {
            "pytest.ini": "[pytest]\n",
            "test_a.py": PYTHON.format("pass"),
            "test_x.py": PYTHON.format("os._exit(0)"),
        },
    )
    command = f"-m pytest -p no:cacheprovider {options}"
    start = [sys.executable, *command.split()]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    assert end_of(tmp_path, f"python3 {command}", [*start, "test_a.py"], **alone) is None
    ended_early = end_of(tmp_path, f"python3 {command}", [*start, "test_x.py"], **alone)
    assert ended_early == no_end("pytest")


@pytest.mark.parametrize("reporter", ["", "--test-reporter=spec", "--test-reporter=tap"])
def test_node(tmp_path: Path, reporter: str) -> None:
    test = 'import test from "node:test";\ntest("adds", () => {{ {} }});\n'
    lay_out(
        tmp_path,
        {"a.test.mjs": test.format("1"), "x.test.mjs": test.format("process.exit(0)")},
    )
    node = shutil.which("node") or missing("no node on this machine")
    options = ["--test", *reporter.split()]
    command = f"node {' '.join(options)}"

    assert end_of(tmp_path, command, [node, *options, "a.test.mjs"]) is None
    assert end_of(tmp_path, command, [node, *options, "x.test.mjs"]) == no_end("node")
    both = [node, *options, "a.test.mjs", "x.test.mjs"]
    assert end_of(tmp_path, command, both) is None


@pytest.mark.parametrize(
    "options", ["", "--silent", "--reporter=dot", "--reporter=verbose", "--reporter=json"]
)
def test_vitest(tmp_path: Path, options: str) -> None:
    if not (VITEST / "vitest").is_dir():
        missing("no vitest: run `make setup`")
    (tmp_path / "node_modules").symlink_to(VITEST)
    lay_out(
        tmp_path,
        {
            "package.json": '{"type": "module"}',
            "a.test.js": 'import { expect, it } from "vitest";\n'
            'it("adds", () => { expect(2).toBe(2); });\n',
        },
    )
    node = shutil.which("node") or missing("no node on this machine")
    start = [node, "node_modules/vitest/vitest.mjs", "run", *options.split()]

    assert end_of(tmp_path, f"npx vitest run {options}", start) is None


def test_vitest_that_a_test_ends(tmp_path: Path) -> None:
    if not (VITEST / "vitest").is_dir():
        missing("no vitest: run `make setup`")
    (tmp_path / "node_modules").symlink_to(VITEST)
    test = 'import { it } from "vitest";\nit("ends", () => process.reallyExit(0));\n'
    lay_out(tmp_path, {"package.json": '{"type": "module"}', "x.test.js": test})
    node = shutil.which("node") or missing("no node on this machine")
    start = [node, "node_modules/vitest/vitest.mjs", "run", "--pool=threads"]

    assert end_of(tmp_path, "npx vitest run", start) == no_end("vitest")


@pytest.mark.parametrize("options", ["", "-v", "-json", "-count=1 -short"])
def test_go(tmp_path: Path, options: str) -> None:
    go = program("go")
    lay_out(
        tmp_path,
        {
            "go.mod": "module example.org/sums\n\ngo 1.19\n",
            "sums_test.go": 'package sums\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
        },
    )
    where = {"PATH": f"{Path(go).parent}:{os.defpath}", "CGO_ENABLED": "0"}
    start = [go, "test", "-vet=off", *options.split(), "./..."]

    assert end_of(tmp_path, f"go test {options} ./...", start, **where) is None
    nothing = [*start[:-1], "-run=Nothing", "./..."]
    if options != "-json":
        gap = end_of(tmp_path, f"go test {options} ./...", nothing, **where)
        assert gap == RunnerGap("tests", "go ran no test")


@pytest.mark.parametrize("options", ["", "-q"])
def test_cargo(tmp_path: Path, options: str) -> None:
    cargo = program("cargo", where=str(CARGO / "bin"))
    lay_out(
        tmp_path,
        {
            "Cargo.toml": '[package]\nname = "sums"\nversion = "0.0.0"\nedition = "2021"\n',
            "src/lib.rs": "#[test]\nfn a() {}\n"
            '#[test]\nfn x() { if std::env::var("ENDS").is_ok() { std::process::exit(0) } }\n',
        },
    )
    where = {
        "PATH": f"{Path(cargo).parent}:{os.defpath}",
        "CARGO_HOME": str(CARGO),
        "RUSTUP_HOME": str(CARGO.with_name(".rustup")),
    }
    start = [cargo, "test", "--offline", *options.split()]
    command = f"cargo test {options}"

    assert end_of(tmp_path, command, start, **where) is None
    assert end_of(tmp_path, command, start, **where, ENDS="1") == no_end("cargo")


@pytest.mark.parametrize("options", ["", "-q", "-Q", "-v"])
def test_prove(tmp_path: Path, options: str) -> None:
    prove = program("prove")
    lay_out(tmp_path, {"t/a.t": 'print "1..1\\nok 1\\n";\n'})

    assert end_of(tmp_path, f"prove {options}", [prove, *options.split(), "t"]) is None
