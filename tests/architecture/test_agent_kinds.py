"""An agent is one folder: nothing else knows its modules, and its record says what it is."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from tests.architecture.repository import SOURCE, modules, name_of
from treadle.adapters.agents.registry import KINDS, all_kinds, find_kind
from treadle.domain.agent_kind import AgentKind
from treadle.settings.definitions import AgentKindName

AGENTS = SOURCE / "adapters" / "agents"
FOLDERS = sorted(path.parent.name for path in AGENTS.glob("*/__init__.py"))
REGISTRY = AGENTS / "registry.py"


def test_every_folder_of_an_agent_is_in_the_registry_and_can_be_named_in_the_settings() -> None:
    assert (sorted(KINDS), sorted(get_args(AgentKindName))) == (FOLDERS, FOLDERS)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_folder_of_an_agent_has_a_record_of_its_kind(name: str) -> None:
    assert (AGENTS / name / "kind.py").is_file()
    kind = find_kind(name)
    assert isinstance(kind, AgentKind)
    assert kind.name == name


def test_a_stored_credential_is_of_one_kind() -> None:
    names = [each.name for kind in all_kinds() if kind.login for each in kind.login.credentials]

    assert sorted(set(names)) == sorted(names)


def test_no_module_but_the_registry_knows_an_agent_from_outside_its_folder() -> None:
    found = {
        f"{name_of(path)} imports {module}"
        for path in modules(SOURCE)
        for module in imported(path)
        for name in FOLDERS
        if f"{module}.".startswith(f"treadle.adapters.agents.{name}.")
        if AGENTS / name not in path.parents and path != REGISTRY
    }

    assert found == set()


def imported(path: Path) -> set[str]:
    """Every module that a file imports, at its top or later, `from` a package included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found
