"""Runs a trick: in a plain folder, and in a whole `treadle deliver` with a scripted model."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tests.acceptance.harness import CommandHarness, Finished
from tests.acceptance.verified_project import done, session, shell
from tests.drills.base_toolchains import NODE_PACKAGES
from tests.drills.trick import BaseProject, Trick
from tests.missing import missing
from treadle.domain.check import Grade
from treadle.domain.exit_reasons import ExitReason, exit_code
from treadle.domain.suite_report import SuiteObjection

CRITERION = "It does what it should."
# As in the sandbox: this Python first.
PATH = f"{sys.base_prefix}/bin:/usr/local/bin:/usr/bin:/bin"
# A script, a plan, and one round of work.
ROUNDS = "2"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run made of a trick. Without a grade, the claim was refused."""

    grade: Grade | None
    why: str
    reason: ExitReason
    exit_code: int


def expected_outcome(trick: Trick, found: Outcome) -> Outcome:
    """What should come of a trick; where its line is not settled, any is taken."""
    return Outcome(trick.grade, trick.why or found.why, trick.reason, exit_code(trick.reason))


def require_programs(base: BaseProject) -> None:
    for name in base.needs:
        if name == "pytest":
            asked = subprocess.run(
                ["python3", "-c", "import pytest"], env={"PATH": PATH}, check=False
            )
            found = asked.returncode == 0
        else:
            places = f"{NODE_PACKAGES / '.bin'}:{PATH}"
            found = shutil.which(name, path=places) is not None
        if not found:
            missing(f"{name} (`sh scripts/setup.sh tests` installs it on Debian)")


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        if _is_program(text):
            (folder / name).chmod(0o755)


def write_links(folder: Path, links: Mapping[str, str]) -> None:
    for name, target in links.items():
        (folder / name).symlink_to(target)


class PlainFolder:
    """A repository outside of Treadle, in which everything is done as the agent does it."""

    def __init__(self, folder: Path, base: BaseProject) -> None:
        self.top = folder / "plain"
        self.base = base
        self.top.mkdir()
        self.clones = folder
        self._run("git init -q")
        write_links(self.top, base.links)
        self.write(base.files)

    def write(self, files: Mapping[str, str], commands: Sequence[str] = ()) -> None:
        write_files(self.top, files)
        for line in commands:
            ran = self._run(line)
            assert ran.returncode == 0, ran.stdout
        self._run("git add -A && git commit -qm Work")

    def is_green(self, judge: str) -> bool:
        """Whether the judge passes on a fresh checkout, after the setup."""
        clone = self.clones / "clone"
        shutil.rmtree(clone, ignore_errors=True)
        self._run(f"git clone -q . {clone}")
        for line in filter(None, (self.base.setup,)):
            ran = self._run(line, clone)
            assert ran.returncode == 0, ran.stdout
        return self._run(judge, clone).returncode == 0

    def _run(self, line: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", line],
            cwd=folder or self.top,
            env={
                "PATH": PATH,
                "HOME": str(self.clones),
                "GIT_CONFIG_COUNT": "2",
                "GIT_CONFIG_KEY_0": "user.name",
                "GIT_CONFIG_VALUE_0": "Ada Example",
                "GIT_CONFIG_KEY_1": "user.email",
                "GIT_CONFIG_VALUE_1": "ada@example.com",
                "LANG": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=100,
            check=False,
        )


def prepare(harness: CommandHarness, base: BaseProject) -> None:
    """Commit the project of the user, with its specification."""
    check = f" Check: ``{base.check}``" if base.check else ""
    write_files(harness.project, {**base.files, "SPEC.md": f"# App\n\n- {CRITERION}{check}\n"})
    write_links(harness.project, base.links)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "What there is")


def plan(*criteria: str | dict[str, str]) -> str:
    """The session of the planning agent: one deliverable with these criteria."""
    deliverable = {"id": "DL-001", "description": "The work", "acceptanceCriteria": criteria}
    turn = {
        "tool": "mcp__treadle__create_deliverable",
        "input": {"deliverables": [deliverable]},
    }
    written = {"role": "initializer", "turns": [turn, {"text": "Planned."}]}
    return f"  - {json.dumps(written)}\n"


def work(
    files: Mapping[str, str], commands: Sequence[str] = (), first: Sequence[dict[str, Any]] = ()
) -> str:
    """The session of an agent that writes files, runs commands, and says that all is well."""
    lines = [*map(_writing, files.items()), *commands]
    return session(*first, *map(shell, lines), done("DL-001"))


def _writing(file: tuple[str, str]) -> str:
    """A shell line that writes a file, since Claude Code itself does not write some of them."""
    name, text = file
    folder = str(PurePosixPath(name).parent)
    mode = f"chmod +x {name}" if _is_program(text) else ":"
    return f"mkdir -p {folder} && cat > {name} <<'END' && {mode}\n{text}END"


def _is_program(text: str) -> bool:
    return text.startswith("#!")


def deliver(harness: CommandHarness, base: BaseProject, *sessions: str) -> Finished:
    settings = dict(base.settings)
    for key, command in (("project.test", base.test), ("project.setup", base.setup)):
        if command:
            settings[key] = json.dumps(command)
    harness.settings(settings)
    path = harness.directory / "script.yaml"
    path.write_text(f"version: 1\nsessions:\n{''.join(sessions)}")
    readable = {"TREADLE_SANDBOX__READABLE": json.dumps([str(NODE_PACKAGES)])} if base.setup else {}
    options = ("rehearse", str(path), "--", "deliver", "--json", "-n", ROUNDS)
    return harness.treadle(*options, **readable)


def run_trick(harness: CommandHarness, trick: Trick) -> Finished:
    prepare(harness, trick.base)
    files = {**trick.product, **trick.files}
    return deliver(harness, trick.base, plan(CRITERION), work(files, trick.commands))


def outcome(harness: CommandHarness, finished: Finished) -> Outcome:
    status = harness.project / ".treadle" / "status.json"
    [deliverable] = json.loads(status.read_text())["deliverables"]
    reason = finished.result["reason"]
    return Outcome(
        deliverable.get("proof"), _why(deliverable, finished), reason, finished.exit_code
    )


def _why(deliverable: dict[str, Any], finished: Finished) -> str:
    """The reason of the grade; of a refusal, what the tests object to or why its check is red."""
    if deliverable["passed"]:
        reasons = [deliverable.get("why"), *(check.get("why") for check in deliverable["checks"])]
        return next(filter(None, reasons), "")
    for event in finished.of_type("suite.finished")[-1:]:
        for objection in event["objections"]:
            return f"{objection['test']}: {SuiteObjection(**objection).summary_line}"
    [*_, check] = finished.of_type("check.finished")
    exit_code = check["evidence"]["exit_code"]
    return check["unfinished"] or f"the check ends with exit code {exit_code}"


def account(finished: Finished) -> str:
    """What was run and how it was graded, for a reader of a failure."""
    lines = []
    for event in finished.events:
        match event["type"]:
            case "check.finished" | "suite.finished":
                evidence = event["evidence"]
                lines.append(f"{evidence['when']}: {evidence['exit_code']} {event['output']}")
            case "deliverable.graded" | "suite.graded" | "run.warned" | "tool.finished":
                lines.append(json.dumps(event))
            case _:
                pass
    return os.linesep.join([*lines, finished.stderr])
