"""A git command ends in bounded time, with its output or with one clear line."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from treadle.workspace.git import (
    Git,
    GitFailed,
    GitResult,
    both,
    run_together,
    time_limit_s,
    user_git,
)
from treadle.workspace.project import find_project

from .real_git import environment_in, repository_in


async def test_output_comes_without_its_last_newline(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)

    said = await user_git(repository.path, repository.environment).run("ls-files")

    assert said == "changed.txt\nkept.txt"


async def test_a_failure_names_the_command_and_the_error_of_git(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)

    with pytest.raises(GitFailed) as failed:
        await user_git(repository.path, repository.environment).run("checkout", "nowhere")

    assert failed.value.message == (
        f"git checkout failed in {repository.path}: "
        "pathspec 'nowhere' did not match any file(s) known to git"
    )


async def test_an_expected_failure_is_a_value(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    git = user_git(repository.path, repository.environment)

    assert await git.try_run("rev-parse", "--verify", "--quiet", "nowhere") == GitResult(1, "", "")
    assert await git.commit_of("nowhere") is None


async def test_a_machine_without_git_gets_a_hint(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="git was not found") as failed:
        await Git(tmp_path, {"PATH": str(tmp_path)}).run("status")

    hint = "install git (2.31 or newer) and put it on your PATH, outside the project"
    assert failed.value.hint == hint


async def test_variables_of_a_surrounding_git_hook_do_not_redirect_us(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    other = repository_in(tmp_path, "other")
    surrounding = {**repository.environment, "GIT_DIR": str(other.git_dir)}

    git = user_git(repository.path, surrounding)

    assert await git.run("rev-parse", "--absolute-git-dir") == str(repository.git_dir)


async def test_a_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    git = Git(
        tmp_path,
        environment_in(tmp_path),
        options=("-c", "alias.hang=!exec tail -f /dev/null"),
        limit_s=0.05,
    )

    with pytest.raises(GitFailed, match=r"git hang was still running after 0\.05 s"):
        await git.run("hang")


async def test_cancelling_ends_the_command(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    git = Git(
        tmp_path,
        environment_in(tmp_path),
        options=("-c", f"alias.hang=!echo $$ > {fifo}; exec tail -f /dev/null"),
    )

    running = asyncio.create_task(git.run("hang"))
    pid = int(await asyncio.to_thread(fifo.read_text))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await _gone(pid)


async def test_commands_side_by_side_answer_in_the_order_they_were_given(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    git = Git(
        tmp_path,
        environment_in(tmp_path),
        options=("-c", f"alias.wait=!cat {fifo}", "-c", f"alias.tell=!echo heard > {fifo}"),
    )

    # Neither of them ends unless the other runs at the same time.
    answers = await run_together(git.try_run("wait"), git.try_run("tell"))

    assert answers == [GitResult(0, "heard", ""), GitResult(0, "", "")]


async def test_a_failure_of_one_waits_for_the_others(tmp_path: Path) -> None:
    missing = Git(tmp_path, {"PATH": str(tmp_path)})
    written = tmp_path / "written"
    git = Git(tmp_path, environment_in(tmp_path), options=("-c", f"alias.tell=!echo > {written}"))

    with pytest.raises(GitFailed, match="git was not found"):
        await run_together(missing.try_run("status"), git.try_run("tell"))

    assert written.exists()


async def test_two_of_different_kinds_run_together_and_both_end_before_a_failure(
    tmp_path: Path,
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    git = Git(
        tmp_path,
        environment_in(tmp_path),
        options=("-c", f"alias.wait=!cat {fifo}", "-c", f"alias.tell=!echo heard > {fifo}"),
    )
    assert await both(git.try_run("tell"), git.run("wait")) == (GitResult(0, "", ""), "heard")

    missing = Git(tmp_path, {"PATH": str(tmp_path)})
    written = tmp_path / "written"
    late = Git(tmp_path, environment_in(tmp_path), options=("-c", f"alias.tell=!echo > {written}"))
    with pytest.raises(GitFailed, match="git was not found"):
        await both(missing.run("status"), late.run("tell"))
    assert written.exists()


async def _gone(pid: int) -> None:
    """Returns once a process is dead; the suite's own time limit is the failure."""
    while True:
        try:
            os.kill(pid, signal.SIG_DFL)
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():  # noqa: ASYNC240
                return
        except (ProcessLookupError, FileNotFoundError):
            return
        await asyncio.sleep(0)


def test_a_command_gets_more_time_in_a_large_repository() -> None:
    assert time_limit_s(index_bytes=0, pack_bytes=0) == 120
    # As large as the Linux kernel.
    assert time_limit_s(index_bytes=8_000_000, pack_bytes=1_500_000_000) == 820


async def test_the_size_of_a_repository_is_read_with_its_alternates(tmp_path: Path) -> None:
    origin = repository_in(tmp_path, "origin")
    (origin.path / "large.bin").write_bytes(os.urandom(2_000_000))
    origin.commit("Large")
    origin.git("gc", "--quiet")
    origin.git("clone", "--quiet", "--shared", str(origin.path), str(tmp_path / "project"))

    project = await find_project(tmp_path / "project", origin.environment)

    assert 120.4 < project.git.limit_s < 121
