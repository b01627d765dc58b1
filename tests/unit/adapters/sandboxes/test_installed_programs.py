"""Package managers that are links to scripts."""

from pathlib import Path

import pytest

from treadle.adapters.sandboxes.installed_programs import (
    InstalledProgram,
    choose_programs,
    find_programs,
)
from treadle.adapters.sandboxes.toolchains import PrivatePaths


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def linked(folder: Path, name: str, target: Path) -> Path:
    link = folder / "bin" / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(target)
    return link


@pytest.mark.parametrize("package", ["pnpm", "@yarnpkg/cli-dist"])
def test_a_node_program_needs_its_package(tmp_path: Path, package: str) -> None:
    root = tmp_path / "lib/node_modules" / package
    target = program(root / "bin/start.js")
    link = linked(tmp_path, "pnpm", target)

    found = find_programs(["node"], search_path=str(tmp_path / "bin"), home=tmp_path / "home")

    assert found == [InstalledProgram(link, target, (root,))]


def test_a_python_program_needs_its_environment_and_the_python_of_that(tmp_path: Path) -> None:
    environment, python = tmp_path / "venv", tmp_path / "python"
    program(python / "bin/python3.11")
    program(python / "lib/python3.11/os.py")
    target = program(environment / "bin/poetry")
    (environment / "pyvenv.cfg").write_text(f"home = {python}/bin\n")
    link = linked(tmp_path, "poetry", target)

    found = find_programs(["python"], search_path=str(tmp_path / "bin"), home=tmp_path / "home")

    assert found == [InstalledProgram(link, target, (environment, python))]


def test_a_single_file_needs_itself(tmp_path: Path) -> None:
    target = program(tmp_path / "bin/pnpm")

    found = find_programs(["node"], search_path=str(tmp_path / "bin"), home=tmp_path / "home")

    assert found == [InstalledProgram(target, target, (target,))]


def test_only_programs_of_the_languages_are_looked_for(tmp_path: Path) -> None:
    program(tmp_path / "bin/pnpm")

    assert find_programs(["python"], search_path=str(tmp_path / "bin"), home=tmp_path) == []


def test_a_program_that_would_expose_private_files_stays_hidden() -> None:
    home, project = Path("/home/ada"), Path("/home/ada/shop")
    private = PrivatePaths(kept=(home, home / ".local"), closed=(project,), real=lambda path: path)

    def made(name: str, root: str) -> InstalledProgram:
        return InstalledProgram(Path(f"/opt/bin/{name}"), Path(f"{root}/bin/{name}"), (Path(root),))

    poetry = made("poetry", "/home/ada/.local/share/pypoetry/venv")
    found = [
        poetry,
        made("pnpm", "/home/ada/.local"),
        made("yarn", "/home/ada/shop/node_modules/y"),
    ]

    assert choose_programs(found, shown=(), private=private) == [poetry]


def test_a_program_that_is_shown_already_needs_no_link() -> None:
    private = PrivatePaths(kept=(), closed=(), real=lambda path: path)
    package = Path("/opt/node/lib/node_modules/pnpm")
    pnpm = InstalledProgram(Path("/opt/node/bin/pnpm"), package / "pnpm.cjs", (package,))

    assert choose_programs([pnpm], shown=(Path("/opt/node"),), private=private) == []
