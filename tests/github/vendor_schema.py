"""Prunes GitHub's published schemas to what Treadle uses: `make contracts`.

The packages come from whatever registry npm is set up for. `schema/SOURCE.json` says which ones.
"""

import hashlib
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_schema,
    get_named_type,
    parse,
    print_type,
    validate,
    visit,
)

from treadle.adapters.forges.github.pull_requests import DRAFT, READY

SCHEMA = Path(__file__).parent / "schema"
OPENAPI = SCHEMA / "openapi.json"
GRAPHQL = SCHEMA / "graphql.graphql"
SOURCE = SCHEMA / "SOURCE.json"

# What gh asks while a person logs in with a token.
GH_LOGIN_QUERY = "query UserCurrent { viewer { login } }"
DOCUMENTS = (READY, DRAFT, GH_LOGIN_QUERY)
_REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS = (
    ("/", "get"),
    (_REPOSITORY, "get"),
    (f"{_REPOSITORY}/pulls", "get"),
    (f"{_REPOSITORY}/pulls", "post"),
    (f"{_REPOSITORY}/pulls/{{pull_number}}", "get"),
    (f"{_REPOSITORY}/pulls/{{pull_number}}", "patch"),
    (f"{_REPOSITORY}/pulls/{{pull_number}}/reviews", "get"),
    (f"{_REPOSITORY}/pulls/{{pull_number}}/comments", "get"),
    (f"{_REPOSITORY}/issues/{{issue_number}}", "get"),
    (f"{_REPOSITORY}/issues/{{issue_number}}/comments", "get"),
    (f"{_REPOSITORY}/commits/{{ref}}/check-runs", "get"),
    (f"{_REPOSITORY}/commits/{{ref}}/status", "get"),
    (f"{_REPOSITORY}/check-runs/{{check_run_id}}", "get"),
    (f"{_REPOSITORY}/actions/runs", "get"),
    (f"{_REPOSITORY}/actions/runs/{{run_id}}/jobs", "get"),
    (f"{_REPOSITORY}/actions/jobs/{{job_id}}", "get"),
    (f"{_REPOSITORY}/actions/jobs/{{job_id}}/logs", "get"),
    (f"{_REPOSITORY}/collaborators/{{username}}/permission", "get"),
)
_PROSE = ("description", "summary", "examples", "example", "externalDocs", "deprecated", "tags")
_ERROR = "#/components/schemas/basic-error"


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    file: str
    licence_file: str


PACKAGES = (
    Package("@octokit/openapi", "23.0.2", "generated/api.github.com.json", "LICENSE"),
    Package("@octokit/graphql-schema", "15.26.1", "schema.graphql", "LICENSE.md"),
)


def prune_openapi(whole: dict[str, Any]) -> dict[str, Any]:
    """The operations above with all that they refer to, without prose and extensions."""
    paths: dict[str, dict[str, Any]] = {}
    for path, method in OPERATIONS:
        paths.setdefault(path, {})[method] = without_prose(whole["paths"][path][method])
    components: dict[str, dict[str, Any]] = {}
    left = [*references(paths), _ERROR]
    while left:
        _, _, kind, name = left.pop().split("/", 3)
        if name not in components.setdefault(kind, {}):
            part = without_prose(whole["components"][kind][name])
            components[kind][name] = part
            left += references(part)
    for methods in paths.values():
        for operation in methods.values():
            with_descriptions(operation["responses"])
    with_descriptions(components.get("responses", {}))
    info = {"title": whole["info"]["title"], "version": whole["info"]["version"]}
    servers = [{"url": each["url"]} for each in whole["servers"]]
    kinds = {kind: dict(sorted(parts.items())) for kind, parts in sorted(components.items())}
    return {
        "openapi": whole["openapi"],
        "info": info,
        "servers": servers,
        "paths": paths,
        "components": kinds,
    }


def without_prose(value: Any, inside: str = "") -> Any:
    if isinstance(value, list):
        return [without_prose(each) for each in value]
    if not isinstance(value, dict):
        return value
    named = inside == "properties"
    kept = {
        name: without_prose(each, "" if named else name)
        for name, each in value.items()
        if named or not (name in _PROSE or name.startswith("x-"))
    }
    if not named and kept.get("nullable") and isinstance(kept.get("enum"), list):
        # GitHub means it so: a check that is not completed has no conclusion.
        kept["enum"] = [*kept["enum"], *([] if None in kept["enum"] else [None])]
    return kept


