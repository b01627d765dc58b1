"""`treadle focus`: plans, builds task by task, and reviews against the specifications."""

from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run
from treadle.domain.errors import UsageError

LONGEST_REVIEW = 256 * 1024


@click.command("focus")
@click.argument("words", metavar="WORDS")
@click.option(
    "--review", metavar="FILE", help="A review of yours that the first plan has to satisfy."
)
@workflow_options
@click.pass_obj
def command(context: CommandContext, /, words: str, review: str | None, **values: Any) -> int:
    """Work on WORDS until a review against the specifications approves.

    A planner reads the specifications and writes a plan; one session after the other takes one
    task of it; a reviewer holds the work against the specifications. What it finds goes into the
    next plan. An issue with the specifications themselves ends the run with exit code 3.
    """
    options = WorkflowOptions(**values)
    if not words.strip():
        raise UsageError("a focus run needs words", hint='treadle focus "What to work on"')
    text = _read_review(context.working_directory / review) if review else ""
    return start_run(context, options, "focus", {"words": words, "review": text})


def _read_review(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as opened:
            text = opened.read(LONGEST_REVIEW + 1)
    except UnicodeDecodeError:
        hint = "save it as UTF-8"
        raise UsageError(f"the review {path} is no text in UTF-8", hint=hint) from None
    except OSError as error:
        why = (error.strerror or "it is not there").lower()
        hint = "give the path of a text file with what must change"
        raise UsageError(f"cannot read the review {path}: {why}", hint=hint) from None
    if len(text) > LONGEST_REVIEW:
        raise UsageError(
            f"the review {path} is longer than {LONGEST_REVIEW} characters",
            hint="give the points that matter",
        )
    if not text.strip():
        raise UsageError(f"the review {path} is empty", hint="leave --review out")
    return text
