"""A command on the pinned tree, what it reads there, and whose setup it gets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.missing import missing
from tests.unit.workflows.loop.sandboxed_check_runner_harness import (
    RunnerHarness,
    make_runner_harness,
    output_lines,
)
from treadle.domain.errors import ProjectError
from treadle.domain.pin_plan import PinAction, PinnedFile, PinPlan
from treadle.verify.results.check_runner import CheckCommand, CommandResult
from treadle.workspace.access_times import keeps_access_times

pytestmark = pytest.mark.slow

BASE = {"app.sh": "exit 1\n", "check.sh": "cat data.txt; . ./app.sh\n", "data.txt": "base\n"}


@dataclass(frozen=True)
class PinnedRunner:
    harness: RunnerHarness
    base: str

    def pins(self, actions: Mapping[str, PinAction]) -> PinPlan:
        files = tuple(PinnedFile(path, action, "") for path, action in actions.items())
        return PinPlan(self.base, files)

    async def run(
        self,
        command: str,
        pins: PinPlan | None = None,
        *,
        watched: tuple[str, ...] = (),
        find_program: str = "",
        collect: tuple[str, ...] = (),
    ) -> CommandResult:
        check = CheckCommand(command, self.head, "pinned" if pins else "after", 60, pins=pins)
        result = await self.harness.runner.run(
            replace(check, watched=watched, find_program=find_program, collect=collect)
        )
        assert isinstance(result, CommandResult), result
        return result

    def commit_program(self, name: str) -> None:
        self.harness.repository.write(name, "#!/bin/sh\nexit 0\n")
        (self.harness.repository.path / name).chmod(0o755)
        self.harness.commit()

    @property
    def head(self) -> str:
        return self.harness.repository.git("rev-parse", "HEAD")

    @property
    def setups(self) -> int:
        return len(list((self.harness.checkout / "bases").iterdir()))


async def make_pinned_runner(
    directory: Path, setup: str = "", files: Mapping[str, str] = BASE, *, confined: bool = True
) -> PinnedRunner:
    harness = await make_runner_harness(directory, {"project.setup": setup}, confined=confined)
    if not keeps_access_times(directory):
        missing(f"access times in {directory}")
    return PinnedRunner(harness, harness.commit(**files))


@pytest.fixture
async def pinned(tmp_path: Path) -> PinnedRunner:
    return await make_pinned_runner(tmp_path)


async def test_the_evidence_is_about_the_pinned_tree(pinned: PinnedRunner) -> None:
    repository = pinned.harness.repository
    tip = pinned.harness.commit(
        **{"app.sh": "exit 0\n", "check.sh": "exit 0\n", "data.txt": "work\n", "cat": "exit 0\n"}
    )
    pins = pinned.pins({"check.sh": "restored", "data.txt": "restored", "cat": "left_out"})

    on_work = await pinned.run("sh check.sh")
    result = await pinned.run("sh check.sh; ls", pins)

    repository.git("checkout", "--quiet", pinned.base, "--", "check.sh", "data.txt")
    repository.git("rm", "--quiet", "--force", "cat")
    tree = repository.git("write-tree")
    assert output_lines(on_work) == []
    assert output_lines(result) == ["base", "SPEC.md", "app.sh", "check.sh", "data.txt"]
    evidence = result.evidence
    assert (evidence.commit, evidence.when) == (tip, "pinned")
    assert (evidence.tree, evidence.judges_of) == (tree, pinned.base)
    assert on_work.evidence.judges_of == ""


async def test_a_base_that_is_not_there_is_an_error_in_words(pinned: PinnedRunner) -> None:
    with pytest.raises(ProjectError, match="has no commit 000000") as failed:
        await pinned.run("true", PinPlan("0" * 40))

    assert "`git fetch --all`" in str(failed.value.hint)


@pytest.mark.parametrize("confined", [True, False])
async def test_files_that_the_command_read_are_named(tmp_path: Path, confined: bool) -> None:
    pinned = await make_pinned_runner(tmp_path, confined=confined)
    watched = ("app.sh", "check.sh", "data.txt", "SPEC.md", "missing")

    some = await pinned.run("ls -l; sh check.sh", watched=watched)
    none = await pinned.run("echo x > data.txt; test -e app.sh", watched=watched)
    nobody_asked = await pinned.run("sh check.sh")

    assert some.read_files == ("app.sh", "check.sh", "data.txt")
    assert (none.read_files, nobody_asked.read_files) == ((), ())


async def test_what_treadle_itself_reads_does_not_count(pinned: PinnedRunner) -> None:
    watched = ("data.txt", "app.sh", "SPEC.md")

    result = await pinned.run(
        "echo more >> data.txt; git --version", watched=watched, collect=("*.txt", "*.sh")
    )

    assert (result.read_files, dict(result.files)) == ((), {"data.txt": b"base\nmore\n"})


async def test_a_program_that_is_built_and_run_was_read(pinned: PinnedRunner) -> None:
    """By the kernel, which maps it."""
    pinned.commit_program("run.sh")

    assert (await pinned.run("./run.sh", watched=("run.sh",))).read_files == ("run.sh",)


async def test_a_watched_file_does_not_look_changed(pinned: PinnedRunner) -> None:
    """Scripts ask for that without a refresh of the index."""
    look = "git diff-index HEAD; git diff-files"

    plain = await pinned.run(look)
    watched = await pinned.run(look, watched=("app.sh", "SPEC.md"))

    assert (plain.output, watched.output) == ("", "")


@pytest.mark.parametrize(
    ("program", "command", "present"),
    [
        ("greet", "true", True),
        # What a setup installs is a tool from outside.
        ("made", "true", False),
        ("built", "printf '#!/bin/sh' > built; chmod +x built", True),
        ("greet", "rm greet", True),
        ("jq", "true", False),
        ("sh", "true", False),
        ("", "true", False),
    ],
)
async def test_a_program_of_the_project_is_found_after_the_setup_and_the_command(
    tmp_path: Path, program: str, command: str, present: bool
) -> None:
    setup = "mkdir -p .venv/bin; printf '#!/bin/sh' > .venv/bin/made; chmod +x .venv/bin/made"
    pinned = await make_pinned_runner(tmp_path, setup)
    pinned.commit_program("greet")

    result = await pinned.run(command, find_program=program)

    assert result.program_present is present


# An installer as far as Treadle can tell; what it really runs depends on a file of the tree.
INSTALL = "python3 -m venv --without-pip .venv"
SHADOW = """import pathlib, sys
folder = pathlib.Path(sys.argv[-1])
folder.mkdir(parents=True)
(folder / "pyvenv.cfg").write_text("forged\\n")
"""


async def test_the_setup_of_the_base_serves_the_pinned_tree(tmp_path: Path) -> None:
    pinned = await make_pinned_runner(tmp_path, INSTALL)
    await pinned.run("true")
    pinned.harness.commit(**{"app.sh": "exit 0\n", "check.sh": "exit 0\n"})
    await pinned.run("true")

    await pinned.run("true", pinned.pins({"check.sh": "restored"}))

    assert pinned.setups == 1


async def test_a_setup_that_ran_on_the_work_never_serves_the_pinned_tree(tmp_path: Path) -> None:
    pinned = await make_pinned_runner(tmp_path, INSTALL)
    pinned.harness.commit(**{"venv.py": SHADOW, "pyproject.toml": "[tool.x]\n"})
    pins = pinned.pins({"venv.py": "left_out"})

    on_work = await pinned.run("cat .venv/pyvenv.cfg")
    first = await pinned.run("grep -c version .venv/pyvenv.cfg", pins)
    again = await pinned.run("grep -c version .venv/pyvenv.cfg", pins)

    assert on_work.output == "forged\n"
    assert (first.output, again.output, pinned.setups) == ("1\n", "1\n", 2)


async def test_a_pinned_tree_with_other_manifests_has_a_setup_of_its_own(tmp_path: Path) -> None:
    pinned = await make_pinned_runner(
        tmp_path, "cat package.json > installed", {"package.json": "base\n"}
    )
    pinned.harness.commit(**{"package.json": "work\n"})
    merged = PinnedFile("package.json", "merged", "", b"merged\n")

    on_work = await pinned.run("cat installed")
    result = await pinned.run("cat installed package.json", PinPlan(pinned.base, (merged,)))
    again = await pinned.run("cat installed")

    assert (on_work.output, result.output) == ("work\n", "merged\nmerged\n")
    assert (again.output, pinned.setups) == ("work\n", 2)


async def test_a_setup_waits_on_a_pinned_tree_that_lacks_its_files(tmp_path: Path) -> None:
    pinned = await make_pinned_runner(tmp_path, "sh setup.sh")
    pinned.harness.commit(**{"setup.sh": "touch installed\n"})

    on_work = await pinned.run("ls installed")
    result = await pinned.run("ls", pinned.pins({"setup.sh": "left_out"}))

    assert output_lines(on_work) == ["installed"]
    assert output_lines(result) == ["SPEC.md", "app.sh", "check.sh", "data.txt"]
