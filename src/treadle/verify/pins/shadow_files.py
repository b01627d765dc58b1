"""Finds added files that take the place of a runner, a library or a tool. Pure."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from treadle.verify.commands import programs
from treadle.verify.commands.command_files import CommandFiles
from treadle.verify.judges.tree_pair import TreePair
from treadle.verify.pins import shadow_rules
from treadle.verify.pins.python_shadows import PythonShadows

SHADOWS = "shadows {}"
INSTALLED = "a place of installed packages"
BUILT = "a place of what tools build"
CUTS_OFF = "cuts off tests of the base"

_INDEX = re.compile(r"/index\.(?:[cm]?js|[cm]?ts|[jt]sx)$")
_SCRIPTS = (".js", ".jsx", ".ts", ".tsx", ".node")
_CLASS_ENDINGS = (".java", ".kt", ".scala", ".groovy", ".php", ".class")
_HEADER_ROOTS = frozenset({"", "include", "inc", "src", "source", "lib", "deps"})
# Of the Ruby files, those that also count at the top of the project.
_RUBY_RUNNERS = ("minitest*", "rspec*", "test/unit*", "rubygems_plugin.rb")


def find_shadows(trees: TreePair, command: CommandFiles) -> dict[str, str]:
    """Why each added file is left out that shadows something; others are not in it."""
    shadows = {path: SHADOWS.format(name) for path, name in PythonShadows(trees, command).find()}
    shadows |= {path: CUTS_OFF for path in trees.added if _cuts_tests_off(path, trees)}
    for path in trees.added - shadows.keys():
        if name := _shadowed_by_place(path, command) or _shadowed_elsewhere(path):
            shadows[path] = SHADOWS.format(name)
    return shadows


def find_namesakes(trees: TreePair) -> dict[str, str]:
    """Added files that are loaded instead of one of the base that is still there."""
    kept = trees.base_paths & trees.work_paths
    indexes = {posixpath.dirname(path): path for path in kept if _INDEX.search(path)}
    found = {path: _displaced_files(path, indexes, trees.added) for path in trees.added}
    pairs = ((path, each) for path, others in found.items() for each in others if each in kept)
    return dict(pairs)


def _displaced_files(path: str, indexes: Mapping[str, str], added: frozenset[str]) -> Iterator[str]:
    """A script comes before the folder of its name, a package of Python before the module."""
    stem, ending = posixpath.splitext(path)
    if ending in _SCRIPTS and stem in indexes:
        yield indexes[stem]
    if ending in (".js", ".jsx"):
        yield from (f"{stem}.ts", f"{stem}.tsx")
    if ending in (".so", ".pyd"):
        yield f"{path.partition('.')[0]}.py"
    folders = (path[:end] for end, sign in enumerate(path) if sign == "/")
    yield from (f"{each}.py" for each in folders if f"{each}/__init__.py" in added)


def _cuts_tests_off(path: str, trees: TreePair) -> bool:
    """Whether a folder with tests would become a Go module of its own, which `./...` leaves out."""
    folder, name = posixpath.split(path)
    if name != "go.mod" or not folder:
        return False
    below = (each for each in trees.base_paths if each.startswith(f"{folder}/"))
    return any(each.endswith("_test.go") for each in below)


def shadow_inputs(trees: TreePair, command: CommandFiles) -> Iterator[str]:
    """Files of the base whose contents tell what can be shadowed."""
    return PythonShadows(trees, command).needed()


def installed_reason(path: str, trees: TreePair) -> str:
    """Why a changed or added file is no product but installed or built; empty if it is not."""
    parts = path.split("/")
    if not shadow_rules.INSTALLED_FOLDERS.isdisjoint(parts):
        return INSTALLED
    if path.endswith(shadow_rules.INSTALLED_ENDINGS):
        return INSTALLED
    for depth, part in enumerate(parts[:-1]):
        manifests = shadow_rules.BUILT_FOLDERS.get(part, ())
        folder = "/".join(parts[:depth])
        if any(_has_manifest(folder, pattern, trees) for pattern in manifests):
            return _built_reason(path, "/".join(parts[: depth + 1]), trees)
    return ""


def _has_manifest(folder: str, pattern: str, trees: TreePair) -> bool:
    if pattern.startswith("../"):
        # `vendor/bundle` beside a Gemfile.
        folder, pattern = posixpath.dirname(folder), pattern.removeprefix("../")
    path = posixpath.join(folder, pattern)
    if "*" not in pattern:
        return path in trees.base_paths or path in trees.work_paths
    return any(
        posixpath.dirname(each) == folder and fnmatchcase(each, path)
        for each in trees.base_paths | trees.work_paths
    )


def _built_reason(path: str, folder: str, trees: TreePair) -> str:
    """A package that was added to vendored ones of the base is a dependency of the work."""
    is_vendored = posixpath.basename(folder) == "vendor"
    rest = path.removeprefix(f"{folder}/")
    if is_vendored and rest == "modules.txt":
        return ""
    has_base = any(each.startswith(f"{folder}/") for each in trees.base_paths)
    if not (is_vendored and has_base) or path in trees.base_paths or rest.startswith("bin/"):
        return INSTALLED if is_vendored else BUILT
    neighbours = posixpath.dirname(path)
    is_known = any(posixpath.dirname(each) == neighbours for each in trees.base_paths)
    return INSTALLED if is_known else ""


def _shadowed_by_place(path: str, command: CommandFiles) -> str:
    """The tool, module or library that a search path would find the file instead of."""
    folder, name = posixpath.split(path)
    if folder in command.program_folders and name in programs.TOOLS:
        return name
    roots = (*shadow_rules.LOAD_FOLDERS, *command.import_roots)
    for root in roots:
        if root and not path.startswith(f"{root}/"):
            continue
        rest = path.removeprefix(f"{root}/") if root else path
        if _is_library_file(rest, is_top=not root):
            return rest
    return ""


def _is_library_file(rest: str, *, is_top: bool) -> bool:
    if rest.endswith(".rb"):
        patterns = _RUBY_RUNNERS if is_top else shadow_rules.RUBY_FILES
        return any(fnmatchcase(rest, pattern) for pattern in patterns)
    if rest.endswith(".pm"):
        return any(fnmatchcase(rest, pattern) for pattern in shadow_rules.PERL_FILES)
    return False


def _shadowed_elsewhere(path: str) -> str:
    """The class, header or archive of a test library that comes after the file's."""
    folder, name = posixpath.split(path)
    if path.endswith(_CLASS_ENDINGS):
        return next((each for each in shadow_rules.CLASS_FOLDERS if f"/{each}/" in f"/{path}"), "")
    if name in shadow_rules.HEADERS and posixpath.basename(folder) in _HEADER_ROOTS:
        return name
    if posixpath.basename(folder) in shadow_rules.HEADER_FOLDERS and name.endswith((".h", ".hpp")):
        return posixpath.join(posixpath.basename(folder), name)
    if name.endswith(".jar") and any(fnmatchcase(name, each) for each in shadow_rules.JARS):
        return name
    return ""
