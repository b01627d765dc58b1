"""Merges package.json and composer.json: what judges is the base's, the rest the work's. Pure."""

import json
import re
from collections.abc import Callable
from typing import Any

from treadle.verify.manifests.package_names import (
    PlainVersion,
    Table,
    is_free_name,
    merge_versions,
)

# What describes the product; every other key may judge.
_PACKAGE_KEYS = frozenset(
    {
        *("name", "version", "description", "keywords", "homepage", "bugs", "license", "author"),
        *("contributors", "maintainers", "funding", "repository", "private", "publishConfig"),
        *("files", "main", "module", "types", "typings", "typesVersions", "type", "exports", "bin"),
        *("man", "sideEffects", "os", "cpu", "unpkg", "jsdelivr", "style", "sass", "displayName"),
        *("publisher", "categories", "icon", "contributes", "activationEvents", "peerDependencies"),
        *("peerDependenciesMeta", "dependencies", "devDependencies", "optionalDependencies"),
    }
)
_PACKAGE_TABLES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_COMPOSER_KEYS = frozenset(
    {
        *("name", "description", "type", "keywords", "homepage", "license", "authors", "support"),
        *("funding", "version", "readme", "time", "require", "require-dev", "suggest", "autoload"),
        *("conflict", "bin", "abandoned"),
    }
)
_COMPOSER_TABLES = ("require", "require-dev")
_NAMESPACES = ("psr-4", "psr-0")
_RUNNER_NAMESPACES = (
    *("PHPUnit\\", "Pest\\", "Mockery\\", "Behat\\", "Codeception\\", "Prophecy\\"),
    *("SebastianBergmann\\", "Composer\\"),
)
_INDENT = re.compile(r"\n([ \t]+)\"")
# No path, no address, no alias; packages of the same workspace are told apart by their names.
_PLAIN = PlainVersion((), text=re.compile(r"(?:workspace:|catalog:)?[^:/\\]*"))


def merge_package_json(base: bytes | None, work: bytes) -> bytes | None:
    """None if one of them is not readable as an object."""
    return _merge(base, work, _merge_package)


def merge_composer_json(base: bytes | None, work: bytes) -> bytes | None:
    return _merge(base, work, _merge_composer)


def _merge(
    base: bytes | None, work: bytes, merge: Callable[[Table, Table], dict[str, Any]]
) -> bytes | None:
    before, after = ({} if base is None else _load(base)), _load(work)
    if before is None or after is None:
        return None
    merged = merge(before, after)
    if merged == after:
        return work
    if merged == before and base is not None:
        return base
    found = _INDENT.search(work.decode(errors="replace"))
    text = json.dumps(merged, indent=found[1] if found else 2, ensure_ascii=False)
    return f"{text}\n".encode(errors="surrogatepass")


def _load(content: bytes) -> dict[str, Any] | None:
    try:
        loaded = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return loaded if isinstance(loaded, dict) else None


def _merge_package(base: Table, work: Table) -> dict[str, Any]:
    merged = _keep(_PACKAGE_KEYS, base, work)
    known = {name: spec for table in _PACKAGE_TABLES for name, spec in _table(base, table).items()}
    _merge_tables(_PACKAGE_TABLES, merged, base, known)
    _keep_name(merged, base, known)
    if "bin" in merged:
        merged["bin"] = _merge_programs(base.get("bin"), work["bin"], known)
    return {key: value for key, value in merged.items() if value is not None}


def _merge_composer(base: Table, work: Table) -> dict[str, Any]:
    merged = _keep(_COMPOSER_KEYS, base, work)
    known = {name: spec for table in _COMPOSER_TABLES for name, spec in _table(base, table).items()}
    _merge_tables(_COMPOSER_TABLES, merged, base, known)
    _keep_name(merged, base, known)
    autoload = _table(merged, "autoload")
    if autoload:
        # Files are loaded at every start, so they are those of the base.
        before = _table(base, "autoload")
        kept = {
            key: _free_namespaces(_table(before, key), _table(autoload, key))
            for key in _NAMESPACES
            if key in autoload
        }
        rest = {key: value for key, value in before.items() if key not in _NAMESPACES}
        merged["autoload"] = {**kept, **rest}
    if "bin" in merged:
        names = merged["bin"] if isinstance(merged["bin"], list) else [merged["bin"]]
        merged["bin"] = [
            each for each in names if is_free_name(str(each).rpartition("/")[2], known)
        ]
    return merged


def _keep(keys: frozenset[str], base: Table, work: Table) -> dict[str, Any]:
    """The keys of the product as in the work, in its order, and all others as in the base."""
    merged = {
        key: value if key in keys else base[key]
        for key, value in work.items()
        if key in keys or key in base
    }
    rest = {key: value for key, value in base.items() if key not in keys and key not in work}
    return {**merged, **rest}


def _merge_tables(
    tables: tuple[str, ...], merged: dict[str, Any], base: Table, known: Table
) -> None:
    for name in tables:
        if name in merged or name in base:
            before = _table(base, name)
            # A package that moved to another table keeps what the base says of it.
            moved = {key: known[key] for key in _table(merged, name) if key in known}
            versions = merge_versions({**moved, **before}, _table(merged, name), is_plain=_PLAIN)
            taken = {key for key in versions if _is_local(versions[key]) and not is_free_name(key)}
            kept = {key: versions[key] for key in versions if key not in taken or key in known}
            if kept or name in merged:
                merged[name] = kept


def _is_local(version: object) -> bool:
    return isinstance(version, str) and version.startswith("workspace:")


def _keep_name(merged: dict[str, Any], base: Table, known: Table) -> None:
    """A package can import itself by its name, so that is no name of another."""
    if "name" in base:
        merged["name"] = base["name"]
    elif "name" in merged and not is_free_name(str(merged["name"]), known):
        del merged["name"]


def _merge_programs(base: object, work: object, known: Table) -> object:
    if not isinstance(work, dict):
        return work
    before = base if isinstance(base, dict) else {}
    return {
        name: path for name, path in work.items() if name in before or is_free_name(name, known)
    }


def _free_namespaces(base: Table, work: Table) -> dict[str, Any]:
    return {
        name: path
        for name, path in work.items()
        if base.get(name) == path or (name and not name.startswith(_RUNNER_NAMESPACES))
    }


def _table(manifest: Table, key: str) -> dict[str, Any]:
    value = manifest.get(key)
    return value if isinstance(value, dict) else {}
