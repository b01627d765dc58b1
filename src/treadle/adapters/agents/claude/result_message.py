"""Reads the end of a Claude Code session: its result message, or the lack of one."""

from typing import Any

from treadle.adapters.agents.claude.json_fields import (
    count,
    flag,
    number,
    shorten,
    table,
    tables,
    text,
    texts,
)
from treadle.domain.agent import AgentEnded, Fault
from treadle.domain.events.agent import QuotaReported
from treadle.domain.session import BudgetExceeded, Completed, Crashed, MaxTurns, QuotaExceeded
from treadle.domain.usage import Usage


class ResultParser:
    """Gathers what the result message leaves out: the error's name and the quota's reset."""

    def __init__(self, *, max_cost_usd: float, cost_before_usd: float, resumed: bool) -> None:
        self._max_cost_usd = max_cost_usd
        self._cost_before_usd = cost_before_usd
        self._resumed = resumed
        self._error = ""
        self._rejected: QuotaReported | None = None

    def note_assistant(self, message: dict[str, Any]) -> None:
        # The last word of the session's own counts: an error that was got over explains nothing.
        if message.get("parent_tool_use_id") is None:
            self._error = text(message, "error")

    def note_quota(self, reported: QuotaReported) -> None:
        self._rejected = reported if reported.status == "rejected" else None

    def parse_result(self, message: dict[str, Any]) -> AgentEnded:
        return AgentEnded(
            outcome=self._outcome(message),
            cost_usd=self._cost(number(message, "total_cost_usd")),
            # Tokens run on as well, and how many there were before is not known: better none.
            usage=None if self._resumed else sum_model_usage(message),
            turns=count(message, "num_turns") or 0,
        )

    def _cost(self, total: float | None) -> float | None:
        """What this session alone has cost.

        Newer binaries count on over a resumed conversation, older ones begin anew; a total below
        what the conversation had cost before can only be of the second kind.
        """
        if total is None:
            return None
        before = self._cost_before_usd if self._resumed else 0.0
        return round(max(0.0, total - before if total >= before else total), 8)

    def _outcome(
        self, message: dict[str, Any]
    ) -> Completed | QuotaExceeded | MaxTurns | BudgetExceeded | Fault:
        subtype, said = text(message, "subtype"), shorten(_result_text(message))
        if subtype == "error_max_turns":
            return MaxTurns(count(message, "num_turns") or 0)
        if subtype == "error_max_budget_usd":
            return BudgetExceeded(self._max_cost_usd)
        if not flag(message, "is_error") and subtype == "success":
            return Completed(said)
        if self._rejected is not None and self._error in ("rate_limit", ""):
            return QuotaExceeded(said, self._rejected.resets_at)
        return Fault(
            message=said or "the agent failed without an error message",
            api_status=count(message, "api_error_status"),
            error=shorten(self._error, 100),
            terminal_reason=shorten(text(message, "terminal_reason"), 100),
            subtype=shorten(subtype, 100),
        )

    def end_without_result(self, *, exit_code: int | None, stderr: str) -> AgentEnded:
        said = stderr.strip().splitlines()
        message = "the agent process ended without a result"
        if said:
            message = f"{message}: {shorten(said[-1], 300)}"
        return AgentEnded(Crashed(message, exit_code))


def sum_model_usage(message: dict[str, Any]) -> Usage | None:
    """Summed over models: the plain `usage` of a result leaves out part of what sub-agents used."""
    total, found = Usage(), False
    for entry in tables(list(table(message, "modelUsage").values())):
        found = True
        total += Usage(
            count(entry, "inputTokens") or 0,
            count(entry, "outputTokens") or 0,
            count(entry, "cacheCreationInputTokens") or 0,
            count(entry, "cacheReadInputTokens") or 0,
        )
    return total if found else None


def _result_text(message: dict[str, Any]) -> str:
    if result := text(message, "result"):
        return result
    return "; ".join(texts(message.get("errors")))
