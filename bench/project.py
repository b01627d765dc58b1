"""Where jobs are measured: a project, a private world around it, and the sessions both sides play.

Nothing of this machine's environment reaches a job but its search path.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from treadle.settings.environment import process_environment

MODEL = "sonnet"
REQUESTS = 3  # that each session makes
STATUS = {
    "deliverables": [
        {
            "id": "DL-001",
            "description": "The notes are written",
            "acceptanceCriteria": ["a note for each session"],
            "passed": False,
        }
    ]
}
SETTINGS = f"""\
version = 1

[agent]
model = "{MODEL}"

[deliver]
delay_s = 0
"""


@dataclass(frozen=True, slots=True)
class BenchProject:
    """One project with a committed SPEC.md; made fresh for each job."""

    directory: Path

    @property
    def project(self) -> Path:
        return self.directory / "project"

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def root(self) -> Path:
        return self.directory / "root"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{Path(sys.executable).parent}:{process_environment().get('PATH', '')}",
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "TREADLE_ROOT": str(self.root),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }


def make_project(directory: Path) -> BenchProject:
    """A project that is never done: its one deliverable stays open, so every round builds."""
    project = BenchProject(directory)
    (project.home / "tmp").mkdir(parents=True)
    (project.home / ".gitconfig").write_text(
        "[user]\n\tname = Ada Example\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    (project.project / ".treadle").mkdir(parents=True)
    (project.project / ".treadle" / "status.json").write_text(json.dumps(STATUS))
    (project.project / "treadle.toml").write_text(SETTINGS)
    (project.project / ".gitignore").write_text("treadle.toml\n.treadle/\n.treadle-notes.md\n")
    (project.project / "SPEC.md").write_text("# Notes\n\nEvery session writes a note.\n")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "The specification")):
        subprocess.run(
            ["git", *arguments],
            cwd=project.project,
            env=project.environment,
            check=True,
            timeout=60,
        )
    return project


def script(sessions: int) -> str:
    """So many sessions of `REQUESTS`: write a file, look at it with Bash, say so."""
    return "version: 1\nsessions:\n" + "".join(
        f"""\
  - turns:
      - text: I write note {number}.
        tool: Write
        input: {{file_path: "${{workspace}}/note-{number}.txt", content: "note {number}\\n"}}
      - tool: Bash
        input: {{command: cat note-{number}.txt}}
      - expect: note {number}
        text: Note {number} is written and reads well.
"""
        for number in range(1, sessions + 1)
    )
