"""The JSON Schema of `treadle.toml`, built with pydantic on demand."""

import json
from typing import TYPE_CHECKING, Any, Literal

from treadle.settings.definitions import LARGEST_NUMBER, VERSION, Settings
from treadle.settings.keys import PRICE_NAMES, Kind, SettingKey, known_keys, sections

if TYPE_CHECKING:
    from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# The same rule as in `keys`: relative, without .., not into .git.
_INSIDE = r"^(?![/~])(?!\.git(/|$))(?!(.*/)?\.\.(/|$))(?!\.?/*$).+$"
_TYPES: dict[Kind, Any] = {
    "text": str,
    "boolean": bool,
    "integer": int,
    "number": float,
    "list": list[str],
    "tables": dict[str, dict[str, Any]],
    "prices": dict[str, dict[str, float]],
}
# A price as `keys` accepts it.
_AMOUNT = {"type": "number", "minimum": 0, "maximum": LARGEST_NUMBER}
_PRICE: dict[str, Any] = {
    "type": "object",
    "properties": dict.fromkeys(sorted(PRICE_NAMES), _AMOUNT),
    "required": ["input", "output"],
    "additionalProperties": False,
}


def schema() -> dict[str, Any]:
    """The schema as a dict; it rejects unknown keys wherever the keys are fixed."""
    by_section = {name: _section_schema(name, cls) for name, cls in sections().items()}
    top_level = {key.leaf: _field(key) for key in known_keys().values() if not key.section}
    model = _model("Settings", Settings.__doc__ or "", top_level | by_section)
    return {"$schema": DIALECT, **model.model_json_schema(), "title": "treadle.toml"}


def schema_text() -> str:
    """The text of `.treadle/treadle.schema.json`."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def _section_schema(name: str, cls: type) -> tuple[Any, Any]:
    from pydantic import Field

    keys = (key for key in known_keys().values() if key.section == name)
    model = _model(name.capitalize(), cls.__doc__ or "", {key.leaf: _field(key) for key in keys})
    return model, Field(default_factory=dict, title=name, description=cls.__doc__ or "")


def _model(name: str, text: str, fields: dict[str, tuple[Any, Any]]) -> "type[BaseModel]":
    from pydantic import ConfigDict, create_model

    settings = ConfigDict(extra="forbid", protected_namespaces=())
    definitions: dict[str, Any] = fields
    return create_model(name, __config__=settings, __doc__=text, **definitions)


def _field(key: SettingKey) -> tuple[Any, Any]:
    from pydantic import Field

    if key.kind == "prices":
        return _type(key), Field(
            default_factory=dict,
            title=key.name,
            description=key.help,
            json_schema_extra={"additionalProperties": _PRICE},
        )
    if key.kind == "tables":
        # Absent is not the same as empty, so no default is named.
        return _type(key), Field(default_factory=dict, title=key.name, description=key.help)
    return _type(key), Field(
        default=list(key.default) if key.kind == "list" else key.default,
        title=key.name,
        description=key.help,
        json_schema_extra=_bounds(key),
    )


def _bounds(key: SettingKey) -> dict[str, Any]:
    """The part of a key's bounds and rule that JSON Schema can express."""
    bounds: dict[str, Any] = {}
    if key.above is not None:
        bounds["exclusiveMinimum"] = key.above
    if key.least is not None:
        bounds["minimum"] = key.least
    if key.kind in ("integer", "number"):
        bounds["maximum"] = LARGEST_NUMBER
    if key.rule == "project_path":
        bounds["pattern"] = _INSIDE
    if key.rule == "database_url":
        bounds["pattern"] = r"^$|^postgres(ql)?://"
    if key.rule == "not_empty":
        bounds["pattern"] = r"\S"
    return bounds


def _type(key: SettingKey) -> Any:
    if key.name == "version":
        return Literal[VERSION]
    return Literal[key.choices] if key.kind == "choice" else _TYPES[key.kind]
