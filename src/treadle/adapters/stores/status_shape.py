"""The JSON shape of one deliverable: two booleans outside, one status inside."""

import re
from collections.abc import Sequence
from typing import Any

from treadle.domain.deliverable import Claim, Deliverable, Status

# Goes to git as an argument, so it must be no option and no name of something that moves.
_COMMIT = re.compile(r"[0-9a-f]*")


def deliverable_from(entry: object, *, known: set[str]) -> Deliverable | str:
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
    passed, blocked = entry.get("passed", False), entry.get("blocked", False)
    if not isinstance(passed, bool) or not isinstance(blocked, bool):
        return f"{name}: `passed` and `blocked` must be true or false"
    if passed and blocked:
        return f"{name}: cannot be passed and blocked at once"
    status: Status = "passed" if passed else "blocked" if blocked else "pending"
    claim = _claim(entry.get("claim")) if status == "passed" else None
    return Deliverable(name, description, tuple(criteria), status, claim)


def _claim(value: object) -> Claim | None:
    """Ours to write; one that somebody has changed into something else counts as absent."""
    match value:
        case {"commit": str(commit), **rest} if _COMMIT.fullmatch(commit):
            return Claim(commit, rehearsed=rest.get("rehearsed") is True)
        case _:
            return None


def document_with(
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
    entry = {
        **old,
        "id": deliverable.id,
        "description": deliverable.description,
        "acceptanceCriteria": list(deliverable.acceptance_criteria),
        "passed": deliverable.status == "passed",
        "blocked": deliverable.status == "blocked",
    }
    if deliverable.status == "passed":
        entry.setdefault("proof", "claimed")
    else:
        entry.pop("proof", None)
    entry.pop("claim", None)
    if deliverable.claim is not None:
        entry["claim"] = {
            "commit": deliverable.claim.commit,
            "rehearsed": deliverable.claim.rehearsed,
        }
    return entry
