"""`treadle status`: what waits for a person, the deliverables, the live or last run.

Loads no events, unless a run is live or its work may not be in the checkout.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.domain.deliverable import Deliverable, tally
from treadle.domain.errors import ProjectError
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunFilter, RunRow, UnlandedRun
from treadle.domain.stored_path import stored_path
from treadle.runs.approvals import open_questions
from treadle.runs.find import deliverables_of, list_project_runs
from treadle.views.tally_text import proof_of
from treadle.views.waiting import WaitingEntry, waiting_entries
from treadle.views.workflow_labels import is_queue
from treadle.workflows.registry import WORKFLOWS, find_workflow

RUNS_CONSIDERED = 50


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """What the command shows."""

    project: Path
    deliverables: Sequence[Deliverable]
    run: RunRow | None
    # The newest queue of increments, if there is one to speak of.
    queue: RunRow | None
    waiting: Sequence[WaitingEntry]


@click.command("status")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(context: CommandContext, *, project_dir: str | None, as_json: bool) -> None:
    """Show what waits for you, this project's deliverables, and its live run or the last one.

    \b
    Example:
      treadle status --json | jq '.waiting[].commands'
    """
    context, project = context.in_project(project_dir), context.project(project_dir)
    storage = context.environment.storage
    rows = list_project_runs(storage, project, RunFilter(limit=RUNS_CONSIDERED))
    questions = open_questions(storage, datetime.now(UTC))
    facts = StatusFacts(
        project,
        deliverables_of(project),
        _live_or_last(rows),
        _queue_of_increments(rows),
        (
            *_waits_of_queues(context, rows),
            *waiting_entries(rows, questions, _unlanded(context, project, rows)),
        ),
    )
    if as_json:
        click.echo(_json(context, facts))
    else:
        _draw(context, facts)


def _waits_of_queues(context: CommandContext, rows: Sequence[RunRow]) -> Sequence[WaitingEntry]:
    """What queues need from a person; their logs are read only if one waits."""
    waiting = [row for row in rows if row.state == "waiting" and is_queue(row.workflow)]
    if not waiting:
        return ()
    from treadle.runs.find import open_logs
    from treadle.views.queue_summary import waiting_commands
    from treadle.workflows.queue.queue_state import read_queue

    with open_logs(context.environment.storage) as logs:
        queues = [(row, read_queue(logs.read(row.id))) for row in waiting]
    return [
        WaitingEntry(short_id(row.id), f"the queue waits: {row.waiting_for}", commands)
        for row, queue in queues
        if (commands := waiting_commands(queue, short_id(row.id)))
    ]


def _unlanded(context: CommandContext, project: Path, rows: Sequence[RunRow]) -> UnlandedRun | None:
    if not any(row.may_be_unlanded for row in rows):
        return None
    # Imported here, because git and the logs are needed in this case alone.
    import asyncio

    from treadle.runs.unlanded_work import find_unlanded

    try:
        return asyncio.run(find_unlanded(context.environment, project, rows))
    except ProjectError:
        return None  # its repository is gone, and with it the branch


def _live_or_last(rows: Sequence[RunRow]) -> RunRow | None:
    live = next((row for row in rows if row.alive), None)
    if live is not None or not rows:
        return live
    # Of an item, the queue: that is what goes on.
    last = rows[0].started_at
    queues = (row for row in rows if is_queue(row.workflow) and row.started_at <= last)
    return next((row for row in queues if row.ended_at >= last), rows[0])


def _queue_of_increments(rows: Sequence[RunRow]) -> RunRow | None:
    """The newest, if it is live or nothing but its items came after it."""
    for row in rows:
        if row.workflow not in WORKFLOWS:
            return None
        workflow = find_workflow(row.workflow)
        if "increments" in workflow.inputs:
            return row
        if workflow.deliverables_in != "log" and not row.alive:
            return None
    return None


def _json(context: CommandContext, facts: StatusFacts) -> bytes:
    listed = facts.deliverables
    document: dict[str, Any] = {
        "project": stored_path(facts.project),
        "waiting": facts.waiting,
        "tally": tally(listed),
        "deliverables": [{**asdict(each), "proof": proof_of(each)} for each in listed],
        "run": facts.run,
    }
    if (queue := facts.queue) is not None:
        # Here, because only a queue has more to say, and other calls should stay quick.
        from treadle.runs.auto_sessions import read_auto_session
        from treadle.views.auto_session import session_document

        document |= session_document(read_auto_session(queue, context.environment))
    return encode_json(document)


def _draw(context: CommandContext, facts: StatusFacts) -> None:
    # Here, because programs that ask for JSON many times should not wait for what draws.
    from treadle.cli.live_times import with_live_times
    from treadle.cli.terminal.run_table import status_block
    from treadle.cli.terminal.screen import detect_screen, print_lines

    screen = detect_screen(sys.stdout, context.environment)
    options = screen.render_options(sys.stdout)
    now = datetime.now(UTC)
    shown = [] if facts.run is None else [facts.run]
    run = next(iter(with_live_times(context.environment.storage, shown, now)), None)
    lines = status_block(
        facts.project.name or str(facts.project),
        facts.deliverables,
        run,
        facts.waiting,
        now=now,
        options=options,
    )
    print_lines(lines, sys.stdout, screen)
