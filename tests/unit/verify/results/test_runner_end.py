"""A green test runner has to say that it ended, and that tests ran; quiet options are no fault."""

import pytest

from tests.unit.verify.command_results import command_result
from treadle.verify.results.runner_end import RunnerGap, missing_end, ran_tests, unfinished_reason

UNITTEST = "----------\nRan 2 tests in 0.000s\n\nOK\n"
PYTEST_OPENING = "===== test session starts =====\nplatform linux\ncollected 1 item\n\n"
PYTEST = f"{PYTEST_OPENING}test_a.py .   [100%]\n\n===== 1 passed in 0.01s =====\n"
TAP = "TAP version 13\n# Subtest: adds\nok 1 - adds\n  ---\n  ...\n1..1\n"
NODE = f"{TAP}# tests 1\n# pass 1\n# fail 0\n# skipped 0\n"
NODE_SPEC = "✔ adds (1.03ms)\nℹ tests 1\nℹ suites 0\nℹ pass 1\nℹ fail 0\n"
VITEST_OPENING = "\n RUN  v3.2.7 /checkout\n\n ✓ src/a.test.js (4 tests | 2 skipped) 7ms\n"
VITEST = f"{VITEST_OPENING}\n Test Files  1 passed (1)\n      Tests  2 passed | 1 todo (3)\n"
JEST = "PASS src/a.test.js\n  ✓ adds (2 ms)\n\nTests:       1 passed, 1 total\nTime: 1 s\n"
MOCHA = "\n\n  sums\n    ✔ adds\n\n\n  1 passing (3ms)\n\n"
GO = "ok  \texample.org/sums\t0.003s\n"
GO_VERBOSE = f"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n{GO}"
CARGO_OPENING = "     Running unittests src/lib.rs (target/debug/deps/s-60)\n\nrunning 2 tests\n"
CARGO = f"{CARGO_OPENING}test a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n"
RSPEC = "..\n\nFinished in 0.01 seconds\n2 examples, 0 failures\n"
PHPUNIT_OPENING = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n"
PHPUNIT = f"{PHPUNIT_OPENING}..   2 / 2 (100%)\n\nOK (2 tests, 2 assertions)\n"
BATS = "1..2\nok 1 adds\nok 2 waits # skip later\n"
MINITEST_OPENING = "Run options: --seed 60\n\n# Running:\n\n"
MINITEST = f"{MINITEST_OPENING}..S\n\n3 runs, 2 assertions, 0 failures, 0 errors, 1 skips\n"
PROVE = "t/a.t .. ok\nAll tests successful.\nFiles=1, Tests=2,  0 wallclock secs\nResult: PASS\n"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("python3 -m unittest -v", UNITTEST),
        ("python3 -m unittest -q test_a", UNITTEST),
        ("cd app && FOO=1 python3.12 -m unittest discover -s tests", UNITTEST),
        ("coverage run -m unittest && coverage report", f"{UNITTEST}TOTAL 3 0 100%\n"),
        ("python3 -m unittest a && python3 -m unittest b", UNITTEST * 2),
        ("python3 -m unittest --help", "usage: python3 -m unittest\n"),
        ("pytest", PYTEST),
        ("uv run pytest", PYTEST.replace("\n", "\r\n")),
        ("poetry run pytest -q", ".   [100%]\n1 passed in 0.01s\n"),
        ("pytest -q", ".   [100%]\n1 passed, 1 warning in 61.20s (0:01:01)\n"),
        ("pytest -qq", "x.    [100%]\n"),
        # Another -q stands in pytest.ini.
        ("pytest -q", "x.    [100%]\n"),
        ("pytest -q -q -s", "x.\n"),
        ("pytest -qqs", "."),
        ("pytest --co -q", "test_a.py::test_x\n"),
        ("pytest -q -p no:terminal", ""),
        ("pytest", "Test session starts (platform: linux)\n\nResults (0.20s):\n  2 passed\n"),
        ("\x1b[1mpytest", ""),
        ("node --test", NODE),
        ("node --test", NODE_SPEC),
        ("node --test --test-reporter=dot", "..\n"),
        ("node --test --test-reporter=junit --test-reporter-destination=junit.xml", ""),
        # A helper beside the tests is run as well, and has none.
        ("node --test", NODE.replace("1..1", "ok 2 - test/helper.js\n1..2")),
        ("npx vitest run", VITEST),
        ("npx vitest run", VITEST.replace("Tests  ", "\x1b[2mTests\x1b[22m  ")),
        ("npx vitest run --silent", VITEST),
        ("npx vitest run --reporter=dot", VITEST),
        ("npx vitest run --reporter=json", "{}"),
        ("npx vitest run --reporter=hanging-process", ""),
        # Its configuration names another reporter.
        ("npx vitest run", "JUNIT report written to junit.xml\n"),
        ("npx jest", JEST),
        ("npx jest --silent", JEST),
        ("npx jest --json --outputFile=jest.json", ""),
        ("yarn jest --reporters=jest-silent-reporter", ""),
        ("npx mocha", MOCHA),
        ("npx mocha --reporter dot", "\n\n  ․․\n\n  2 passing (3ms)\n"),
        ("npx mocha -R json", "{}"),
        ("go test ./...", GO),
        ("go test -v ./...", GO_VERBOSE),
        ("go test -count=1 ./...", f"{GO}?   \texample.org/sums/cmd\t[no test files]\n"),
        ("go test ./...", "ok  \texample.org/sums\t(cached)\n"),
        ("go test -json", '{"Time":"2026","Action":"pass","Package":"example.org/sums"}\n'),
        ("go vet ./... && go test ./...", GO),
        ("go build ./...", ""),
        ("go test -c -o sums.test", ""),
        ("cargo test", CARGO),
        ("cargo test -q", CARGO),
        ("cargo +nightly test", CARGO),
        ("cargo test --no-run", "    Finished `test` profile\n"),
        ("cargo run -- test", ""),
        # A target without Rust's own harness.
        ("cargo test", "     Running tests/own.rs (target/debug/deps/own-60)\nall is well\n"),
        ("bundle exec rspec", RSPEC),
        ("rspec --format json --out rspec.json", ""),
        ("vendor/bin/phpunit", PHPUNIT),
        ("rake test", MINITEST),
        ("vendor/bin/phpunit --testdox", PHPUNIT),
        ("vendor/bin/phpunit --version", PHPUNIT_OPENING),
        ("vendor/bin/pest", "  Tests:    3 passed (3 assertions)\n"),
        ("bats tests", BATS),
        ("bats -p tests", " ✓ adds\n\n2 tests, 0 failures, 1 skipped\n"),
        ("prove -Q t", PROVE),
        ("npm test", f"> sums@1.0.0 test\n> node --test\n\n{NODE}"),
        ("make test", f"python3 -m unittest -v\n{UNITTEST}"),
        ("make test", "pytest is not installed, so nothing is tested\n"),
        ("npm run unittest", "> sums@1.0.0 unittest\n> node all.js\n\nfine\n"),
        # What the runner prints goes elsewhere, or it may not have been started.
        ("python3 -m unittest 2> log", ""),
        ("pytest > log 2>&1", ""),
        ("pytest | tail -3", "1 passed\n"),
        ("test -d tests && python3 -m unittest || true", ""),
        ("test $(python3 -m unittest 2>&1 | wc -l) -gt 2", ""),
        # No runner that is known.
        ("./check.sh", ""),
        ("python3 verify.py", ""),
        ("pip install pytest", ""),
    ],
)
def test_a_run_that_reports_its_end_lacks_nothing(command: str, output: str) -> None:
    assert missing_end(command, output, 0) is None


