"""The crash matrix as a page of the reference: the same text for the same results."""

from collections.abc import Iterable, Sequence

from tests.crash_matrix.case import Case, CaseCommand
from tests.crash_matrix.checks import CHECKS
from tests.crash_matrix.following import FollowingVerdict
from tests.crash_matrix.matrix import CaseVerdict
from tests.crash_matrix.queues import QueueVerdict

HEAD = """# Crash matrix

Treadle is killed with `kill -9` at a named point of a rehearsed run with the real Claude Code binary; then another process
goes on. Nothing is put into the product for this: the tests start it with a trap in place of one of its functions.
Written by `make crash-matrix`; some of the points are part of `make test`.
"""  # noqa: E501

PROMISES = """
After each of them, compared with the same run that nobody killed:

| check | what must hold |
|---|---|
| it ends as it should | every process died at its point, and the last one ended with the exit code of a run that went well (2, “is done”, where the run had ended before the kill) |
| same tree | the files in the user's checkout are the same, and it is clean |
| same commits | as many, with the same subjects, on as many branches |
| same status.json | dates and commit ids aside; every pass names a commit |
| no gap | events are numbered from 1 without a gap |
| nothing told twice | every fact of the log is told once and in the same order: rounds, ends of sessions, deliverables, plan, commits, imports, landing, pauses, questions, the end; a warning is never told twice, but one that was about to be told may be missing |
| no process left | of the agent, its tools or git: neither after the kill nor at the end |
| cut session goes on | under its own id; in the agent's memory where the agent has a transcript of it |
| checkout untouched | the user's files, index, branch and HEAD are as they were at every kill before the landing; in the landing, every file is the user's or the run's |
"""  # noqa: E501

SCENARIOS = """
| run | what happens in it |
|---|---|
| one deliverable | one session plans, one builds, the work is landed |
| uncommitted changes | the same, in a checkout with edits that are not committed |
| agent commits | the same, and the agent commits its work itself |
| work destroyed | a session claims a pass, then deletes its whole workspace; another builds |
| checked work | a claim is refused by its check, another holds; tests are run as well |
| checked slowly | the same, with tests that take a while |
| quota spent | the building session meets the provider's limit; the run sleeps until the reset |
| quota spent for longer | the same, with a later reset |
| session fails | the building session fails; the run waits and tries again |
| service fails | the model service fails in the building session; the run waits for it |
| earlier work | an earlier run left the first of two deliverables on its branch |
| earlier work gone | the same, and the user has deleted that branch |
| new specification | an earlier run did all; then the user changed the specification |
| limit reached | two deliverables and two rounds: the run stops, and is allowed more |
| landing asked | a detached run asks before it lands, and a person says yes |
"""

UPGRADES = """\
The first command is of a wheel that is built from the commit before and installed on its own.
All others are of this version, which goes on with the stored database.
"""

FOLLOWING = """\
A sentence becomes a plan; a person wants another one and approves that; three commits, red tests, a repair, a review and a pull
request on a fake GitHub follow. CI fails, a worker mends it, a person comments, the worker answers with a commit, the person
merges. After each kill a worker goes on. All of these must hold: GitHub received each of the three pushes, the one new pull
request and its two updates once; the branch has each commit once; the log has no gap, and tells each of these once, as it does
every plan, question and answer; the run ends because its pull request was merged.

`make test` kills one such run at all of these points, one after the other, and another one whose plan the timer approves.
"""  # noqa: E501

QUEUES = """\
`treadle watch --once` works off two items, and is killed between their sessions; after each kill `resume` goes on with the queue.
Both items are done once and in their order, and all of these hold: each run of an item has landed once, the queue tells each
start, end and removal once, no log has a gap, the backlog is empty and the checkout clean.

`make test` kills one such queue at all of these points, one after the other.
"""  # noqa: E501

DOERS = {
    "deliver": "`deliver`",
    "detach": "`deliver --detach`",
    "resume": "`resume`",
    "resume further": "`resume --max-iterations`",
    "worker": "worker",
    "answered worker": "worker",
    "approve": "`approve`",
}


def page(
    sqlite: Sequence[CaseVerdict],
    postgres: Sequence[CaseVerdict],
    upgraded: Sequence[CaseVerdict],
    followed: Sequence[FollowingVerdict],
    queued: Sequence[QueueVerdict],
) -> str:
    return "\n".join(
        [
            HEAD,
            _counts("SQLite", sqlite),
            _counts("PostgreSQL", postgres),
            _counts("SQLite, begun by the version before", upgraded),
            PROMISES,
            "## The runs",
            SCENARIOS,
            "## SQLite",
            "",
            *_table(sqlite),
            "",
            "## PostgreSQL",
            "",
            *_table(postgres),
            "",
            "## SQLite, begun by the version before",
            "",
            UPGRADES,
            *_table(upgraded),
            "",
            *following_lines(followed),
            "",
            *queue_lines(queued),
            "",
        ]
    )


def following_lines(followed: Sequence[FollowingVerdict]) -> list[str]:
    """The points of a task that works for its pull request."""
    rows = [
        f"| {n} | {each.point.name} | {each.point.killed} |"
        f" {'; '.join(each.failures) or 'all hold'} |"
        for n, each in enumerate(followed, 1)
    ]
    return [
        "## A task and its pull request",
        "",
        *FOLLOWING.splitlines(),
        "",
        "| | killed at | killed | result |",
        "|---|---|---|---|",
        *rows,
    ]


def queue_lines(queued: Sequence[QueueVerdict]) -> list[str]:
    """The points of a backlog that is worked off."""
    rows = [
        f"| {n} | {each.point.name} | {'; '.join(each.failures) or 'all hold'} |"
        for n, each in enumerate(queued, 1)
    ]
    head = ["## A backlog", "", *QUEUES.splitlines(), ""]
    return [*head, "| | killed at | result |", "|---|---|---|", *rows]


def _counts(database: str, judged: Sequence[CaseVerdict]) -> str:
    good = sum(not each.failures for each in judged)
    kills = sum(command.dies is not None for each in judged for command in each.case.commands)
    checks = len(CHECKS) * len(judged)
    return f"- {database}: {len(judged)} points, {kills} kills, {checks} checks, {good} points hold"


def _table(judged: Iterable[CaseVerdict]) -> list[str]:
    rows = [
        f"| {n} | {each.case.name} | {each.case.scenario} | {_killed(each.case)} |"
        f" {_went_on(each.case)} | {_result(each)} |"
        for n, each in enumerate(judged, 1)
    ]
    return [
        "| | killed at | run | killed | went on with | result |",
        "|---|---|---|---|---|---|",
        *rows,
    ]


def _killed(case: Case) -> str:
    return ", then ".join(
        DOERS[command.command] for command in case.commands if command.dies is not None
    )


def _went_on(case: Case) -> str:
    return ", ".join(DOERS[command.command] for command in _after_the_first_kill(case))


def _after_the_first_kill(case: Case) -> Sequence[CaseCommand]:
    first = next(n for n, command in enumerate(case.commands) if command.dies is not None)
    return case.commands[first + 1 :]


def _result(judged: CaseVerdict) -> str:
    return f"all {len(CHECKS)} hold" if not judged.failures else "; ".join(judged.failures)