def with_descriptions(responses: dict[str, Any]) -> None:
    """A response must have one."""
    for response in responses.values():
        if "$ref" not in response:
            response["description"] = ""


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


class FieldsUsed(Visitor):
    """Collects the fields that documents ask for, by their type."""

    def __init__(self, types: TypeInfo) -> None:
        super().__init__()
        self.types = types
        self.fields: dict[str, set[str]] = {}

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        parent = self.types.get_parent_type()
        if parent is not None:
            self.fields.setdefault(parent.name, set()).add(node.name.value)


def prune_graphql(text: str) -> str:
    """The types and fields that the documents use; input types whole."""
    # The descriptions are most of it; some fields are defined twice.
    schema = build_schema(re.sub(r'""".*?"""', "", text, flags=re.DOTALL), assume_valid=True)
    used: dict[str, set[str]] = {}
    for document in map(parse, DOCUMENTS):
        assert validate(schema, document) == []
        for name, fields in fields_of(schema, document).items():
            used.setdefault(name, set()).update(fields)
    kept = [cut_type(schema, name, used[name]) for name in sorted(used)]
    inputs = {
        get_named_type(argument.type).name
        for name, fields in used.items()
        for field in fields
        for argument in object_type(schema, name).fields[field].args.values()
    }
    return "\n\n".join([*kept, *input_types(schema, inputs)]) + "\n"


def fields_of(schema: GraphQLSchema, document: DocumentNode) -> dict[str, set[str]]:
    types = TypeInfo(schema)
    collector = FieldsUsed(types)
    visit(document, TypeInfoVisitor(types, collector))
    return collector.fields


def object_type(schema: GraphQLSchema, name: str) -> GraphQLObjectType:
    found = schema.type_map[name]
    assert isinstance(found, GraphQLObjectType)
    return found


def cut_type(schema: GraphQLSchema, name: str, fields: set[str]) -> str:
    whole = object_type(schema, name)
    cut = {field: whole.fields[field] for field in sorted(fields)}
    return print_type(GraphQLObjectType(name, cut))


def input_types(schema: GraphQLSchema, names: set[str]) -> Iterator[str]:
    for name in sorted(names):
        found = schema.type_map[name]
        if isinstance(found, GraphQLInputObjectType):
            yield print_type(found)
            inner = {get_named_type(each.type).name for each in found.fields.values()}
            yield from input_types(schema, inner - {name})


def fetch(package: Package, folder: Path) -> tuple[bytes, bytes, str]:
    """The file, the licence, and the checksum of the archive that they came in."""
    done = subprocess.run(
        ["npm", "pack", "--silent", f"{package.name}@{package.version}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    archive = folder / done.stdout.split()[-1]
    with tarfile.open(archive) as opened:
        parts = [opened.extractfile(f"package/{n}") for n in (package.file, package.licence_file)]
        file, licence = (part.read() for part in parts if part is not None)
    return file, licence, hashlib.sha256(archive.read_bytes()).hexdigest()


def main() -> int:
    SCHEMA.mkdir(exist_ok=True)
    sources = []
    licences = []
    with TemporaryDirectory() as place:
        for package, target in zip(PACKAGES, (OPENAPI, GRAPHQL), strict=True):
            file, licence, digest = fetch(package, Path(place))
            if target == OPENAPI:
                pruned = json.dumps(prune_openapi(json.loads(file)), separators=(",", ":")) + "\n"
            else:
                pruned = prune_graphql(file.decode())
            target.write_text(pruned, encoding="utf-8")
            licences.append(f"{package.name}\n\n{licence.decode().strip()}\n")
            sources.append(
                {
                    "package": package.name,
                    "version": package.version,
                    "archive_sha256": digest,
                    "file": package.file,
                    "licence": "MIT",
                    "pruned": target.name,
                    "pruned_sha256": hashlib.sha256(pruned.encode()).hexdigest(),
                }
            )
    SOURCE.write_text(json.dumps(sources, indent=2) + "\n", encoding="utf-8")
    (SCHEMA / "LICENSE.txt").write_text("\n".join(licences), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
