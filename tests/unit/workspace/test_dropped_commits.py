"""Which commits of a session are no part of the work, as tables."""

import hashlib

from treadle.workspace.dropped_commits import (
    CommitNode,
    DroppedCommits,
    choose_dropped,
    count_commits,
    number_refs,
    parse_commit,
)

FIRST = CommitNode("first", ("base",), 1)
SECOND = CommitNode("second", ("first",), 2)
AMENDED = CommitNode("amended", ("first",), 3)
FOLDER = "refs/treadle/backup/run/dropped"


def test_a_session_whose_commits_are_all_in_the_work_dropped_none() -> None:
    assert choose_dropped([FIRST, SECOND], {"first", "second"}, 9) == DroppedCommits()


def test_the_tips_contain_all_dropped_commits() -> None:
    dropped = choose_dropped([FIRST, SECOND], set(), 9)

    assert dropped == DroppedCommits(("second",))
    assert count_commits([FIRST, SECOND], dropped.tips) == 2


def test_a_commit_that_was_amended_is_dropped_and_its_parent_is_not() -> None:
    assert choose_dropped([FIRST, SECOND, AMENDED], {"first", "amended"}, 9) == DroppedCommits(
        ("second",)
    )


def test_the_newest_tips_are_kept_if_there_are_too_many() -> None:
    commits = [CommitNode(f"c{number}", (), number) for number in range(5)]

    assert choose_dropped(commits, set(), 2) == DroppedCommits(("c4", "c3"), left_out=3)


def test_commits_that_name_each_other_as_parents_end() -> None:
    commits = [CommitNode("a", ("b",)), CommitNode("b", ("a",))]

    assert count_commits(commits, ("a",)) == 2


def test_refs_are_numbered_after_those_that_exist_and_none_is_made_twice() -> None:
    kept = {f"{FOLDER}/9": "x", f"{FOLDER}/10": "y"}

    assert number_refs(("x", "z"), kept, FOLDER) == {f"{FOLDER}/11": "z"}


def test_a_commit_is_only_believed_under_its_own_name() -> None:
    text = b"tree 1\nparent " + b"a" * 40 + b"\ncommitter A <a> 7 +0000\n\nparent of all"
    content = b"commit %d\0" % len(text) + text
    name = hashlib.sha1(content, usedforsecurity=False).hexdigest()

    assert parse_commit(name, content) == CommitNode(name, ("a" * 40,), 7)
    assert parse_commit("b" * 40, content) is None
    assert parse_commit(name, content.replace(b"commit", b"blob")) is None
