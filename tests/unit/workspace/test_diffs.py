"""What a run changed can be read as a patch or as a summary by file."""

from pathlib import Path

import pytest

from tests.unit.workspace.real_git import BRANCH, Run, import_run, repository_in, run_on
from treadle.domain.errors import ProjectError
from treadle.workspace.diffs import diff_text


async def a_run_with_work(tmp_path: Path) -> Run:
    user = repository_in(tmp_path)
    user.git("config", "diff.external", "false")
    user.git("config", "color.ui", "always")
    run = await run_on(user)
    run.agent.commit("Work", **{"changed.txt": "after\n"})
    await import_run(run)
    return run


async def test_a_patch_is_plain_text(tmp_path: Path) -> None:
    run = await a_run_with_work(tmp_path)

    said = await diff_text(run.project, run.snapshot.commit, BRANCH)

    assert said.splitlines()[-3:] == ["@@ -1 +1 @@", "-before", "+after"]


async def test_a_summary_names_each_file(tmp_path: Path) -> None:
    run = await a_run_with_work(tmp_path)

    said = await diff_text(run.project, run.snapshot.commit, BRANCH, stat=True)

    assert said.splitlines() == [
        " changed.txt | 2 +-",
        " 1 file changed, 1 insertion(+), 1 deletion(-)",
    ]


async def test_a_missing_branch_is_an_error(tmp_path: Path) -> None:
    run = await a_run_with_work(tmp_path)
    run.user.git("branch", "-D", BRANCH)

    with pytest.raises(ProjectError, match="is not in this repository"):
        await diff_text(run.project, run.snapshot.commit, BRANCH)
