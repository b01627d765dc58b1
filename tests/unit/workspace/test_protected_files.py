"""What `verify.protect` keeps from an agent: in the policy, in the sandbox, out of commits."""

from pathlib import Path

import pytest

from treadle.workspace.protected_files import MAX_SEALED, find_protected, find_sealable

HOOK = "python3 guard.py"


def sealable(
    workspace: Path, checkout: Path, *paths: str, hooks: tuple[str, ...] = ()
) -> tuple[str, ...]:
    return find_sealable(find_protected(paths, hooks, workspace), workspace, checkout)


def project_in(place: Path, *files: str) -> Path:
    for name in files:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("text\n")
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project_in(
        tmp_path.resolve() / "project",
        *("tests/contract/a.py", "tests/b.snap", "web/deep/c.snap", "guard.py", "src/main.py"),
        *("node_modules/x/d.snap", ".git/e.snap"),
    )


def test_paths_and_patterns_are_protected_as_they_are_written_with_the_hooks(root: Path) -> None:
    configured = ("tests/contract/", "*.snap", "not/yet")

    assert find_protected(configured, [HOOK], root) == (
        *("guard.py", "tests/contract/", "*.snap", "not/yet", "tests/contract"),
    )


def test_what_a_sandbox_seals_are_paths_and_the_widest_that_a_pattern_fits(root: Path) -> None:
    assert sealable(root, root, "tests/contract", "*.snap", "web/d*", hooks=(HOOK,)) == (
        *("guard.py", "tests/contract", "tests/b.snap", "web/deep"),
    )


def test_a_path_that_is_not_there_is_sealed_unless_it_looks_like_a_file(root: Path) -> None:
    missing = ("tests/golden", "tests/golden.json", ".eslintrc", "src/main.py/x")

    assert sealable(root, root, *missing) == ("tests/golden",)


def test_links_are_followed_to_what_is_meant_and_are_never_sealed_themselves(root: Path) -> None:
    (root / "spec").symlink_to("tests")
    (root / "etc").symlink_to("/etc")
    configured = ("spec/contract", "etc/passwd")

    assert find_protected(configured, (), root) == (*configured, "tests/contract")
    assert sealable(root, root, *configured) == ("tests/contract",)


def test_an_agent_does_not_add_to_what_a_pattern_seals(root: Path, tmp_path: Path) -> None:
    workspace = project_in(tmp_path / "clone", "tests/b.snap", "planted.snap")

    assert sealable(workspace, root, "*.snap") == ("tests/b.snap",)


def test_a_sandbox_is_given_only_so_many(root: Path) -> None:
    project_in(root, *(f"many/{number:04}/x.snap" for number in range(MAX_SEALED + 50)))

    sealed = sealable(root, root, "*.snap")

    assert MAX_SEALED < len(sealed) < MAX_SEALED + 10
