"""Which paths a sandbox mounts, in which order, and which it must create first."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from treadle.adapters.sandboxes.mounts import (
    START_FILES,
    START_FOLDERS,
    Mount,
    MountLayout,
    PathKind,
    plan_mounts,
)
from treadle.domain.sandbox import Confinement, SandboxFailed

WORK, HOME = Path("/runs/1/work"), Path("/runs/1/home")
STARTS = [Mount(HOME / name, "read") for name in START_FILES]


def disk(kinds: Mapping[str, PathKind] = MappingProxyType({})) -> Callable[[Path], PathKind]:
    """The kinds of paths, by their names in the workspace."""
    known: dict[Path, PathKind] = {WORK: "directory", HOME: "directory"}
    known |= {HOME / name: "file" for name in START_FILES}
    known |= {HOME / name: "directory" for name in (".config", *START_FOLDERS)}
    known |= {WORK / name: kind for name, kind in kinds.items()}
    return lambda path: known.get(path, "absent")


def planned(within: Confinement, kind_of: Callable[[Path], PathKind]) -> MountLayout:
    found = plan_mounts(within, kind_of)
    assert isinstance(found, MountLayout)
    return found


def of_workspace(found: MountLayout) -> list[tuple[str, str]]:
    """What is mounted in the workspace, in order."""
    return [
        (str(mount.path.relative_to(WORK)), mount.access)
        for mount in found.mounts
        if WORK in (mount.path, *mount.path.parents)
    ]


def test_the_workspace_and_the_home_are_writable_except_for_startup_files() -> None:
    found = planned(Confinement(WORK, HOME), disk())

    assert found == MountLayout(
        (
            Mount(WORK, "write"),
            Mount(HOME, "write"),
            Mount(HOME / ".config", "write"),
            *STARTS,
            *(Mount(HOME / name, "read") for name in START_FOLDERS),
        )
    )


def test_missing_startup_files_are_created_as_files_and_their_folders_as_folders() -> None:
    kinds: dict[Path, PathKind] = {WORK: "directory", HOME: "directory"}

    found = planned(Confinement(WORK, HOME), lambda path: kinds.get(path, "absent"))

    assert found.files == tuple(HOME / name for name in START_FILES)
    assert found.folders == (HOME / ".config", *(HOME / name for name in START_FOLDERS))


def test_what_git_runs_is_read_only_and_cannot_be_moved_away() -> None:
    found = planned(
        Confinement(WORK, HOME),
        disk(
            {
                ".git": "directory",
                ".git/config": "file",
                ".git/hooks": "directory",
                ".git/objects": "directory",
                ".git/objects/info": "directory",
                ".git/objects/info/alternates": "file",
            }
        ),
    )

    assert of_workspace(found) == [
        (".", "write"),
        (".git", "write"),
        (".git/objects", "write"),
        (".git/objects/info", "write"),
        (".git/config", "read"),
        (".git/hooks", "read"),
        (".git/objects/info/alternates", "read"),
    ]
    assert (found.folders, found.files) == ((), ())


def test_a_git_file_that_names_another_directory_is_read_only() -> None:
    found = planned(Confinement(WORK, HOME), disk({".git": "file"}))

    assert of_workspace(found) == [(".", "write"), (".git", "read")]


def test_a_missing_protected_path_is_created_as_an_empty_directory() -> None:
    within = Confinement(WORK, HOME, protected=(Path(".claude/settings.json"),))

    found = planned(within, disk())

    assert of_workspace(found) == [
        (".", "write"),
        (".claude", "write"),
        (".claude/settings.json", "read"),
    ]
    assert found.folders == (WORK / ".claude", WORK / ".claude/settings.json")


def test_a_file_in_place_of_a_directory_above_is_protected_instead() -> None:
    within = Confinement(WORK, HOME, protected=(Path(".claude/settings.json"),))

    found = planned(within, disk({".claude": "file"}))

    assert of_workspace(found) == [(".", "write"), (".claude", "read")]


def test_protected_paths_are_normalized_and_those_outside_are_not_mounted() -> None:
    within = Confinement(
        WORK, HOME, protected=(WORK / "a", Path("b/../a"), Path("../x"), Path("/etc/shadow"))
    )

    found = planned(within, disk({"a": "file"}))

    assert of_workspace(found) == [(".", "write"), ("a", "read")]
    assert Mount(Path("/etc/shadow"), "read") not in found.mounts


def test_nothing_is_protected_through_a_link() -> None:
    within = Confinement(WORK, HOME, protected=(Path("a/b"), Path("c")))
    hint = "put an ordinary file or directory in its place, and commit that"

    for name in ("a", "c"):
        assert plan_mounts(within, disk({name: "link"})) == SandboxFailed(
            f"{WORK / name} cannot be protected: it is a link, or not an ordinary file", hint
        )


def test_the_narrower_path_applies() -> None:
    within = Confinement(
        WORK,
        HOME,
        readable=(Path("/runs"), WORK / "vendor/lib", Path("/data")),
        writable=(Path("/data"), Path("/data/x")),
    )

    found = planned(within, disk({"vendor": "directory"}))

    wanted = ("/runs", "/data", "/data/x", str(WORK), str(WORK / "vendor"))
    assert [(str(m.path), m.access) for m in found.mounts if str(m.path) in wanted] == [
        ("/runs", "read"),
        ("/data", "write"),
        ("/data/x", "write"),
        (str(WORK), "write"),
        # Above a path that is read-only, so it may not be moved.
        (str(WORK / "vendor"), "write"),
    ]
    assert Mount(WORK / "vendor/lib", "read") in found.mounts


def test_there_must_be_a_workspace_and_a_home() -> None:
    assert plan_mounts(Confinement(WORK, Path("/nowhere")), disk()) == SandboxFailed(
        "/nowhere cannot confine the agent: it is not a directory"
    )


def test_a_workspace_that_is_only_read_is_mounted_so_and_nothing_is_created_in_it() -> None:
    within = Confinement(WORK, HOME, workspace_access="read", protected=(Path(".treadle"),))

    found = planned(within, disk({".git": "directory"}))

    assert of_workspace(found) == [(".", "read")]
    assert found.folders == ()
