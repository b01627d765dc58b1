"""Merges tsconfig.json: how the product is made from the work, all else the base's. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

# How the product is read and what is made of it; none of these makes an error vanish, or another
# file stand for a module.
_PRODUCT = frozenset(
    {
        *("target", "module", "moduleResolution", "lib", "jsx", "allowJs", "resolveJsonModule"),
        *("esModuleInterop", "allowSyntheticDefaultImports", "allowImportingTsExtensions"),
        *("rewriteRelativeImportExtensions", "isolatedModules", "verbatimModuleSyntax"),
        *("experimentalDecorators", "emitDecoratorMetadata", "useDefineForClassFields"),
        *("declaration", "declarationMap", "sourceMap", "inlineSources", "inlineSourceMap"),
        *("removeComments", "importHelpers", "downlevelIteration", "newLine", "incremental"),
        *("preserveConstEnums", "resolvePackageJsonExports", "resolvePackageJsonImports"),
    }
)
# True finds more errors.
_STRICT = re.compile(r"strict\w*|no[A-Z]\w+|exactOptionalPropertyTypes|alwaysStrict|checkJs")
_EMITTING = frozenset({"noEmit", "noCheck", "noLib", "noResolve", "noErrorTruncation"})
# No package can have such a name.
_OWN_ALIAS = re.compile(r"[@~#]/.*")
_OWN_PATH = re.compile(r"(?:\./)?(?!node_modules)[\w-]+(?:/(?!node_modules)[\w*-][\w.*-]*)*")
_TYPES = re.compile(r"@?[\w-]+(?:/[\w-]+)*")
_COMMENT = re.compile(r"(\"(?:\\.|[^\"\\])*(?:\"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(r"(\"(?:\\.|[^\"\\])*(?:\"|\\?\Z))|,(?=\s*+[}\]])", re.DOTALL)


def merge_tsconfig(base: bytes, work: bytes) -> bytes | None:
    """None if one of them is not readable as an object."""
    before, after = _load(base), _load(work)
    if before is None or after is None:
        return None
    options = _merge_options(_table(before), _table(after))
    merged = {**before, **({"compilerOptions": options} if options else {})}
    if "include" in before:
        merged["include"] = _longer_list(before["include"], after.get("include"))
    if merged == after:
        return work
    return base if merged == before else f"{json.dumps(merged, indent=2)}\n".encode()


def _merge_options(base: Mapping[str, Any], work: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in base.items() if key not in _PRODUCT}
    taken = {key: value for key, value in work.items() if key in _PRODUCT}
    stricter = {
        key: True
        for key, value in work.items()
        if value is True and _STRICT.fullmatch(key) and key not in _EMITTING
    }
    merged = {**kept, **taken, **stricter}
    if "types" in base:
        merged["types"] = _longer_list(base["types"], work.get("types"), _TYPES)
    aliases = work.get("paths")
    if isinstance(aliases, dict):
        known = base.get("paths") if isinstance(base.get("paths"), dict) else {}
        own = {name: each for name, each in aliases.items() if _is_own_alias(name, each)}
        if own or known:
            merged["paths"] = {**own, **(known or {})}
    return merged


def _is_own_alias(name: str, targets: object) -> bool:
    are_own = isinstance(targets, list) and all(
        isinstance(each, str) and _OWN_PATH.fullmatch(each) for each in targets
    )
    return are_own and _OWN_ALIAS.fullmatch(name) is not None


def _longer_list(
    base: object, work: object, entry: re.Pattern[str] = re.compile(r"[\w./*-]+")
) -> object:
    """The list of the base with the entries that the work added."""
    if not isinstance(base, list) or not isinstance(work, list):
        return base
    added = [each for each in work if isinstance(each, str) and entry.fullmatch(each)]
    if set(base) <= set(added) and len(added) == len(work):
        return list(work)
    return [*base, *(each for each in added if each not in base)]


def _table(settings: Mapping[str, Any]) -> dict[str, Any]:
    options = settings.get("compilerOptions")
    return options if isinstance(options, dict) else {}


def _load(content: bytes) -> dict[str, Any] | None:
    """It may have comments, and commas behind the last entry."""
    try:
        text = _COMMENT.sub(lambda found: found[1] or " ", content.decode("utf-8-sig"))
        loaded = json.loads(_LAST_COMMA.sub(lambda found: found[1] or "", text))
    except (ValueError, RecursionError):
        return None
    return loaded if isinstance(loaded, dict) else None
