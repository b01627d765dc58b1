"""How far the work is, in words. Thin: `status` needs no more than this."""

from treadle.domain.deliverable import Proof, Status, Tally


def score(tally: Tally) -> str:
    """`2 of 3 passed (claimed), 1 blocked`."""
    if not tally.total:
        return "none yet"
    parts = [f"{tally.passed} of {tally.total} passed" + (" (claimed)" if tally.passed else "")]
    if tally.blocked:
        parts.append(f"{tally.blocked} blocked")
    if tally.pending:
        parts.append(f"{tally.pending} pending")
    return ", ".join(parts)


def proof_of(status: Status) -> Proof | None:
    """How a pass in status.json is known: it is a claim until Treadle itself has proven it."""
    return "claimed" if status == "passed" else None
