"""Finds the sources of a tree that only check on behalf of tests, and what only these use. Pure."""

from collections.abc import Iterable

from treadle.verify.judges.assertion_files import (
    are_assertions,
    can_object,
    defined_names,
    imports_test_library,
)
from treadle.verify.judges.source_imports import SourceImports

# Their tests run the product, or name its crate: neither is an import of a file.
_WITHOUT_PRODUCT_IMPORTS = (".rs", ".sh", ".bash")


def assertion_sources(paths: Iterable[str], imports: SourceImports) -> frozenset[str]:
    """Those of the paths that check for tests, or that only such sources use."""
    users = _all_users(paths, imports)
    products = {
        path
        for path in users
        if not users[path] and not imports.judges_of(path) and not _is_for_go_tests(path, imports)
    }
    _add_used(products, users, imports)
    objecting = (path for path in users if path not in products and imports.judges_of(path))
    products |= {path for path in objecting if not _checks_for_tests(path, imports)}
    _add_used(products, users, imports)
    return _used_by_tests(users.keys() - products, users, imports) & frozenset(paths)


def _all_users(paths: Iterable[str], imports: SourceImports) -> dict[str, set[str]]:
    """The products that import each of the paths, and those that import these, and so on."""
    users: dict[str, set[str]] = {}
    waiting = list(paths)
    while waiting:
        path = waiting.pop()
        if path not in users:
            users[path] = set(imports.products_of(path))
            waiting += users[path]
    return users


def _add_used(products: set[str], users: dict[str, set[str]], imports: SourceImports) -> None:
    """Add what a product imports: it is the product's, too."""
    while used := {
        path
        for path in users.keys() - products
        if users[path] & products and not _is_for_go_tests(path, imports)
    }:
        products |= used


def _used_by_tests(
    paths: Iterable[str], users: dict[str, set[str]], imports: SourceImports
) -> frozenset[str]:
    """Those that tests import, directly or by others of them: not files that import each other."""
    waiting = set(paths)
    used = {p for p in waiting if imports.judges_of(p) or _is_for_go_tests(p, imports)}
    while more := {path for path in waiting - used if users[path] & used}:
        used |= more
    return frozenset(used)


def _checks_for_tests(path: str, imports: SourceImports) -> bool:
    text = imports.text_of(path)
    if imports_test_library(path, text):
        return True
    tests = imports.judges_of(path)
    # The only source that tests use is the product.
    has_product = path.endswith(_WITHOUT_PRODUCT_IMPORTS) or imports.imports_other(tests, path)
    texts = {test: imports.text_of(test) for test in tests}
    return can_object(path, text) and has_product and are_assertions(defined_names(text), texts)


def _is_for_go_tests(path: str, imports: SourceImports) -> bool:
    """Go's `testing` is for tests alone, and files of a package import no other of its files."""
    return path.endswith(".go") and imports_test_library(path, imports.text_of(path))
