"""A clean checkout of the pinned tree: the work of a commit, judged by the files of the base."""

import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from treadle.domain.pin_plan import PinAction, PinnedFile, PinPlan
from treadle.workspace.clean_checkout import CleanCheckout
from treadle.workspace.included_files import find_included
from treadle.workspace.pinned_tree import find_tree
from treadle.workspace.project import Project, find_project

from .real_git import Repository, files_of, repository_in
from .test_external_files import IMAGE, SUBMODULE_FILES, pointer, store, with_submodules


@dataclass(frozen=True)
class PinnedProject:
    """A project, the commit of its base, and a place to check out."""

    user: Repository
    project: Project
    base: str
    checkout: CleanCheckout

    def plan(self, actions: Mapping[str, PinAction], *files: PinnedFile) -> PinPlan:
        named = (PinnedFile(path, action, "tests") for path, action in actions.items())
        return PinPlan(self.base, (*files, *named))

    async def texts(self, plan: PinPlan | None, commit: str = "") -> dict[str, str]:
        await self.checkout.prepare(self.project, commit or self.user.head, pins=plan)
        return self.found()

    def found(self) -> dict[str, str]:
        files = files_of(self.checkout.work)
        return {name: text.decode() for name, (_, text) in files.items()}

    def git(self, *arguments: str) -> str:
        """As a command in the checkout would call it."""
        result = subprocess.run(
            ["git", "-C", str(self.checkout.work), *arguments],
            env=dict(self.user.environment),
            capture_output=True,
            check=True,
        )
        return result.stdout.decode().removesuffix("\n")


async def pinned_project(
    directory: Path, user: Repository, files: Mapping[str, str]
) -> PinnedProject:
    base = user.commit("The base", **files)
    project = await find_project(user.path, user.environment)
    return PinnedProject(user, project, base, CleanCheckout(directory / "checkout"))


@pytest.fixture
async def pinned(tmp_path: Path) -> PinnedProject:
    user = repository_in(tmp_path)
    user.git("rm", "--quiet", "-r", ".")
    files = {"app.py": "app = 0\n", "test_it.py": "fails\n", "tests/data.txt": "data\n"}
    return await pinned_project(tmp_path, user, files)


async def test_judges_are_those_of_the_base_and_all_else_is_the_work(
    pinned: PinnedProject,
) -> None:
    user = pinned.user
    (user.path / "tests/data.txt").unlink()
    user.write("unittest.py").chmod(0o755)
    user.commit(**{"app.py": "app = 1\n", "test_it.py": "pass\n", "new.py": "n\n"})
    before, objects = user.state(), user.git("count-objects", "-v")
    actions: dict[str, PinAction] = {
        **{"test_it.py": "restored", "tests/data.txt": "restored", "unittest.py": "left_out"}
    }

    texts = await pinned.texts(pinned.plan(actions))

    assert texts == {
        "app.py": "app = 1\n",
        "new.py": "n\n",
        "test_it.py": "fails\n",
        "tests/data.txt": "data\n",
    }
    assert (user.state(), user.git("count-objects", "-v")) == (before, objects)
    assert sorted(path.name for path in pinned.checkout.directory.iterdir()) == [
        *("home", "index", "work")
    ]


async def test_a_merged_file_has_the_content_of_the_plan(pinned: PinnedProject) -> None:
    pinned.user.write("package.json", "work").chmod(0o755)
    pinned.user.commit()
    merged = PinnedFile("package.json", "merged", "scripts", "gemischt \u00fc\n".encode())

    texts = await pinned.texts(pinned.plan({}, merged))

    assert texts["package.json"] == "gemischt \u00fc\n"
    mode = (pinned.checkout.work / "package.json").stat().st_mode
    assert mode & stat.S_IXUSR
    assert pinned.git("show", ":package.json") == "gemischt \u00fc"


async def test_the_tree_is_named_as_a_commit_of_the_same_files_names_it(
    pinned: PinnedProject,
) -> None:
    user = pinned.user
    tip = user.commit(**{"app.py": "app = 1\n", "test_it.py": "pass\n", "more.py": ""})
    plan = pinned.plan({"test_it.py": "restored", "more.py": "left_out"})

    tree = await pinned.checkout.prepare(pinned.project, tip, pins=plan)

    (user.path / "more.py").unlink()
    user.commit(**{"test_it.py": "fails\n"})
    expected = user.git("rev-parse", "HEAD^{tree}")
    assert (tree, await find_tree(pinned.project, tip, plan)) == (expected, expected)
    assert await find_tree(pinned.project, tip, PinPlan(pinned.base)) == (
        user.git("rev-parse", f"{tip}^{{tree}}")
    )


