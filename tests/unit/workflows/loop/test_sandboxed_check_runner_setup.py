"""The setup command of a project runs once for what it depends on; its result is never trusted."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import (
    RunnerHarness,
    make_runner_harness,
    output_lines,
)
from treadle.wiring.check_runner import check_runner

pytestmark = pytest.mark.slow

NOTHING = hashlib.sha256(b"").hexdigest()


@pytest.fixture
async def harness(tmp_path: Path) -> RunnerHarness:
    return await make_runner_harness(tmp_path)


async def test_a_setup_command_runs_once_for_the_same_tree(tmp_path: Path) -> None:
    setup = "date +%N > installed; pwd > where; echo s > ~/tool; echo changed > SPEC.md"
    harness = await make_runner_harness(tmp_path, {"project.setup": setup})
    spoil = await harness.run("cat installed; echo x > installed; echo x > ~/tool; echo x > left")
    harness.repository.git("commit", "--quiet", "--allow-empty", "--message", "The same files")

    look = "cat installed where ~/tool SPEC.md; ls"
    result = await harness.run(look)

    installed = spoil.output.strip()
    assert output_lines(result) == [
        installed,
        str(harness.runner.tree.work),
        "s",
        "# A greeting",
        *("SPEC.md", "installed", "where"),
    ]
    assert [path.name for path in harness.checkout.iterdir()] == ["bases"]


async def test_another_tree_is_another_base_and_only_three_are_kept(tmp_path: Path) -> None:
    harness = await make_runner_harness(tmp_path, {"project.setup": "cat package.json > installed"})
    result = []
    for version in ("1", "2", "3", "4"):
        harness.commit(**{"package.json": f"{version}\n", f"only-{version}": ""})
        harness.repository.git("rm", "--quiet", "--cached", f"only-{version}")
        result.append((await harness.run("cat installed")).output)

    assert result == ["1\n", "2\n", "3\n", "4\n"]
    assert len(list((harness.checkout / "bases").iterdir())) == 3


async def test_what_was_built_from_an_earlier_tree_does_not_stand_in_for_a_later_one(
    tmp_path: Path,
) -> None:
    harness = await make_runner_harness(tmp_path, {"project.setup": ". ./build"})
    harness.commit(**{"build": "cp source built\n", "source": "right\n"})
    right = await harness.run("grep -q right built")
    harness.commit(source="wrong\n")
    wrong = await harness.run("grep -q right built")

    assert (right.evidence.exit_code, wrong.evidence.exit_code) == (0, 1)


async def test_a_filter_of_the_users_that_the_commit_names_is_not_started(
    harness: RunnerHarness,
) -> None:
    started = harness.ready.directory / "started"
    harness.repository.git("config", "filter.own.smudge", "sh tools/smudge")
    harness.commit(**{"tools/smudge": f"touch {started}; cat\n", "a.txt": "a\n"})
    harness.commit(**{".gitattributes": "*.txt filter=own\n"})

    assert output_lines(await harness.run("cat a.txt; git status --porcelain")) == ["a"]
    assert not started.exists()


async def test_a_repository_that_a_setup_command_puts_at_a_submodule_is_not_looked_into(
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "part" / ".git").mkdir(parents=True)
    setup = (
        "git init --quiet part && rm part/.git/HEAD && mkfifo part/.git/HEAD && echo b > part/built"
        f"; rm -rf folder; ln -s {elsewhere} folder"
    )
    harness = await make_runner_harness(tmp_path, {"project.setup": setup})
    part = harness.commit(**{"a.txt": "a\n"})
    for path in ("part", "folder/part"):
        harness.repository.git("update-index", "--add", "--cacheinfo", f"160000,{part},{path}")
    harness.repository.git("commit", "--quiet", "--message", "Parts")

    assert output_lines(await harness.run("cat part/built")) == ["b"]
    assert (elsewhere / "part" / ".git").is_dir()


async def test_files_that_only_the_commit_of_the_base_had_are_gone(tmp_path: Path) -> None:
    harness = await make_runner_harness(tmp_path, {"project.setup": "touch installed"})
    harness.commit(**{"old/deep.txt": "old\n"})
    assert output_lines(await harness.run("ls old")) == ["deep.txt"]
    harness.repository.git("rm", "--quiet", "-r", "old")

    result = await harness.run("ls", harness.commit(**{"new.txt": "new\n"}))

    assert output_lines(result) == ["SPEC.md", "installed", "new.txt"]


async def test_a_setup_that_fails_is_reported_before_the_output_and_tried_again(
    tmp_path: Path,
) -> None:
    harness = await make_runner_harness(tmp_path, {"project.setup": "echo no luck; test -e lucky"})

    result = await harness.run("echo ran")
    harness.commit(lucky="")
    later = await harness.run("echo ran")

    assert output_lines(result) == ["no luck", "(setup failed with exit code 1)", "", "ran"]
    assert result.evidence.exit_code == 0
    assert output_lines(later) == ["ran"]


async def test_the_stored_base_is_found_by_the_next_process(tmp_path: Path) -> None:
    harness = await make_runner_harness(tmp_path, {"project.setup": "date +%N > installed"})
    first = await harness.run("cat installed")
    anew = replace(harness, runner=check_runner(harness.context, harness.ready.directory))

    assert (await anew.run("cat installed")).output == first.output


async def test_commits_share_what_an_installer_left_while_manifests_stay(tmp_path: Path) -> None:
    setup = "python3 -m venv --without-pip .venv"
    harness = await make_runner_harness(tmp_path, {"project.setup": setup})
    mark = await harness.run("cat .venv/pyvenv.cfg")
    harness.commit(**{"main.py": "print(1)\n"})
    same = await harness.run("cat .venv/pyvenv.cfg main.py")
    bases = [path.name for path in (harness.checkout / "bases").iterdir()]
    harness.commit(**{"pyproject.toml": "[tool.x]\n"})
    await harness.run("cat .venv/pyvenv.cfg")

    assert output_lines(same) == [*output_lines(mark), "print(1)"]
    assert len(bases) == 1
    assert len(list((harness.checkout / "bases").iterdir())) == 2


async def test_a_setup_waits_on_a_commit_that_lacks_its_files(tmp_path: Path) -> None:
    harness = await make_runner_harness(tmp_path, {"project.setup": "sh setup.sh"})

    waiting = await harness.run("ls")
    harness.commit(**{"setup.sh": "touch installed\n"})
    ready = await harness.run("ls")

    assert (waiting.setup_failure, output_lines(waiting)) == ("", ["SPEC.md"])
    assert output_lines(ready) == ["SPEC.md", "installed", "setup.sh"]
