"""The deliverable tools as the agent sees them: names, words and argument schemas."""

from collections.abc import Mapping
from typing import Any, TypedDict

from treadle.domain.deliverable import Deliverable, Refused
from treadle.domain.wire import whole_characters


class Described(TypedDict):
    name: str
    description: str
    schema: Mapping[str, Any]


CREATE: Described = {
    "name": "create_deliverable",
    "description": (
        "Write down units of done, each with acceptance criteria that somebody else could check. "
        "Either all of the given deliverables are created or none."
    ),
    "schema": {
        "type": "object",
        "properties": {
            "deliverables": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "description": "Unique, for example DL-001."},
                        "description": {"type": "string"},
                        "acceptanceCriteria": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["id", "description", "acceptanceCriteria"],
                },
            }
        },
        "required": ["deliverables"],
    },
}

SET_STATUS: Described = {
    "name": "set_deliverable_status",
    "description": (
        "Change a deliverable's status. passed: every acceptance criterion was verified. "
        "blocked: something outside this project stands in the way (a missing key, service, "
        "device or network); say what in the notes file. pending: it needs more work, also after "
        "a defect was found in something passed."
    ),
    "schema": {
        "type": "object",
        "properties": {
            "deliverableId": {"type": "string"},
            "status": {"type": "string", "enum": ["pending", "passed", "blocked"]},
        },
        "required": ["deliverableId", "status"],
    },
}

LIST: Described = {
    "name": "list_deliverables",
    "description": "All deliverables with their acceptance criteria and status.",
    "schema": {"type": "object", "properties": {}},
}


def given_deliverables(arguments: Mapping[str, Any]) -> tuple[Deliverable, ...] | Refused:
    """The deliverables in a tool call, or what is wrong with the call's shape."""
    entries = arguments.get("deliverables")
    if not isinstance(entries, list):
        return Refused("Pass `deliverables`, a list of objects.")
    made = []
    for entry in entries:
        if not isinstance(entry, dict):
            return Refused("Each deliverable must be an object.")
        criteria = entry.get("acceptanceCriteria")
        if not isinstance(criteria, list) or not all(isinstance(c, str) for c in criteria):
            return Refused("`acceptanceCriteria` must be a list of texts.")
        name, description = entry.get("id"), entry.get("description")
        if not isinstance(name, str) or not isinstance(description, str):
            return Refused("`id` and `description` must be texts.")
        texts = [whole_characters(text) for text in (name, description, *criteria)]
        made.append(Deliverable(texts[0], texts[1], tuple(texts[2:])))
    return tuple(made)
