"""No module and no function outgrows its reader; there are limits and no exemptions."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, SOURCE, modules, name_of

MODULE_LINES = 300
TEST_MODULE_LINES = 400
STATEMENTS = 40
PARAMETERS = 6

# One worker parses all files once.
pytestmark = pytest.mark.xdist_group("source")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class FunctionSize:
    name: str
    statements: int
    parameters: int


def test_a_module_of_the_source_has_fewer_than_300_lines() -> None:
    assert too_long(modules(SOURCE), most=MODULE_LINES - 1) == {}


def test_a_module_elsewhere_has_fewer_than_400_lines() -> None:
    assert too_long(modules(ROOT), most=TEST_MODULE_LINES - 1) == {}


def test_a_function_has_at_most_40_statements() -> None:
    large = {each.name: each.statements for each in sizes() if each.statements > STATEMENTS}

    assert large == {}


def test_a_function_takes_at_most_6_parameters() -> None:
    wide = {each.name: each.parameters for each in sizes() if each.parameters > PARAMETERS}

    assert wide == {}


@cache
def sizes() -> tuple[FunctionSize, ...]:
    return tuple(
        FunctionSize(
            f"{name_of(path)}:{function.lineno} {function.name}",
            statements(function),
            parameters(function),
        )
        for path in modules(ROOT)
        for function in functions(path)
    )


def too_long(paths: list[Path], *, most: int) -> dict[str, int]:
    lengths = {name_of(path): len(path.read_text("utf-8").splitlines()) for path in paths}
    return {name: length for name, length in lengths.items() if length > most}


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, Function):
            yield node


def statements(function: Function) -> int:
    """All statements inside, nested ones included, without a docstring."""
    inside = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
    return len(inside) - 1 - (ast.get_docstring(function) is not None)


def parameters(function: Function) -> int:
    """What a caller passes: the object a method belongs to is not passed."""
    given = function.args
    count = len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)
    first = (given.posonlyargs + given.args)[:1]
    return count - (bool(first) and first[0].arg in ("self", "cls"))
