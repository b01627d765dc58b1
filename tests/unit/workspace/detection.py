"""A project made of files, and what `init --yes` proposes for it."""

import json
from dataclasses import replace
from pathlib import Path

from treadle.workspace.detect import DetectedCommands, default_packages, detect, join_commands


def package(scripts: dict[str, str] | None = None, *tools: str, **more: object) -> str:
    wanted = dict.fromkeys(tools, "*")
    return json.dumps({"scripts": scripts or {}, "devDependencies": wanted, **more})


def lay_out(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text(text)


def proposed(project: Path) -> DetectedCommands:
    """What `init --yes` takes, without the lines for .gitignore."""
    commands = join_commands(default_packages(detect(project).packages))
    return replace(commands, ignored=())
