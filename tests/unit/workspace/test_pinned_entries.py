"""The files of a pinned tree: those of the work, with the judges of the base in their place."""

from collections.abc import Mapping

import pytest

from treadle.domain.pin_plan import PinAction, PinnedFile, PinPlan
from treadle.workspace.pinned_entries import pinned_entries
from treadle.workspace.tree_entries import TreeEntry

FILE, PROGRAM, LINK, SUBMODULE = "100644", "100755", "120000", "160000"
# Path and mode, with the place where the object is from.
Files = dict[str, tuple[str, str]]


def entries(files: Files) -> list[TreeEntry]:
    return [TreeEntry(mode, name, path) for path, (mode, name) in files.items()]


def plan(actions: Mapping[str, PinAction]) -> PinPlan:
    return PinPlan("b", tuple(PinnedFile(path, action, "") for path, action in actions.items()))


def named(name: str, *paths: str, mode: str = FILE) -> Files:
    return dict.fromkeys(paths, (mode, name))


@pytest.mark.parametrize(
    ("work", "base", "pins", "expected"),
    [
        pytest.param(
            named("work", "app.py", "t.py"),
            named("base", "app.py", "t.py"),
            {},
            named("work", "app.py", "t.py"),
            id="nothing is pinned",
        ),
        pytest.param(
            named("work", "app.py", "t.py", mode=PROGRAM),
            named("base", "app.py", "t.py"),
            {"t.py": "restored"},
            {**named("work", "app.py", mode=PROGRAM), **named("base", "t.py")},
            id="object and mode of the base",
        ),
        pytest.param(
            named("work", "app.py"),
            named("base", "app.py", "t.py"),
            {"t.py": "restored"},
            {**named("work", "app.py"), **named("base", "t.py")},
            id="the work removed it",
        ),
        pytest.param(
            named("work", "app.py", "t.py"),
            named("base", "app.py"),
            {"t.py": "restored"},
            named("work", "app.py"),
            id="as in the base, which does not have it",
        ),
        pytest.param(
            named("work", "app.py", "unittest.py", "unittest/__main__.py"),
            named("base", "app.py"),
            {"unittest.py": "left_out", "unittest/__main__.py": "left_out"},
            named("work", "app.py"),
            id="left out",
        ),
        pytest.param(
            named("work", "t/__init__.py", "t/data/x", "t.py", "ta"),
            named("base", "t", "t.py"),
            {"t": "restored"},
            {**named("base", "t"), **named("work", "t.py", "ta")},
            id="a file of the base became a folder",
        ),
        pytest.param(
            {**named("work", "app.py"), **named("work", "t", mode=LINK)},
            named("base", "app.py", "t/data/x", "t/test_a.py", "t/app.py"),
            {"t/data/x": "restored", "t/test_a.py": "restored"},
            {**named("work", "app.py"), **named("base", "t/data/x", "t/test_a.py")},
            id="a folder of the base became a link",
        ),
        pytest.param(
            {**named("work", "app.py"), **named("work", "t", mode=SUBMODULE)},
            named("base", "app.py", "t/test_a.py"),
            {"t/test_a.py": "restored", "t": "left_out"},
            {**named("work", "app.py"), **named("base", "t/test_a.py")},
            id="a folder of the base became a submodule",
        ),
        pytest.param(
            named("work", "app.py"),
            {**named("base", "app.py"), **named("base", "lib", mode=SUBMODULE)},
            {"lib": "restored"},
            {**named("work", "app.py"), **named("base", "lib", mode=SUBMODULE)},
            id="a submodule of the base",
        ),
        pytest.param(
            named("work", "tests/new.py", "tests/a.py", "tests.py"),
            named("base", "tests/a.py", "tests/gone.py"),
            {"tests": "restored"},
            {**named("base", "tests/a.py", "tests/gone.py"), **named("work", "tests.py")},
            id="a folder as a whole",
        ),
        pytest.param(
            named("work", "package.json", mode=PROGRAM),
            named("base", "package.json"),
            {"package.json": "merged"},
            named("merged", "package.json", mode=PROGRAM),
            id="merged, with the mode of the work",
        ),
        pytest.param(
            named("work", "package.json", mode=LINK),
            named("base", "package.json", mode=PROGRAM),
            {"package.json": "merged"},
            named("merged", "package.json", mode=PROGRAM),
            id="merged content is never the target of a link",
        ),
        pytest.param(
            named("work", "package.json/x", mode=LINK),
            {},
            {"package.json": "merged"},
            named("merged", "package.json"),
            id="merged, in the place of a folder",
        ),
        pytest.param(
            {},
            named("base", "a", "b/c"),
            {"a": "restored", "a/b": "merged", "b": "merged", "b/c": "restored"},
            named("base", "a", "b/c"),
            id="what is restored comes before what is merged",
        ),
    ],
)
def test_the_pinned_tree_has_the_judges_of_the_base(
    work: Files, base: Files, pins: dict[str, PinAction], expected: Files
) -> None:
    blobs = dict.fromkeys(pins, "merged")

    tree = pinned_entries(plan(pins), entries(work), entries(base), blobs)

    assert tree == sorted(entries(expected), key=lambda entry: entry.path)