@pytest.mark.parametrize("missing", ["commit", "base"])
async def test_there_is_no_tree_without_both_commits(pinned: PinnedProject, missing: str) -> None:
    absent, head = "0" * 40, pinned.user.head
    commit, base = (absent, head) if missing == "commit" else (head, absent)
    plan = PinPlan(base, (PinnedFile("test_it.py", "restored", "tests"),))

    assert await find_tree(pinned.project, commit, plan) is None


async def test_a_file_that_became_a_folder_is_a_file_again(pinned: PinnedProject) -> None:
    user = pinned.user
    (user.path / "test_it.py").unlink()
    user.commit(**{"test_it.py/__init__.py": "pass\n", "test_it.py/deep/x": "x\n"})

    texts = await pinned.texts(pinned.plan({"test_it.py": "restored"}))

    assert texts == {"app.py": "app = 0\n", "test_it.py": "fails\n", "tests/data.txt": "data\n"}


@pytest.mark.parametrize("link", [False, True])
async def test_a_folder_that_became_a_file_or_a_link_is_a_folder_again(
    pinned: PinnedProject, link: bool
) -> None:
    user = pinned.user
    (user.path / "tests/data.txt").unlink()
    (user.path / "tests").rmdir()
    if link:
        (user.path / "tests").symlink_to("elsewhere")
    user.commit(**{"elsewhere/data.txt": "other\n"} if link else {"tests": "file\n"})

    texts = await pinned.texts(pinned.plan({"tests/data.txt": "restored"}))

    assert texts["tests/data.txt"] == "data\n"
    assert not (pinned.checkout.work / "tests").is_symlink()
    assert texts.get("elsewhere/data.txt") == ("other\n" if link else None)


async def test_a_folder_that_was_added_beside_a_file_of_its_name_is_left_out(
    pinned: PinnedProject,
) -> None:
    pinned.user.commit(**{"test_it/__init__.py": "pass\n", "test_it/deep/x": "x\n"})

    texts = await pinned.texts(
        pinned.plan({"test_it/__init__.py": "left_out", "test_it/deep/x": "left_out"})
    )

    assert sorted(texts) == ["app.py", "test_it.py", "tests/data.txt"]
    assert not (pinned.checkout.work / "test_it").exists()


async def test_a_pinned_tree_may_be_empty(pinned: PinnedProject) -> None:
    names = ("app.py", "test_it.py", "tests/data.txt")

    plan = pinned.plan(dict.fromkeys(names, "left_out"))

    assert await pinned.texts(plan) == {}


async def test_names_that_are_no_text_and_lines_in_names_are_pinned(
    pinned: PinnedProject,
) -> None:
    odd, broken = "tests/\udcff \u00fc.txt", "tests/a\n\tb"
    base = pinned.user.commit(**{odd: "1\n", broken: "1\n"})
    pinned.user.commit(**{odd: "2\n", broken: "2\n"})
    plan = PinPlan(base, tuple(PinnedFile(path, "restored", "") for path in (odd, broken)))

    texts = await pinned.texts(plan)

    assert (texts[odd], texts[broken]) == ("1\n", "1\n")


async def test_git_works_in_the_pinned_tree_and_its_head_is_the_commit(
    pinned: PinnedProject,
) -> None:
    user = pinned.user
    tip = user.commit(**{"app.py": "app = 1\n", "test_it.py": "pass\n", "more/x.py": "", "p": "w"})
    merged = PinnedFile("p", "merged", "", b"merged\n")
    plan = pinned.plan({"test_it.py": "restored", "more/x.py": "left_out"}, merged)

    tree = await pinned.checkout.prepare(pinned.project, tip, pins=plan)

    assert pinned.git("rev-parse", "HEAD") == tip
    assert pinned.git("status", "--porcelain").splitlines() == [
        *("D  more/x.py", "M  p", "M  test_it.py")
    ]
    assert pinned.git("diff", "--stat") == ""
    assert "+merged" in pinned.git("diff", "--cached", "p").splitlines()
    assert pinned.git("write-tree") == tree
    identity = ("-c", "user.name=x", "-c", "user.email=x@x")
    pinned.git(*identity, "commit", "--quiet", "--message", "It")
    assert pinned.git("status", "--porcelain") == ""


async def test_attributes_of_the_pinned_tree_count(pinned: PinnedProject) -> None:
    """Also where the checkout is laid over one that had others."""
    user, checkout = pinned.user, pinned.checkout
    tip = user.commit(**{".gitattributes": "* text eol=crlf\n"})
    plan = pinned.plan({".gitattributes": "left_out"})
    await checkout.prepare(pinned.project, tip)
    before = (checkout.work / "test_it.py").read_bytes()
    base = checkout.keep_base("key", "")

    await checkout.prepare(pinned.project, tip, base, plan)

    assert (before, (checkout.work / "test_it.py").read_bytes()) == (b"fails\r\n", b"fails\n")


