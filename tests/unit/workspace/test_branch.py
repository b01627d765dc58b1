"""A run's branch is named after its specification, and git accepts the name."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.workspace.branch import branch_name, slug, title_of

from .real_git import RUN


@pytest.mark.parametrize(
    ("specification", "expected"),
    [
        ("# Todo app\n\nText", "todo-app"),
        ("Some words first\n\n## The heading\n", "the-heading"),  # a heading says more
        ("Add a --json flag to the export command", "add-a-json-flag-to-the-export-command"),
        ("---\ntitle: x\n---\n# Real title", "real-title"),
        ("--- no front matter", "no-front-matter"),
        ("# Überblick: Größe", "uberblick-groe"),
        ("# 你好\n\nworld", "world"),
        ("#hashtag", "hashtag"),
        ("", "work"),
        ("\n \n***\n", "work"),
        ("# " + "x" * 100, "x" * 40),
        ("# " + "word " * 20, "word-word-word-word-word-word-word-word"),
        ("# ../..//@{0}.lock", "0-lock"),
    ],
)
def test_slugs(specification: str, expected: str) -> None:
    assert slug(specification) == expected


@pytest.mark.parametrize(
    ("specification", "expected"),
    [
        ("Some words first\n\n## The heading\n", "The heading"),
        ("---\ntitle: x\n---\n# Real title", "Real title"),
        ("# Überblick: Größe", "Überblick: Größe"),
        ("\nAdd a --json flag\nto the export", "Add a --json flag"),
        ("#\n\nText", "Text"),
        ("", ""),
    ],
)
def test_titles(specification: str, expected: str) -> None:
    assert title_of(specification) == expected


def test_a_branch_ends_with_what_people_type() -> None:
    assert branch_name("# Todo app", RUN) == "treadle/todo-app-9abcdef0"


@settings(max_examples=40, deadline=None)
@given(st.text())
def test_git_accepts_every_name(specification: str) -> None:
    ref = f"refs/heads/{branch_name(specification, RUN)}"

    checked = subprocess.run(["git", "check-ref-format", ref], check=False)

    assert checked.returncode == 0
    assert ref.isascii()
