"""Reports are read as the tools of Python, Rust and Go write them, which are started here."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.unit.verify.reports.tool_runs import lay_out, outcomes, ran
from treadle.domain.suite_report import CaseResult, SuiteReport

pytestmark = pytest.mark.slow


def compiler(name: str, *, where: str = "") -> str:
    """Nobody is made to have one: what it wrote is also in test_recorded_reports.py."""
    found = shutil.which(name) or shutil.which(name, path=where)
    return found or pytest.skip(f"no {name} on this machine")


def test_pytest_writes_a_report_without_a_change_to_the_project(tmp_path: Path) -> None:
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
                "class TestGroup:\n"
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
            CaseResult("tests.integration.test_whole::test_together", "integration", "passed"),
            CaseResult(f"{place}::test_is_odd[1]", "unit", "passed"),
            CaseResult(
                f"{place}::test_is_odd[2]",
                "unit",
                "failed",
                "tests/test_sums.py",
                7,
                "AssertionError: even\nassert 2 != 2",
            ),
            CaseResult(f"{place}::test_is_odd[n2]", "unit", "passed"),
            # Its teardown failed as well, of which pytest tells as if it were a second test.
            CaseResult(
                f"{place}::test_torn",
                "unit",
                "failed",
                "tests/test_sums.py",
                8,
                "assert (1 + 1) == 3",
            ),
            CaseResult(f"{place}::test_later", "unit", "skipped", message="later"),
            CaseResult(f"{place}::test_known", "unit", "skipped"),
            CaseResult(f"{place}.TestGroup::test_in", "unit", "passed"),
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
        "tests.test_sums.Sums::test_known": "skipped",
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
