"""Finds added Python modules that would be imported instead of a library or a test. Pure."""

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treadle.verify.commands.command_files import CommandFiles
from treadle.verify.judges.judge_files import judge_kind
from treadle.verify.judges.tree_pair import TreePair
from treadle.verify.pins.shadow_rules import IMPORT_NAMES, is_python_tool

_MODULE_ENDINGS = (".py", ".so", ".pyd")
_USUAL_ROOTS = ("", "src", "lib")
_REQUIREMENT = re.compile(r"\s*([A-Za-z][\w.-]*)\s*(?:\[[^\]]*\]\s*)?(?:[<>=!~;@#].*)?")
_REQUIREMENT_FILE = re.compile(r"(?:requirements|constraints)[\w.-]*\.(?:txt|in)")
_DEEPEST_MANIFEST = 2
_MOST_TESTS = 60


@dataclass(frozen=True)
class PythonShadows:
    """The added modules of a work, seen from the folders that a command imports from."""

    trees: TreePair
    command: CommandFiles

    def find(self) -> Iterator[tuple[str, str]]:
        """Each added file that takes the name of another module, and that name."""
        for path in sorted(self.trees.added):
            if path.endswith(_MODULE_ENDINGS) or path in self.trees.links:
                for root in self._roots_above(path):
                    if name := self._shadowed_name(path, root):
                        yield path, name
                        break

    def needed(self) -> Iterator[str]:
        """Files of the base whose contents tell which names are taken."""
        yield from filter(_is_manifest, self.trees.base_paths)
        if any(self._is_in_loose_folder(path) for path in self.trees.added):
            yield from self._tests

    @cached_property
    def _package_folders(self) -> frozenset[str]:
        return frozenset(
            posixpath.dirname(path)
            for path in self.trees.base_paths
            if posixpath.basename(path) == "__init__.py"
        )

    @cached_property
    def _module_folders(self) -> frozenset[str]:
        modules = (path for path in self.trees.base_paths if path.endswith(".py"))
        return frozenset(map(posixpath.dirname, modules))

    @cached_property
    def _tests(self) -> tuple[str, ...]:
        names = (path for path in self.trees.base_paths if path.endswith(".py"))
        return tuple(sorted(path for path in names if judge_kind(path) == "tests")[:_MOST_TESTS])

    @cached_property
    def _certain_roots(self) -> frozenset[str]:
        tests = (
            path for path in self.trees.base_paths if path.endswith(".py") and judge_kind(path)
        )
        return frozenset((*_USUAL_ROOTS, *self.command.import_roots, *map(self._root_of, tests)))

    @cached_property
    def _loose_folders(self) -> frozenset[str]:
        """Folders with modules that are no packages, neither before nor after the work."""
        inits = (f"{folder}/__init__.py" for folder in self._module_folders)
        packaged = {posixpath.dirname(path) for path in inits if path in self.trees.work_paths}
        return self._module_folders - self._package_folders - packaged - self._certain_roots

    @cached_property
    def _namespaces(self) -> frozenset[str]:
        """Loose folders that tests of the base import as packages: `from app.words import …`."""
        texts = [self.trees.base_text(path) for path in self._tests]
        return frozenset(
            folder
            for folder in self._loose_folders
            if any(_imports_folder(text, folder) for text in texts)
        )

    @cached_property
    def _declared(self) -> frozenset[str]:
        manifests = [path for path in self.trees.base_paths if _is_manifest(path)]
        return frozenset(
            name for path in manifests for name in _declared_names(path, self.trees.base_text(path))
        )

    def _root_of(self, path: str) -> str:
        """The folder that a test runner imports a test from: the first that is no package."""
        folder = posixpath.dirname(path)
        while folder and folder in self._package_folders:
            folder = posixpath.dirname(folder)
        return folder

    def _is_in_loose_folder(self, path: str) -> bool:
        name = posixpath.basename(path).partition(".")[0]
        return posixpath.dirname(path) in self._loose_folders and is_python_tool(name)

    def _roots_above(self, path: str) -> Iterator[str]:
        roots = self._certain_roots | (self._loose_folders - self._namespaces)
        return (root for root in sorted(roots) if not root or path.startswith(f"{root}/"))

    def _shadowed_name(self, path: str, root: str) -> str:
        first, _, rest = path.removeprefix(f"{root}/" if root else "").partition("/")
        if rest and not self._is_new_package(posixpath.join(root, first)):
            return ""
        name = first.partition(".")[0]
        module = posixpath.join(root, name)
        is_taken = is_python_tool(name) or name.lower() in self._declared
        return name if is_taken or self._is_judge_module(module, is_package=bool(rest)) else ""

    def _is_new_package(self, folder: str) -> bool:
        """Whether the work made a folder a package; one without `__init__` gives way to others."""
        inits = {f"{folder}/__init__{ending}" for ending in (*_MODULE_ENDINGS, ".pyc")}
        return bool(inits & self.trees.work_paths) and not inits & self.trees.base_paths

    def _is_judge_module(self, module: str, *, is_package: bool) -> bool:
        """Whether the base has a judge of that name, which an added module would come before."""
        judge = f"{module}.py"
        if judge in self.trees.base_paths:
            return judge_kind(judge) is not None or judge in self.command.judges
        below = (path for path in self.trees.base_paths if path.startswith(f"{module}/"))
        return not is_package and any(
            path.endswith(".py") and (judge_kind(path) or path in self.command.judges)
            for path in below
        )


def _is_manifest(path: str) -> bool:
    name = posixpath.basename(path)
    is_known = name in ("pyproject.toml", "setup.cfg", "Pipfile")
    return path.count("/") <= _DEEPEST_MANIFEST and (
        is_known or _REQUIREMENT_FILE.fullmatch(name) is not None
    )


def _imports_folder(text: str, folder: str) -> bool:
    parts = [re.escape(part) for part in folder.split("/")]
    names = [r"\.".join(parts[start:]) for start in range(len(parts))]
    return any(
        re.search(rf"^[^\S\n]*(?:from|import)\s+{name}[.\s]", text, re.MULTILINE) for name in names
    )


def _declared_names(path: str, text: str) -> Iterator[str]:
    if not path.endswith(".toml"):
        yield from _names(text.splitlines())
        return
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    own = _import_name(str(_table(settings, "project").get("name", "")))
    own_poetry = _import_name(str(_table(settings, "tool", "poetry").get("name", "")))
    yield from (
        name for name in _names(_toml_requirements(settings)) if name not in (own, own_poetry)
    )


def _toml_requirements(settings: dict[str, Any]) -> Iterator[str]:
    project = _table(settings, "project")
    groups = (
        *_table(settings, "project", "optional-dependencies").values(),
        *_table(settings, "dependency-groups").values(),
        project.get("dependencies"),
    )
    for group in groups:
        yield from (each for each in group or () if isinstance(each, str))
    yield from _table(settings, "tool", "poetry", "dependencies")
    for group in _table(settings, "tool", "poetry", "group").values():
        yield from _table(group if isinstance(group, dict) else {}, "dependencies")


def _table(settings: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        inner = settings.get(name)
        settings = inner if isinstance(inner, dict) else {}
    return settings


def _names(requirements: Iterable[str]) -> Iterator[str]:
    for each in requirements:
        if (found := _REQUIREMENT.fullmatch(each)) and found[1] != "python":
            yield _import_name(found[1])


def _import_name(name: str) -> str:
    plain = re.sub(r"[-.]+", "_", name.lower())
    return IMPORT_NAMES.get(plain, plain)
