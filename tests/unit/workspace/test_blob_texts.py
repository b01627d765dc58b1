"""Files of a commit are read as text, and never more than the bounds allow."""

from pathlib import Path

from tests.unit.workspace.real_git import Repository, repository_in
from treadle.workspace.blob_texts import ReadBounds, read_texts
from treadle.workspace.git import Git


def git_of(repository: Repository) -> Git:
    return Git(repository.path, repository.environment)


async def test_files_and_folders_are_read_by_path(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    commit = user.commit(
        **{
            "specs/one.md": "one\n",
            "specs/deep/two.md": "two\n\n",
            "a*b.py": "star\n",
            "axb.py": "no\n",
            "empty.py": "",
        }
    )

    texts = await read_texts(git_of(user), commit, ["specs", "a*b.py", "empty.py", "not/there"])

    assert texts == {
        "specs/one.md": "one\n",
        "specs/deep/two.md": "two\n\n",
        "a*b.py": "star\n",
        "empty.py": "",
    }
    assert await read_texts(git_of(user), commit, []) == {}
    assert await read_texts(git_of(user), commit, ["not/there"]) == {}


async def test_what_is_too_large_binary_or_a_link_is_left_out(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    (user.path / "link.py").symlink_to("b.py")
    (user.path / "data.bin").write_bytes(b"\0b")
    (user.path / "latin.py").write_bytes(b"\xe9t\xe9\n")
    commit = user.commit(**{"large.py": "x" * 11, "b.py": "b" * 8, "c.py": "c" * 8, "d.py": "d"})
    names = ["large.py", "b.py", "c.py", "d.py", "link.py", "data.bin", "latin.py"]

    bounds = ReadBounds(file_bytes=10, total_bytes=15)

    assert await read_texts(git_of(user), commit, names, bounds) == {
        "b.py": "b" * 8,
        "d.py": "d",
        "latin.py": "\ufffdt\ufffd\n",
    }
    few = await read_texts(git_of(user), commit, ["b.py", "c.py", "d.py"], ReadBounds(files=2))
    assert list(few) == ["b.py", "c.py"]