@pytest.mark.parametrize(
    ("command", "output", "tool"),
    [
        # os._exit(0) in the product.
        ("python3 -m unittest", "", "unittest"),
        ("python3 -m unittest -v test_a", "test_x (test_a.A.test_x) ... ", "unittest"),
        ("python3 -m unittest a && python3 -m unittest b", UNITTEST, "unittest"),
        ("python3 -m unittest 2>&1 | tee log", "..", "unittest"),
        ("pytest", f"{PYTEST_OPENING}test_a.py ", "pytest"),
        ("pytest -q", "", "pytest"),
        ("pytest -q", ".F", "pytest"),
        ("python3 -m pytest -qq", "F.   [100%]\n", "pytest"),
        ("pytest -qqs", "", "pytest"),
        ("tox", f"py: commands[0]> pytest\n{PYTEST_OPENING}test_a.py ", "pytest"),
        ("./check.sh", f"{PYTEST}{PYTEST_OPENING}test_b.py ", "pytest"),
        ("node --test --test-isolation=none", "TAP version 13\n# Subtest: adds\n", "node"),
        ("node --test", "TAP version 13\n", "node"),
        # process.exit(0) ends a file, and Node then reports the file as a test.
        (
            "node --test",
            "TAP version 13\n# Subtest: exit.test.mjs\nok 1 - exit.test.mjs\n1..1\n# tests 1\n"
            "# pass 1\n",
            "node",
        ),
        ("node --test", "✔ test/exit.test.mjs (43.5ms)\nℹ tests 1\nℹ pass 1\n", "node"),
        ("npx vitest run", VITEST_OPENING, "vitest"),
        ("npx vitest run", "", "vitest"),
        ("make web", VITEST_OPENING, "vitest"),
        ("npx jest", 'PASS src/b.test.js\n  ●  process.exit called with "0"\n', "jest"),
        ("npx jest", "", "jest"),
        ("npx mocha", "\n\n  sums\n    ✔ adds\n", "mocha"),
        ("go test ./...", "", "go"),
        # TestMain calls os.Exit(0).
        ("go test -v ./...", f"{GO_VERBOSE}ok  \texample.org/sums/n\t0.002s\n", "go"),
        ("cargo test", f"{CARGO_OPENING}test a ... ok\n\nrunning 0 tests\n\ntest result: ok. "
         "0 passed; 0 failed; 0 ignored\n", "cargo"),
        ("make check", f"{CARGO_OPENING}test a ... ok\n", "cargo"),
        ("bundle exec rspec", "..", "rspec"),
        ("bundle exec rspec", "", "rspec"),
        ("rspec", "While loading ./spec/a_spec.rb an `exit` occurred, RSpec will now quit.\n",
         "rspec"),
        ("vendor/bin/phpunit", PHPUNIT_OPENING, "phpunit"),
        ("rake test", MINITEST_OPENING, "minitest"),
        ("composer test", f"> phpunit\n{PHPUNIT_OPENING}.", "phpunit"),
        ("bats tests", "1..2\nok 1 adds\n", "bats"),
        ("prove -v t", "t/a.t .. \nok 1\n", "prove"),
        ("npm test", "> sums@1.0.0 test\n> node --test\n\n", "node"),
        ("yarn test", "$ mocha test/\n\n    ✓ adds\n", "mocha"),
        ("make test", "python3 -m unittest discover -s tests\n", "unittest"),
        ("make -C app test", "pytest -q tests\n", "pytest"),
        # What keeps the exit code hides nothing.
        ("code=0; (cd a && pytest) || code=$?; (cd b && node --test) || code=$?; exit $code",
         PYTEST, "node"),
    ],
)  # fmt: skip
def test_a_green_runner_without_its_summary_did_not_end(
    command: str, output: str, tool: str
) -> None:
    assert missing_end(command, output, 0) == RunnerGap("end", f"{tool} did not report its end")


