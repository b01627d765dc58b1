"""Landing starts no program that the user's git settings and the agent's files could name."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from treadle.domain.ids import RunId
from treadle.workspace.checkout_landing import (
    LandedCommit,
    LandingOutcome,
    LandingRefused,
    land,
    land_files,
)
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.project import Project
from treadle.workspace.snapshot import Snapshot

from .real_git import (
    BRANCH,
    RUN,
    Repository,
    Run,
    environment_in,
    import_run,
    repository_in,
    run_on,
)

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 7\n"
TRACE = "a-program-ran"
# Writes a file beside the project, and what it reads in capitals.
SCRIPT = "#!/bin/sh\ntouch {trace}\ntr a-z A-Z\n"


@dataclass(frozen=True)
class FilterCase:
    """How the user has set up git, and what the agent adds to have its program started."""

    name: str
    set_up: Callable[[Repository], None]
    files: tuple[tuple[str, str], ...] = (("new.dat", "data\n"),)


def configured(user: Repository, setting: str, level: str = "--local") -> None:
    user.git("config", level, f"filter.{setting}", "sh tools/render.sh")


def attributes(user: Repository, line: str = "*.dat filter=render") -> None:
    user.commit("Attributes", **{".gitattributes": f"{line}\n"})


def smudge(user: Repository, level: str = "--local", line: str = "*.dat filter=render") -> None:
    configured(user, "render.smudge", level)
    attributes(user, line)


def process(user: Repository) -> None:
    configured(user, "render.process")
    attributes(user)


def changed_file(user: Repository) -> None:
    user.commit("Data", **{"old.dat": "old\n"})
    smudge(user)


def global_attributes(user: Repository) -> None:
    configured(user, "render.smudge")
    path = user.path.parent / "attributes"
    path.write_text("*.dat filter=render\n")
    user.git("config", "--global", "core.attributesFile", str(path))


def attributes_of_the_repository(user: Repository) -> None:
    configured(user, "render.smudge")
    (user.git_dir / "info").mkdir(exist_ok=True)
    (user.git_dir / "info/attributes").write_text("*.dat filter=render\n")


def required_both_ways(user: Repository) -> None:
    for setting in ("render.smudge", "render.clean"):
        configured(user, setting)
    user.git("config", "filter.render.required", "true")
    attributes(user)


def odd_name(user: Repository) -> None:
    user.git("config", "filter.a.b c.smudge", "sh tools/render.sh")
    attributes(user)


CASES = [
    FilterCase("local", smudge),
    FilterCase("global", lambda user: smudge(user, "--global")),
    FilterCase("process", process),
    FilterCase(
        "agent's attributes",
        lambda user: configured(user, "render.smudge"),
        ((".gitattributes", "*.dat filter=render\n"), ("new.dat", "data\n")),
    ),
    FilterCase(
        "nested attributes",
        lambda user: configured(user, "render.smudge"),
        (("z/.gitattributes", "*.dat filter=render\n"), ("z/new.dat", "data\n")),
    ),
    FilterCase(
        "macro of the agent's",
        lambda user: configured(user, "render.smudge"),
        ((".gitattributes", "[attr]drawn filter=render\n*.dat drawn\n"), ("new.dat", "data\n")),
    ),
    FilterCase("global attributes", global_attributes),
    FilterCase("attributes of the repository", attributes_of_the_repository),
    FilterCase("required", required_both_ways),
    FilterCase("changed file", changed_file,
               (("old.dat", "data\n"),)),
    FilterCase(
        "name with a dot and a blank",
        odd_name,
        ((".gitattributes", "*.dat filter=a.b\\ c\n*.dat filter=render\n"), ("new.dat", "data\n")),
    ),
]  # fmt: skip


async def worked(user: Repository, files: dict[str, str]) -> tuple[Run, ImportedBranch]:
    """A run that also rewrites the program of the user's filter."""
    run = await run_on(user)
    agents = {**files, "tools/render.sh": SCRIPT.format(trace=trace_of(user))}
    run.agent.commit("Work", **agents)
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    return run, imported


def trace_of(user: Repository) -> Path:
    return user.path.parent / TRACE


def project_with_filter_program(directory: Path) -> Repository:
    user = repository_in(directory)
    user.commit("A program", **{"tools/render.sh": "cat\n"})
    return user


