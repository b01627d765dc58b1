"""A new file at a path that the user's git ignores is not imported, however it was added."""

from pathlib import Path

import pytest

from treadle.domain.events.work import IGNORED_FILE, WithheldPath, WorkWithheld
from treadle.workflows.loop.withheld_files import withheld_prompt

from .real_git import Repository, repository_in
from .workspace_harness import WorkspaceHarness, make_harness

RULES = {".gitignore": "env/\n*.local\n/generated\n", "web/.gitignore": "dist/\n!dist/\nout\n"}


def user_with_rules(directory: Path) -> Repository:
    user = repository_in(directory)
    user.write("traced.local", "tracked before the rule\n")
    user.commit("Tracked")
    user.commit("Rules", **RULES)
    (user.git_dir / "info/exclude").write_text("/private\n")
    excludes = directory / "home/.config/git/ignore"
    excludes.parent.mkdir(parents=True)
    excludes.write_text("*.swp\n")
    return user


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    return await make_harness(tmp_path, user_with_rules(tmp_path))


def ignored(*paths: str) -> list[WithheldPath]:
    return [WithheldPath(path, 0, IGNORED_FILE) for path in paths]


PATHS = [
    ".venv/lib/python3.11/site-packages/zz.pth",
    ".venv/bin/git",
    "node_modules/.bin/jest",
    "web/node_modules/.bin/tsc",
    "__pycache__/sitecustomize.cpython-311.pyc",
    "env/bin/activate",
    "settings.local",
    "generated/run.sh",
    "web/out",
    "private/key",
    "deep/.app.py.swp",
    ".treadle-notes.md",
]


@pytest.mark.parametrize("path", PATHS)
async def test_a_file_that_was_added_by_force_stays_out(
    harness: WorkspaceHarness, path: str
) -> None:
    harness.agent.write(path, "evil\n")
    harness.agent.write("good", "1\n")
    harness.agent.git("add", "--force", path, "good")
    harness.agent.git("commit", "--quiet", "--message", "Work")

    imported = await harness.round()

    assert harness.withheld == ignored(path)
    assert imported.lost == f"files that git ignores must not be committed ({path})"
    assert f"- {path}\n" in withheld_prompt(harness.workspace.withheld)
    assert {*harness.imported_files()} - {*harness.user.tree()} == {"good"}


async def test_a_link_in_place_of_an_environment_stays_out(harness: WorkspaceHarness) -> None:
    harness.agent.write("tools/bin/python", "evil\n")
    (harness.agent.path / ".venv").symlink_to("tools")
    harness.agent.git("add", "--force", ".venv")

    await harness.round()

    assert harness.withheld == ignored(".venv")


async def test_rules_that_the_agent_changes_do_not_count(harness: WorkspaceHarness) -> None:
    harness.agent.write(".gitignore", "!.venv/\n!env/\n")
    harness.agent.write(".venv/bin/git", "evil\n")
    harness.agent.write("env/x", "evil\n")
    harness.agent.write("web/dist/page.html", "allowed by the user\n")

    await harness.round()
    harness.workspace.begin_round()
    harness.agent.write("env/y", "evil\n")
    await harness.round()

    first, second = ignored(".venv/bin/git", "env/x"), ignored(".venv/bin/git", "env/x", "env/y")
    assert harness.withheld == [*first, *second]
    new = {*harness.imported_files()} - {*harness.user.tree()}
    assert new == {"web/dist/page.html"}
    assert harness.imported_files()[".gitignore"] == "!.venv/\n!env/"


async def test_an_ignored_file_that_is_tracked_may_be_changed_removed_and_come_back(
    harness: WorkspaceHarness,
) -> None:
    harness.agent.write("traced.local", "changed\n")
    await harness.round()
    harness.agent.git("rm", "--quiet", "traced.local")
    await harness.round()
    harness.agent.write("traced.local", "again\n")
    harness.agent.git("add", "--force", "traced.local")
    await harness.round()

    assert harness.withheld == []
    assert harness.imported_files()["traced.local"] == "again"


async def test_a_folder_that_ignores_itself_is_ignored(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Sources", **{"src/app.py": "print(1)\n"})
    for folder in ("venv", "envs/dev", "src/.cache"):
        user.write(f"{folder}/.gitignore", "*\n")
        user.write(f"{folder}/bin/python", "#!/bin/sh\n")
    user.write("src/own/.gitignore", "/.gitignore\n*.local\n")
    assert user.git("status", "--porcelain") == ""
    harness = await make_harness(tmp_path, user)
    planted = ["envs/dev/bin/ls", "src/.cache/ls", "src/own/a.local", "venv/bin/ls"]
    for path in (*planted, "envs/prod.py", "src/own/b.py", "venv.py"):
        harness.agent.write(path, "evil\n")
    harness.agent.git("add", "--force", "--all")
    harness.agent.git("commit", "--quiet", "--message", "Work")

    await harness.round()

    assert sorted(harness.withheld, key=lambda each: each.path) == ignored(*planted)
    assert {"envs/prod.py", "src/own/b.py", "venv.py"} <= harness.imported_files().keys()


async def test_a_relative_ignore_file_of_the_user_counts_from_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = repository_in(tmp_path)
    user.commit("Rules", **{"my-ignores": "envs/\n", "sub/x.txt": "1\n"})
    user.git("config", "core.excludesFile", "my-ignores")
    monkeypatch.chdir(user.path / "sub")
    harness = await make_harness(tmp_path, user)
    harness.agent.write("envs/bin/ls", "evil\n")
    harness.agent.git("add", "--force", "--all")

    await harness.round()

    assert harness.withheld == ignored("envs/bin/ls")


async def test_more_ignored_files_than_a_command_line_holds_stay_out(
    harness: WorkspaceHarness,
) -> None:
    folder = harness.agent.path / "node_modules"
    for number in range(300):
        place = folder / ("p" * 200) / ("q" * 200) / f"{number}"
        place.mkdir(parents=True)
        for file in range(20):
            (place / f"{'f' * 200}{file}").touch()
    harness.agent.write("good", "1\n")
    harness.agent.git("add", "--force", "--all")
    harness.agent.git("commit", "--quiet", "--message", "Work")

    await harness.round()

    (event,) = (event for event in harness.events if isinstance(event, WorkWithheld))
    assert len(event.places) + event.more == 6_000
    assert harness.imported_files()["good"] == "1"
