"""Which toolchains outside of the system are shown, and which expose too much."""

from pathlib import Path

import pytest

from treadle.adapters.sandboxes.toolchains import (
    PROFILES,
    SINGLE_FILES,
    TOOLCHAIN_QUERIES,
    FoundToolchains,
    PrivatePaths,
    Toolchains,
    choose_toolchains,
    find_venv_root,
    private_paths,
)

HOME, ROOT = Path("/home/ada"), Path("/home/ada/.treadle")
PROJECT = HOME / "code/shop"
# Links on this machine, and their targets.
LINKS = {Path("/opt/shop"): PROJECT, Path("/opt/ada"): HOME, Path("/opt/climb/../x"): HOME}
PLAIN = "/usr/local/bin:/usr/bin:/bin"


def shown(found: FoundToolchains, *search_path: str) -> Toolchains:
    private = PrivatePaths(private_paths(HOME, ROOT), (PROJECT, ROOT), real)
    return choose_toolchains(found, search_path=search_path, private=private)


def real(path: Path) -> Path:
    return LINKS.get(path, path)


def test_a_toolchain_of_the_system_needs_nothing() -> None:
    found = FoundToolchains((Path("/usr"), Path("/usr/lib/go")), (Path("/usr/bin/php"),))

    assert shown(found) == Toolchains((), PLAIN, {})


def test_a_language_elsewhere_is_shown_and_comes_first_on_the_path() -> None:
    node = HOME / ".nvm/versions/node/v22.1.0"
    python = HOME / ".pyenv/versions/3.12.1"

    assert shown(FoundToolchains((node, python, python))) == Toolchains(
        (node, python), f"{node}/bin:{python}/bin:{PLAIN}", {}
    )


def test_a_program_of_one_file_is_shown_without_its_directory() -> None:
    uv = HOME / ".local/bin/uv"

    assert shown(FoundToolchains(files=(uv,))) == Toolchains(
        (uv,), f"{HOME}/.local/bin:{PLAIN}", {}
    )


def test_a_cache_is_shown_and_named() -> None:
    browsers = HOME / ".cache/ms-playwright"

    assert shown(FoundToolchains(caches={"PLAYWRIGHT_BROWSERS_PATH": browsers})) == Toolchains(
        (browsers,), PLAIN, {"PLAYWRIGHT_BROWSERS_PATH": str(browsers)}
    )


def test_of_the_users_path_only_the_systems_directories_are_kept() -> None:
    kept = shown(
        FoundToolchains(), "/usr/lib/ccache", "/home/ada/bin", "relative", "", "/opt/x", "/usr/bin"
    )

    assert kept.path == "/usr/lib/ccache:/usr/bin:/usr/local/bin:/bin"


@pytest.mark.parametrize(
    "root",
    [
        *("/", "/home", "/home/ada", "/home/ada/.local", "/home/ada/.cargo", "/home/ada/.treadle"),
        *("/home/ada/code", "/home/ada/code/shop", "/home/ada/code/shop/python"),
        *("/home/ada/.treadle/runs/1", "/opt/shop", "/opt/ada", "/opt/climb/../x"),
        *("/usr/../home/ada", "/home/ada/.nvm/.."),
    ],
)
def test_a_root_that_exposes_something_private_is_refused(root: str) -> None:
    assert shown(FoundToolchains((Path(root),))) == Toolchains((), PLAIN, {}, (Path(root),))


def test_a_file_or_a_cache_of_the_project_is_not_shown() -> None:
    found = FoundToolchains(files=(PROJECT / "bin/uv",), caches={"GOMODCACHE": Path("/opt/shop")})

    assert shown(found) == Toolchains((), PLAIN, {})


def exists(*paths: str) -> set[Path]:
    return {Path(path) for path in paths}


@pytest.mark.parametrize(
    ("configuration", "there", "root"),
    [
        (
            "home = /opt/python/bin\nversion = 3.12.1\n",
            exists("/opt/python/bin/python3.12", "/opt/python/lib/python3.12/os.py"),
            Path("/opt/python"),
        ),
        # An agent may have written the file, so the prefix must look like a Python.
        ("home = /home/ada/.ssh/bin\n", exists("/home/ada/.ssh/bin/python3.12"), None),
        ("home = /home/ada/.ssh\n", exists("/home/ada/.ssh/python3.12"), None),
        ("home = relative/bin\n", exists(), None),
        # These look like one, but an agent may have committed them.
        *(
            (
                f"home = {root}/bin\n",
                exists(f"{root}/bin/python3.12", f"{root}/lib/python3.12/os.py"),
                None,
            )
            for root in ("/home/ada/code/shop", "/home/ada/other", "/opt/ada", "/opt/python/../x")
        ),
        (
            "home = /home/ada/.pyenv/versions/3.12.1/bin\n",
            exists(
                "/home/ada/.pyenv/versions/3.12.1/bin/python3.12",
                "/home/ada/.pyenv/versions/3.12.1/lib/python3.12/os.py",
            ),
            Path("/home/ada/.pyenv/versions/3.12.1"),
        ),
        ("", exists(), None),
    ],
)
def test_a_virtual_environment_says_where_its_python_is(
    configuration: str, there: set[Path], root: Path | None
) -> None:
    assert find_venv_root(configuration, there.__contains__, home=HOME, real=real) == root


def test_questions_and_files_are_those_of_profiles() -> None:
    assert {*TOOLCHAIN_QUERIES, *SINGLE_FILES} == set(PROFILES)
