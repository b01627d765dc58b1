"""What a person sees of whole runs, line by line, at 80 columns and without colours."""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import get_args

import pytest

from tests.unit.cli.sample_handovers import EVERY_RUN
from tests.unit.cli.sample_runs import STARTED, recorded, session_ended
from treadle.cli.terminal.palette import COLOURED, PLAIN
from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.run import RunEnded
from treadle.domain.events.work import (
    INCLUDED_FILE,
    SECRET_FILE,
    CommitsKept,
    SetupFinished,
    WithheldPath,
    WorkKept,
    WorkspacePrepared,
    WorkWithheld,
)
from treadle.domain.exit_reasons import END_REASONS, ExitReason
from treadle.domain.run import RunResult
from treadle.domain.session import (
    BudgetExceeded,
    Cancelled,
    Completed,
    Crashed,
    ExecutionError,
    MaxTurns,
    Outcome,
    QuotaExceeded,
    TimedOut,
)
from treadle.domain.usage import Usage
from treadle.views.log_state import LogState, apply_event

BLOCKS = Path(__file__).parents[1] / "blocks"
SHOWN = [(name, Verbosity.NORMAL) for name in EVERY_RUN] + [
    ("interrupted", Verbosity.QUIET),
    ("retries", Verbosity.QUIET),
    ("success", Verbosity.VERBOSE),
    ("success", Verbosity.DEBUG),
    ("quota", Verbosity.DEBUG),
    ("interrupted", Verbosity.DEBUG),
    ("passed-on", Verbosity.QUIET),
    ("passed-on", Verbosity.VERBOSE),
    ("in-bounds", Verbosity.QUIET),
    ("verified", Verbosity.QUIET),
    ("verified", Verbosity.VERBOSE),
    ("gate-shut", Verbosity.VERBOSE),
]


def screenful(log: Sequence[RecordedEvent], options: RenderOptions) -> list[str]:
    state, lines = LogState(), []
    for each in log:
        state = apply_event(state, each)
        lines += render(each, state, options)
    return lines


def options_at(level: Verbosity = Verbosity.NORMAL, width: int = 80) -> RenderOptions:
    return RenderOptions(level, width, PLAIN, UTC)


@pytest.mark.parametrize(("name", "level"), SHOWN)
def test_a_run_is_shown_as_in_its_block(name: str, level: Verbosity) -> None:
    block = (BLOCKS / f"{name}-{level.name.lower()}.txt").read_text(encoding="utf-8")

    assert screenful(EVERY_RUN[name](), options_at(level)) == block.splitlines()


def test_the_blocks_cover_every_event_type() -> None:
    shown = {type(each.event) for run in EVERY_RUN.values() for each in run()}

    assert shown == set(get_args(Event))


@pytest.mark.parametrize("name", EVERY_RUN)
def test_without_colours_the_words_are_the_same(name: str) -> None:
    coloured = screenful(EVERY_RUN[name](), RenderOptions(Verbosity.DEBUG, 80, COLOURED, UTC))
    for code in (*COLOURED.codes.values(), "\x1b[0m"):
        coloured = [line.replace(code, "") for line in coloured]

    plain = screenful(EVERY_RUN[name](), options_at(Verbosity.DEBUG))
    assert [line.rstrip() for line in coloured] == plain


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Completed("x"), "  session completed"),
        (ExecutionError("boom", "fatal"), "  session failed"),
        (MaxTurns(200), "  session stopped at its limit of 200 turns"),
        (BudgetExceeded(10.0), "  session stopped at its cost limit of $10.00"),
        (QuotaExceeded("limit", None), "  session stopped by the provider's quota"),
        (TimedOut("idle", 600), "  session timed out after 10m: the agent gave no output"),
        (Cancelled(), "  session cancelled"),
        (Crashed("killed", 137), "  session lost its process with exit code 137"),
        (Crashed("killed", None), "  session lost its process"),
    ],
)
def test_the_end_of_a_session_is_shown_in_words(outcome: Outcome, line: str) -> None:
    shown = screenful(recorded([session_ended(outcome)]), options_at(width=120))

    assert shown == [f"{line} · 1m 23s · $0.21 · 9 turns"]


