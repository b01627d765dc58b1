"""What the user's own git settings run or read in the project is protected from agents."""

from pathlib import Path

import pytest

from treadle.workspace.project import find_project
from treadle.workspace.protected_files import find_git_files

from .real_git import repository_in
from .workspace_harness import make_harness

SETTINGS = [
    ("core.hooksPath", ".githooks", ".githooks"),
    ("core.hooksPath", "{root}/hooks/here", "hooks/here"),
    ("filter.mine.smudge", "sh tools/f.sh %f", "tools/f.sh"),
    ("filter.mine.clean", "./tools/f.sh", "tools/f.sh"),
    ("filter.a.b.process", "sh -c 'exec \"{root}/tools/f.sh\"'", "tools/f.sh"),
    ("diff.ours.textconv", "python3 -m tools.conv", "tools/conv.py"),
    ("merge.ours.driver", "cd tools; ./f.sh %O %A %B", "tools/f.sh"),
    ("core.fsmonitor", "tools/f.sh", "tools/f.sh"),
    ("core.sshCommand", "env X=1 tools/f.sh -v", "tools/f.sh"),
    ("core.pager", "less | tools/f.sh", "tools/f.sh"),
    ("gpg.program", "tools/f.sh", "tools/f.sh"),
    ("gpg.ssh.program", "tools/f.sh", "tools/f.sh"),
    ("alias.up", "!tools/f.sh", "tools/f.sh"),
    ("credential.https://example.com.helper", "!{root}/tools/f.sh", "tools/f.sh"),
    ("include.path", "../git/shared", "git/shared"),
    ("includeIf.onbranch:main.path", "{root}/git/shared", "git/shared"),
    ("core.attributesFile", "tools/attributes", "tools/attributes"),
]


@pytest.mark.parametrize("level", ["--local", "--global"])
@pytest.mark.parametrize(("key", "value", "path"), SETTINGS)
async def test_a_file_that_git_runs_by_a_setting_is_found(
    tmp_path: Path, level: str, key: str, value: str, path: str
) -> None:
    user = repository_in(tmp_path)
    user.commit("Tools", **{"tools/f.sh": "cat\n", "tools/conv.py": "pass\n"})
    if key == "include.path" and level == "--global":
        value = "{root}/git/shared"  # relative to the file that includes it
    user.git("config", level, key, value.format(root=user.path))

    assert await find_git_files(await find_project(user.path, user.environment)) == (path,)


async def test_settings_that_name_no_file_of_the_project_protect_none(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.commit("Names of programs", vim="", status="")
    for key, value in {
        "core.hooksPath": ".git/hooks",
        "core.fsmonitor": "true",
        "core.editor": "vim",
        "filter.lfs.smudge": "git-lfs smudge -- %f",
        "alias.st": "status --short",
        "core.attributesFile": "~/.gitattributes",
    }.items():
        user.git("config", key, value)

    assert await find_git_files(await find_project(user.path, user.environment)) == ()


async def test_hooks_in_the_configured_folder_do_not_land(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.git("config", "core.hooksPath", ".githooks")
    files = await find_git_files(await find_project(user.path, user.environment))
    harness = await make_harness(tmp_path, user, protected=files)
    harness.agent.commit("Work", **{".githooks/post-commit": "#!/bin/sh\n", "good": "1\n"})

    await harness.round()

    assert [each.path for each in harness.withheld] == [".githooks/post-commit"]
    assert "good" in harness.imported_files()
