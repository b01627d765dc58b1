"""The JSON report of RSpec (`--format json`). Pure."""

from collections.abc import Mapping
from typing import Any

from treadle.domain.testing import CaseOutcome, Malformed
from treadle.verify.reports.bounds import refuse, whole_number
from treadle.verify.reports.json_reading import listed, table, worded
from treadle.verify.reports.told import STAND_IN, Told
from treadle.verify.reports.wording import Spot, spot

_OUTCOMES: Mapping[str, CaseOutcome] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
}


def parse(name: str, found: Mapping[str, Any]) -> tuple[Told, ...] | Malformed:
    """The examples, and one failure for all errors that belong to none of them."""
    told = []
    for example in map(table, listed(found.get("examples"))):
        file = worded(example.get("file_path")).removeprefix("./")
        title = worded(example.get("full_description"))
        outcome = _OUTCOMES.get(worded(example.get("status")))
        if outcome is None:
            return refuse(name, f"an example without a known status: {title[:200]}")
        raised = table(example.get("exception"))
        at = spot("\n".join(worded(each) for each in listed(raised.get("backtrace"))))
        at = at if at.file else Spot(file, whole_number(example.get("line_number")))
        message = worded(raised.get("message")) or worded(example.get("pending_message"))
        told.append(Told(file, title, outcome, worded(example.get("id")), at, message))
    outside = table(found.get("summary")).get("errors_outside_of_examples_count")
    if whole_number(outside):
        words = "\n".join(worded(each) for each in listed(found.get("messages")))
        told.append(Told("rspec", STAND_IN, "failed", "", spot(words), words))
    return tuple(told)