async def test_over_the_setup_of_the_work_only_what_it_installed_stays(
    pinned: PinnedProject,
) -> None:
    user, checkout = pinned.user, pinned.checkout
    work = {"test_it.py": "pass\n", "unittest.py": "", "unittest/__init__.py": "", "sub/x": ""}
    tip = user.commit(**work)
    await checkout.prepare(pinned.project, tip)
    # As a setup command may do.
    (checkout.work / "installed").write_text("i\n")
    (checkout.work / "tests/data.txt").write_text("DATA\n")
    (checkout.work / "unittest/left").write_text("i\n")
    base = checkout.keep_base("key", "")
    plan = pinned.plan(
        {
            **{"test_it.py": "restored", "unittest.py": "left_out"},
            **{"unittest/__init__.py": "left_out", "sub/x": "left_out"},
        }
    )

    await checkout.prepare(pinned.project, tip, base, plan)
    over_work = pinned.found()
    checkout.keep_base("key", "")
    await checkout.prepare(pinned.project, tip, base)

    assert over_work == {
        "app.py": "app = 0\n",
        "installed": "i\n",
        "test_it.py": "fails\n",
        "tests/data.txt": "data\n",
        "unittest/left": "i\n",
    }
    assert pinned.found() == {**over_work, **work}


async def test_what_a_setup_left_is_not_in_the_way_of_a_judge(
    pinned: PinnedProject, tmp_path: Path
) -> None:
    user, checkout, outside = pinned.user, pinned.checkout, tmp_path / "outside"
    (user.path / "tests/data.txt").unlink()
    (user.path / "test_it.py").unlink()
    tip = user.commit()
    await checkout.prepare(pinned.project, tip)
    outside.mkdir()
    (checkout.work / "tests").symlink_to(outside)
    (checkout.work / "test_it.py").mkdir()
    (checkout.work / "test_it.py/x").touch()
    base = checkout.keep_base("key", "")
    plan = pinned.plan({"tests/data.txt": "restored", "test_it.py": "restored"})

    await checkout.prepare(pinned.project, tip, base, plan)

    assert pinned.found() == {
        "app.py": "app = 0\n",
        "test_it.py": "fails\n",
        "tests/data.txt": "data\n",
    }
    assert list(outside.iterdir()) == []


async def test_submodules_and_included_files_are_there(tmp_path: Path) -> None:
    user = with_submodules(tmp_path)
    pinned = await pinned_project(tmp_path, user, {"test_it.py": "fails\n", ".gitignore": ".env\n"})
    user.write(".env", "A=1\n")
    included = await find_included(pinned.project, (".env",), ())
    checkout = CleanCheckout(tmp_path / "other", included)
    user.git("rm", "--quiet", "--cached", "libs/one")
    tip = user.commit(**{"test_it.py": "pass\n", ".gitmodules": ""})
    plan = pinned.plan(
        {".gitmodules": "restored", "libs/one": "restored", "test_it.py": "restored"}
    )

    await checkout.prepare(pinned.project, tip, pins=plan)

    assert set(files_of(checkout.work)) >= {*SUBMODULE_FILES, ".env", "test_it.py"}


async def test_files_of_lfs_have_the_content_that_their_pinned_pointer_names(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    attributes = {".gitattributes": "*.bin filter=lfs -text\n"}
    pinned = await pinned_project(
        tmp_path, user, {**attributes, "tests/expected.bin": pointer(IMAGE)}
    )
    store(user, IMAGE)
    tip = user.commit(**{"tests/expected.bin": "forged\n", ".gitattributes": ""})
    merged = PinnedFile("package.json", "merged", "", b"{}")
    plan = pinned.plan({"tests/expected.bin": "restored", ".gitattributes": "restored"}, merged)

    await pinned.checkout.prepare(pinned.project, tip, pins=plan)

    assert (pinned.checkout.work / "tests/expected.bin").read_bytes() == IMAGE


async def test_a_repository_with_longer_hashes_is_pinned_as_well(tmp_path: Path) -> None:
    other, path = repository_in(tmp_path, "other"), tmp_path / "long"
    other.git("init", "--quiet", "--object-format=sha256", str(path))
    user = Repository(path, other.environment)
    pinned = await pinned_project(tmp_path, user, {"test_it.py": "fails\n", "app.py": "0\n"})
    user.commit(**{"test_it.py": "pass\n", "app.py": "1\n"})

    texts = await pinned.texts(pinned.plan({"test_it.py": "restored"}))

    assert texts == {"app.py": "1\n", "test_it.py": "fails\n"}
