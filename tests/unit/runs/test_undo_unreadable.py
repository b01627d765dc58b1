"""Whatever an agent, or a disk, has left in a clone, its run can be dropped and brought back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.unit.runs.old_runs import RunsHarness
from tests.unit.workspace.real_git import Repository

PACKED = "# pack-refs with: peeled fully-peeled sorted \n"
LOST_REFS = "some of its branches and tags cannot be read"


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[RunsHarness]:
    harness = RunsHarness.within(tmp_path)
    yield harness
    harness.close()


def packed(text: str) -> Callable[[Repository], None]:
    """A file of refs that git does not make."""
    return lambda agent: _write_packed(agent, text)


def _write_packed(agent: Repository, text: str) -> None:
    (agent.git_dir / "packed-refs").write_text(text.replace("HEAD", agent.head))


def damaged(name: str) -> Callable[[Repository], None]:
    """An object that is no object any more."""

    def damage(agent: Repository) -> None:
        found = agent.git("rev-parse", name)
        path = agent.git_dir / "objects" / found[:2] / found[2:]
        path.chmod(0o644)
        path.write_bytes(b"damaged")

    return damage


def damaged_branch(agent: Repository) -> None:
    head = agent.head
    agent.commit("Elsewhere", elsewhere="1\n")
    agent.git("branch", "elsewhere")
    agent.git("reset", "--quiet", "--hard", head)
    damaged("elsewhere")(agent)


@pytest.mark.parametrize(
    ("leave", "missing"),
    [
        (packed("no ref\n"), ""),
        (packed(f"{PACKED}HEAD refs/heads/../../x\n"), LOST_REFS),
        (packed(f"{PACKED}{'1' * 40} refs/heads/x\n"), LOST_REFS),
        (packed(f"{PACKED}HEAD refs/heads/z\nHEAD refs/heads/a\n"), ""),
        (damaged_branch, LOST_REFS),
        (damaged("HEAD"), ""),
        (damaged("HEAD^{tree}"), ""),
        (damaged("HEAD:more"), LOST_REFS),
        (damaged("HEAD~1"), ""),
    ],
    ids=["no refs", "name", "no object", "order", "branch", "commit", "tree", "file", "parent"],
)
async def test_what_git_cannot_read_does_not_keep_work_from_being_dropped(
    harness: RunsHarness, leave: Callable[[Repository], None], missing: str
) -> None:
    run = await harness.start()
    run.agent.commit("Work", new="work\n")
    await run.round()
    run.agent.commit("More", more="1\n")
    leave(run.agent)
    run.agent.write("progress.txt", "half\n")
    run.end()

    report = await run.drop()
    await run.undo()

    assert report.missing == missing
    texts = [(run.agent.path / name).read_text() for name in ("new", "more", "progress.txt")]
    assert texts == ["work\n", "1\n", "half\n"]
