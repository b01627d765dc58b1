"""The riskiest changes of the work of a run, for its report. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from treadle.domain.events.verification import EvidenceFileKind, TouchedFile
from treadle.domain.events.work import ToolFile
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunRow
from treadle.views.alerts import change_alerts, red_test_alerts, weaker_test_alerts
from treadle.views.log_state import LogState
from treadle.views.style import Style


class RiskRank(IntEnum):
    """What a change can break unseen, worst first."""

    RED_TESTS = 0
    STARTS_BY_ITSELF = 1
    TESTS = 2
    CI = 3
    INSTRUCTIONS = 4
    CONFIGURATION = 5
    DELETIONS = 6


@dataclass(frozen=True, slots=True)
class Risk:
    """A change that a person should look at, in one line."""

    rank: RiskRank
    text: str
    style: Style = "warning"


@dataclass(frozen=True, slots=True)
class RiskEntry:
    """A risky change, and the run that made it."""

    run: str
    risk: Risk


_RANKS: dict[EvidenceFileKind, RiskRank] = {
    "tests": RiskRank.TESTS,
    "check": RiskRank.TESTS,
    "specification": RiskRank.TESTS,
    "ci": RiskRank.CI,
    "runner": RiskRank.CONFIGURATION,
    "coverage": RiskRank.CONFIGURATION,
    "lint": RiskRank.CONFIGURATION,
}


def ranked_risks(runs: Iterable[tuple[RunRow, LogState]]) -> tuple[RiskEntry, ...]:
    """The risks of all runs, the worst first."""
    found = [RiskEntry(short_id(row.id), risk) for row, state in runs for risk in risks_of(state)]
    return tuple(sorted(found, key=lambda entry: entry.risk.rank))


def risks_of(state: LogState) -> tuple[Risk, ...]:
    """The risks of one run, the worst first. Added tests are good news and not listed."""
    risks = (
        *(Risk(RiskRank.RED_TESTS, each.text, each.style) for each in red_test_alerts(state)),
        *(Risk(RiskRank.TESTS, each.text) for each in weaker_test_alerts(state)),
        *(_tool_file_risk(each) for each in state.tool_files if each.effect != "withheld"),
        *(_touched_risk(each) for each in state.verified.touched if _is_risky(each)),
        *(Risk(RiskRank.DELETIONS, each.text) for each in change_alerts(state)),
    )
    return tuple(sorted(risks, key=lambda risk: risk.rank))


def _tool_file_risk(file: ToolFile) -> Risk:
    text = f"{file.change} {file.path}: {file.why}"
    if file.effect == "ask":
        return Risk(RiskRank.STARTS_BY_ITSELF, text, "bad")
    return Risk(RiskRank.INSTRUCTIONS, text)


def _is_risky(file: TouchedFile) -> bool:
    """Tests that are gone or weaker have alerts of their own."""
    if file.judge == "tests":
        return file.change == "changed" and not file.weaker
    return True


def _touched_risk(file: TouchedFile) -> Risk:
    style: Style = "bad" if file.change == "removed" else "warning"
    return Risk(_RANKS[file.judge], f"{file.change} {file.path} ({file.judge})", style)