@pytest.mark.parametrize("reason", get_args(ExitReason))
def test_every_end_of_a_run_says_its_reason_and_what_to_type_next(reason: ExitReason) -> None:
    result = RunResult(reason, 1, Tally(), 0.0, Usage(), 1.0)

    lines = screenful(recorded([STARTED, RunEnded(result)]), options_at())

    assert [line for line in lines if END_REASONS[reason].headline in line]
    assert [line for line in lines if line.startswith("  next          ")]
    assert lines[-1].split("#")[0].strip() == "treadle show 7c01d2e4"


def test_partly_blocked_success_and_an_unknown_price_are_said() -> None:
    result = RunResult("all_passed", 1, Tally(2, 1, 3), 0.5, Usage(), 1.0, priced=False)

    lines = screenful(recorded([RunEnded(result)]), options_at())

    assert lines[2:7] == [
        "✔ Done: everything possible passed, 1 blocked",
        "",
        "  deliverables  2 of 3 passed (claimed), 1 blocked",
        "  rounds        1",
        "  cost          $0.50 (unpriced model: counted at the highest known price)",
    ]


def test_a_long_command_to_merge_is_continued_and_never_cut() -> None:
    branch = "treadle/a-very-long-name-of-a-project-that-goes-on-7c01d2e4"
    kept = WorkKept(branch, "changed", f"git -C /home/ada/calculator merge --ff-only {branch}")
    result = RunResult("all_passed", 1, Tally(1, 0, 1), 0.5, Usage(), 1.0)

    lines = screenful(recorded([kept, RunEnded(result)]), options_at())

    assert lines[-2:] == [
        "  to merge      git -C /home/ada/calculator merge --ff-only \\",
        f"                {branch}",
    ]


def test_the_screen_in_the_documentation_is_a_real_one() -> None:
    page = Path(__file__).parents[4] / "docs" / "getting-started" / "reading-the-screen.md"
    block = (BLOCKS / "success-normal.txt").read_text(encoding="utf-8")

    assert f"```text\n{block}```" in page.read_text(encoding="utf-8")


def test_the_uncommitted_changes_of_the_start_are_never_cut() -> None:
    branch = "treadle/a-very-long-name-of-a-project-that-goes-on-7c01d2e4"
    prepared = WorkspacePrepared("/w", branch, "a" * 40, "main", "b" * 40)

    assert screenful(recorded([prepared]), options_at()) == [
        f"branch {branch} from main at",
        "aaaaaaaa with its uncommitted changes",
    ]


def test_dropped_commits_are_told_to_who_wants_to_know_more() -> None:
    events = recorded([CommitsKept("/store", ("refs/1",), 1)])

    assert screenful(events, options_at()) == []
    assert screenful(events, options_at(Verbosity.VERBOSE)) == [
        "  1 dropped commit kept in /store",
    ]


def test_files_that_no_run_commits_are_named_with_the_reason() -> None:
    withheld = WorkWithheld(
        (
            WithheldPath(".env", 0, SECRET_FILE),
            WithheldPath("config/local.json", 0, INCLUDED_FILE),
        )
    )

    assert screenful(recorded([withheld]), options_at()) == [
        "! not committed: .env looks like a secret file",
        "! not committed: config/local.json is in workspace.include",
    ]


@pytest.mark.parametrize(
    ("exit_code", "level", "lines"),
    [
        (0, Verbosity.NORMAL, []),
        (0, Verbosity.VERBOSE, ["set up in 1s on a clean checkout of 01234567: make"]),
        (
            2,
            Verbosity.NORMAL,
            [
                "! setup failed with exit code 2 on a clean checkout of 01234567 after 1s: make",
                "│ refused: no",
            ],
        ),
    ],
)
def test_a_setup_before_a_verification_names_its_commit(
    exit_code: int, level: Verbosity, lines: list[str]
) -> None:
    commit = "0123456789abcdef"
    event = SetupFinished("make", exit_code, 1.0, "", cause=("refused: no",), commit=commit)

    assert screenful(recorded([event]), options_at(level)) == lines
