"""A change of ignore rules that uncovers files of the user's is asked about."""

from pathlib import Path

import pytest

from treadle.workspace.project import find_project
from treadle.workspace.uncovered_files import find_uncovering

from .real_git import Repository, repository_in

RULES = "private/\nenvs/\n*.local\n/dist\n*.tmp\n__pycache__/\n"


def user_with_private_files(directory: Path) -> Repository:
    user = repository_in(directory)
    user.commit("Rules", **{".gitignore": RULES, "src/.gitignore": "*.o\n", "src/a.c": "1\n"})
    for path in ("private/customers.csv", "envs/dev/bin/activate", "my.local", "src/a.o"):
        user.write(path, "mine\n")
    return user


async def uncovering(user: Repository, **changed: str) -> dict[str, str]:
    before = user.head
    user.git("checkout", "--quiet", "-b", "work")
    for path, text in changed.items():
        (user.path / path).unlink() if not text else user.write(path, text)
        user.git("add", "--", path)
    user.git("commit", "--quiet", "--message", "Work")
    after = user.head
    user.git("checkout", "--quiet", "-")
    project = await find_project(user.path, user.environment)
    return await find_uncovering(project, before, after, changed)


UNCOVERED = [
    ({".gitignore": "*.tmp\n"}, "envs, my.local, private"),
    ({".gitignore": RULES + "!my.local\n"}, "my.local"),
    ({".gitignore": RULES.replace("private/", "private/*\n!private/customers.csv")}, "private"),
    ({"src/.gitignore": ""}, "src/a.o"),
    ({"src/.gitignore": "*.o\n!a.o\n"}, "src/a.o"),
]


@pytest.mark.parametrize(("changed", "names"), UNCOVERED)
async def test_a_lost_rule_is_asked_about_with_what_it_uncovers(
    tmp_path: Path, changed: dict[str, str], names: str
) -> None:
    user = user_with_private_files(tmp_path)

    reason = f"git would no longer ignore {names}"
    assert await uncovering(user, **changed) == dict.fromkeys(changed, reason)


HARMLESS = [
    {".gitignore": RULES + "build/\n"},
    {".gitignore": RULES.replace("/dist\n", "")},
    {".gitignore": RULES.replace("private/", "/private/*").replace("*.tmp\n", "")},
    {"docs/.gitignore": "_build/\n"},
    {"src/b.c": "2\n"},
]


@pytest.mark.parametrize("changed", HARMLESS)
async def test_a_rule_that_uncovers_no_file_of_the_checkout_is_not(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    assert await uncovering(user_with_private_files(tmp_path), **changed) == {}
