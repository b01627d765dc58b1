"""`treadle focus`: plans, builds task by task, and reviews against the specifications."""

from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run
from treadle.domain.errors import UsageError
from treadle.workflows.focus.workflow import LONGEST_WORDS

LONGEST_REVIEW = 256 * 1024


@click.command("focus")
@click.argument("words", metavar="WORDS", nargs=-1, required=True)
@click.option("--review", metavar="FILE", help="A review that the first plan must satisfy.")
@workflow_options
@click.pass_obj
def command(
    context: CommandContext, /, words: tuple[str, ...], review: str | None, **values: Any
) -> int:
    """Plan, build and review WORDS until a reviewer approves.

    A planner reads the specifications and writes a plan. Each session does one task of it. A
    reviewer compares the work with the specifications, and its findings go into the next plan. If
    the specifications are unclear, the run ends with exit code 3.

    \b
    Example:
      treadle focus "Filter transactions by date"
    """
    options = WorkflowOptions(**values)
    task = " ".join(words)
    if not task.strip():
        raise UsageError("say what to work on", hint='treadle focus "What to work on"')
    if len(task) > LONGEST_WORDS:
        raise UsageError(
            f"the text has more than {LONGEST_WORDS:,} characters",
            hint="write them into the specifications, and say here which part to work on",
        )
    text = _read_review(context.working_directory / review) if review else ""
    return start_run(context, options, "focus", {"words": task, "review": text})


def _read_review(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as opened:
            text = opened.read(LONGEST_REVIEW + 1)
    except UnicodeDecodeError:
        hint = "save it as UTF-8"
        raise UsageError(f"the review {path} is not UTF-8 text", hint=hint) from None
    except OSError as error:
        why = (error.strerror or "no such file").lower()
        hint = "give the path of a text file with what must change"
        raise UsageError(f"cannot read the review {path}: {why}", hint=hint) from None
    if len(text) > LONGEST_REVIEW:
        raise UsageError(
            f"the review {path} is longer than {LONGEST_REVIEW} characters",
            hint="shorten it",
        )
    if not text.strip():
        raise UsageError(f"the review {path} is empty", hint="leave out --review")
    return text
