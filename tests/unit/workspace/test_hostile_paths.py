"""Paths that an agent makes by the thousand, or with thousands of parts, cost no time and no memory
that counts: a run that waits for hours is lost, and so is its resume."""

import subprocess

import pytest

from treadle.domain.events.work import IGNORED_FILE, PROTECTED_PATH, SECRET_FILE, WithheldPath
from treadle.policy.named_files import ProjectFiles, named_files
from treadle.workflows.loop.withheld_files import (
    MAX_NAMED,
    MAX_RECORDED,
    withheld_commits_text,
    withheld_event,
    withheld_prompt,
    withheld_reason,
)
from treadle.workspace import agent_tree
from treadle.workspace.ignore_rules import IgnoreRules, parse_ignore_file
from treadle.workspace.secret_files import is_secret_name

from .real_git import Repository, repository_in
from .workspace_harness import make_harness

# Looked at part by part from each part, one of these takes seconds.
DEEP = ["/".join(["a"] * 1_900), "/".join([".a"] * 1_300), "/".join(["node_modulesx"] * 280)]
RULES = "node_modules\n*.py[co]\n**/build/out\ndist/**\n/lib/\nx/**/y\n.venv/\n!keep\n" * 3
MANY = 100_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("folder", DEEP)
def test_deep_paths_are_compared_with_ignore_rules_and_names_of_secrets(folder: str) -> None:
    rules = IgnoreRules({"": parse_ignore_file(RULES), "a/a/": parse_ignore_file("*.log\n")})

    for number in range(40):
        assert not rules.covers_new(f"{folder}/{number}")
        assert not is_secret_name(f"{folder}/{number}")

    assert rules.covers_new(f"{folder}/node_modules/x")
    assert is_secret_name(f"{folder}/.aws/credentials")
    assert is_secret_name(f".ssh/{folder}")


# An agent writes ignore files, too. Tried from every place, each would take years.
PATTERNS = [
    "*a" * 40 + "*b",
    "*?" * 30 + "*[!a-z]",
    "**/a/" * 30 + "b",
    "a*" * 100 + "/b",
    "[" * 9_999,
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pattern", [*PATTERNS, "**/*a*a*a*a/" * 20 + "*b"], ids=lambda text: text[:9]
)
def test_a_pattern_of_many_stars_is_compared_in_a_moment(pattern: str) -> None:
    rules = IgnoreRules({"": parse_ignore_file(f"{pattern}\n*.log\n")})

    for path in ("a" * 250, "a/" * 2_000 + "a", "/".join(["a" * 250] * 15)):
        assert not rules.covers_new(path)
        assert rules.covers_new(f"{path}.log")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", [IGNORED_FILE, SECRET_FILE, PROTECTED_PATH, "a key"])
def test_any_number_of_withheld_paths_is_told_in_few_words(kind: str) -> None:
    paths = [WithheldPath(f".venv/{number}", 0, kind) for number in range(MANY)]

    reason = withheld_reason(paths, paths[: MANY // 2])

    assert reason.count(".venv/") == MAX_NAMED
    assert withheld_prompt(paths).count(".venv/") <= MAX_RECORDED
    assert withheld_commits_text(paths).count(".venv/") == MAX_NAMED
    event = withheld_event(paths)
    assert (len(event.places), event.more) == (MAX_RECORDED, MANY - MAX_RECORDED)


@pytest.mark.timeout(60)
def test_names_with_blanks_are_found_among_any_number_of_others() -> None:
    odd = [f"notes of {number}/a b" for number in range(MANY)]
    files = ProjectFiles.of([*odd, "my tools/lint all.sh", "app/(home)/run me"])
    text = "import os\n" * 2_000 + 'sh "my tools/lint all.sh"\nexec app/(home)/run me\n'

    for _ in range(100):
        found = named_files(text, "", files)

    assert found == {"my tools/lint all.sh", "app/(home)/run me"}


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_tree_that_unfolds_to_millions_of_paths_is_left_out_and_the_files_come_home(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Git needs several times as much for it.
    monkeypatch.setattr(agent_tree, "LEAST_MEMORY", 200 << 20)
    harness = await make_harness(repository.path.parent, repository)
    agent = harness.agent
    agent.write("new", "work")
    entry = f"100644 blob {agent.git('hash-object', '-w', 'new')}"
    for _ in range(7):
        names = "".join(f"{entry}\td{number}\n" for number in range(10))
        entry = f"040000 tree {make_tree(agent, names)}"
    top = make_tree(agent, f"{agent.git('ls-tree', 'HEAD')}\n{entry}\tbomb\n")
    agent.git("update-ref", "HEAD", agent.git("commit-tree", top, "-p", "HEAD", "-m", "Work"))

    await harness.round()

    files = harness.imported_files()
    assert files["new"] == "work"
    assert not any(path.startswith("bomb") for path in files)


def make_tree(agent: Repository, entries: str) -> str:
    made = subprocess.run(
        ["git", "-C", str(agent.path), "mktree"],
        env=dict(agent.environment),
        input=entries.encode(),
        capture_output=True,
        check=True,
    )
    return made.stdout.decode().strip()


@pytest.fixture
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return repository_in(tmp_path_factory.mktemp("hostile"))
