"""What must hold after a run was killed and went on, compared with one that nobody killed. Pure."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.crash_matrix.case import Case
from tests.crash_matrix.case_runner import CaseResult, Line

KILLED = -9

Fact = tuple[Any, ...]

# What a run tells once. How a fact is told apart: by what does not change from run to run.
FACTS: dict[str, Callable[[dict[str, Any]], Fact]] = {
    "run.queued": lambda e: (),
    "run.started": lambda e: (),
    "run.paused": lambda e: (),
    "run.resumed": lambda e: (),
    "run.reopened": lambda e: (),
    "run.ended": lambda e: (e["result"]["reason"], e["result"]["rounds"], e["result"]["tally"]),
    "round.started": lambda e: (e["number"], e["instruction"]),
    "round.failed": lambda e: (e["number"], e["consecutive"]),
    "session.ended": lambda e: (e["result"]["outcome"]["type"],),
    "workspace.prepared": lambda e: (e["checkout"],),
    "status.adopted": lambda e: (e["origin"], [d["status"] for d in e["deliverables"]]),
    "deliverable.created": lambda e: (e["deliverable"]["id"],),
    "deliverable.changed": lambda e: (e["id"], e["previous"], e["status"]),
    "deliverable.claimed": lambda e: (e["id"],),
    "claim.refused": lambda e: (e["id"], e["red"]),
    "plan.made": lambda e: (e["spec"],),
    "work.continued": lambda e: (),
    "work.committed": lambda e: (e["message"],),
    "work.imported": lambda e: (e["commits"],),
    "commits.kept": lambda e: (len(e["refs"]), e["commits"]),
    "work.landed": lambda e: (e["form"],),
    "work.kept": lambda e: (e["reason"],),
    "approval.asked": lambda e: (),
    "approval.answered": lambda e: (e["verdict"],),
    "approval.lapsed": lambda e: (),
    "approval.voided": lambda e: (),
}


def failures(case: Case, result: CaseResult, wanted: CaseResult) -> list[str]:
    """Every promise that was not kept, in one sentence each; `wanted` is the undisturbed run."""
    return [sentence for check in CHECKS.values() for sentence in check(case, result, wanted)]


def _ended(case: Case, result: CaseResult, _: CaseResult) -> Iterator[str]:
    for number, (command, code) in enumerate(zip(case.commands, result.exit_codes, strict=True), 1):
        if command.dies is not None and code != KILLED:
            yield f"command {number} ({command.command}) never came to its point: exit code {code}"
        elif command.dies is None and code != command.exit_code:
            yield f"command {number} ({command.command}) ended with {code}: {result.said}"


def _tree(_: Case, result: CaseResult, wanted: CaseResult) -> Iterator[str]:
    if result.tree != wanted.tree:
        yield f"the final tree differs: {sorted(result.after.files)}"
    if result.after.status != wanted.after.status:
        yield f"the checkout is not clean: {result.after.status!r}"


def _commits(_: Case, result: CaseResult, wanted: CaseResult) -> Iterator[str]:
    if result.subjects != wanted.subjects:
        yield f"commits differ: {result.subjects} instead of {wanted.subjects}"
    if result.branches != wanted.branches:
        yield f"{result.branches} branches instead of {wanted.branches}"


def _status(_: Case, result: CaseResult, wanted: CaseResult) -> Iterator[str]:
    if undated(result.status) != undated(wanted.status):
        yield f"status.json differs: {undated(result.status)}"
    for claim in claims(result.status):
        if not claim:
            yield "a pass in status.json names no commit"


def _numbers(_: Case, result: CaseResult, __: CaseResult) -> Iterator[str]:
    numbers = [line["seq"] for line in result.log]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"events are not numbered without a gap: {numbers}"


def _once(_: Case, result: CaseResult, wanted: CaseResult) -> Iterator[str]:
    told, expected = facts(result.log), facts(wanted.log)
    if told != expected:
        yield f"facts differ: {_difference(told, expected)}"
    warned, known = warnings(result.log), warnings(wanted.log)
    for message in set(warned):
        # Whoever goes on with a run without a sandbox says so again.
        again = message.startswith("unsandboxed")
        if warned.count(message) > known.count(message) and not again:
            yield f"warned too often: {message}"


def _orphans(_: Case, result: CaseResult, __: CaseResult) -> Iterator[str]:
    for moment, left in (
        *((f"after kill {n}", killed.orphans) for n, killed in enumerate(result.killed, 1)),
        ("at the end", result.orphans),
    ):
        if left:
            yield f"processes live on {moment}: {left}"


def _sessions(_: Case, result: CaseResult, __: CaseResult) -> Iterator[str]:
    """A cut session goes on under its id: in the agent's memory if it has one of it."""
    begun = [(line["seq"], line["event"]) for line in result.log if _is_start(line)]
    known: dict[str, int] = {}
    for killed in result.killed:
        later = [event for seq, event in begun if seq > killed.seq]
        if killed.cut_session is None:
            continue
        found = (later[0]["session"], later[0]["resumed"]) if later else None
        if found != (killed.cut_session, killed.remembered):
            yield f"the cut session {killed.cut_session} went on as {found}, " + (
                "though the agent remembers it" if killed.remembered else "not remembered"
            )
        known[killed.cut_session] = known.get(killed.cut_session, 0) + 1
    for session in {event["session"] for _, event in begun}:
        times = sum(event["session"] == session for _, event in begun)
        if times > 1 + known.get(session, 0):
            yield f"session {session} was started {times} times"


def _checkout(case: Case, result: CaseResult, _: CaseResult) -> Iterator[str]:
    for number, killed in enumerate(result.killed, 1):
        if not case.landing and killed.checkout != result.before:
            yield f"the checkout was touched before kill {number}"
        for name, content in killed.checkout.files.items():
            if content not in (result.before.files.get(name), result.after.files.get(name)):
                yield f"kill {number} left {name} in a state that is nobody's"


CHECKS: dict[str, Callable[[Case, CaseResult, CaseResult], Iterator[str]]] = {
    "it ends as it should": _ended,
    "same tree": _tree,
    "same commits": _commits,
    "same status.json": _status,
    "no gap": _numbers,
    "nothing told twice": _once,
    "no process left": _orphans,
    "cut session goes on": _sessions,
    "checkout untouched": _checkout,
}


def facts(log: tuple[Line, ...]) -> list[Fact]:
    """What the log tells, without what differs from run to run."""
    events = [line["event"] for line in log]
    return [(e["type"], *FACTS[e["type"]](e)) for e in events if e["type"] in FACTS]


def warnings(log: tuple[Line, ...]) -> list[str]:
    """What a person was told besides; after a kill it may be missing, but is never told twice."""
    return [line["event"]["message"] for line in log if line["event"]["type"] == "run.warned"]


def undated(status: str) -> Any:
    """A status.json without dates and commit ids."""
    document = json.loads(status)
    for entry in document["deliverables"]:
        entry.get("claim", {}).pop("commit", None)
    return {name: value for name, value in document.items() if not name.endswith("At")}


def claims(status: str) -> list[str]:
    """The commits that the passes name."""
    entries = json.loads(status)["deliverables"]
    return [entry["claim"].get("commit", "") for entry in entries if "claim" in entry]


def _is_start(line: Line) -> bool:
    return bool(line["event"]["type"] == "session.started")


def _difference(told: list[Fact], expected: list[Fact]) -> str:
    more = [fact for fact in told if told.count(fact) > expected.count(fact)]
    less = [fact for fact in expected if expected.count(fact) > told.count(fact)]
    return f"too often {more}, missing {less}" if more or less else f"in another order: {told}"
