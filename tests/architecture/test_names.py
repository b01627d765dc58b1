"""Names are nouns of the trade: no metaphors, no two things with one name."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, SOURCE, modules, name_of
from treadle.workflows.registry import WORKFLOWS

# One worker parses the source once.
pytestmark = pytest.mark.xdist_group("source")

# Words of another trade than ours. A reader would not search for them.
METAPHORS = {
    "bell",
    "cabinet",
    "chronicle",
    "desk",
    "enclosure",
    "homecoming",
    "hush",
    "hushed",
    "lifeline",
    "manner",
    "passage",
    "plot",
    "proving",
    "recess",
    "recollection",
    "remains",
    "room",
    "shift",
    "skeleton",
    "stage",
    "story",
    "stranger",
    "teller",
    "telling",
    "theatre",
    "vigil",
    "wish",
    "worksite",
}
# Participles that stand for a thing which has a noun.
PARTICIPLES = {"found", "given", "heard", "lent", "named", "said", "seen", "shown", "told"}

# One concept seen from several layers: the command, what it calls, the type, the stored type.
FAMILIES = ("cli", "runs", "wiring", "domain", "domain/events", "settings")
SAME_IN_EVERY_FOLDER = {"build", "kind", "next_action", "prompt", "workflow"}


@dataclass(frozen=True)
class Definition:
    path: Path
    name: str
    is_class: bool


@cache
def definitions() -> tuple[Definition, ...]:
    """Every class and function of the source."""
    return tuple(
        Definition(path, node.name, isinstance(node, ast.ClassDef))
        for path in modules(SOURCE)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )


def words(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r" \1", name).lower()))


def test_no_module_is_named_by_a_metaphor_or_a_bare_participle() -> None:
    poetic = {
        name_of(path)
        for path in modules(SOURCE)
        if words(path.stem) & METAPHORS or (words(path.stem) <= PARTICIPLES and path.stem[0] != "_")
    }

    assert poetic == set()


def test_no_class_or_function_is_named_by_a_metaphor() -> None:
    poetic = {
        f"{name_of(each.path)}:{each.name}"
        for each in definitions()
        if words(each.name) & METAPHORS
    }

    assert poetic == set()


def test_no_class_or_function_is_named_by_a_bare_participle() -> None:
    bare = {
        f"{name_of(each.path)}:{each.name}"
        for each in definitions()
        if each.name.lower().strip("_") in PARTICIPLES
    }

    assert bare == set()


def test_no_class_name_exists_twice() -> None:
    names = Counter(
        each.name for each in definitions() if each.is_class and not each.name.startswith("_")
    )

    assert {name for name, times in names.items() if times > 1} == set()


def test_no_module_name_exists_more_than_twice_outside_parallel_families() -> None:
    places: dict[str, list[str]] = {}
    for path in modules(SOURCE):
        folder = path.parent.relative_to(SOURCE).as_posix()
        if folder not in FAMILIES and path.stem not in SAME_IN_EVERY_FOLDER | {"__init__"}:
            places.setdefault(path.stem, []).append(folder)

    assert {name: found for name, found in places.items() if len(found) > 2} == {}


def test_no_code_compares_with_the_name_of_a_workflow() -> None:
    found = []
    # These know no workflows; a program may have the same name.
    others = (SOURCE / "policy", SOURCE / "verify")
    # A way to land, and a kind of question, have the same names as two of them.
    names = set(WORKFLOWS) - {"auto", "plan"}
    for path in (each for each in modules(SOURCE) if not {*others} & {*each.parents}):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Compare | ast.MatchValue) and any(
                isinstance(part, ast.Constant) and part.value in names for part in ast.walk(node)
            ):
                found.append(f"{path.relative_to(ROOT).as_posix()}:{node_line(node)}")

    assert found == []


def node_line(node: ast.Compare | ast.MatchValue) -> int:
    return node.lineno


def test_a_small_module_has_more_than_one_importer() -> None:
    """A file under 40 lines that only one other imports belongs into that one."""
    names = {module_name(path): path for path in modules(SOURCE) if path.stem != "__init__"}
    importers: dict[str, set[str]] = {name: set() for name in names}
    for path in modules(SOURCE):
        for imported in imports(path):
            if imported in importers:
                importers[imported].add(module_name(path))
    small = {
        name
        for name, path in names.items()
        if len(path.read_text("utf-8").splitlines()) < 40
        and len(importers[name]) == 1
        and path.parent != SOURCE / "cli"
    }

    assert small == set()


def module_name(path: Path) -> str:
    return ".".join(("treadle", *path.relative_to(SOURCE).with_suffix("").parts))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
