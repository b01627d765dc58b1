"""Parses a YAML node into a turn: its fault or reply, its delay and its repetitions."""

from collections.abc import Mapping
from dataclasses import replace

from treadle.rehearsal.reply_parser import (
    BLOCK_KEYS,
    SENDING_KEYS,
    SHORT_FORMS,
    parse_quota_window,
    parse_reply,
)
from treadle.rehearsal.turns import (
    ApiError,
    CutPoint,
    InvalidBody,
    ModelReply,
    NoResponse,
    QuotaSpent,
    Turn,
    TurnAnswer,
)
from treadle.rehearsal.yaml_nodes import YamlNode, parse_headers

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


def parse_turns(node: YamlNode) -> tuple[Turn, ...]:
    """Parse a list of turns; a turn that could never be reached is an error."""
    turns: list[Turn] = []
    for entry in node.items("a turn"):
        turn = _parse_turn(entry)
        if turns and turns[-1].repeat is None:
            raise entry.error("this turn is never reached: the one before it repeats forever")
        if turns and turns[-1].optional and not turn.optional:
            raise entry.error("a turn after an optional one must be optional too")
        turns.append(turn)
    return tuple(turns)


def parse_repeat(node: YamlNode) -> int | None:
    """Parse the number of repetitions; None for `forever`."""
    if node.value() == "forever":
        return None
    if isinstance(node.value(), int):
        return node.integer(minimum=1)
    raise node.error(f"{node.label} must be a whole number, 1 or more, or forever")


def _parse_turn(node: YamlNode) -> Turn:
    if not node.is_mapping():
        raise node.error("a turn must be a mapping, like {text: Hello}")
    fields = node.fields(TURN_KEYS)
    delay, repeat = fields.get("delay"), fields.get("repeat")
    expect, optional = fields.get("expect"), fields.get("optional")
    return Turn(
        answer=_parse_answer(node, fields),
        delay_s=delay.seconds() if delay else 0.0,
        repeat=parse_repeat(repeat) if repeat else 1,
        expect=_parse_expected(expect) if expect else (),
        optional=optional.flag() if optional else False,
        line=node.line,
    )


def _parse_expected(node: YamlNode) -> tuple[str, ...]:
    if node.is_list():
        return tuple(entry.non_empty_text() for entry in node.items("an expected text"))
    return (node.non_empty_text(),)


def _parse_answer(turn: YamlNode, fields: Mapping[str, YamlNode]) -> TurnAnswer:
    faults = [key for key in fields if key in FAULT_KEYS]
    if len(faults) > 1:
        raise fields[faults[1]].error(f"{faults[0]!r} and {faults[1]!r} cannot be in the same turn")
    if not faults:
        return _parse_whole_reply(turn, fields)
    fault = fields[faults[0]]
    match faults[0]:
        case "drop":
            return _parse_cut_answer(turn, fields, NoResponse("drop"))
        case "hang":
            return _parse_cut_answer(turn, fields, NoResponse("hang"))
        case "error":
            _require_alone(faults[0], fields)
            return _parse_error(fault)
        case "quota":
            _require_alone(faults[0], fields)
            return _parse_quota(fault)
        case _:
            _require_alone(faults[0], fields, also="headers")
            headers = parse_headers(fields["headers"]) if "headers" in fields else {}
            return InvalidBody(fault.text(), headers)


def _parse_whole_reply(turn: YamlNode, fields: Mapping[str, YamlNode]) -> ModelReply:
    if not any(key in fields for key in ("content", *SHORT_FORMS)):
        raise turn.error(
            "a turn needs an answer: text, tool, tools, content, thinking, text_of, event, "
            "or a fault: error, quota, body, drop, hang"
        )
    return parse_reply(turn, fields)


def _parse_cut_answer(
    turn: YamlNode, fields: Mapping[str, YamlNode], no_response: NoResponse
) -> TurnAnswer:
    """Parse a response that is cut off before its first byte, or in the middle."""
    node = fields[no_response.how]
    point: CutPoint = "before" if node.value() is True else node.choice(CutPoint)
    if point == "middle":
        return replace(_parse_whole_reply(turn, fields), fault=no_response.how)
    _require_alone(
        no_response.how, fields, hint=f"write '{no_response.how}: middle' to begin an answer first"
    )
    return no_response


def _require_alone(
    fault: str, fields: Mapping[str, YamlNode], *, also: str = "", hint: str = ""
) -> None:
    for key, node in fields.items():
        if key != also and key in (*BLOCK_KEYS, *SENDING_KEYS):
            raise node.error(f"{fault!r} and {key!r} cannot be in the same turn", hint=hint)


def _parse_error(node: YamlNode) -> ApiError:
    if not node.is_mapping():
        status = node.integer(minimum=400, maximum=599)
        kind = ERROR_KINDS.get(status, "api_error")
        return ApiError(status, kind, ERROR_MESSAGES[kind])
    members = node.fields(("status", "type", "message", "headers"))
    if "status" not in members:
        raise node.error("'error' needs a 'status'")
    status = members["status"].integer(minimum=400, maximum=599)
    kind = (
        members["type"].non_empty_text()
        if "type" in members
        else ERROR_KINDS.get(status, "api_error")
    )
    return ApiError(
        status=status,
        kind=kind,
        message=members["message"].text()
        if "message" in members
        else ERROR_MESSAGES.get(kind, kind),
        headers=parse_headers(members["headers"]) if "headers" in members else {},
    )


def _parse_quota(node: YamlNode) -> QuotaSpent:
    members = node.fields(("resets_in", "window"))
    if "resets_in" not in members:
        raise node.error("'quota' needs 'resets_in', the seconds until it is open again")
    return QuotaSpent(members["resets_in"].seconds(), parse_quota_window(members.get("window")))
