"""Evidence files of a command are distinguished from the product that it tests."""

import pytest

from treadle.domain.check import FileChange
from treadle.verify.command_files import find_changed_evidence, refers_to_file, uses_evidence_file


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("./check.sh", "check.sh"),
        ("sh tests/run.sh", "tests/run.sh"),
        ("python3 tools/verify.py --all", "tools/verify.py"),
        ("python3 -m tools.verify", "tools/verify.py"),
        ("python3 -m tools.verify", "tools/verify/__main__.py"),
        ("python3 -m unittest tests.test_add.Add.test_two", "tests/test_add.py"),
        ("pytest tests/test_add.py::test_two -q", "tests/test_add.py"),
        ("make test", "Makefile"),
        ("make -C web test", "web/Makefile"),
        ("npm test -- cart", "package.json"),
        ("cd web && npm run check", "web/package.json"),
        ("cd web; ./check.sh", "web/check.sh"),
        ("sh -c './check.sh && true'", "check.sh"),
        ('test "$(./check.sh)" = ok', "check.sh"),
        ("./greet | diff expected/hello.txt -", "expected/hello.txt"),
        ("./greet | diff -r out expected/", "expected/hello.txt"),
        ("cat golden/*.txt | cmp - out", "golden/a.txt"),
        ("node checks/slug.js 'A day' a-day", "checks/slug.js"),
    ],
)
def test_a_check_uses_the_files_that_it_names(command: str, path: str) -> None:
    assert uses_evidence_file(command, path)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("./greet | grep -q hello", "greet"),
        ("python3 tally.py --top 2 t.txt", "tally.py"),
        ("./rotate.sh 3 samples", "rotate.sh"),
        ("python3 checkout.py", "checkout.py"),
        ("./check.sh", "web/check.sh"),
        ("./check.sh", "Makefile"),
        # Which of the tests in there were changed is told, and does not say that it is for this.
        ("pytest tests", "tests/test_add.py"),
        ("", "check.sh"),
        ("echo 'not closed", "check.sh"),
    ],
)
def test_not_by_the_product_and_not_by_others(command: str, path: str) -> None:
    assert not uses_evidence_file(command, path)


def test_a_test_command_goes_by_every_file_that_it_names() -> None:
    assert refers_to_file("./run.sh --fast", "run.sh")
    assert not refers_to_file("./run.sh --fast", "src/run.sh")


def test_a_check_is_altered_by_what_was_there_and_is_another() -> None:
    changes = [
        FileChange("check.sh", "changed"),
        FileChange("expected/a.txt", "removed"),
        FileChange("expected/b.txt", "added"),
        FileChange("greet", "changed"),
    ]

    assert find_changed_evidence("./check.sh ./greet expected", changes) == (
        "check.sh",
        "expected/a.txt",
    )
