"""Sums of the ledger by day, run, model or project, for `treadle cost`. Loads no events."""

import json
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import assert_never

from treadle.adapters.stores.database import Database, Row, open_to_read
from treadle.adapters.stores.ledger import time_text
from treadle.domain.ledger import CostGroup, CostLine, WindowUse
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage

_SUMS = (
    "max(ledger.at), count(*), sum(input_tokens), sum(output_tokens), sum(cache_write_tokens),"
    " sum(cache_read_tokens), sum(cache_write_1h_tokens),"
    " sum(CASE WHEN subscription=0 THEN ledger.cost_usd ELSE 0 END),"
    " sum(CASE WHEN subscription=0 AND priced=0 THEN ledger.cost_usd ELSE 0 END),"
    " sum(estimated), sum(subscription)"
)
_FROM = "FROM ledger LEFT JOIN runs ON runs.id=ledger.run"
_WHERE = "WHERE ledger.rehearsal=? AND ledger.at>=?"


def cost_lines(
    storage: Storage, by: CostGroup, *, since: datetime | None, rehearsal: bool
) -> list[CostLine]:
    """One line per group: days and runs newest first, models and projects by cost."""
    database = open_to_read(storage)
    if database is None:
        return []
    with closing(database):
        lines = _lines(database, by, (int(rehearsal), time_text(since) if since else ""))
    if by in ("model", "project"):
        lines.sort(key=lambda line: (line.cost_usd, line.requests), reverse=True)
    return lines


def sum_lines(lines: Iterable[CostLine], label: str = "total") -> CostLine:
    """The sum of all lines."""
    all_lines = list(lines)
    used: defaultdict[str, float] = defaultdict(float)
    share: dict[str, float] = {}
    for line in all_lines:
        for each in line.windows:
            used[each.window] += each.used
            share[each.window] = max(each.share, share.get(each.window, 0.0))
    return CostLine(
        label=label,
        requests=sum(line.requests for line in all_lines),
        usage=sum((line.usage for line in all_lines), Usage()),
        cost_usd=sum(line.cost_usd for line in all_lines),
        unpriced_usd=sum(line.unpriced_usd for line in all_lines),
        estimated_requests=sum(line.estimated_requests for line in all_lines),
        subscription_requests=sum(line.subscription_requests for line in all_lines),
        windows=tuple(WindowUse(name, used[name], share[name]) for name in sorted(used)),
    )


def _lines(database: Database, by: CostGroup, values: tuple[int, str]) -> list[CostLine]:
    key = _key(by)
    # Built from constants only; values are always bound.
    sums = f"SELECT {key}, {_SUMS} {_FROM} {_WHERE} GROUP BY 1 ORDER BY 2 DESC"
    windows_query = (
        f"SELECT {key}, windows {_FROM} {_WHERE}"
        " AND subscription=1 AND windows<>'[]' ORDER BY ledger.at"
    )
    windows = _windows(by, database.query(windows_query, values))
    merged: dict[str, CostLine] = {}
    for row in database.query(sums, values):
        label = _label(by, row[0])
        line = _line(label, row)
        merged[label] = sum_lines([merged[label], line], label) if label in merged else line
    return [
        replace(line, windows=tuple(each for _, each in sorted(windows[line.label].items())))
        for line in merged.values()
    ]


def _key(by: CostGroup) -> str:
    match by:
        case "day":
            return "substr(ledger.at, 1, 16)"  # to the minute, because days depend on the time zone
        case "run":
            return "ledger.run"
        case "model":
            return "ledger.model"
        case "project":
            return "coalesce(runs.project_path, '')"
        case _:
            assert_never(by)


def _label(by: CostGroup, key: str) -> str:
    if by != "day":
        return key
    return datetime.fromisoformat(key).replace(tzinfo=UTC).astimezone().date().isoformat()


def _line(label: str, row: Row) -> CostLine:
    _, _, requests, *tokens, cost, unpriced, estimated, subscription = row
    return CostLine(
        label=label,
        requests=requests,
        usage=Usage(*tokens),
        cost_usd=float(cost),
        unpriced_usd=float(unpriced),
        estimated_requests=estimated,
        subscription_requests=subscription,
    )


def _windows(by: CostGroup, rows: Iterable[Row]) -> defaultdict[str, dict[str, WindowUse]]:
    """How much of each window each group used, by the shares before and after.

    A window's share before its first response here was used elsewhere. A window with another
    reset time is a new one.
    """
    highest: dict[tuple[str, float | None], float] = {}
    uses: defaultdict[str, dict[str, WindowUse]] = defaultdict(dict)
    for key, text in rows:
        group = uses[_label(by, key)]
        for name, share, resets_at in json.loads(text):
            before = highest.get((name, resets_at), share)
            highest[name, resets_at] = max(before, share)
            used = group[name].used if name in group else 0.0
            group[name] = WindowUse(name, used + max(0.0, share - before), share)
    return uses
