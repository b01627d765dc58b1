"""Holds requests and responses to GitHub's own description of its API."""

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from graphql import GraphQLSchema, build_schema, parse, validate
from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

from tests.github.vendor_schema import GRAPHQL, OPENAPI

HOST = "https://api.github.com"
_FORMATS = {
    "uri": "https://example.com",
    "date-time": "2026-05-04T12:00:00Z",
    "date": "2026-05-04",
    "email": "ada@example.com",
}


@dataclass(frozen=True)
class ApiRequest:
    """A request below the root of the API."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""


@cache
def description() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(OPENAPI.read_text("utf-8"))
    return loaded


@cache
def openapi() -> OpenAPI:
    return OpenAPI.from_dict(description())


@cache
def graphql_schema() -> GraphQLSchema:
    return build_schema(GRAPHQL.read_text("utf-8"))


def resolve(part: Any) -> Any:
    """The part itself, for a reference to it."""
    while isinstance(part, dict) and "$ref" in part:
        _, _, kind, name = part["$ref"].split("/", 3)
        part = description()["components"][kind][name]
    return part


def operation_of(request: ApiRequest) -> dict[str, Any] | None:
    for pattern, methods in description()["paths"].items():
        expression = re.sub(r"\{[^}]+\}", "[^/]+", pattern)
        if re.fullmatch(expression, request.path) and request.method.lower() in methods:
            found: dict[str, Any] = methods[request.method.lower()]
            return found
    return None


def request_errors(request: ApiRequest) -> list[str]:
    """What GitHub's description has against a request; also names that it does not know, which
    GitHub would ignore."""
    operation = operation_of(request)
    if operation is None:
        return [f"{request.method} {request.path} is no operation"]
    known = {resolve(each)["name"] for each in operation.get("parameters", ())}
    asked = parse_qs(request.query, keep_blank_values=True)
    errors = [f"unknown parameter {name}" for name in asked if name not in known]
    if request.body:
        schema = resolve(operation["requestBody"]["content"]["application/json"]["schema"])
        body = json.loads(request.body)
        errors += [f"unknown field {name}" for name in body if name not in schema["properties"]]
    try:
        openapi().validate_request(_mock(request))
    except OpenAPIError as error:
        errors.append(_text(error))
    return errors


def response_errors(
    request: ApiRequest, status: int, headers: dict[str, str], body: bytes
) -> list[str]:
    operation = operation_of(request)
    if operation is None or status == 304:
        return []
    if str(status) not in operation["responses"]:
        # Of limits and outages the description has no responses; all errors have one form.
        missing = {"message", "documentation_url"} - set(json.loads(body or b"{}"))
        return [f"status {status} is not described, and {missing} missing"] if missing else []
    try:
        response = MockResponse(
            body, status, headers, headers.get("content-type", "").partition(";")[0]
        )
        openapi().validate_response(_mock(request), response)
    except OpenAPIError as error:
        return [_text(error)]
    return []


def graphql_errors(body: bytes) -> list[str]:
    return [each.message for each in validate(graphql_schema(), parse(json.loads(body)["query"]))]


def _mock(request: ApiRequest) -> MockRequest:
    return MockRequest(
        HOST,
        request.method.lower(),
        request.path,
        args={name: values[-1] for name, values in parse_qs(request.query).items()},
        data=request.body or None,
    )


def _text(error: Exception) -> str:
    causes = [error]
    while (cause := causes[-1].__cause__) is not None and isinstance(cause, Exception):
        causes.append(cause)
    inner = [
        f"{'.'.join(map(str, each.path))}: {each.message}"
        for cause in causes
        for each in getattr(cause, "schema_errors", ())
    ]
    return f"{error!r} {inner or causes[-1]!r}"


def sample(schema: Any) -> Any:
    """The smallest value that a schema accepts: all that is required, and nothing else."""
    schema = resolve(schema)
    choices = schema.get("oneOf") or schema.get("anyOf")
    if choices and "properties" not in schema:
        return sample(choices[0])
    if "allOf" in schema:
        return {name: value for each in schema["allOf"] for name, value in sample(each).items()}
    if schema.get("nullable"):
        return None
    return schema["enum"][0] if "enum" in schema else _plain_sample(schema)


def _plain_sample(schema: Any) -> Any:
    match schema.get("type", "object"):
        case "object":
            properties = schema.get("properties", {})
            return {name: sample(properties[name]) for name in schema.get("required", ())}
        case "array":
            return [sample(schema["items"]) for _ in range(schema.get("minItems", 0))]
        case "boolean":
            return False
        case "string":
            return _FORMATS.get(schema.get("format", ""), "x" * max(1, schema.get("minLength", 1)))
        case _:
            return schema.get("minimum", 1)


def response_schema(path: str, method: str, status: str = "200") -> Any:
    """The schema of an operation's response; of a list, that of its items."""
    response = resolve(description()["paths"][path][method]["responses"][status])
    schema = resolve(response["content"]["application/json"]["schema"])
    return schema["items"] if schema.get("type") == "array" else schema
