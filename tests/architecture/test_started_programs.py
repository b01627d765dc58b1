"""Programs that Treadle starts say where they run: in the project, its files could steer them."""

import ast
from collections.abc import Iterator
from typing import TypeGuard

from tests.architecture.repository import SOURCE

STARTS = {"run", "Popen", "create_subprocess_exec", "create_subprocess_shell"}
# They run in a sandbox.
INSIDE = {"canary.py", "bridge.py", "launch.py"}


def starts_without_directory() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name in INSIDE:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if _is_start(node) and "cwd" not in {word.arg for word in node.keywords}:
                yield f"{path.relative_to(SOURCE)}:{node.lineno}"


def _is_start(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in STARTS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in {"subprocess", "asyncio"}
        # asyncio.run starts no program.
        and (node.func.value.id, node.func.attr) != ("asyncio", "run")
    )


def test_every_program_is_started_in_a_directory_that_is_named() -> None:
    assert list(starts_without_directory()) == []
