"""What Node prints names its tests; what is skipped or yet to be done is no pass."""

from treadle.domain.suite_report import CaseResult, SuiteReport
from treadle.verify.reports.report_reader import read_reports

TAP = """TAP version 13
# ✔ printed (1ms)
# Subtest: sums
    # Subtest: adds \\# 1
    ok 1 - adds \\# 1
      ---
      duration_ms: 1.1
      ...
    # Subtest: waits
    ok 2 - waits # SKIP why not
    # Subtest: fails
    not ok 3 - fails
      ---
      location: 'sums.test.mjs:6:3'
      error: '1 == 2'
      ...
    1..3
not ok 1 - sums
  ---
  location: 'sums.test.mjs:1:1'
  error: '1 subtest failed'
  ...
# Subtest: later
ok 2 - later # TODO
# Subtest: known
not ok 3 - known # TODO
# Subtest: test/helper.js
ok 4 - test/helper.js
# Subtest: broken.test.mjs
not ok 5 - broken.test.mjs
1..5
# tests 7
# pass 2
"""
SPEC = """▶ sums
  ✔ adds # 1 (0.82ms)
  ﹣ waits (0.21ms) # why not
  ✖ fails (1.27ms)
    AssertionError [ERR_ASSERTION]: 1 == 2
✖ sums (4.8ms)
✔ later (0.17ms) # TODO
✖ known (0.9ms) # TODO
✔ test/helper.js (20ms)
✖ broken.test.mjs (30ms)
ℹ tests 7
ℹ pass 2

✖ failing tests:

test at sums.test.mjs:6:3
✖ fails (1.27ms)
  1 == 2

test at broken.test.mjs:1:1
✖ broken.test.mjs (30ms)
"""
FAILS = CaseResult("sums > fails", "unit", "failed", "sums.test.mjs", 6, "1 == 2")
COMMON = (
    CaseResult("sums > adds # 1", "unit", "passed"),
    CaseResult("sums > waits", "unit", "skipped"),
    FAILS,
    CaseResult("later", "unit", "skipped"),
    CaseResult("known", "unit", "skipped"),
)


def test_tap() -> None:
    broken = CaseResult("broken.test.mjs::(load)", "unit", "failed")

    assert read_reports({}, TAP, "node --test") == SuiteReport((*COMMON, broken))


def test_the_reporter_spec() -> None:
    broken = CaseResult("broken.test.mjs::(load)", "unit", "failed", "broken.test.mjs", 1)

    assert read_reports({}, SPEC, "npm test") == SuiteReport((*COMMON, broken))


def test_two_runs_one_after_the_other() -> None:
    second = "✔ more (1ms)\nℹ tests 1\n"
    report = read_reports({}, f"{SPEC}{second}", "npm test --workspaces")

    assert isinstance(report, SuiteReport)
    assert report.cases[-1] == CaseResult("more", "unit", "passed")


def test_a_test_of_which_only_itself_fails_is_named() -> None:
    output = "▶ outer\n  ✔ inner (1ms)\n✖ outer (2ms)\nℹ tests 2\n"

    assert read_reports({}, output, "node --test") == SuiteReport(
        (
            CaseResult("outer > inner", "unit", "passed"),
            CaseResult("outer", "unit", "failed"),
        )
    )


def test_tests_that_are_in_a_file_as_well_count_once() -> None:
    junit = {"junit.xml": b"<testsuite name='s'><testcase name='t'/></testsuite>"}

    assert read_reports(junit, SPEC, "node --test") == SuiteReport(
        (CaseResult("s::t", "unit", "passed"),)
    )
