"""What a pinned tree depends on is read from the user's repository as it is."""

from pathlib import Path

import pytest

from tests.unit.workspace.real_git import Repository, repository_in
from treadle.domain.pin_plan import PinnedFile, PinPlan
from treadle.workflows.loop.pinned_judges import LARGEST_FILE, PinnedJudges
from treadle.workspace.git import user_git

TESTS = "tests and their data"
LOADED = "loaded by the command"


@pytest.fixture
def user(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


def judges(user: Repository, setup: str = "") -> PinnedJudges:
    return PinnedJudges(user_git(user.path, user.environment), setup)


async def test_judges_are_planned_by_the_contents_of_two_commits(user: Repository) -> None:
    base = user.commit(
        **{
            "check.sh": ". lib/a.sh\n",
            "lib/a.sh": ". lib/b.sh\n",
            "lib/b.sh": "x\n",
            "package.json": '{"scripts": {"test": "x"}}\n',
            "app.py": "x\n",
        }
    )
    package = '{"scripts": {"test": "y"}, "version": "2"}\n'
    tip = user.commit(
        **{"lib/b.sh": "y\n", "package.json": package, "app.py": "y\n", "ä name.py": "z\n"}
    )

    assert await judges(user).plan("sh check.sh", base, tip) == PinPlan(
        base,
        (
            PinnedFile("lib/b.sh", "restored", LOADED),
            PinnedFile(
                "package.json",
                "merged",
                "scripts and settings of tools are those of the base",
                b'{\n  "scripts": {\n    "test": "x"\n  },\n  "version": "2"\n}\n',
            ),
        ),
    )


async def test_work_without_judges_needs_no_pins(user: Repository) -> None:
    base = user.commit(**{"tests/test_a.py": "x\n"})
    tip = user.commit(**{"app.py": "x\n"})

    assert (await judges(user).plan("pytest", base, tip)).is_empty
    assert (await judges(user).plan("pytest", base, base)).is_empty


async def test_changed_and_added_files_are_listed(user: Repository) -> None:
    base = user.commit(**{"a.py": "x\n", "b.py": "x\n", "c.py": "x\n"})
    (user.path / "c.py").unlink()
    tip = user.commit(**{"b.py": "y\n", "d.py": "x\n"})

    assert await judges(user).changed_paths(base, tip) == ("b.py", "d.py")


async def test_replaced_objects_are_not_read(user: Repository) -> None:
    base = user.commit(**{"test_a.py": "x\n"})
    tip = user.commit(**{"test_a.py": "y\n"})
    user.git(
        "replace",
        user.git("rev-parse", f"{tip}:test_a.py"),
        user.git("rev-parse", f"{base}:test_a.py"),
    )
    user.git("replace", tip, base)

    assert await judges(user).plan("pytest", base, tip) == PinPlan(
        base, (PinnedFile("test_a.py", "restored", TESTS),)
    )


async def test_links_of_the_base_lead_to_judges(user: Repository) -> None:
    (user.path / "a.bats").symlink_to("lib/a.txt")
    base = user.commit(**{"lib/a.txt": "x\n", "lib/b.txt": "x\n"})
    tip = user.commit(**{"lib/a.txt": "y\n", "lib/b.txt": "y\n"})

    plan = await judges(user).plan("bats .", base, tip)

    assert plan == PinPlan(base, (PinnedFile("lib/a.txt", "restored", TESTS),))


async def test_a_link_in_place_of_tests_is_left_out(user: Repository) -> None:
    base = user.commit(**{"tests/test_a.py": "x\n"})
    (user.path / "tests" / "test_a.py").unlink()
    (user.path / "tests").rmdir()
    (user.path / "tests").symlink_to("fake")
    tip = user.commit(**{"fake/a.py": "y\n"})

    assert await judges(user).plan("pytest", base, tip) == PinPlan(
        base,
        (
            PinnedFile("tests", "left_out", "shadows tests"),
            PinnedFile("tests/test_a.py", "restored", TESTS),
        ),
    )


async def test_a_manifest_that_is_too_large_is_the_bases(user: Repository) -> None:
    base = user.commit(**{"package.json": "{}\n"})
    tip = user.commit(**{"package.json": '{"version": "' + "1" * LARGEST_FILE + '"}\n'})

    assert await judges(user).plan("npm test", base, tip) == PinPlan(
        base, (PinnedFile("package.json", "restored", LOADED),)
    )


async def test_contents_are_read_as_the_bytes_they_are(user: Repository) -> None:
    base = user.commit(**{"requirements.txt": "pytest\n"})
    (user.path / "requirements.txt").write_bytes(b"pytest\nrich\r\n-e .\n\xff\xfe\n")
    (user.path / "empty.py").write_bytes(b"")
    tip = user.commit()

    plan = await judges(user).plan("pytest", base, tip)

    assert plan.files == (
        PinnedFile(
            "requirements.txt",
            "merged",
            "scripts and settings of tools are those of the base",
            b"pytest\nrich\r\n",
        ),
    )


async def test_scripts_of_the_setup_command_count(user: Repository) -> None:
    base = user.commit(**{"setup.sh": "x\n"})
    tip = user.commit(**{"setup.sh": "y\n"})

    assert await judges(user, "sh setup.sh").plan("pytest", base, tip) == PinPlan(
        base, (PinnedFile("setup.sh", "restored", "a script that the command runs"),)
    )
