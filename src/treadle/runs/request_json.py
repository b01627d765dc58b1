"""Stores the request and the result of a run as JSON."""

from functools import cache
from pathlib import Path
from typing import Any

import orjson

from treadle.adapters.stores.run_list import REQUEST, run_directory
from treadle.domain.errors import ProjectError
from treadle.domain.ids import RunId, short_id
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.durable.port import Json

_OLD_INPUTS = ("words", "review")


def request_json(request: RunRequest) -> Json:
    return _plain(request)


def request_from(stored: Json) -> RunRequest:
    return _read(RunRequest, _with_inputs(stored))  # type: ignore[no-any-return]


def _with_inputs(stored: Json) -> Json:
    """Requests of earlier versions have the inputs of `focus` as fields."""
    if not isinstance(stored, dict) or "inputs" in stored:
        return stored
    other_fields = {name: value for name, value in stored.items() if name not in _OLD_INPUTS}
    inputs = {name: stored[name] for name in _OLD_INPUTS if stored.get(name)}
    return {**other_fields, "inputs": inputs}


def result_json(result: RunResult) -> Json:
    return _plain(result)


def result_from(stored: Json) -> RunResult:
    return _read(RunResult, stored)  # type: ignore[no-any-return]


def store_request(root: Path, request: RunRequest) -> None:
    """Store the request with the run, for later processes."""
    directory = run_directory(root, request.run)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = directory / f"{REQUEST}.new"
    new.write_bytes(orjson.dumps(request))
    new.replace(directory / REQUEST)


def read_request(root: Path, run: RunId) -> RunRequest:
    try:
        return request_from(orjson.loads((run_directory(root, run) / REQUEST).read_bytes()))
    except (OSError, ValueError) as error:
        raise ProjectError(
            f"the stored request of run {short_id(run)} cannot be read",
            hint="start a new run with `treadle deliver`; it continues from this one's branch",
        ) from error


def _plain(value: object) -> Json:
    plain: Json = orjson.loads(orjson.dumps(value))
    return plain


def _read(kind: type, stored: Json) -> Any:
    return _adapter(kind).validate_python(stored)


@cache
def _adapter(kind: type) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
