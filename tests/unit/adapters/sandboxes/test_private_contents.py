"""What the directory of a toolchain holds besides: logins, and what is of other projects."""

from pathlib import Path

import pytest

from treadle.adapters.sandboxes.private_contents import find_private_contents

LOGINS = (
    *(".condarc", "condarc", "pip.conf", ".npmrc", ".netrc", ".pypirc", ".git-credentials", ".env"),
    *("etc/npmrc", "etc/pip.conf", "etc/gemrc", "etc/xdg/pip/pip.conf", "etc/credentials.toml"),
)
TOOLCHAIN = (
    *("bin/node", "lib/node_modules/npm/npmrc", "lib/credentials.py", "etc/profile.d/x.sh"),
    *("lib/python3.12/site-packages/google/auth/credentials.py", "lib/netrc.py", "pip", "npmrc.js"),
    *("etc/a/b/c/d/npmrc", "share/envs", "pkg/tool/compile"),
)


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_logins_are_found_where_tools_keep_them_and_libraries_are_left_alone(
    tmp_path: Path,
) -> None:
    make(tmp_path, *LOGINS, *TOOLCHAIN)

    assert set(find_private_contents([tmp_path])) == {tmp_path / name for name in LOGINS}


@pytest.mark.parametrize(
    ("files", "private"),
    [
        (("pkg/mod/corp.example/x.go", "pkg/mod/cache/vcs/aa/config"), ("pkg/mod",)),
        (("cache/vcs/aa/config", "cache/download/x"), ("cache/vcs",)),
        ((".git/config", "src/main.go"), (".git",)),
        (("envs/other/x", "pkgs/y/z", "lib/x"), ()),
        (
            (
                "conda-meta/a.json",
                "conda-meta/state",
                "envs/other/x",
                "pkgs/y/z",
                "condarc.d/a.yml",
            ),
            ("envs", "pkgs", "condarc.d", "conda-meta/state"),
        ),
    ],
)
def test_of_other_projects_nothing_is_shown(
    tmp_path: Path, files: tuple[str, ...], private: tuple[str, ...]
) -> None:
    make(tmp_path, *files)

    assert set(find_private_contents([tmp_path])) == {tmp_path / name for name in private}


def test_a_file_and_a_missing_directory_have_nothing_in_them(tmp_path: Path) -> None:
    make(tmp_path, "uv")

    assert find_private_contents([tmp_path / "uv", tmp_path / "absent"]) == ()