@pytest.mark.parametrize(
    ("command", "output", "tool"),
    [
        ("python3 -m unittest", "Ran 0 tests in 0.000s\n\nOK\n", "unittest"),
        ("python3 -m unittest", "Ran 2 tests in 0.000s\n\nOK (skipped=2)\n", "unittest"),
        (
            "python3 -m unittest",
            "Ran 2 tests in 0.000s\n\nOK (skipped=1, expected failures=1)\n",
            "unittest",
        ),
        ("pytest -q", "no tests ran in 0.01s\n", "pytest"),
        ("pytest", f"{PYTEST_OPENING}===== 2 deselected in 1.65s =====\n", "pytest"),
        ("pytest -q", "ss   [100%]\n2 skipped in 0.01s\n", "pytest"),
        ("pytest -q", "xX   [100%]\n1 xfailed, 1 xpassed in 0.01s\n", "pytest"),
        ("node --test", "TAP version 13\n1..0\n# tests 0\n# pass 0\n# fail 0\n", "node"),
        ("node --test", "ℹ tests 4\nℹ pass 0\nℹ fail 0\nℹ skipped 2\nℹ todo 2\n", "node"),
        (
            "npx vitest run --passWithNoTests",
            " RUN  v3.2.7 /checkout\n\nNo test files found, exiting with code 0\n",
            "vitest",
        ),
        (
            "npx vitest run -t none",
            " RUN  v3.2.7 /a\n\n Test Files  1 skipped (1)\n      Tests  4 skipped (4)\n",
            "vitest",
        ),
        ("npx jest --passWithNoTests", "No tests found, exiting with code 0\n", "jest"),
        ("npx mocha", "\n\n  0 passing (1ms)\n  2 pending\n", "mocha"),
        ("go test ./...", "?   \texample.org/sums\t[no test files]\n", "go"),
        ("go test -run None ./...", "ok  \texample.org/sums\t0.00s [no tests to run]\n", "go"),
        (
            "cargo test",
            f"{CARGO_OPENING}test a ... ignored\n\ntest result: ok. 0 passed; 0 failed; 1 ignored"
            "\n",
            "cargo",
        ),
        ("rspec", "No examples found.\n\n0 examples, 0 failures\n", "rspec"),
        ("rspec", "**\n\n2 examples, 0 failures, 2 pending\n", "rspec"),
        ("phpunit", f"{PHPUNIT_OPENING}No tests executed!\n", "phpunit"),
        (
            "phpunit",
            f"{PHPUNIT_OPENING}SI\n\nOK, but incomplete, skipped, or risky tests!\n"
            "Tests: 2, Assertions: 0, Skipped: 1, Incomplete: 1.\n",
            "phpunit",
        ),
        ("bats tests", "1..0\n", "bats"),
        ("prove", "Files=0, Tests=0,  0 wallclock secs\nResult: NOTESTS\n", "prove"),
    ],
)
def test_a_green_runner_that_ran_no_test_says_nothing(command: str, output: str, tool: str) -> None:
    assert missing_end(command, output, 0) == RunnerGap("tests", f"{tool} ran no test")


