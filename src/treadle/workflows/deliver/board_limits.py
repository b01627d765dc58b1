"""The most that agents may put on the board: every later request carries all of it. Pure."""

from collections.abc import Sequence

from treadle.domain.deliverable import Deliverable, RejectedChange

MOST_DELIVERABLES = 300
MOST_CRITERIA = 50
LONGEST_ID = 100
LONGEST_TEXT = 4_000
MOST_CHARACTERS = 250_000


def find_excess(
    present: Sequence[Deliverable], new: Sequence[Deliverable]
) -> RejectedChange | None:
    """Why the board cannot take these besides what it has; None if it can. What a person wrote is
    not judged, and counts."""
    if len(present) + len(new) > MOST_DELIVERABLES:
        return RejectedChange(
            f"There are {len(present)} deliverables, and at most {MOST_DELIVERABLES} are possible:"
            " combine some into larger ones."
        )
    for deliverable in new:
        if problem := _find_problem(deliverable):
            return RejectedChange(f"Deliverable {deliverable.id[:LONGEST_ID]}: {problem}")
    if sum(map(count_characters, (*present, *new))) > MOST_CHARACTERS:
        return RejectedChange(
            f"All deliverables together may have {MOST_CHARACTERS:,} characters: write shorter"
            " descriptions, criteria and checks."
        )
    return None


def count_characters(deliverable: Deliverable) -> int:
    """The length of all texts that an agent reads of it."""
    texts = (deliverable.id, deliverable.description, *deliverable.acceptance_criteria)
    commands = (check.command for check in deliverable.checks)
    return sum(map(len, (*texts, *commands)))


def _find_problem(deliverable: Deliverable) -> str:
    if len(deliverable.id) > LONGEST_ID:
        return f"its id may have {LONGEST_ID} characters."
    if len(deliverable.acceptance_criteria) > MOST_CRITERIA:
        return f"it may have {MOST_CRITERIA} criteria; make several deliverables of it."
    texts = (
        deliverable.description,
        *deliverable.acceptance_criteria,
        *(check.command for check in deliverable.checks),
    )
    if any(len(text) > LONGEST_TEXT for text in texts):
        return (
            f"its description, each criterion and each check may have {LONGEST_TEXT:,} characters;"
            " put longer checks into a script of the project."
        )
    return ""
