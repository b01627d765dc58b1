"""The questions of `init`, the answers it proposes, and the files it writes. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treadle.domain.suite_report import REPORTS_FOLDER
from treadle.settings.edit import update
from treadle.settings.load import ResolvedSettings
from treadle.settings.template import SCHEMA_PATH, render_template
from treadle.workspace.detect import SPECS, DetectedCommands, DetectedProject
from treadle.workspace.project_root import SETTINGS_FILE

IGNORE_FILE = ".gitignore"
_IGNORE_TITLE = "# Files that Treadle writes"


@dataclass(frozen=True, slots=True)
class InitQuestion:
    """A setting that `init` asks for, and how."""

    name: str
    text: str


QUESTIONS: tuple[InitQuestion, ...] = (
    InitQuestion("project.spec", "File that says what to build"),
    InitQuestion("project.setup", "Command that prepares a fresh checkout"),
    InitQuestion("project.test", "Command that runs the tests"),
    InitQuestion("project.check", "Command that checks the code (lint, types)"),
    InitQuestion("limits.max_cost_usd", "Maximum US dollars per run"),
    InitQuestion("limits.max_minutes", "Maximum minutes per run"),
)

# Shows the one idea that a specification needs: each item with the command that proves it.
FIRST_SPEC = """\
# What to build

Say in a few sentences what this project is. Then list what you want, one item
each, with a command that fails today and passes when the item is done. Replace
these two:

- `README.md` has a section "Usage" that shows how to run the project.
  Check: `grep -q "^## Usage" README.md`
- The usage section starts with the shortest command that does something useful.
"""


@dataclass(frozen=True, slots=True)
class InitFiles:
    """The text of each file that `init` may write; None for a file that does not exist."""

    settings: str | None
    ignored: str | None
    schema: str | None


def propose_answers(
    present: ResolvedSettings, detected: DetectedProject, commands: DetectedCommands
) -> dict[str, Any]:
    """A value for each question and each detected key: of the file, else what was detected."""
    by_detection = {
        "project.spec": detected.spec,
        "project.specs": detected.specs,
        "project.setup": commands.setup,
        "project.check": commands.check,
        "project.test": commands.test,
    }
    names = [question.name for question in QUESTIONS]
    names += ["project.specs"] if detected.specs != SPECS else []
    return {
        name: by_detection[name]
        if name in by_detection and _is_unset(present, name)
        else present.value(name)
        for name in names
    }


def asks_for_commands(present: ResolvedSettings) -> bool:
    """Whether the file leaves a command to be detected."""
    names = ("project.setup", "project.check", "project.test")
    return any(_is_unset(present, name) for name in names)


def _is_unset(present: ResolvedSettings, name: str) -> bool:
    return present.origins[name].source == "default"


def changed_files(
    present: InitFiles, answers: Mapping[str, object], *, schema: str, ignored: Sequence[str]
) -> dict[str, str]:
    """The new text of each file that changes, by its path in the project; empty when none does."""
    settings = present.settings
    new_settings = render_template(answers) if settings is None else update(settings, answers)
    new_ignored = add_ignore_lines(present.ignored or "", ignored)
    texts = {
        SETTINGS_FILE: (settings, new_settings),
        SCHEMA_PATH: (present.schema, schema),
        IGNORE_FILE: (present.ignored, new_ignored),
    }
    return {path: new for path, (old, new) in texts.items() if new != old}


def ignore_lines(notes: str, installed: Sequence[str] = ()) -> tuple[str, ...]:
    """The lines for .gitignore, with those for installed packages; the rest of `.treadle/` is for
    people and is committed."""
    own = (".treadle/status.json", ".treadle/wip/", SCHEMA_PATH, f"{REPORTS_FOLDER}/", notes)
    return (*own, *installed)


def add_ignore_lines(text: str, lines: Sequence[str]) -> str:
    """The text of a .gitignore with these lines added once; all others stay."""
    present = {_pattern(line) for line in text.splitlines()}
    whole = present & {".treadle", ".treadle/*", ".treadle/**"}
    missing = [
        line
        for line in dict.fromkeys(lines)
        if _pattern(line) not in present and not (whole and line.startswith(".treadle/"))
    ]
    if not missing:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    title = [] if _IGNORE_TITLE in present else [_IGNORE_TITLE]
    return text + gap + newline.join([*title, *missing]) + newline


def _pattern(line: str) -> str:
    """A line of .gitignore without what makes no difference for the names that `init` adds."""
    return line.strip().removeprefix("**/").strip("/")