@pytest.mark.parametrize("exit_code", [1, 5, 137, None])
def test_a_run_that_is_not_green_lacks_nothing_more(exit_code: int | None) -> None:
    assert missing_end("pytest", "", exit_code) is None


@pytest.mark.parametrize(
    ("content", "gap"),
    [
        (b'<?xml version="1.0"?>\n<testsuites><testsuite name="pytest"/></testsuites>', None),
        (b'{"numTotalTests": 1, "testResults": []}', None),
        (b"<coverage/>", RunnerGap("end", "pytest did not report its end")),
        # Playwright has run beside it.
        (
            b'{\n  "config": {},\n  "suites": []\n}',
            RunnerGap("end", "pytest did not report its end"),
        ),
    ],
)
def test_a_report_of_tests_is_written_at_the_end(content: bytes, gap: RunnerGap | None) -> None:
    assert missing_end("pytest -q", "", 0, {".treadle-reports/report": content}) == gap


def test_the_result_of_a_check_says_why_its_green_is_none() -> None:
    command = "python3 -m unittest"

    assert unfinished_reason(command_result(0, ""), command) == "unittest did not report its end"
    assert unfinished_reason(command_result(0, UNITTEST), command) == ""
    assert unfinished_reason(command_result(1, ""), command) == ""


@pytest.mark.parametrize(
    ("output", "count"),
    [
        (UNITTEST, 2),
        ("Ran 5 tests in 0.1s\n\nFAILED (failures=1, skipped=1, expected failures=1)\n", 3),
        (f"{UNITTEST}{NODE}", 3),
        (VITEST, 2),
        (JEST, 1),
        (MOCHA, 1),
        (CARGO, 2),
        (RSPEC, 2),
        (PHPUNIT, 2),
        (PROVE, 2),
        (PYTEST, 1),
        ("3 failed, 2 passed, 1 error in 1.00s\n", 6),
        (MINITEST, 2),
        # Without names go tells of packages.
        (f"{GO}FAIL\texample.org/more [build failed]\n?   \texample.org\t[no test files]\n", 2),
        ("ok  \texample.org/sums\t0.003s [no tests to run]\n", None),
        (BATS, 1),
        # As in Bats, but of another runner.
        ("1..1\nok 1 - adds\n", None),
        ("all is well\n", None),
    ],
)
def test_tests_that_ran_are_counted_by_the_summary(output: str, count: int | None) -> None:
    assert ran_tests(output) == count
