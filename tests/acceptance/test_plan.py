"""`treadle plan` in tmux with the real binary: what a person types, and what can be written."""

import os
import select
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness, processes_of, script
from tests.missing import missing

TMUX = shutil.which("tmux")

# Two starts of Claude Code's interactive mode.
pytestmark = pytest.mark.timeout(300)

TALK = """
  - role: manager
    turns:
      - tool: mcp__treadle__list_notes
        input: {}
      - tool: Write
        input: {file_path: specs/dates.md, content: "# Dates\\n\\nAs 2026-01-31.\\n"}
      - tool: mcp__treadle__add_backlog_item
        input: {name: 010-dates, text: Write dates as specs/dates.md says.}
      - tool: mcp__treadle__add_backlog_item
        input: {name: 020-times, text: Write times as specs/dates.md says.}
      - tool: mcp__treadle__resolve_issue
        input: {name: which-format, resolution: ISO dates}
"""
CODE = """
      - tool: Write
        input: {file_path: hello.py, content: "print(1)\\n"}
      - tool: Bash
        input: {command: "echo 1 > hello.py; echo 1 > .treadle/backlog/030-more.md; echo tried"}
      - text: All of it is written down.
"""


def until(condition: Callable[[], bool], *, tenths: int = 600) -> bool:
    """Whether it holds within so many tenths of a second."""
    for _ in range(tenths):
        if condition():
            return True
        select.select([], [], [], 0.1)
    return False


