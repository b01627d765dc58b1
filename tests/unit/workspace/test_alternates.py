"""The object directories of a project, with its alternates."""

from pathlib import Path

from treadle.workspace.alternates import object_directories


def repository(place: Path, *borrows: str) -> Path:
    info = place / "objects" / "info"
    info.mkdir(parents=True)
    if borrows:
        (info / "alternates").write_text("# borrowed\n" + "".join(f"{line}\n" for line in borrows))
    return place


def test_a_project_without_alternates_has_only_its_own_objects(tmp_path: Path) -> None:
    plain = repository(tmp_path / "plain")

    assert object_directories(plain) == (plain / "objects",)


def test_relative_and_absolute_alternates_are_followed(
    tmp_path: Path,
) -> None:
    last = repository(tmp_path / "last")
    middle = repository(tmp_path / "middle", "../../last/objects", "/nowhere/objects")
    first = repository(tmp_path / "first", str(middle / "objects"))

    assert object_directories(first) == tuple(each / "objects" for each in (first, middle, last))


def test_repositories_that_are_alternates_of_each_other_are_listed_once(tmp_path: Path) -> None:
    one = repository(tmp_path / "one", "../../two/objects")
    two = repository(tmp_path / "two", "../../one/objects")

    assert object_directories(one) == (one / "objects", two / "objects")


def test_a_repository_without_objects_has_none(tmp_path: Path) -> None:
    assert object_directories(tmp_path) == ()


def test_a_linked_worktree_has_the_objects_of_the_main_one(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    linked = main / "worktrees" / "linked"
    linked.mkdir(parents=True)
    (linked / "commondir").write_text("../..\n")

    assert object_directories(linked) == (main / "objects",)
