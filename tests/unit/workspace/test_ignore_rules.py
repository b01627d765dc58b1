"""Ignore rules are read as git reads them."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.workspace.ignore_rules import IgnoreRules, parse_ignore_file

from .real_git import Repository, empty_repository

PATTERNS = [
    *(".venv/", "node_modules", "*.py[co]", "/build", "dist/**", "**/cache/", "a/**/b", "*.log"),
    *("!keep.log", "doc/*.txt", "/a/b/", "\\#hash", "\\!bang", "trailing\\ ", "blank  ", "[!a]x"),
    *("[[:digit:]]*", "**", "*", "!*/", "!*.c", "a?c", "[a-c]d", "x[", "lib/", "/*", "!/src"),
    *("**/", "/", "!", "#comment", "", "a\\*b", "**/a/*", "foo**bar", "]", "[]]", "[^b-]", "\\"),
    *("a/", "!a/", "b", "!b", "!a/b", "src/**", "!src/a", "/**/c", "[\\]]", "é*"),
    *("[z-a]", "x[z-a]", "[!c-a]x", "[\\z-a]", "[c-ab]d"),
]
PATHS = [
    *(".venv/lib/zz.pth", "src/.venv/bin/git", "node_modules/.bin/jest", "web/node_modules/x/y"),
    *("a.pyc", "build", "build/x", "src/build", "dist", "dist/a/b", "x/cache/y", "cache", "a/b"),
    *("a/x/y/b", "a/b/c", "keep.log", "x/keep.log", "o.log", "doc/a.txt", "doc/x/a.txt", "#hash"),
    *("!bang", "trailing ", "trailing", "blank", "bx", "ax", "1", "a.c", "abc", "bd", "src/a", "c"),
    *("src/lib/q", "lib", "a*b", "foo/bar", "fooxbar", "]", "b-", "-", "x/]", "B", "élan", ".env"),
]


def git_ignores(repository: Repository, paths: list[str]) -> set[str]:
    asked = subprocess.run(
        ["git", "-C", str(repository.path), "check-ignore", "--no-index", "-z", "--stdin"],
        env=dict(repository.environment),
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    assert asked.returncode in (0, 1), asked.stderr
    return set(asked.stdout.decode().split("\0")[:-1])


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return empty_repository(tmp_path_factory.mktemp("ignored"))


LINES = st.lists(st.sampled_from(PATTERNS), max_size=6)


@settings(max_examples=40, deadline=None)
@given(top=LINES, nested=LINES, excludes=LINES)
def test_a_path_is_covered_if_git_ignores_it(
    repository: Repository, top: list[str], nested: list[str], excludes: list[str]
) -> None:
    texts = ["\n".join(lines) + "\n" for lines in (top, nested, excludes)]
    (repository.path / "src").mkdir(exist_ok=True)
    for name, text in zip(
        (".gitignore", "src/.gitignore", ".git/info/exclude"), texts, strict=True
    ):
        (repository.path / name).write_text(text)

    rules = IgnoreRules(
        {"": parse_ignore_file(texts[0]), "src/": parse_ignore_file(texts[1])},
        parse_ignore_file(texts[2]),
    )

    covered = {path for path in PATHS if rules.covers(path)}
    assert covered == git_ignores(repository, PATHS)


def test_case_counts_unless_the_disk_ignores_it() -> None:
    exact, folded = (
        IgnoreRules(everywhere=parse_ignore_file(".venv/\n", fold_case=fold))
        for fold in (False, True)
    )

    assert [rules.covers(".VENV/bin/git") for rules in (exact, folded)] == [False, True]


def test_a_tracked_path_is_not_new_and_treadles_own_files_always_are() -> None:
    rules = IgnoreRules(everywhere=parse_ignore_file("*.log\n"), tracked=frozenset({"a.log"}))
    paths = ["a.log", "b.log", ".treadle-notes.md", ".treadle/x", "app.py"]

    assert [path for path in paths if rules.covers_new(path)] == [
        *("b.log", ".treadle-notes.md", ".treadle/x")
    ]