class Terminal:
    """A shell in tmux, as a person has it."""

    def __init__(self, harness: CommandHarness) -> None:
        self._command = ("tmux", "-f", "/dev/null", "-S", str(harness.directory / "tmux"))
        self._environment = {**harness.environment, "TERM": "xterm-256color", "PS1": "$ "}
        shell = "sh -c 'stty -a > before.txt; exec sh'"
        folder = str(harness.directory)
        self._run("new-session", "-d", "-x", "120", "-y", "50", "-c", folder, shell)
        # Keys that come before the prompt are shown around it.
        assert until(lambda: self.screen().strip() in ("$", "#"))

    def _run(self, *words: str) -> str:
        done = subprocess.run(
            [*self._command, *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def screen(self) -> str:
        """Each line after a line feed, the first one too."""
        return "\n" + self._run("capture-pane", "-p", "-S", "-200")

    def until(self, text: str) -> str:
        """What is on the screen as soon as this text is."""
        if until(lambda: text in self.screen()):
            return self.screen()
        raise AssertionError(f"no {text!r} on the screen:\n{self.screen()}")

    def accept_until(self, text: str) -> str:
        """Say yes to every dialog until this text is on the screen. One that has just appeared
        takes no keys."""
        for _ in range(30):
            self._run("send-keys", "Enter")
            if until(lambda: text in self.screen(), tenths=20):
                return self.screen()
        return self.until(text)

    def type(self, text: str) -> None:
        """Type a line. Claude Code takes keys that come together with Enter for a paste."""
        if text:
            self._run("send-keys", "-l", text)
            self.until(text)
        self._run("send-keys", "Enter")

    def close(self) -> None:
        self._run("kill-server")


@pytest.fixture
def harness(tmp_path: Path) -> CommandHarness:
    harness = CommandHarness(tmp_path)
    harness.settings({})
    issues = harness.project / ".treadle" / "spec-issues"
    issues.mkdir(parents=True)
    (issues / "which-format.md").write_text("# Spec issue\n\nWhich format do dates have?\n")
    return harness


@pytest.fixture
def terminal(harness: CommandHarness) -> Iterator[Terminal]:
    if TMUX is None:
        missing("no tmux")
    terminal = Terminal(harness)
    yield terminal
    terminal.close()


def planning(harness: CommandHarness, rehearsal: str) -> str:
    (harness.directory / "script.yaml").write_text(rehearsal)
    words = shlex.join([str(harness.command), "rehearse", "../script.yaml", "--", "plan", "Dates?"])
    return f"cd project; {words}; echo ended with $?"


def backlog(harness: CommandHarness) -> dict[str, str]:
    folder = harness.project / ".treadle" / "backlog"
    return {file.name: file.read_text() for file in sorted(folder.glob("*"))}


def test_it_writes_a_specification_and_a_backlog_settles_an_issue_and_writes_no_code(
    harness: CommandHarness, terminal: Terminal
) -> None:
    terminal.type(planning(harness, script(TALK, CODE.lstrip("\n"))))
    # No dialog comes before: neither theme nor trust nor key.
    terminal.until("Do you want to create hello.py?")
    # Nothing of it is in the project before the session has ended.
    assert not (harness.project / "specs").exists()
    assert backlog(harness) == {}
    screen = terminal.accept_until("All of it is written down.")
    assert "Error: EROFS: read-only file system" in screen
    terminal.type("/exit")
    terminal.until("ended with 0")

    assert (harness.project / "specs" / "dates.md").read_text() == "# Dates\n\nAs 2026-01-31.\n"
    assert backlog(harness) == {
        "010-dates.md": "Write dates as specs/dates.md says.\n",
        "020-times.md": "Write times as specs/dates.md says.\n",
    }
    assert list((harness.project / ".treadle" / "spec-issues").iterdir()) == []
    changed = harness.git("show", "--format=%s", "--name-only", "HEAD").split("\n")
    assert changed == ["Write specifications in a planning session", "", "specs/dates.md"]
    assert harness.git("status", "--porcelain") == ""


def test_a_planning_session_that_was_killed_gives_the_terminal_back_and_goes_on(
    harness: CommandHarness, terminal: Terminal
) -> None:
    said = "      - text: Is that what you want?\n"
    later = "  - role: manager\n    turns:\n      - text: Then it is settled.\n"
    terminal.type(planning(harness, script(TALK, said, later)))
    terminal.until("Is that what you want?")
    # What is on the screen is in the conversation a moment later.
    assert until(lambda: "Is that what you want?" in conversation(harness))
    os.kill(process_of(harness), signal.SIGKILL)
    terminal.until("ended with 137")
    assert backlog(harness) == {}
    terminal.type("stty -a > ../after.txt; echo settings are written")
    terminal.until("\nsettings are written")
    texts = [(harness.directory / name).read_text() for name in ("before.txt", "after.txt")]
    assert texts[0] == texts[1]

    # What stays on the screen would be taken for what comes.
    terminal.type("clear; tmux -S ../tmux clear-history; echo cleared")
    terminal.until("\ncleared")
    assert "Is that what you want?" not in terminal.screen()
    terminal.type(f"{harness.command} resume last; echo ended again with $?")
    # The same conversation.
    terminal.until("Is that what you want?")
    terminal.type("/exit")
    terminal.until("ended again with 0")
    assert list(backlog(harness)) == ["010-dates.md", "020-times.md"]
    assert (harness.project / "specs" / "dates.md").exists()
    assert processes_of(harness.treadle("logs", "last", "--json")) == []


def conversation(harness: CommandHarness) -> str:
    """What the agent has kept of it."""
    files = harness.root.glob("runs/*/home/.claude/projects/*/*.jsonl")
    return "".join(file.read_text() for file in files)


def process_of(harness: CommandHarness) -> int:
    """The `treadle` that this terminal runs."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                folder = (entry / "cwd").readlink()
            except OSError:
                continue
            if str(harness.command).encode() in words and folder == harness.project:
                return int(entry.name)
    raise AssertionError("no treadle runs here")


@pytest.mark.parametrize("option", ["--json", "--detach", "--no-sandbox", ""])
def test_without_a_person_or_a_sandbox_it_is_refused(harness: CommandHarness, option: str) -> None:
    (harness.directory / "script.yaml").write_text(script(TALK))
    words = ["plan", *([option] if option else [])]

    refused = harness.treadle("rehearse", "../script.yaml", "--", *words)

    assert refused.exit_code == 2, refused.stderr
    assert not (harness.project / "specs").exists()
