"""The tree says where things are, and no file speaks of the machine it was written on."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, SOURCE, files, modules, name_of

# Words that say nothing about what a module is for.
EMPTY_WORDS = {
    "abstract",
    "base",
    "common",
    "core",
    "data",
    "helper",
    "helpers",
    "impl",
    "info",
    "manager",
    "misc",
    "types",
    "util",
    "utils",
    "wrapper",
}

# Paths of one machine, and hosts that packages come from. Some users are nobody.
OF_A_MACHINE = re.compile(
    r"(?<![\w.-])/(?:home|Users|root)/(?!ada\b|user\b|you\b)\w+"
    # Where this very checkout lies.
    rf"|{re.escape(str(Path(__file__).resolve().parents[3]))}/[\w]"
    r"|https?://[\w.-]*(?:pypi|pythonhosted|npmjs|artifactory|nexus)[\w.-]*",
    re.IGNORECASE,
)


def test_no_module_has_a_name_that_says_nothing() -> None:
    words = {name_of(path): set(re.split(r"[_/.]", name_of(path))) for path in modules(SOURCE)}

    assert {name for name, parts in words.items() if parts & EMPTY_WORDS} == set()


def test_the_first_line_of_a_module_says_what_may_live_there() -> None:
    without = {
        name_of(path)
        for path in modules(ROOT)
        if path.read_text("utf-8").strip() and not first_line_speaks(path)
    }

    assert without == set()


def test_packages_are_folders_and_run_nothing_on_import() -> None:
    found = {
        name_of(path): [type(node).__name__ for node in ast.parse(path.read_text("utf-8")).body]
        for path in modules(SOURCE)
        if path.name == "__init__.py"
    }

    assert {name for name, body in found.items() if body not in ([], ["Expr"])} == set()


def test_every_folder_of_the_source_is_a_package() -> None:
    folders = {path.parent for path in modules(SOURCE)}

    assert {name_of(folder) for folder in folders if not (folder / "__init__.py").exists()} == set()


def test_every_folder_of_unit_tests_is_a_package_of_the_source() -> None:
    unit = ROOT / "tests" / "unit"
    folders = {path.parent.relative_to(unit) for path in modules(unit)}

    assert {name.as_posix() for name in folders if not (SOURCE / name).is_dir()} == set()
    assert {name.as_posix() for name in folders if not (unit / name / "__init__.py").is_file()} == (
        set()
    )


def test_users_of_the_package_get_its_types() -> None:
    assert (SOURCE / "py.typed").read_text("utf-8") == ""


@pytest.mark.parametrize("name", ["uv.lock", "AGENTS.md", "setup.py", "setup.cfg", "tox.ini"])
def test_nothing_says_a_second_time_what_another_file_says(name: str) -> None:
    assert not (ROOT / name).exists()


def test_no_file_speaks_of_the_machine_it_was_written_on() -> None:
    here = Path(__file__)
    found = {
        f"{name_of(path)}: {match.group()}"
        for path in files()
        if path != here
        for match in OF_A_MACHINE.finditer(path.read_text("utf-8", errors="replace"))
    }

    assert found == set()


def test_the_locks_pin_every_package_by_hash_and_name_no_index() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        text = lock.read_text("utf-8")
        pinned = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)

        assert pinned
        assert len(re.findall(r"^[\w.-]+==.*\\\n    --hash=", text, re.MULTILINE)) == len(pinned)
        assert "index-url" not in text


def first_line_speaks(path: Path) -> bool:
    return re.match(r'"""[^"\s]', path.read_text("utf-8")) is not None
