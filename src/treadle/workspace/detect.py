"""Detects a project's languages and commands from its files, for `treadle init`."""

from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.stacks.javascript import node
from treadle.workspace.stacks.languages import chain, go, make, php, python, ruby, rust
from treadle.workspace.stacks.project_listing import ProjectListing, scan_project

SPEC = "SPEC.md"
SPECS = "specs"
STACKS = (python, node, go, rust, ruby, php)


@dataclass(frozen=True, slots=True)
class DetectedProject:
    """The languages found and the commands they call for; empty where nothing is known."""

    languages: tuple[str, ...] = ()
    setup: str = ""
    check: str = ""
    test: str = ""
    specs: str = SPECS
    spec: str = SPEC


def detect(project: Path) -> DetectedProject:
    """Look at a project; an unreadable directory raises ProjectError, odd files count as absent."""
    return detect_from(scan_project(project))


def detect_from(files: ProjectListing) -> DetectedProject:
    """The proposal for these files: a Makefile's own targets first, then each language's ways."""
    found = [stack for of in STACKS if (stack := of(files))]
    own = make(files)
    return DetectedProject(
        languages=tuple(stack.language for stack in (*found, *([own] if own else []))),
        setup=(own and own.setup) or chain(*(stack.setup for stack in found)),
        check=(own and own.check) or chain(*(stack.check for stack in found)),
        test=(own and own.test) or chain(*(stack.test for stack in found)),
        specs=next((name for name in ("specs", "docs/specs") if files.has(f"{name}/")), SPECS),
        spec=next((name for name in (SPEC, "spec.md", "docs/SPEC.md") if files.has(name)), SPEC),
    )
