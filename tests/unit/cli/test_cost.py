"""`treadle cost`: what was spent, to a person or to a program."""

import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import NOON
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.cli.terminal.cost_table import cost_table, note_lines
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import CostLine, LedgerEntry, WindowShare, WindowUse
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.runs.cost import CostReport

from .stored_runs import Command, drawn

RUN = RunId("0198a2c4-7c00-7000-8000-0000deadbeef")
ENTRY = LedgerEntry(
    "1", RUN, SessionId("s"), NOON, "claude-opus-5-5", Usage(1200, 30, 4, 50_000), cost_usd=1.25
)


def keep(root: Path, *entries: LedgerEntry) -> None:
    with closing(open_database(Storage(root))) as database:
        ledger = DatabaseLedger(database)
        for number, entry in enumerate(entries):
            ledger.put(replace(entry, id=str(number)))


def test_every_group_is_a_line_and_the_last_line_is_the_total(
    root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(root, ENTRY, replace(ENTRY, model="claude-sonnet-5-5", cost_usd=0.004))

    treadle("cost", "--by", "model")

    assert capsys.readouterr().out.splitlines() == [
        "MODEL              REQUESTS  INPUT  OUTPUT  WRITTEN  READ    COST",
        "claude-opus-5-5           1   1.2k      30        4   50k   $1.25",
        "claude-sonnet-5-5         1   1.2k      30        4   50k  <$0.01",
        "total                     2   2.4k      60        8  100k   $1.25",
    ]


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (9_999, "10.0k"),
        (12_345, "12k"),
        (999_999, "1,000k"),
        (1_234_567, "1.2M"),
        (12_345_678_901, "12,346M"),
    ],
)
def test_counts_of_tokens_are_short(tokens: int, shown: str) -> None:
    total = CostLine("total", 1, Usage(tokens), 0.0)

    (_, line) = drawn(cost_table(report(total=total)))

    assert line.split()[2] == shown


def test_a_run_is_named_as_people_type_it(
    root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(root, ENTRY)

    treadle("cost", "--by", "run")

    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "RUN",
        "deadbeef",
        "total",
    ]


def test_a_program_is_shown_everything(
    root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    window = WindowShare("5h", 0.5)
    keep(root, ENTRY, replace(ENTRY, subscription=True, windows=(window,)))

    treadle("cost", "--by", "run", "--since", "2026-05-04T00:00+00:00", "--json")

    document = json.loads(capsys.readouterr().out)
    usage = {
        "input_tokens": 2400,
        "output_tokens": 60,
        "cache_write_tokens": 8,
        "cache_read_tokens": 100_000,
        "cache_write_1h_tokens": 0,
    }
    line = {
        "label": RUN,
        "requests": 2,
        "usage": usage,
        "cost_usd": 1.25,
        "unpriced_usd": 0.0,
        "estimated_requests": 0,
        "subscription_requests": 1,
        "windows": [{"window": "5h", "used": 0.0, "share": 0.5}],
    }
    assert document == {
        "by": "run",
        "since": "2026-05-04T00:00:00Z",
        "prices_as_of": CLAUDE.prices.as_of,
        "prices_source": CLAUDE.prices.source,
        "lines": [line],
        "total": line | {"label": "total"},
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Nothing was spent; what rehearsals would have cost: --rehearsals.\n"),
        (
            ("--since", "1h"),
            "Nothing was spent since then; what rehearsals would have cost: --rehearsals.\n",
        ),
        (("--rehearsals",), "Nothing was spent.\n"),
    ],
)
def test_where_nothing_was_spent_that_is_said(
    treadle: Command, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert treadle("cost", *options) == 0
    assert capsys.readouterr() == ("", said)


def test_rehearsals_are_listed_apart(
    root: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(root, ENTRY, replace(ENTRY, rehearsal=True, at=NOON + timedelta(days=1), cost_usd=7.0))

    treadle("cost", "--json")
    real = json.loads(capsys.readouterr().out)["total"]["cost_usd"]
    treadle("cost", "--rehearsals", "--json")
    rehearsed = json.loads(capsys.readouterr().out)["total"]["cost_usd"]

    assert (real, rehearsed) == (1.25, 7.0)


def report(*lines: CostLine, total: CostLine) -> CostReport:
    return CostReport("day", None, CLAUDE.prices.as_of, CLAUDE.prices.source, list(lines), total)


def test_what_the_figures_cannot_say_is_said_below() -> None:
    plain = CostLine("2026-05-04", 3, Usage(1), 2.0, unpriced_usd=0.5, estimated_requests=2)
    windows = (WindowUse("5h", 0.12, 0.4), WindowUse("7d", 0.0, 0.07))
    subscribed = CostLine("2026-05-05", 1, Usage(1), 0.0, subscription_requests=1, windows=windows)
    unknown = replace(subscribed, label="2026-05-06", windows=())
    total = CostLine("total", 5, Usage(3), 2.0, 0.5, 2, 2, windows)
    summed = report(plain, subscribed, unknown, total=total)

    assert [line.split("  ")[-1].strip() for line in drawn(cost_table(summed))] == [
        "SHARE",
        "-",
        "5h +12%, 7d +0%",
        "not told",
        "5h +12%, 7d +0%",
    ]
    costs = [line.split()[6] for line in drawn(cost_table(summed))[1:]]
    assert costs == ["$2.00*", "-", "-", "$2.00*"]
    assert drawn(note_lines(summed)) == [
        "* $0.50 of it is for models without a known price, counted at the highest;",
        "  give them one in treadle.toml: [prices.MODEL]",
        "2 answers were cut short: their output is estimated.",
        "Subscriptions are not billed by request. Requests use up usage windows.",
    ]
