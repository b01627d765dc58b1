"""From a YAML node to a turn: its fault or its response, and when and how often it is played."""

from collections.abc import Mapping
from dataclasses import replace

from treadle.rehearsal.nodes import Place, text_mapping
from treadle.rehearsal.reply_language import (
    BLOCK_KEYS,
    SENDING_KEYS,
    SHORT_FORMS,
    quota_window,
    reply,
)
from treadle.rehearsal.turns import (
    Answer,
    ApiError,
    CutPoint,
    Garbage,
    QuotaSpent,
    Reply,
    Silence,
    Turn,
)

FAULT_KEYS = ("error", "quota", "body", "drop", "hang")
PLAY_KEYS = ("delay", "repeat", "expect", "optional")
TURN_KEYS = (*BLOCK_KEYS, *SENDING_KEYS, *FAULT_KEYS, *PLAY_KEYS)

ERROR_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
ERROR_MESSAGES = {
    "invalid_request_error": "The request is not valid",
    "authentication_error": "invalid x-api-key",
    "billing_error": "There is a problem with billing",
    "permission_error": "The key has no permission for this",
    "not_found_error": "There is no such thing",
    "request_too_large": "The request is too large",
    "rate_limit_error": "Too many requests",
    "overloaded_error": "Overloaded",
    "api_error": "Internal server error",
}


def turns(place: Place) -> tuple[Turn, ...]:
    """A list of turns; one that could never be reached is an error."""
    found: list[Turn] = []
    for entry in place.items("a turn"):
        turn = _turn(entry)
        if found and found[-1].repeat is None:
            raise entry.wrong("this turn is never reached: the one before it repeats forever")
        if found and found[-1].optional and not turn.optional:
            raise entry.wrong("a turn after an optional one must be optional too")
        found.append(turn)
    return tuple(found)


def times(place: Place) -> int | None:
    """How often: a whole number, or None for `forever`."""
    if place.value() == "forever":
        return None
    if isinstance(place.value(), int):
        return place.whole(minimum=1)
    raise place.wrong(f"{place.what} must be a whole number, 1 or more, or forever")


def _turn(place: Place) -> Turn:
    if not place.is_mapping():
        raise place.wrong("a turn must be a mapping, like {text: Hello}")
    fields = place.fields(TURN_KEYS)
    delay, repeat = fields.get("delay"), fields.get("repeat")
    expect, optional = fields.get("expect"), fields.get("optional")
    return Turn(
        answer=_answer(place, fields),
        delay_s=delay.seconds() if delay else 0.0,
        repeat=times(repeat) if repeat else 1,
        expect=_expected(expect) if expect else (),
        optional=optional.flag() if optional else False,
        line=place.line,
    )


def _expected(place: Place) -> tuple[str, ...]:
    if place.is_list():
        return tuple(entry.words() for entry in place.items("an expected text"))
    return (place.words(),)


def _answer(turn: Place, fields: Mapping[str, Place]) -> Answer:
    faults = [key for key in fields if key in FAULT_KEYS]
    if len(faults) > 1:
        raise fields[faults[1]].wrong(f"{faults[0]!r} and {faults[1]!r} cannot stand in one turn")
    if not faults:
        return _whole_reply(turn, fields)
    fault = fields[faults[0]]
    match faults[0]:
        case "drop":
            return _broken(turn, fields, Silence("drop"))
        case "hang":
            return _broken(turn, fields, Silence("hang"))
        case "error":
            _alone(faults[0], fields)
            return _error(fault)
        case "quota":
            _alone(faults[0], fields)
            return _quota(fault)
        case _:
            _alone(faults[0], fields, also="headers")
            headers = text_mapping(fields["headers"]) if "headers" in fields else {}
            return Garbage(fault.text(), headers)


def _whole_reply(turn: Place, fields: Mapping[str, Place]) -> Reply:
    if not any(key in fields for key in ("content", *SHORT_FORMS)):
        raise turn.wrong(
            "a turn needs an answer: text, tool, tools, content, thinking, text_of, event, "
            "or a fault: error, quota, body, drop, hang"
        )
    return reply(turn, fields)


def _broken(turn: Place, fields: Mapping[str, Place], silence: Silence) -> Answer:
    """Cut off before the first byte, or a response that stops half way."""
    place = fields[silence.how]
    point: CutPoint = "before" if place.value() is True else place.choice(CutPoint)
    if point == "middle":
        return replace(_whole_reply(turn, fields), broken_off=silence.how)
    _alone(silence.how, fields, hint=f"write '{silence.how}: middle' to begin an answer first")
    return silence


def _alone(fault: str, fields: Mapping[str, Place], *, also: str = "", hint: str = "") -> None:
    for key, place in fields.items():
        if key != also and key in (*BLOCK_KEYS, *SENDING_KEYS):
            raise place.wrong(f"{fault!r} and {key!r} cannot stand in one turn", hint=hint)


def _error(place: Place) -> ApiError:
    if not place.is_mapping():
        status = place.whole(minimum=400, maximum=599)
        kind = ERROR_KINDS.get(status, "api_error")
        return ApiError(status, kind, ERROR_MESSAGES[kind])
    members = place.fields(("status", "type", "message", "headers"))
    if "status" not in members:
        raise place.wrong("'error' needs a 'status'")
    status = members["status"].whole(minimum=400, maximum=599)
    kind = members["type"].words() if "type" in members else ERROR_KINDS.get(status, "api_error")
    return ApiError(
        status=status,
        kind=kind,
        message=members["message"].text()
        if "message" in members
        else ERROR_MESSAGES.get(kind, kind),
        headers=text_mapping(members["headers"]) if "headers" in members else {},
    )


def _quota(place: Place) -> QuotaSpent:
    members = place.fields(("resets_in", "window"))
    if "resets_in" not in members:
        raise place.wrong("'quota' needs 'resets_in', the seconds until it is open again")
    return QuotaSpent(members["resets_in"].seconds(), quota_window(members.get("window")))
