"""The tools that agents use for deliverables: schemas, and parsing of arguments."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, RejectedChange, find_command_problem
from treadle.domain.wire import without_surrogates
from treadle.verify.checks.spec_checks import fold_text


class ToolDescription(TypedDict):
    name: str
    description: str
    schema: Mapping[str, Any]


_CHECK = (
    "A shell line that shows the criterion: exit code 0 means that it holds. Treadle runs it from "
    "the project's top, on a clean checkout of the commit. A good one is fast, gives the same "
    "result every time, needs no network, and fails as long as the work is not done."
)

CREATE: ToolDescription = {
    "name": "create_deliverable",
    "description": (
        "Write down units of done, each with acceptance criteria that somebody else could check. "
        "Give a criterion a check wherever a command can show it: what has checks for all its "
        "criteria can be proven, the rest only claimed. "
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
                        "acceptanceCriteria": {
                            "type": "array",
                            "items": {
                                "anyOf": [
                                    {"type": "string"},
                                    {
                                        "type": "object",
                                        "properties": {
                                            "text": {"type": "string"},
                                            "check": {"type": "string", "description": _CHECK},
                                        },
                                        "required": ["text"],
                                    },
                                ]
                            },
                        },
                    },
                    "required": ["id", "description", "acceptanceCriteria"],
                },
            }
        },
        "required": ["deliverables"],
    },
}

ADD_CHECK: ToolDescription = {
    "name": "add_check",
    "description": (
        "Give a check to a criterion that has none. It stays as it is: no agent can change or "
        "remove a check that is written down."
    ),
    "schema": {
        "type": "object",
        "properties": {
            "deliverableId": {"type": "string"},
            "criterion": {
                "type": "string",
                "description": "The text of one of the deliverable's acceptance criteria.",
            },
            "command": {"type": "string", "description": _CHECK},
        },
        "required": ["deliverableId", "criterion", "command"],
    },
}

SET_STATUS: ToolDescription = {
    "name": "set_deliverable_status",
    "description": (
        "Change a deliverable's status. passed: every acceptance criterion was verified; where "
        "there are checks or tests, this is a claim, and Treadle runs them after the session. "
        "blocked: something outside this project stands in the way (a missing key, service, "
        "device or network); say what in the notes file. pending: it needs more work, also after "
        "a defect was found in something passed or claimed."
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

LIST: ToolDescription = {
    "name": "list_deliverables",
    "description": "All deliverables with their acceptance criteria, checks and status.",
    "schema": {"type": "object", "properties": {}},
}


def parse_deliverables(arguments: Mapping[str, Any]) -> tuple[Deliverable, ...] | RejectedChange:
    """The deliverables in a tool call, or why the call is malformed."""
    entries = arguments.get("deliverables")
    if not isinstance(entries, list):
        return RejectedChange("Pass `deliverables`, a list of objects.")
    deliverables = []
    for entry in entries:
        deliverable = _parse_deliverable(entry)
        if isinstance(deliverable, RejectedChange):
            return deliverable
        deliverables.append(deliverable)
    return tuple(deliverables)


def _parse_deliverable(entry: object) -> Deliverable | RejectedChange:
    if not isinstance(entry, dict):
        return RejectedChange("Each deliverable must be an object.")
    criteria = entry.get("acceptanceCriteria")
    if not isinstance(criteria, list):
        return RejectedChange(_CRITERIA_FORMAT)
    parsed = [_parse_criterion(each) for each in criteria]
    pairs = [each for each in parsed if each is not None]
    if len(pairs) < len(parsed):
        return RejectedChange(_CRITERIA_FORMAT)
    name, description = entry.get("id"), entry.get("description")
    if not isinstance(name, str) or not isinstance(description, str):
        return RejectedChange("`id` and `description` must be strings.")
    return Deliverable(
        without_surrogates(name),
        without_surrogates(description),
        tuple(text for text, _ in pairs),
        checks=tuple(Check(text, command) for text, command in pairs if command is not None),
    )


_CRITERIA_FORMAT = (
    '`acceptanceCriteria` must be a list of strings, or of {"text": …, "check": "shell command"}.'
)


def _parse_criterion(value: object) -> tuple[str, str | None] | None:
    """Its text, and its command if it has one; None if it is malformed."""
    match value:
        case str(text) | {"text": str(text), "check": None}:
            return without_surrogates(text), None
        case {"text": str(text), "check": str(command)}:
            return without_surrogates(text), without_surrogates(command).strip()
        case {"text": str(text), **rest} if "check" not in rest:
            return without_surrogates(text), None
        case _:
            return None


class CheckArguments(NamedTuple):
    """The arguments of a call of `add_check`."""

    deliverable: str
    criterion: str
    command: str


def parse_check(arguments: Mapping[str, Any]) -> CheckArguments | RejectedChange:
    names = ("deliverableId", "criterion", "command")
    texts = [text for each in names if isinstance(text := arguments.get(each), str)]
    if len(texts) < len(names):
        return RejectedChange("`deliverableId`, `criterion` and `command` must be strings.")
    name, criterion, command = map(without_surrogates, texts)
    return CheckArguments(name, criterion, command.strip())


def resolve_check(
    arguments: CheckArguments, deliverables: Sequence[Deliverable]
) -> tuple[Deliverable, Check] | RejectedChange:
    """The deliverable and the check of a call. An existing check may be requested again, but not
    replaced."""
    name, text, command = arguments
    deliverable = next((d for d in deliverables if d.id == name), None)
    if deliverable is None:
        ids = ", ".join(d.id for d in deliverables) or "none yet"
        return RejectedChange(f"Deliverable {name} not found. Known ids: {ids}.")
    criterion = next(
        (c for c in deliverable.acceptance_criteria if fold_text(c) == fold_text(text)), None
    )
    if criterion is None:
        texts = "; ".join(deliverable.acceptance_criteria)
        return RejectedChange(f"{name} has no criterion {text!r}. Its criteria are: {texts}")
    if problem := find_command_problem(command):
        return RejectedChange(f"The check {problem}.")
    present = next((c for c in deliverable.checks if c.criterion == criterion), None)
    if present is not None and present.command != command:
        return RejectedChange(
            f"{criterion!r} has a check already, and no agent changes one: {present.command}"
        )
    return deliverable, Check(criterion, command)


def deliverable_entries(
    deliverables: Sequence[Deliverable], *, claimed: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The deliverables as JSON for the agent."""
    return [_entry(d) | ({"claimed": True} if d.id in claimed else {}) for d in deliverables]


def _entry(d: Deliverable) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": d.id,
        "description": d.description,
        "acceptanceCriteria": list(d.acceptance_criteria),
        "status": d.status,
    }
    if d.checks:
        entry["checks"] = [
            {"criterion": check.criterion, "command": check.command}
            | ({"before": check.before} if check.before else {})
            for check in d.checks
        ]
    return entry