Landing = Callable[[Project, Snapshot, ImportedBranch, RunId], Awaitable[LandingOutcome]]
LANDINGS = pytest.mark.parametrize("landing", [land, land_files])


@LANDINGS
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_work_that_needs_a_filter_is_kept_and_the_filter_never_runs(
    tmp_path: Path, case: FilterCase, landing: Landing
) -> None:
    user = project_with_filter_program(tmp_path)
    case.set_up(user)
    run, imported = await worked(user, dict(case.files))
    before = user.state()

    outcome = await landing(run.project, run.snapshot, imported, RUN)

    assert not trace_of(user).exists()
    if case.name == "name with a dot and a blank":  # git takes no such name from attributes
        assert outcome == LandedCommit(imported.commit)
        return
    path = case.files[-1][0]
    assert outcome == LandingRefused(
        f"{path} would pass the filter 'render' of your git, and landing starts no program: "
        "see what the work changes with `treadle diff`, then merge it yourself",
        f"git merge {BRANCH}",
    )
    assert user.state() == before


def lfs_stub(directory: Path) -> dict[str, str]:
    """A `git-lfs` on PATH that leaves a trace of each call."""
    programs = directory / "programs"
    programs.mkdir()
    stub = programs / "git-lfs"
    stub.write_text(f"#!/bin/sh\ntouch '{directory / TRACE}'\nexit 1\n")
    stub.chmod(0o755)
    return {"PATH": f"{programs}:{environment_in(directory)['PATH']}"}


def project_with_lfs(directory: Path, *, process: bool) -> Repository:
    plain = repository_in(directory)
    user = Repository(plain.path, {**plain.environment, **lfs_stub(directory)})
    # Older than the index, so that git has no reason to read it again.
    os.utime(plain.write("old.bin", POINTER), (1, 1))
    plain.commit("Pointers", **{".gitattributes": "*.bin filter=lfs -text\n"})
    user.git("config", "--global", "filter.lfs.smudge", "git-lfs smudge -- %f")
    user.git("config", "--global", "filter.lfs.clean", "git-lfs clean -- %f")
    user.git("config", "--global", "filter.lfs.required", "true")
    if process:
        user.git("config", "--global", "filter.lfs.process", "git-lfs filter-process")
    return user


@pytest.mark.parametrize("process", [True, False])
@LANDINGS
async def test_a_project_with_pointers_lands_work_that_leaves_them_alone(
    tmp_path: Path, landing: Landing, *, process: bool
) -> None:
    user = project_with_lfs(tmp_path, process=process)
    run, imported = await worked(user, {"new.txt": "text\n", "new.bin": "not a pointer\n"})

    outcome = await landing(run.project, run.snapshot, imported, RUN)

    assert outcome == LandedCommit(imported.commit)
    assert not trace_of(user).exists()
    landed = [(user.path / name).read_text() for name in ("new.txt", "new.bin", "old.bin")]
    assert landed == ["text\n", "not a pointer\n", POINTER]


@LANDINGS
async def test_a_pointer_of_the_agent_asks_no_server(tmp_path: Path, landing: Landing) -> None:
    user = project_with_lfs(tmp_path, process=False)
    planted = {"new.bin": POINTER, ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:9/data\n"}
    run, imported = await worked(user, planted)
    before = user.state()

    outcome = await landing(run.project, run.snapshot, imported, RUN)

    assert isinstance(outcome, LandingRefused)
    assert outcome.reason.startswith("new.bin would pass the filter 'lfs' of your git")
    assert (trace_of(user).exists(), user.state()) == (False, before)


@LANDINGS
async def test_a_filter_that_copies_is_left_out_and_the_work_lands(
    tmp_path: Path, landing: Landing
) -> None:
    user = project_with_filter_program(tmp_path)
    user.git("config", "filter.render.clean", "sh tools/render.sh")
    user.git("config", "filter.render.smudge", "cat")
    attributes(user)
    run, imported = await worked(user, {"new.dat": "data\n"})

    assert await landing(run.project, run.snapshot, imported, RUN) == LandedCommit(imported.commit)

    assert (user.path / "new.dat").read_text() == "data\n"
    assert not trace_of(user).exists()
