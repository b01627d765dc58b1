"""A package of which only parts are used does not load what the whole would load."""

import subprocess
import sys
from pathlib import Path

import pytest

WHOLE = "from {name}.heavy import Weight\nfrom {name}.light import Feather\nSIZE = 2\n"


def made(directory: Path, name: str) -> None:
    package = directory / name
    package.mkdir()
    package.joinpath("__init__.py").write_text(WHOLE.format(name=name))
    package.joinpath("heavy.py").write_text("class Weight: ...\n")
    package.joinpath("light.py").write_text("class Feather: ...\n")


def told(directory: Path, *lines: str) -> list[str]:
    """What a process prints that finds the package in this directory."""
    begin = (
        "import sys",
        f"sys.path.insert(0, {str(directory)!r})",
        "from treadle.wiring.bare_packages import bare_package",
    )
    program = "\n".join((*begin, *lines))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


LOADED = "print(*(part in sys.modules for part in ('loom.heavy', 'loom.light')))"


@pytest.mark.parametrize(
    ("use", "printed"),
    [
        ("import loom.light; print(loom.light.Feather.__name__)", ["Feather", "False True"]),
        ("from loom.light import Feather; print(Feather.__name__)", ["Feather", "False True"]),
        ("from loom import Feather; print(Feather.__module__)", ["loom.light", "False True"]),
        ("from loom import Weight; print(Weight.__module__)", ["loom.heavy", "True True"]),
        ("import loom; print(loom.SIZE)", ["2", "True True"]),
        ("import loom; print(hasattr(loom, '__wrapped__'))", ["False", "False False"]),
        ("import loom; print(hasattr(loom, 'nothing'))", ["False", "True True"]),
    ],
)
def test_a_part_comes_alone_and_any_other_name_brings_the_whole(
    tmp_path: Path, use: str, printed: list[str]
) -> None:
    made(tmp_path, "loom")

    bare = "bare_package('loom', {'Feather': 'loom.light'})"
    assert told(tmp_path, bare, use, LOADED) == printed


def test_whoever_had_the_bare_package_has_the_whole_one(tmp_path: Path) -> None:
    made(tmp_path, "loom")

    lines = told(
        tmp_path,
        "bare_package('loom', {})",
        "import loom as early, loom.light",
        "from loom import Weight",
        "import loom as late",
        "print(early is late, early.Weight is Weight, early.light is loom.light)",
    )
    assert lines == ["True True True"]


def test_a_package_inside_another_is_found_in_it(tmp_path: Path) -> None:
    made(tmp_path, "loom")
    made(tmp_path / "loom", "frame")
    (tmp_path / "loom" / "frame" / "__init__.py").write_text("raise AssertionError\n")

    lines = told(
        tmp_path,
        "bare_package('loom', {})",
        "bare_package('loom.frame', {'Feather': 'loom.frame.light'})",
        "from loom.frame import Feather",
        "import loom",
        "print(Feather.__module__, loom.frame is sys.modules['loom.frame'])",
        LOADED,
    )
    assert lines == ["loom.frame.light True", "False False"]


def test_a_package_that_is_loaded_stays_as_it_is(tmp_path: Path) -> None:
    made(tmp_path, "loom")

    lines = told(tmp_path, "import loom", "bare_package('loom', {})", "print(type(loom).__name__)")
    assert lines == ["module"]


def test_a_package_that_is_missing_is_missed_by_whoever_imports_it(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        "bare_package('loom', {})",
        "try:\n    import loom.light\nexcept ModuleNotFoundError as error:\n    print(error.name)",
    )
    assert lines == ["loom"]


def test_a_name_that_has_moved_brings_the_whole(tmp_path: Path) -> None:
    made(tmp_path, "loom")

    for moved in ("{'Feather': 'loom.gone'}", "{'Feather': 'loom.heavy'}"):
        bare = f"bare_package('loom', {moved})"
        lines = told(tmp_path, bare, "from loom import Feather; print(Feather.__module__)", LOADED)
        assert lines == ["loom.light", "True True"]


def test_two_threads_get_what_each_asks_for(tmp_path: Path) -> None:
    made(tmp_path, "loom")
    slow = "import meeting\nmeeting.both.wait(20)\n"
    (tmp_path / "loom" / "__init__.py").write_text(f"{slow}A, B = 1, 2\n")
    (tmp_path / "meeting.py").write_text("import threading\nboth = threading.Barrier(2)\n")

    lines = told(
        tmp_path,
        "import threading",
        "bare_package('loom', {})",
        "import loom",
        "found = {}",
        "def ask(name): found[name] = getattr(loom, name)",
        "threads = [threading.Thread(target=ask, args=name) for name in 'AB']",
        "for each in threads: each.start()",
        "for each in threads: each.join()",
        "print(found['A'], found['B'], type(loom).__name__)",
    )
    assert lines == ["1 2 module"]


def test_a_package_that_fails_to_load_may_load_later(tmp_path: Path) -> None:
    made(tmp_path, "loom")
    (tmp_path / "loom" / "__init__.py").write_text("import thread_of_gold\nA = 1\n")

    lines = told(
        tmp_path,
        "bare_package('loom', {})",
        "try:\n    from loom import A\nexcept ModuleNotFoundError as error:\n    print(error.name)",
        "sys.modules['thread_of_gold'] = sys",
        "from loom import A",
        "print(A)",
    )
    assert lines == ["thread_of_gold", "1"]
