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
    """The detected languages and their commands; empty where nothing is known."""

    languages: tuple[str, ...] = ()
    setup: str = ""
    check: str = ""
    test: str = ""
    specs: str = SPECS
    spec: str = SPEC


def detect(project: Path) -> DetectedProject:
    """Detect from a directory; an unreadable directory raises ProjectError."""
    return detect_from(scan_project(project))


def detect_from(files: ProjectListing) -> DetectedProject:
    """Detect from a listing; a Makefile's targets take precedence over the languages' commands."""
    stacks = [stack for detect_stack in STACKS if (stack := detect_stack(files))]
    make_stack = make(files)
    return DetectedProject(
        languages=tuple(
            stack.language for stack in (*stacks, *([make_stack] if make_stack else []))
        ),
        setup=(make_stack and make_stack.setup) or chain(*(stack.setup for stack in stacks)),
        check=(make_stack and make_stack.check) or chain(*(stack.check for stack in stacks)),
        test=(make_stack and make_stack.test) or chain(*(stack.test for stack in stacks)),
        specs=next((name for name in ("specs", "docs/specs") if files.has(f"{name}/")), SPECS),
        spec=next((name for name in (SPEC, "spec.md", "docs/SPEC.md") if files.has(name)), SPEC),
    )
