"""The JSON form of one deliverable in status.json. Pure."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, cast, get_args

from treadle.domain.check import BeforeOutcome, Check, CheckOrigin
from treadle.domain.deliverable import (
    Claim,
    Deliverable,
    DeliverableStatus,
    Proof,
    find_check_problem,
    with_valid_proof,
)

# Goes to git as an argument, so it must be no option and no name of something that moves.
_COMMIT = re.compile(r"[0-9a-f]*")

# Keys of an entry that are left out where there is nothing to say.
_OWN_KEYS = ("checks", "proof", "claim", "rehearsed")


def parse_deliverable(entry: object, *, known: set[str]) -> Deliverable | str:
    """The deliverable, or what is wrong with the entry."""
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
        return f"{name}: `acceptanceCriteria` must be a list of texts"
    status, checks = _status(entry), _checks(entry.get("checks", []), criteria)
    if isinstance(checks, str):
        return f"{name}: {checks}"
    if status not in get_args(DeliverableStatus):
        return f"{name}: {status}"
    return with_valid_proof(
        Deliverable(
            name,
            description,
            tuple(criteria),
            cast("DeliverableStatus", status),
            _claim(entry.get("claim")),
            checks,
            _proof(entry.get("proof")),
            rehearsed=entry.get("rehearsed") is True,
        )
    )


def _status(entry: dict[str, Any]) -> str:
    """A status, or what is wrong with the two booleans."""
    passed, blocked = entry.get("passed", False), entry.get("blocked", False)
    if not isinstance(passed, bool) or not isinstance(blocked, bool):
        return "`passed` and `blocked` must be true or false"
    if passed and blocked:
        return "cannot be passed and blocked at once"
    return "passed" if passed else "blocked" if blocked else "pending"


def _checks(value: object, criteria: Sequence[str]) -> tuple[Check, ...] | str:
    if not isinstance(value, list):
        return "`checks` must be a list"
    made = []
    for each in value:
        match each:
            case {"criterion": str(criterion), "command": str(command)}:
                made.append(_check(each, criterion, command))
            case _:
                return "a check must be an object with the texts `criterion` and `command`"
    return find_check_problem(criteria, made) or tuple(made)


def _check(entry: dict[str, Any], criterion: str, command: str) -> Check:
    """What was seen of a command counts for that command alone, and one edited is a person's."""
    if entry.get("commandHash", _hash(command)) != _hash(command):
        return Check(criterion, command, "person")
    origin, before = entry.get("origin"), entry.get("before")
    return Check(
        criterion,
        command,
        cast("CheckOrigin", origin) if origin in get_args(CheckOrigin) else "person",
        cast("BeforeOutcome", before) if before in get_args(BeforeOutcome) else "",
    )


def _proof(value: object) -> Proof:
    return "proven" if value == "proven" else "claimed"


def _claim(value: object) -> Claim | None:
    """Ours to write; one that somebody has changed into something else counts as absent."""
    match value:
        case {"commit": str(commit), **rest} if _COMMIT.fullmatch(commit):
            return Claim(commit, rehearsed=rest.get("rehearsed") is True)
        case _:
            return None


def update_document(
    before: dict[str, Any], deliverables: Sequence[Deliverable], today: str
) -> dict[str, Any]:
    """The old document with these deliverables in it; keys of others stay untouched."""
    old = {e.get("id"): e for e in before.get("deliverables", []) if isinstance(e, dict)}
    return {
        **before,
        "createdAt": before.get("createdAt", today),
        "updatedAt": today,
        "deliverables": [_entry(old.get(d.id, {}), d) for d in deliverables],
    }


def _entry(old: dict[str, Any], deliverable: Deliverable) -> dict[str, Any]:
    """Of what is ours an entry says what is so, and nothing where there is none."""
    ours: dict[str, Any] = {}
    if deliverable.checks:
        beside = {e.get("criterion"): e for e in old.get("checks", []) if isinstance(e, dict)}
        ours["checks"] = [_check_entry(beside.get(c.criterion, {}), c) for c in deliverable.checks]
    if deliverable.status == "passed":
        ours["proof"] = deliverable.proof or "claimed"
    if deliverable.claim is not None:
        ours["claim"] = {
            "commit": deliverable.claim.commit,
            "rehearsed": deliverable.claim.rehearsed,
        }
    if deliverable.rehearsed:
        ours["rehearsed"] = True
    return {
        **{key: value for key, value in old.items() if key not in _OWN_KEYS},
        "id": deliverable.id,
        "description": deliverable.description,
        "acceptanceCriteria": list(deliverable.acceptance_criteria),
        "passed": deliverable.status == "passed",
        "blocked": deliverable.status == "blocked",
        **ours,
    }


def _check_entry(old: dict[str, Any], check: Check) -> dict[str, Any]:
    seen = {"before": check.before, "commandHash": _hash(check.command)} if check.before else {}
    return {
        **{key: value for key, value in old.items() if key not in ("before", "commandHash")},
        "criterion": check.criterion,
        "command": check.command,
        "origin": check.origin,
        **seen,
    }


def _hash(command: str) -> str:
    """By which an edit of the command shows, whoever made it and whenever."""
    return hashlib.sha256(command.encode(errors="replace")).hexdigest()[:16]
