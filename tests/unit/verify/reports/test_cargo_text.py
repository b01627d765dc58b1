"""The output of `cargo test` counts only if every target reports its end."""

import pytest

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.cargo_text import parse

TARGET = "     Running unittests src/lib.rs (target/debug/deps/sums-60)\n\n"
WHOLE = f"{TARGET}running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed;\n"
ENDED = f"{TARGET}running 2 tests\ntest a ... ok\n"


@pytest.mark.parametrize("output", [f"{ENDED}\n{WHOLE}", f"{WHOLE}\n{ENDED}"])
def test_a_target_that_a_test_ended_is_cut(output: str) -> None:
    assert isinstance(parse(output), MalformedReport)


def test_ignored_tests_are_skipped() -> None:
    output = WHOLE.replace("test a ... ok", "test a ... ignored, later")
    cases = parse(output)

    assert not isinstance(cases, MalformedReport)
    assert [(case.name, case.outcome) for case in cases] == [("a", "skipped")]
