"""Detects a project's packages, languages and commands from its files, for `treadle init`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from treadle.workspace.stacks.javascript import node
from treadle.workspace.stacks.languages import dotnet, go, java, make, php, ruby, rust
from treadle.workspace.stacks.project_listing import ProjectListing, scan_project
from treadle.workspace.stacks.python import python
from treadle.workspace.stacks.stack import Stack, chain, in_folder, run_all
from treadle.workspace.stacks.workspace_members import is_member

SPEC = "SPEC.md"
SPECS = "specs"
ROOT = "."
STACKS = (python, node, go, rust, ruby, php, java, dotnet)


@dataclass(frozen=True, slots=True)
class DetectedCommands:
    """Languages and their commands; empty where nothing is known."""

    languages: tuple[str, ...] = ()
    setup: str = ""
    check: str = ""
    test: str = ""
    # Lines for .gitignore.
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DetectedPackage:
    """A directory with a manifest: its path from the root, `.` for the root itself."""

    folder: str
    stacks: tuple[Stack, ...]


@dataclass(frozen=True, slots=True)
class DetectedProject:
    packages: tuple[DetectedPackage, ...] = ()
    specs: str = SPECS
    spec: str = SPEC


def detect(project: Path) -> DetectedProject:
    """Detect from a directory; an unreadable directory raises ProjectError."""
    return detect_from(scan_project(project))


def detect_from(files: ProjectListing) -> DetectedProject:
    """Detect from a listing. Packages that the tool of the root includes are part of the root."""
    root = DetectedPackage(ROOT, _stacks(files))
    languages = {stack.language for stack in root.stacks}
    packages = [root]
    for folder, listing in files.packages.items():
        own = tuple(
            stack
            for stack in _stacks(listing)
            if stack.language not in languages or not is_member(files, stack.language, folder)
        )
        packages.append(DetectedPackage(folder, own))
    return DetectedProject(
        packages=tuple(package for package in packages if package.stacks),
        specs=next((name for name in ("specs", "docs/specs") if files.has(f"{name}/")), SPECS),
        spec=next((name for name in (SPEC, "spec.md", "docs/SPEC.md") if files.has(name)), SPEC),
    )


def default_packages(packages: Sequence[DetectedPackage]) -> tuple[DetectedPackage, ...]:
    """The root alone if it has tests, else all packages."""
    has_tests = [p for p in packages if p.folder == ROOT and package_commands(p).test]
    return tuple(has_tests or packages)


def join_commands(packages: Sequence[DetectedPackage]) -> DetectedCommands:
    """The commands of all packages, each run in its folder."""
    each = [(package.folder, package_commands(package)) for package in packages]
    return DetectedCommands(
        languages=tuple(dict.fromkeys(name for _, found in each for name in found.languages)),
        setup=chain(*(in_folder(folder, found.setup) for folder, found in each)),
        check=chain(*(in_folder(folder, found.check) for folder, found in each)),
        test=run_all([in_folder(folder, found.test) for folder, found in each]),
        ignored=tuple(dict.fromkeys(line for _, found in each for line in found.ignored)),
    )


def package_commands(package: DetectedPackage) -> DetectedCommands:
    """The commands of one package; a Makefile's targets take precedence over its languages'."""
    made = next((stack for stack in package.stacks if stack.language == "make"), Stack("make"))
    others = [stack for stack in package.stacks if stack.language != "make"]
    if not made.setup:
        made = _in_environment(made, others)
    return DetectedCommands(
        languages=tuple(stack.language for stack in package.stacks),
        setup=made.setup or chain(*(stack.setup for stack in others)),
        check=made.check or chain(*(stack.check for stack in others)),
        test=made.test or run_all([stack.test for stack in others]),
        ignored=tuple(line for stack in others for line in stack.ignored),
    )


def _in_environment(made: Stack, others: Sequence[Stack]) -> Stack:
    """The targets, which find the programs that the languages' setup installs."""
    run = next((stack.run for stack in others if stack.run), "")
    check, test = (f"{run}{line}" if line else "" for line in (made.check, made.test))
    return replace(made, check=check, test=test)


def _stacks(files: ProjectListing) -> tuple[Stack, ...]:
    return tuple(stack for find in (*STACKS, make) if (stack := find(files)))
