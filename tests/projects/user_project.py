"""A user's project on an ordinary machine: real package managers, and the registries that they are
configured for here.

The environment is built from nothing. Only the certificates that this machine trusts are named in
it, because its registries may be behind a proxy that has its own.
"""

import json
import shutil
import ssl
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.acceptance.harness import CommandHarness, Finished
from tests.missing import missing

ENVIRONMENT = Path(__file__).parents[2] / ".venv"
# Where setup.sh puts the package managers that Debian does not have.
TOOL_FOLDERS = (ENVIRONMENT / "package-managers" / "bin", ENVIRONMENT / "bin")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
QUICK = {"TREADLE_DELIVER__DELAY_S": "0", "TREADLE_DELIVER__BACKOFF_S": "0"}
# No tool of a user needs longer here.
TOOL_SECONDS = 300
SUCCEEDED = "command-succeeded"


class UserProject(CommandHarness):
    """A repository, and the commands that its user runs in it."""

    def __init__(self, directory: Path, *tools: str) -> None:
        self.tools = directory / "bin"
        self.tools.mkdir(parents=True)
        for name in tools:
            (self.tools / name).symlink_to(_find_tool(name))
        super().__init__(directory)

    @property
    def environment(self) -> dict[str, str]:
        certificates = ssl.get_default_verify_paths().cafile or ""
        return {
            **super().environment,
            "PATH": f"{self.tools}:{SYSTEM_PATH}",
            "SSL_CERT_FILE": certificates,
            "REQUESTS_CA_BUNDLE": certificates,
            "NODE_EXTRA_CA_CERTS": certificates,
            **QUICK,
        }

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_tool(self, *command: str, directory: Path | None = None) -> str:
        """Run a tool as the user would, outside of any sandbox."""
        done = subprocess.run(
            command,
            cwd=directory or self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TOOL_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "The project")

    def file_made_outside(self, name: str, *commands: str) -> str:
        """What a file would be if the user ran these commands on the committed project."""
        copy = self.directory / "outside"
        shutil.rmtree(copy, ignore_errors=True)
        self.git("clone", "-q", ".", str(copy))
        for command in commands:
            self.run_tool("sh", "-c", command, directory=copy)
        return (copy / name).read_text()

    def init(self) -> dict[str, str]:
        """`treadle init --yes`, committed; the commands of the project that it wrote."""
        done = self.treadle("init", "--yes")
        assert done.exit_code == 0, done.stderr
        self.commit()
        settings = json.loads(self.treadle("config", "show", "--json").stdout)
        return {
            name: settings[f"project.{name}"]["value"]
            for name in ("setup", "check", "test")
            if settings[f"project.{name}"]["value"]
        }

    def try_setup(self) -> None:
        """`treadle doctor --setup` finds that the setup succeeds and that the tests start."""
        done = self.treadle("doctor", "--setup", ANTHROPIC_API_KEY="sk-ant-api03-EXAMPLE")
        assert done.exit_code == 0, done.stdout + done.stderr

    def deliver_with(
        self, criterion: str, commands: Sequence[str], files: Mapping[str, str]
    ) -> Finished:
        """A rehearsed `deliver` that proves the criterion and lands. Its agent runs these commands,
        each of which must succeed, then writes these files."""
        actions = [_command(each) for each in commands]
        actions.append({"tools": [_written(name, text) for name, text in files.items()]})
        # Each command says that it succeeded to the turn after it.
        proven = [actions[0], *({"expect": SUCCEEDED, **action} for action in actions[1:])]
        rehearsal = {
            "version": 1,
            "sessions": [
                {"role": "initializer", "turns": [_created(criterion), {"text": "Planned."}]},
                {
                    "role": "implementer",
                    "turns": [
                        *proven,
                        {
                            "tool": "mcp__treadle__set_deliverable_status",
                            "input": {"deliverableId": "DL-001", "status": "passed"},
                        },
                        {"text": "Built and checked."},
                    ],
                },
            ],
        }
        path = self.directory / "script.yaml"
        path.write_text(yaml.safe_dump(rehearsal, sort_keys=False))
        done = self.treadle("rehearse", str(path), "--", "deliver", "--json")
        assert done.exit_code == 0, "\n".join([*map(str, done.events[-12:]), done.stderr])
        changed = done.of_type("deliverable.changed")[-1]
        assert (changed["status"], changed["proof"]) == ("passed", "proven")
        assert len(done.of_type("work.landed")) == 1
        return done


def _find_tool(name: str) -> Path:
    for folder in TOOL_FOLDERS:
        if (folder / name).exists():
            return folder / name
    return missing(f"{name} (`sh scripts/setup.sh tests` installs it)")


def _created(criterion: str) -> dict[str, Any]:
    deliverable = {
        "id": "DL-001",
        "description": "The new feature",
        "acceptanceCriteria": [criterion],
    }
    return {
        "tool": "mcp__treadle__create_deliverable",
        "input": {"deliverables": [deliverable]},
    }


def _command(line: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": f"{line} && echo {SUCCEEDED}"}}


def _written(name: str, text: str) -> dict[str, Any]:
    return {"Write": {"file_path": f"${{workspace}}/{name}", "content": text}}
