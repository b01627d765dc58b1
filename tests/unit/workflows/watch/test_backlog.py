"""The files of a backlog: which are items, in which order, and how one is removed safely."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.prompt import FocusFacts, ReviewScope, focus_prompt
from treadle.workflows.focus.workflow import LONGEST_WORDS
from treadle.workflows.watch.backlog import (
    BacklogItem,
    forget_reason,
    look_at,
    read_items,
    remove_item,
    restore_items,
    version_of,
    write_reason,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ".treadle" / "backlog"
    folder.mkdir(parents=True)
    return folder


def item(name: str, text: str) -> BacklogItem:
    return BacklogItem(name, version_of(text.encode()), text)


def test_items_come_in_the_order_of_their_names_without_hidden_files_and_reasons(
    tmp_path: Path, folder: Path
) -> None:
    for name in ("020.md", "010.txt", ".030.md.swp", "010.txt.failed.txt"):
        (folder / name).write_text(name)
    (folder / "folder").mkdir()
    issues = tmp_path / ".treadle" / "spec-issues"
    issues.mkdir()
    (issues / "unclear.md").write_text("Which?")

    view = look_at(tmp_path, "specs")

    assert [(each.name, each.has_reason) for each in view.items] == [
        ("010.txt", True),
        ("020.md", False),
    ]
    assert view.issues == ("unclear.md",)
    assert view.changed_at is not None


def test_a_project_without_a_backlog_has_no_items(tmp_path: Path) -> None:
    view = look_at(tmp_path, "specs")

    assert (view.items, view.issues, view.changed_at) == ((), (), None)


def test_a_done_item_is_removed_with_its_reason(tmp_path: Path, folder: Path) -> None:
    (folder / "010.md").write_text("Do it.")
    assert write_reason(tmp_path, "010.md", "stuck") == ".treadle/backlog/010.md.failed.txt"

    assert remove_item(tmp_path, item("010.md", "Do it."))

    assert list(folder.iterdir()) == []
    # After a crash it is removed again.
    assert remove_item(tmp_path, item("010.md", "Do it."))


def test_an_item_that_was_changed_meanwhile_stays_as_it_is(tmp_path: Path, folder: Path) -> None:
    (folder / "010.md").write_text("Do it twice.")

    assert not remove_item(tmp_path, item("010.md", "Do it."))

    assert [(each.name, each.read_text()) for each in folder.iterdir()] == [
        ("010.md", "Do it twice.")
    ]


def test_what_an_interrupted_removal_moved_away_is_put_back(tmp_path: Path, folder: Path) -> None:
    (folder / ".010.md.removed").write_text("Do it.")
    (folder / ".020.md.removed").write_text("Do it.")
    (folder / "020.md").write_text("Do something else.")

    restore_items(tmp_path)

    texts = [(each.name, each.text) for each in look_at(tmp_path, "specs").items]
    assert texts == [("010.md", "Do it."), ("020.md", "Do something else.")]
    assert (folder / ".020.md.removed").exists()


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda at: at.joinpath("a.md").symlink_to(at.parents[1] / "secret"), "it is a link"),
        (lambda at: at.joinpath("a.md").symlink_to("/dev/zero"), "it is a link"),
        (lambda at: at.joinpath("a.md").symlink_to("gone"), "it is a link"),
        (
            lambda at: at.joinpath(f"{'n' * 198}.md").write_text("x"),
            "its name has more than 200 bytes",
        ),
        (lambda at: Path(os.fsdecode(os.fsencode(at) + b"/\xff.md")).write_text("x"), "not UTF-8"),
        # Of longer ones no session would read the end.
        (lambda at: at.joinpath("a.md").write_text("x" * 30_001), "more than 30,000 characters"),
        (lambda at: at.joinpath("a.md").write_text("€" * 30_001), "more than 30,000 characters"),
        (lambda at: at.joinpath("a.md").write_bytes(bytes(9_000_000)), "more than 30,000 char"),
    ],
)
def test_a_file_that_cannot_be_an_item_is_named(
    tmp_path: Path, folder: Path, make: Callable[[Path], object], reason: str
) -> None:
    (tmp_path / "secret").write_text("hunter2")
    make(folder)

    with pytest.raises(ProjectError, match=reason) as caught:
        look_at(tmp_path, "specs")

    caught.value.message.encode()


@pytest.mark.parametrize("name", [".treadle", ".treadle/backlog", ".treadle/spec-issues"])
def test_files_behind_a_link_are_no_items(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "backlog").mkdir(parents=True)
    (elsewhere / "id_ed25519").write_text("key")
    link = tmp_path / "project" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)

    with pytest.raises(ProjectError, match="is a link"):
        look_at(tmp_path / "project", "specs")


def test_an_item_that_cannot_be_removed_is_an_error_with_a_hint(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "010.md").write_text("Do it.")
    (folder / ".010.md.removed" / "x").mkdir(parents=True)

    with pytest.raises(ProjectError, match=r"cannot remove .*010\.md"):
        remove_item(tmp_path, item("010.md", "Do it."))


def test_a_reason_that_cannot_be_written_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ProjectError) as caught:
        write_reason(tmp_path, "010.md", "stuck")

    assert caught.value.hint == "make its folder writable, or remove what is in its place"


def test_an_item_of_the_longest_size_is_in_the_prompts_of_its_run_to_its_last_word(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "010.md").write_text(f"{'€' * (LONGEST_WORDS - 9)}the end.\n")

    [item] = look_at(tmp_path, "specs").items

    facts = FocusFacts(item.text, "specs")
    for instruction in ("planning", "task", "review"):
        prompt = focus_prompt(instruction, "Do it.", facts, FocusHistory(), ReviewScope())
        assert "the end.\n" in prompt
        assert "left out" not in prompt


@pytest.mark.parametrize(
    "name",
    [
        "a.md~",
        "#a.md#",
        "#a.md",
        "~a.md",
        "a.md.orig",
        "a.md.save",
        "a.md.bak",
        "4913",
        ".a.md.swp",
    ],
)
def test_what_an_editor_leaves_beside_an_item_is_none(
    tmp_path: Path, folder: Path, name: str
) -> None:
    (folder / name).write_text("Do it.")

    assert look_at(tmp_path, "specs").items == ()


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_file_without_text_is_no_item_yet(tmp_path: Path, folder: Path, text: str) -> None:
    (folder / "a.md").write_text(text)

    assert look_at(tmp_path, "specs").items == ()


def test_a_file_that_is_gone_when_it_is_read_is_no_item(folder: Path) -> None:
    # Editors write a temporary file and rename it.
    (folder / "a.md").write_text("Do it.")

    assert [each.name for each in read_items((folder / "a.md", folder / "b.md"))] == ["a.md"]


def test_each_item_has_a_reason_of_its_own(tmp_path: Path, folder: Path) -> None:
    for name in ("a.md", "a.txt"):
        (folder / name).write_text("Do it.")
    write_reason(tmp_path, "a.md", "stuck")

    reasons = {each.name: each.has_reason for each in look_at(tmp_path, "specs").items}

    assert reasons == {"a.md": True, "a.txt": False}


@pytest.mark.parametrize("act", [forget_reason, lambda at, name: write_reason(at, name, "stuck")])
def test_a_folder_in_the_place_of_a_reason_is_an_error_with_a_hint(
    tmp_path: Path, folder: Path, act: Callable[[Path, str], object]
) -> None:
    (folder / "010.md.failed.txt").mkdir()

    with pytest.raises(ProjectError, match=r"cannot remove .*010\.md\.failed\.txt"):
        act(tmp_path, "010.md")


def test_a_reason_is_written_into_a_file_of_its_own_and_never_through_a_link(
    tmp_path: Path, folder: Path
) -> None:
    (tmp_path / "rc").write_text("mine")
    for name, target in (("a.md", "rc"), ("b.md", "gone")):
        (folder / f"{name}.failed.txt").symlink_to(tmp_path / target)
        write_reason(tmp_path, name, "stuck")

    assert (folder / "a.md.failed.txt").read_text() == "stuck\n"
    assert (tmp_path / "rc").read_text() == "mine"
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize("name", [".x.md.removed/y", "..removed", ".removed"])
def test_what_no_removal_has_moved_away_is_left_where_it_is(
    tmp_path: Path, folder: Path, name: str
) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("Do it.")
    (folder / ".l.md.removed").symlink_to("..removed")

    restore_items(tmp_path)

    assert (folder / name).exists()
    assert not (folder / "l.md").is_symlink()


def test_nothing_is_restored_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".x.md.removed").write_text("Theirs.")
    (tmp_path / ".treadle").mkdir()
    (tmp_path / ".treadle" / "backlog").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ProjectError, match="is a link"):
        restore_items(tmp_path)


def test_more_items_than_can_be_read_at_each_look_are_an_error(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "0.md").write_text("x" * 30_000)
    for number in range(1, 1_001):
        (folder / f"{number}.md").hardlink_to(folder / "0.md")

    with pytest.raises(ProjectError, match="has more than 1,000 items"):
        look_at(tmp_path, "specs")
