"""Judge files are recognised by path, and the most important come first."""

import pytest

from treadle.domain.check import FileChange
from treadle.domain.events.verification import EvidenceFileKind, TouchedFile
from treadle.verify.judges.judge_files import (
    find_touched_evidence,
    has_judge_name,
    is_in_judge_folder,
    judge_kind,
)
from treadle.verify.judges.judge_rules import RULES


@pytest.mark.parametrize(
    ("path", "judge"), [(path, rule.kind) for rule in RULES for path in rule.examples]
)
def test_every_rule_fits_its_examples(path: str, judge: EvidenceFileKind) -> None:
    assert judge_kind(path) == judge


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
        (".npmrc", "runner"),
        ("web/.yarnrc.yml", "runner"),
        ("pnpm-workspace.yaml", "runner"),
        (".env", "runner"),
        (".env.example", None),
        ("global.json", "runner"),
        ("locales/en/global.json", None),
        ("lib/BUILD", "runner"),
        ("bin/build", None),
        ("crates/a/build.rs", "runner"),
        ("noxfile.py", "runner"),
        ("dev/tasks.py", None),
        ("gradlew", "runner"),
        ("patches/vitest+2.0.0.patch", "runner"),
        ("patches/0001-fix.diff", None),
        ("src/main/resources/META-INF/services/org.junit.platform.X", "runner"),
        ("src/main/resources/META-INF/services/com.acme.Plugin", None),
        ("App.Tests/CartTests.cs", "tests"),
        ("CartTest.cs", "tests"),
        ("t/01-basic.t", "tests"),
        ("src/t/basic.c", None),
        ("testit.py", None),
        ("spec/cart_spec.rb", "tests"),
        ("loop/workspace_spec.py", None),
        ("setup.py", "runner"),
        ("shop/setup.py", None),
        ("src/testutils/build.go", "tests"),
        ("app-test.js", "tests"),
        ("docs/a-test.md", None),
        ("features/environment.py", "tests"),
        ("src/features/environment.py", None),
        ("golden/a.txt", "tests"),
        ("assets/logo.svg", None),
        ("db/migrate/001_add.rb", None),
        ("Dockerfile", None),
        ("requirements.txt", None),
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
def test_a_path_is_recognised_by_its_name_and_its_directories(
    path: str, judge: EvidenceFileKind | None
) -> None:
    assert judge_kind(path) == judge


def test_what_is_gone_or_another_comes_before_what_is_new() -> None:
    changes = [
        FileChange("tests/test_new.py", "added"),
        FileChange("src/cart.py", "changed"),
        FileChange("tests/test_b.py", "changed"),
        FileChange("tests/test_a.py", "changed"),
        FileChange("pyproject.toml", "changed"),
        FileChange("codecov.yml", "added"),
        FileChange(".gitlab-ci.yml", "changed"),
        FileChange("tests/test_old.py", "removed"),
        FileChange(".coveragerc", "changed"),
        FileChange("docs/SPEC.md", "changed"),
    ]

    assert find_touched_evidence(changes, specification="docs/SPEC.md") == (
        TouchedFile("tests/test_old.py", "tests", "removed"),
        TouchedFile("docs/SPEC.md", "specification", "changed"),
        TouchedFile(".coveragerc", "coverage", "changed"),
        TouchedFile(".gitlab-ci.yml", "ci", "changed"),
        TouchedFile("pyproject.toml", "lint", "changed"),
        TouchedFile("tests/test_a.py", "tests", "changed"),
        TouchedFile("tests/test_b.py", "tests", "changed"),
        TouchedFile("codecov.yml", "coverage", "added"),
        TouchedFile("tests/test_new.py", "tests", "added"),
    )


def test_files_that_commands_use_come_first_unless_they_are_new() -> None:
    named: dict[str, EvidenceFileKind] = {
        "verify.py": "check",
        "new.py": "check",
        "Makefile": "tests",
    }
    changes = [
        FileChange("tests/test_old.py", "removed"),
        FileChange("Makefile", "changed"),
        FileChange("SPEC.md", "changed"),
        FileChange("tests/test_new.py", "added"),
        FileChange("new.py", "added"),
        FileChange("verify.py", "changed"),
    ]

    assert find_touched_evidence(changes, specification="SPEC.md", named=named.get) == (
        TouchedFile("verify.py", "check", "changed"),
        TouchedFile("Makefile", "tests", "changed"),
        TouchedFile("tests/test_old.py", "tests", "removed"),
        TouchedFile("SPEC.md", "specification", "changed"),
        TouchedFile("new.py", "check", "added"),
        TouchedFile("tests/test_new.py", "tests", "added"),
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("check.sh", True),
        ("tools/verify_all.py", True),
        ("expected/a.txt", True),
        ("run_tests.sh", True),
        ("ci/run", True),
        ("checkout.py", False),
        ("greet", False),
        ("circle.py", False),
    ],
)
def test_words_of_a_path_tell_a_judge_that_a_command_names(path: str, expected: bool) -> None:
    assert has_judge_name(path) == expected


def test_a_manifest_in_a_folder_of_tests_judges() -> None:
    assert is_in_judge_folder("tests/package.json")
    assert not is_in_judge_folder("web/package.json")
