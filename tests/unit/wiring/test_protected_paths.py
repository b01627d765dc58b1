"""What `verify.protect` keeps from an agent: in the policy, in the sandbox, out of commits."""

from dataclasses import replace
from pathlib import Path

import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import HookSettings, Settings, VerifySettings
from treadle.wiring.protected_paths import (
    MAX_SEALED,
    configured_paths,
    protected_paths,
    sealed_paths,
)


def keeping(*paths: str, hooks: tuple[str, ...] = ()) -> Settings:
    return replace(Settings(), verify=VerifySettings(protect=paths), hooks=HookSettings(hooks))


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
    settings = keeping("tests/contract/", "*.snap", "not/yet", hooks=("python3 guard.py",))

    assert protected_paths(settings, root) == (
        *("guard.py", "tests/contract/", "*.snap", "not/yet", "tests/contract"),
    )


def test_what_a_sandbox_seals_are_paths_and_the_widest_that_a_pattern_fits(root: Path) -> None:
    settings = keeping("tests/contract", "*.snap", "web/d*", hooks=("python3 guard.py",))

    assert sealed_paths(settings, root, root) == (
        *("guard.py", "tests/contract", "tests/b.snap", "web/deep"),
    )


def test_a_path_that_is_not_there_is_sealed_unless_it_looks_like_a_file(root: Path) -> None:
    settings = keeping("tests/golden", "tests/golden.json", ".eslintrc", "src/main.py/x")

    assert sealed_paths(settings, root, root) == ("tests/golden",)


def test_links_are_followed_to_what_is_meant_and_are_never_sealed_themselves(root: Path) -> None:
    (root / "spec").symlink_to("tests")
    (root / "etc").symlink_to("/etc")
    settings = keeping("spec/contract", "etc/passwd")

    assert protected_paths(settings, root) == ("spec/contract", "etc/passwd", "tests/contract")
    assert sealed_paths(settings, root, root) == ("tests/contract",)


def test_an_agent_does_not_add_to_what_a_pattern_seals(root: Path, tmp_path: Path) -> None:
    workspace = project_in(tmp_path / "clone", "tests/b.snap", "planted.snap")

    assert sealed_paths(keeping("*.snap"), workspace, root) == ("tests/b.snap",)


def test_a_sandbox_is_given_only_so_many(root: Path) -> None:
    project_in(root, *(f"many/{number:04}/x.snap" for number in range(MAX_SEALED + 50)))

    sealed = sealed_paths(keeping("*.snap"), root, root)

    assert MAX_SEALED < len(sealed) < MAX_SEALED + 10


@pytest.mark.parametrize("path", ["", "/etc", "../x", "*"])
def test_what_is_not_a_part_of_the_project_is_refused_with_what_to_write(path: str) -> None:
    with pytest.raises(SettingsError, match=r"verify\.protect: .* is not a path inside") as raised:
        configured_paths(keeping("tests", path))

    assert "tests/contract" in raised.value.hint
