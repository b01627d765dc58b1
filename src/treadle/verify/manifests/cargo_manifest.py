"""Merges Cargo.toml: what judges from the base, the rest from the work. Pure."""

from typing import Any

from treadle.verify.manifests.package_names import Table, is_free_name, merge_versions
from treadle.verify.manifests.toml_tables import PLAIN, items, merge_toml, table

_PACKAGE_BASE = frozenset(
    {"name", "build", "links", "metadata", "workspace", "autotests", "autobenches", "autoexamples"}
    | {"autobins", "autolib", "default-run"}
)
_TABLES = ("dependencies", "dev-dependencies")
_LIB_BASE = frozenset({"name", "path", "test", "doctest", "bench", "harness", "proc-macro"})


def merge_cargo(base: bytes | None, work: bytes) -> bytes | None:
    """None if one of them is not readable."""
    return merge_toml(base, work, _merge_cargo)


def _merge_cargo(base: Table, work: Table) -> dict[str, Any]:
    kept = ("package", "lib", "bin", "features", "workspace", "target", *_TABLES)
    merged = {key: value for key, value in base.items() if key not in kept}
    for key, of_base in (("package", _PACKAGE_BASE), ("lib", _LIB_BASE)):
        mixed = _mix(of_base, table(base, key), table(work, key))
        # Nothing of the base is hidden by what a new manifest says.
        merged[key] = mixed if base else {**_names(table(work, key)), **mixed}
    merged["bin"] = _merge_programs(items(base, "bin"), items(work, "bin"))
    merged["features"] = table(work, "features")
    merged |= _merge_tables(base, work)
    targets = table(base, "target")
    merged["target"] = {
        name: _merge_tables(table(targets, name), table(table(work, "target"), name))
        for name in table(work, "target")
    }
    if "workspace" in base or "workspace" in work:
        merged["workspace"] = _merge_workspace(table(base, "workspace"), table(work, "workspace"))
    return {key: value for key, value in merged.items() if value != [] or key in work}


def _mix(of_base: frozenset[str], base: Table, work: Table) -> dict[str, Any]:
    merged = {key: value for key, value in work.items() if key not in of_base}
    return {**merged, **{key: value for key, value in base.items() if key in of_base}}


def _names(work: Table) -> dict[str, Any]:
    is_free = is_free_name(str(work.get("name", "")))
    return {key: work[key] for key in ("name", "path", "proc-macro") if key in work and is_free}


def _merge_tables(base: Table, work: Table) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key in (*_TABLES, "build-dependencies"):
        if key in base or key in work:
            # Only a build script uses these, and that one is the base's.
            source = base if key == "build-dependencies" else work
            merged[key] = merge_versions(table(base, key), table(source, key), is_plain=PLAIN)
    return {key: value for key, value in merged.items() if value or key in work}


def _merge_programs(base: list[Any], work: list[Any]) -> list[Any]:
    """Programs of the base as they were, and those that the work added."""
    names = [each.get("name") for each in base if isinstance(each, dict)]
    added = [each for each in work if isinstance(each, dict) and each.get("name") not in names]
    return [
        *base,
        *({k: v for k, v in each.items() if k not in ("test", "harness")} for each in added),
    ]


def _merge_workspace(base: Table, work: Table) -> dict[str, Any]:
    members = list(dict.fromkeys((*items(base, "members"), *items(work, "members"))))
    versions = merge_versions(
        table(base, "dependencies"), table(work, "dependencies"), is_plain=PLAIN
    )
    package = {**table(work, "package")}
    merged = {**base, "members": members, "dependencies": versions, "package": package}
    return {key: value for key, value in merged.items() if value or key in base}
