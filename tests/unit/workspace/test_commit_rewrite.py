"""Commits come home under the run's identity, whoever an agent says that made them."""

from pathlib import Path

import pytest

from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.domain.events.run import RunWarned
from treadle.workspace.commit_rewrite import REWRITTEN_REMARK
from treadle.workspace.quarantine import fetch_round

from .real_git import Repository, repository_in
from .workspace_harness import WorkspaceHarness, make_harness

LINUS = {
    "GIT_AUTHOR_NAME": "Linus Torvalds",
    "GIT_AUTHOR_EMAIL": "torvalds@example.org",
    "GIT_COMMITTER_NAME": "Linus Torvalds",
    "GIT_COMMITTER_EMAIL": "torvalds@example.org",
    "GIT_AUTHOR_DATE": "2001-01-01T00:00:00+0100",
    "GIT_COMMITTER_DATE": "2001-01-01T00:00:00+0100",
}
MESSAGE = """Work

Why.

Co-authored-by: Bob <bob@example.com>
Co-Authored-By: Claude <noreply@anthropic.com>
Signed-off-by: Linus Torvalds <torvalds@example.org>
Reviewed-by: Carol <carol@example.com>
Signed-off-by: Ada <ada@example.com>
"""
PEOPLE = "%an <%ae> %cn <%ce>"
ADA_TWICE = "Ada <ada@example.com> Ada <ada@example.com>"


@pytest.fixture
async def harness(tmp_path: Path) -> WorkspaceHarness:
    return await make_harness(
        tmp_path, repository_in(tmp_path), credit_patterns=CLAUDE.credit_patterns
    )


def as_linus(agent: Repository, **changes: str) -> Repository:
    return Repository(agent.path, {**agent.environment, **LINUS, **changes})


def commit(agent: Repository, tree: str, *parents: str, message: str = MESSAGE) -> str:
    """A commit that no hook sees, and the branch on it."""
    words = [word for parent in parents for word in ("-p", parent)]
    made = agent.git("commit-tree", tree, *words, "-m", message)
    agent.git("update-ref", agent.git("symbolic-ref", "HEAD"), made)
    return made


def stage(agent: Repository, **files: str) -> str:
    for name, text in files.items():
        agent.write(name, text)
    agent.git("add", "--all")
    return agent.git("write-tree")


def imported(user: Repository, form: str) -> list[str]:
    [tip] = user.refs("refs/heads/treadle").values()
    return user.git("log", f"--format={form}", f"main..{tip}").split("\n")


async def test_author_dates_and_credits_are_set_at_the_import(harness: WorkspaceHarness) -> None:
    commit(as_linus(harness.agent), stage(harness.agent, one="1"), "HEAD")

    first = await harness.round()

    assert imported(harness.user, PEOPLE) == [ADA_TWICE]
    assert harness.user.git("log", "-1", "--format=%B", first.tip).split("\n") == [
        *("Work", "", "Why.", "", "Co-authored-by: Bob <bob@example.com>"),
        *("Signed-off-by: Ada <ada@example.com>", ""),
    ]
    times = harness.user.git("log", "-1", "--format=%at %ct", first.tip).split(" ")
    started = harness.user.git("log", "-1", "--format=%ct", "main")
    assert times[0] == times[1] >= started
    assert RunWarned(REWRITTEN_REMARK) in harness.events
    assert (harness.agent.head, harness.agent.git("status", "--porcelain")) == (first.tip, "")


