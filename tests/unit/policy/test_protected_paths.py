"""Which paths are protected, built in and by the settings."""

from pathlib import PurePosixPath

import pytest

from treadle.policy.protected_paths import covers, is_protectable, lies_above, protected_part


@pytest.mark.parametrize(
    ("kept", "path", "is_kept"),
    [
        ("tests/contract", "tests/contract", True),
        ("tests/contract/", "tests/contract/a/b.py", True),
        ("./tests/contract", "tests/contract/b.py", True),
        ("tests/contract", "tests/Contract/b.py", True),
        ("tests/contract", "tests/contracts/b.py", False),
        ("tests/contract", "web/tests/contract/b.py", False),
        ("conftest.py", "conftest.py", True),
        ("conftest.py", "tests/conftest.py", False),
        # A star stays within one part.
        ("tests/*.json", "tests/a.json", True),
        ("tests/*.json", "tests/deep/a.json", False),
        ("tests/*", "tests/deep/a.json", True),
        ("tests/*/golden", "tests/cart/golden/a.json", True),
        ("tests/?.json", "tests/a.json", True),
        ("tests/[ab].json", "tests/c.json", False),
        ("tests/**/*.json", "tests/a.json", True),
        ("tests/**/*.json", "tests/very/deep/a.json", True),
        ("tests/**", "tests/very/deep/a.json", True),
        ("tests/**", "tests", False),
        ("**/conftest.py", "conftest.py", True),
        ("**/conftest.py", "tests/unit/conftest.py", True),
        ("**/golden/**", "a/golden/b", True),
        ("**/golden/**", "a/golden", False),
        # Without a slash a pattern fits anywhere.
        ("*.snap", "a.snap", True),
        ("*.snap", "web/__snapshots__/a.snap", True),
        ("*.snap", "web/a.snap.py", False),
        # A name is also just what it says.
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", True),
        ("", "a", False),
    ],
)
def test_a_path_is_kept_if_it_is_meant_or_lies_below(kept: str, path: str, is_kept: bool) -> None:
    assert covers(kept, PurePosixPath(path)) is is_kept
    assert (protected_part(PurePosixPath(path), (kept,)) == kept) is is_kept


@pytest.mark.parametrize(
    ("path", "kept", "goes_with_it"),
    [
        ("tests", "tests/contract", True),
        ("tests", "tests/**/*.json", True),
        ("tests/unit", "tests/*/golden", True),
        ("tests/contract", "tests/contract", False),
        ("src", "tests/contract", False),
        ("src", "**/conftest.py", False),
        ("src", "*.snap", False),
    ],
)
def test_a_directory_is_not_removed_with_what_is_kept(
    path: str, kept: str, goes_with_it: bool
) -> None:
    assert lies_above(PurePosixPath(path), kept) is goes_with_it


@pytest.mark.parametrize(
    ("path", "can"),
    [
        ("tests/contract", True),
        ("tests/contract/", True),
        ("**/*.snap", True),
        (".github", True),
        ("", False),
        (".", False),
        ("./", False),
        ("/etc", False),
        ("~/x", False),
        ("tests/../..", False),
        ("a\0b", False),
        # All of it: then nothing could be done.
        ("*", False),
        ("**", False),
        ("**/*", False),
    ],
)
def test_only_a_part_of_the_project_can_be_kept(path: str, can: bool) -> None:
    assert is_protectable(path) is can
