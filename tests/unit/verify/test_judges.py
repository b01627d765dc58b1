"""What judges the work is told by its path, and what must be seen first comes first."""

import pytest

from treadle.domain.change import Change
from treadle.domain.events.verification import Judge, Touched
from treadle.verify.judges import RULES, judge_of, touched


@pytest.mark.parametrize(
    ("path", "judge"), [(path, rule.judge) for rule in RULES for path in rule.examples]
)
def test_every_rule_fits_its_examples(path: str, judge: Judge) -> None:
    assert judge_of(path) == judge


@pytest.mark.parametrize(
    ("path", "judge"),
    [
        ("tests/ruff.toml", "lint"),
        ("tests/.coveragerc", "coverage"),
        ("TESTS/Data.json", "tests"),
        ("web/src/Cart.Spec.TSX", "tests"),
        ("src/CartTest.java", "tests"),
        ("app/tests.py", "tests"),
        ("a/b/__snapshots__/cart.snap", "tests"),
        (".github/actions/setup/action.yml", "ci"),
        (".github/CODEOWNERS", None),
        ("src/cart.py", None),
        ("src/latest.py", None),
        ("src/contest.ts", None),
        ("src/protest_test_me.md", None),
        ("docs/testing.md", None),
        ("SPEC.md", None),
        ("specs/cart.md", None),
        ("src/features/cart.ts", None),
        ("makefile.py", None),
        ("", None),
    ],
)
def test_a_path_is_told_by_its_name_and_its_directories(path: str, judge: Judge | None) -> None:
    assert judge_of(path) == judge


def test_what_is_gone_or_another_comes_before_what_is_new() -> None:
    changes = [
        Change("tests/test_new.py", "added"),
        Change("src/cart.py", "changed"),
        Change("tests/test_b.py", "changed"),
        Change("tests/test_a.py", "changed"),
        Change("pyproject.toml", "changed"),
        Change("codecov.yml", "added"),
        Change(".gitlab-ci.yml", "changed"),
        Change("tests/test_old.py", "removed"),
        Change(".coveragerc", "changed"),
        Change("docs/SPEC.md", "changed"),
    ]

    assert touched(changes, specification="docs/SPEC.md") == (
        Touched("tests/test_old.py", "tests", "removed"),
        Touched("docs/SPEC.md", "specification", "changed"),
        Touched(".coveragerc", "coverage", "changed"),
        Touched(".gitlab-ci.yml", "ci", "changed"),
        Touched("pyproject.toml", "lint", "changed"),
        Touched("tests/test_a.py", "tests", "changed"),
        Touched("tests/test_b.py", "tests", "changed"),
        Touched("codecov.yml", "coverage", "added"),
        Touched("tests/test_new.py", "tests", "added"),
    )


def test_what_commands_go_by_is_seen_first_unless_it_is_new() -> None:
    named: dict[str, Judge] = {"verify.py": "check", "new.py": "check", "Makefile": "tests"}
    changes = [
        Change("tests/test_old.py", "removed"),
        Change("Makefile", "changed"),
        Change("SPEC.md", "changed"),
        Change("tests/test_new.py", "added"),
        Change("new.py", "added"),
        Change("verify.py", "changed"),
    ]

    assert touched(changes, specification="SPEC.md", named=named.get) == (
        Touched("verify.py", "check", "changed"),
        Touched("Makefile", "tests", "changed"),
        Touched("tests/test_old.py", "tests", "removed"),
        Touched("SPEC.md", "specification", "changed"),
        Touched("new.py", "check", "added"),
        Touched("tests/test_new.py", "tests", "added"),
    )
