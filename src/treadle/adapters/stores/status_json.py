"""The JSON form of one deliverable in status.json. Pure."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, cast, get_args

from treadle.domain.check import GRADES, BeforeOutcome, Check, CheckOrigin, Grade, PinnedOutcome
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    DeliverableStatus,
    find_check_problem,
    with_known_grades,
    with_valid_proof,
)

# Passed to git as an argument, so it must be neither an option nor a ref.
_COMMIT = re.compile(r"[0-9a-f]*")

# Keys of an entry that are omitted if empty.
_OWN_KEYS = ("checks", "proof", "why", "claim", "rehearsed")

_RESULT_KEYS = ("before", "pinned", "why", "commandHash")


def parse_deliverable(entry: object, *, known: set[str]) -> Deliverable | str:
    """Parse an entry; returns the deliverable, or what is wrong."""
    if not isinstance(entry, dict):
        return "a deliverable must be an object"
    name, description = entry.get("id"), entry.get("description")
    criteria = entry.get("acceptanceCriteria")
    if not isinstance(name, str) or not name.strip():
        return "a deliverable needs an `id`"
    if name in known:
        return f"`id` {name!r} is used twice"
    if not isinstance(description, str):
        return f"{name}: `description` must be text"
    if not isinstance(criteria, list) or not all(isinstance(c, str) for c in criteria):
        return f"{name}: `acceptanceCriteria` must be a list of strings"
    status, grade = _status(entry), _grade(entry.get("proof"))
    checks = _checks(entry.get("checks", []), criteria)
    if isinstance(checks, str):
        return f"{name}: {checks}"
    if status not in get_args(DeliverableStatus):
        return f"{name}: {status}"
    return _with_valid_grade(
        Deliverable(
            name,
            description,
            tuple(criteria),
            cast("DeliverableStatus", status),
            _claim(entry.get("claim")),
            checks,
            grade,
            rehearsed=entry.get("rehearsed") is True,
            why=_text(entry.get("why")),
        )
    )


def _with_valid_grade(deliverable: Deliverable) -> Deliverable:
    return with_valid_proof(with_known_grades(deliverable))


def _status(entry: dict[str, Any]) -> str:
    """The status, or what is wrong with the two booleans."""
    passed, blocked = entry.get("passed", False), entry.get("blocked", False)
    if not isinstance(passed, bool) or not isinstance(blocked, bool):
        return "`passed` and `blocked` must be true or false"
    if passed and blocked:
        return "cannot be passed and blocked at once"
    return "passed" if passed else "blocked" if blocked else "pending"


def _checks(value: object, criteria: Sequence[str]) -> tuple[Check, ...] | str:
    if not isinstance(value, list):
        return "`checks` must be a list"
    checks = []
    for each in value:
        match each:
            case {"criterion": str(criterion), "command": str(command)}:
                checks.append(_check(each, criterion, command))
            case _:
                return "a check must be an object with the strings `criterion` and `command`"
    return find_check_problem(criteria, checks) or tuple(checks)


def _check(entry: dict[str, Any], criterion: str, command: str) -> Check:
    """Parse a check; a command with another hash was edited by a person, so its result is void."""
    if entry.get("commandHash", _hash(command)) != _hash(command):
        return Check(criterion, command, "person")
    origin, before, pinned = entry.get("origin"), entry.get("before"), entry.get("pinned")
    return Check(
        criterion,
        command,
        cast("CheckOrigin", origin) if origin in get_args(CheckOrigin) else "person",
        cast("BeforeOutcome", before) if before in get_args(BeforeOutcome) else "",
        cast("PinnedOutcome", pinned) if pinned in get_args(PinnedOutcome) else "",
        _text(entry.get("why")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _grade(value: object) -> Grade:
    return value if value in GRADES else "claimed"


def _claim(value: object) -> Claim | None:
    """Parse a claim; an invalid one counts as absent."""
    match value:
        case {"commit": str(commit), **rest} if _COMMIT.fullmatch(commit):
            return Claim(commit, rehearsed=rest.get("rehearsed") is True)
        case _:
            return None


def update_document(
    before: dict[str, Any], deliverables: Sequence[Deliverable], today: str
) -> dict[str, Any]:
    """The document with these deliverables; unknown keys are preserved."""
    old = {e.get("id"): e for e in before.get("deliverables", []) if isinstance(e, dict)}
    return {
        **before,
        "createdAt": before.get("createdAt", today),
        "updatedAt": today,
        "deliverables": [_entry(old.get(d.id, {}), d) for d in deliverables],
    }


def _entry(old: dict[str, Any], deliverable: Deliverable) -> dict[str, Any]:
    """The entry of a deliverable; unknown keys are preserved, empty own keys omitted."""
    own: dict[str, Any] = {}
    if deliverable.checks:
        old_checks = {e.get("criterion"): e for e in old.get("checks", []) if isinstance(e, dict)}
        own["checks"] = [
            _check_entry(old_checks.get(c.criterion, {}), c) for c in deliverable.checks
        ]
    if deliverable.status == "passed":
        own["proof"] = deliverable.proof or "claimed"
    if deliverable.why:
        own["why"] = deliverable.why
    if deliverable.claim is not None:
        own["claim"] = {
            "commit": deliverable.claim.commit,
            "rehearsed": deliverable.claim.rehearsed,
        }
    if deliverable.rehearsed:
        own["rehearsed"] = True
    return {
        **{key: value for key, value in old.items() if key not in _OWN_KEYS},
        "id": deliverable.id,
        "description": deliverable.description,
        "acceptanceCriteria": list(deliverable.acceptance_criteria),
        "passed": deliverable.status == "passed",
        "blocked": deliverable.status == "blocked",
        **own,
    }


def _check_entry(old: dict[str, Any], check: Check) -> dict[str, Any]:
    results = {"before": check.before, "pinned": check.pinned, "why": check.why}
    own = {key: value for key, value in results.items() if value}
    if check.before:
        own["commandHash"] = _hash(check.command)
    return {
        **{key: value for key, value in old.items() if key not in _RESULT_KEYS},
        "criterion": check.criterion,
        "command": check.command,
        "origin": check.origin,
        **own,
    }


def _hash(command: str) -> str:
    """Detects an edit of the command."""
    return hashlib.sha256(command.encode(errors="replace")).hexdigest()[:16]