@pytest.mark.parametrize(
    "changes",
    [
        {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com"},
        {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com"},
        {"GIT_AUTHOR_DATE": "2099-01-01T00:00:00+0000"},
    ],
)
async def test_one_wrong_part_is_enough(harness: WorkspaceHarness, changes: dict[str, str]) -> None:
    agent = as_linus(harness.agent, **changes)
    commit(agent, stage(harness.agent, one="1"), "HEAD", message="Work")

    await harness.round()

    assert imported(harness.user, PEOPLE) == [ADA_TWICE]
    [year] = imported(harness.user, "%ad")
    assert ("2001" in year, "2099" in year) == (False, False)


async def test_a_signature_of_somebody_else_is_left_out(harness: WorkspaceHarness) -> None:
    made = harness.agent.commit("Work", one="1")
    text = harness.agent.git("cat-file", "commit", made)
    header, _, message = text.partition("\n\n")
    signed = f"{header}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n\n{message}\n"
    raw = harness.agent.write(".git/raw", signed)
    forged = harness.agent.git("hash-object", "-t", "commit", "-w", str(raw))
    harness.agent.git("update-ref", harness.agent.git("symbolic-ref", "HEAD"), forged)

    imported_tip = await harness.round()

    assert imported_tip.tip == made


async def test_merges_stay_merges_and_honest_commits_below_keep_their_names(
    harness: WorkspaceHarness,
) -> None:
    honest = harness.agent.commit("Honest", one="1")
    linus = as_linus(harness.agent)
    side = commit(linus, stage(harness.agent, side="1"), honest, message="Side")
    main = commit(linus, stage(harness.agent, main="1"), honest, message="Main")
    commit(linus, stage(harness.agent, both="1"), main, side, message="Both")

    await harness.round()

    lines = imported(harness.user, "%s %P")
    assert [line.split(" ")[0] for line in lines] == ["Both", "Main", "Side", "Honest"]
    assert len(lines[0].split(" ")) == 3
    assert lines[1].split(" ")[1] == lines[2].split(" ")[1] == honest
    assert set(imported(harness.user, PEOPLE)) == {ADA_TWICE}


async def test_the_next_session_goes_on_from_what_was_imported(harness: WorkspaceHarness) -> None:
    commit(as_linus(harness.agent), stage(harness.agent, one="1"), "HEAD")
    first = await harness.round()
    harness.agent.write("two", "2")
    second = await harness.round()
    third = harness.agent.commit("Mine", three="3")

    assert (await harness.round()).tip == third
    assert harness.user.git("rev-list", f"main..{third}").splitlines() == [
        *(third, second.tip, first.tip),
    ]


async def test_commits_of_the_user_keep_their_names(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    other = as_linus(user)
    other.git("checkout", "--quiet", "-b", "other")
    theirs = other.commit("Theirs", other="1")
    user.git("checkout", "--quiet", "main")
    harness = await make_harness(tmp_path, user)
    harness.agent.git("merge", "--quiet", "--no-ff", "-m", "Merge", theirs)
    tip = harness.agent.head

    assert (await harness.round()).tip == tip


async def test_an_import_that_is_repeated_gives_the_same_commits(harness: WorkspaceHarness) -> None:
    agent = as_linus(harness.agent, GIT_COMMITTER_DATE="2099-01-01T00:00:00+0000")
    made = commit(agent, stage(harness.agent, one="1"), "HEAD")
    first = await harness.round()
    # As if the process had died before the clone went on from the import.
    harness.agent.git("update-ref", harness.agent.git("symbolic-ref", "HEAD"), made)
    harness.workspace._imported_tip = None
    harness.workspace.imported = None

    again = await harness.round()

    assert (again, harness.agent.head) == (first, first.tip)
    assert harness.user.refs("refs/treadle/backup") == {}
    clone = harness.workspace._clone
    assert (await fetch_round(clone, made, clone.base)).time > 0


async def test_what_was_set_aside_comes_home_under_the_runs_identity(
    harness: WorkspaceHarness,
) -> None:
    start = harness.agent.head
    harness.agent.commit("Work", one="1")
    await harness.round()
    tree = stage(harness.agent, one="other")
    made = as_linus(harness.agent).git("commit-tree", tree, "-p", start, "-m", "Aside")
    harness.agent.git("update-ref", f"refs/treadle/aside/{made}", made)
    harness.agent.git("reset", "--quiet", "--hard")
    harness.agent.write("two", "2")

    await harness.round()

    [(name, aside)] = harness.user.refs("refs/treadle/aside").items()
    assert name.endswith(f"/{aside}")
    assert harness.user.git("log", "-1", f"--format={PEOPLE}", aside) == ADA_TWICE
