"""What the work did to the tests is read from both commits."""

from pathlib import Path

from tests.unit.workspace.real_git import repository_in
from treadle.domain.events.verification import EvidenceTouched, TouchedFile
from treadle.workflows.loop.recorded_changes import find_weakenings
from treadle.workspace.git import Git

TEST = "def test_{0}():\n    assert words({0}) == {0}\n    assert words(-{0}) == {0}\n"


def source_of(*numbers: int) -> str:
    return "".join(TEST.format(number) for number in numbers)


async def test_weaker_files_say_what_they_lost(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    before = user.commit(
        **{"tests/test_a.py": source_of(1, 2), "tests/test_b.py": source_of(3), "src/a.py": "1\n"}
    )
    (user.path / "tests/test_b.py").unlink()
    after = user.commit(
        **{"tests/test_a.py": source_of(1), "tests/test_c.py": source_of(4), "src/a.py": "2\n"}
    )
    files = (
        TouchedFile("tests/test_b.py", "tests", "removed"),
        TouchedFile("tests/test_a.py", "tests", "changed"),
        TouchedFile("pyproject.toml", "lint", "changed"),
        TouchedFile("tests/test_c.py", "tests", "added"),
    )

    touched = await find_weakenings(Git(user.path, user.environment), files, before, after)

    weaker = "1 test removed, 2 assertions fewer"
    assert touched == EvidenceTouched(
        (
            TouchedFile("tests/test_b.py", "tests", "removed"),
            TouchedFile("tests/test_a.py", "tests", "changed", weaker),
            TouchedFile("pyproject.toml", "lint", "changed"),
            TouchedFile("tests/test_c.py", "tests", "added"),
        ),
        tests_lost=1,
        assertions_lost=2,
    )


async def test_much_that_is_lost_is_compared_with_all_tests(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    before = user.commit(
        **{
            "tests/test_a.py": source_of(*range(5)),
            "tests/test_b.py": source_of(*range(20)),
            "tests/data.json": "{}",
            "src/a.py": "assert True is not False\n",
        }
    )
    (user.path / "tests/test_a.py").unlink()
    after = user.commit(**{"src/a.py": "2\n"})
    files = (TouchedFile("tests/test_a.py", "tests", "removed"),)

    touched = await find_weakenings(Git(user.path, user.environment), files, before, after)

    assert touched == EvidenceTouched(files, tests_lost=5, assertions_lost=10, assertions_before=50)


async def test_a_file_that_is_too_large_is_left_out(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    before = user.commit(**{"tests/test_a.py": source_of(1)})
    after = user.commit(**{"tests/test_a.py": "#" * 300_000})
    files = (TouchedFile("tests/test_a.py", "tests", "changed"),)

    touched = await find_weakenings(Git(user.path, user.environment), files, before, after)

    assert touched == EvidenceTouched(files)
