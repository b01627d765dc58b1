"""Reads JSON of unknown origin without trusting its shape or size."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from treadle.domain.suite_report import MalformedReport
from treadle.verify.reports.bounds import MOST_ELEMENTS, refuse


def load_object(name: str, content: bytes) -> Mapping[str, Any] | MalformedReport:
    """The JSON object in a file, or the reason why it cannot be read."""
    if content.count(b"{") + content.count(b"[") > MOST_ELEMENTS:
        return refuse(name, f"more than {MOST_ELEMENTS:,} objects and lists")
    try:
        value = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        return refuse(name, f"no valid JSON ({error.msg})", line=error.lineno)
    except RecursionError:
        return refuse(name, "nested too deep")
    except ValueError as error:  # not UTF-8, or a number that is none
        return refuse(name, f"no valid JSON ({str(error)[:100]})")
    return value if isinstance(value, dict) else refuse(name, "its content is not an object")


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def as_object(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> Sequence[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def as_text(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""
