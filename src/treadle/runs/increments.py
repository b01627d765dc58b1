"""Lists, adds and orders the increments of a project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.errors import UsageError
from treadle.domain.increment import Increment, IncrementList, IncrementStatus
from treadle.domain.run_row import RunFilter, RunRow
from treadle.domain.storage import Storage
from treadle.runs.find import list_project_runs, open_logs
from treadle.workflows.auto.front_matter import (
    FrontMatterError,
    read_front_matter,
    split_front_matter,
)
from treadle.workflows.auto.increment_files import (
    find_increments,
    heading_of,
    increment_text,
    read_increments,
    write_increment,
)
from treadle.workflows.auto.increment_order import (
    OrderRefusal,
    cycle_text,
    dependencies_first,
    find_cycle,
    find_name,
    increment_statuses,
    order_increments,
)
from treadle.workflows.auto.next_step import WORKFLOW as INCREMENT
from treadle.workflows.auto.next_step import queue_statuses
from treadle.workflows.queue.queue_state import read_queue

AUTO = "auto"
# Whatever an old one has done is done.
MOST_QUEUES = 1_000
# Of past increments, for an estimate.
MOST_COSTS = 50


@dataclass(frozen=True, slots=True)
class ProjectIncrements:
    """What is in the folder, and how far Treadle is with each."""

    found: IncrementList
    statuses: Mapping[str, IncrementStatus]
    # Names around a cycle; empty without one.
    cycle: tuple[str, ...] = ()

    def in_order(self) -> tuple[Increment, ...]:
        """What is needed comes first; only without a cycle."""
        return dependencies_first(self.found.increments)


def list_increments(storage: Storage, project: Path) -> ProjectIncrements:
    """The increments, and what queues of this project did with them."""
    found = read_increments(project)
    recorded = _recorded(storage, _queues(storage, project))
    return ProjectIncrements(
        found, increment_statuses(found, recorded), find_cycle(found.increments)
    )


@dataclass(frozen=True, slots=True)
class AutoPlan:
    """The increments of a new queue in their order, those that are done, what it may cost."""

    names: tuple[str, ...]
    done: tuple[str, ...]
    # None: nothing was done here before.
    estimate_usd: float | None


def plan_auto(
    storage: Storage, project: Path, wanted: Sequence[str], *, rehearsal: bool
) -> AutoPlan:
    """Check the increments and put them in order; what only a rehearsal did is not done."""
    queues = [row for row in _queues(storage, project) if bool(row.rehearsal) == rehearsal]
    recorded = _recorded(storage, queues)
    done = tuple(name for name, status in recorded.items() if status == "done")
    ordered = order_increments(read_increments(project), wanted, done)
    if isinstance(ordered, OrderRefusal):
        raise UsageError(ordered.message, hint=ordered.hint)
    names = tuple(each.name for each in ordered)
    return AutoPlan(names, done, _estimate(storage, project, len(names), rehearsal=rehearsal))


def _queues(storage: Storage, project: Path) -> list[RunRow]:
    """Oldest first."""
    rows = list_project_runs(storage, project, RunFilter(workflow=AUTO, limit=MOST_QUEUES))
    return rows[::-1]


def _recorded(storage: Storage, queues: Sequence[RunRow]) -> dict[str, IncrementStatus]:
    """The last that is known of each increment."""
    statuses: dict[str, IncrementStatus] = {}
    if not queues:
        return statuses
    with open_logs(storage) as logs:
        for row in queues:
            statuses |= queue_statuses(read_queue(logs.read(row.id)), frozenset())
    # What a queue left undone is free for the next one.
    return {name: status for name, status in statuses.items() if status != "ready"}


def _estimate(storage: Storage, project: Path, count: int, *, rehearsal: bool) -> float | None:
    chosen = RunFilter(workflow=INCREMENT, states=("succeeded", "ended"), limit=MOST_COSTS)
    rows = list_project_runs(storage, project, chosen)
    costs = [row.cost_usd for row in rows if bool(row.rehearsal) == rehearsal]
    return round(count * sum(costs) / len(costs), 2) if costs else None


def require_no_cycle(increments: ProjectIncrements) -> None:
    if increments.cycle:
        raise UsageError(
            f"increments depend on each other: {cycle_text(increments.cycle)}",
            hint="take one of them out of depends_on",
        )


def add_increment(project: Path, title: str, *, text: str, depends_on: Sequence[str]) -> str:
    """Write the next increment; returns its name. The text may bring its own front matter."""
    try:
        matter, body = split_front_matter(text)
        read_front_matter(matter)
    except FrontMatterError as error:
        raise UsageError(f"the specification: {error}", hint="fix it, or leave it out") from None
    title = title.strip() or heading_of(body)
    if not title or not body.strip():
        raise UsageError(
            "an increment needs words", hint='treadle increments add "Add a login page"'
        )
    if matter and depends_on:
        raise UsageError(
            "the specification already has front matter",
            hint="write depends_on there, or leave --depends-on out",
        )
    names = read_increments(project).names
    needed = [_known_name(named, names) for named in depends_on]
    content = text if matter else increment_text(title, body, needed)
    return write_increment(project, title, content)


def find_open_increment(storage: Storage, project: Path, title: str, text: str) -> str:
    """An increment with this text that is not done, such as one that could not be started; empty
    without one."""
    recorded = _recorded(storage, _queues(storage, project))
    names = find_increments(project, increment_text(title, text, ()))
    return next((name for name in names if recorded.get(name) != "done"), "")


def _known_name(named: str, names: Sequence[str]) -> str:
    full = find_name(named, names)
    if isinstance(full, OrderRefusal):
        raise UsageError(full.message, hint=full.hint)
    return full
