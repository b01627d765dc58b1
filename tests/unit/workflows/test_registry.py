"""Each workflow declares itself; the registry finds it by name."""

from importlib.resources import files

import pytest

from treadle.domain.errors import UsageError
from treadle.domain.exit_reasons import END_REASONS
from treadle.workflows.registry import WORKFLOWS, find_workflow


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_the_name_it_is_found_by(name: str) -> None:
    assert find_workflow(name).name == name


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_instruction_of_a_workflow_has_a_role_a_label_and_a_text(name: str) -> None:
    workflow = find_workflow(name)
    folder = files("treadle.workflows") / (workflow.prompts_of or name) / "prompts"
    # A queue has no sessions of its own.
    found = folder.iterdir() if folder.is_dir() else iter(())
    texts = {path.name.removesuffix(".md") for path in found}

    assert set(workflow.roles) == set(workflow.labels) == texts


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_end_of_a_workflow_has_an_exit_code(name: str) -> None:
    assert set(find_workflow(name).ends) <= set(END_REASONS)


def test_a_workflow_that_writes_nothing_does_not_land_and_without_code_runs_no_tests() -> None:
    declared = {name: find_workflow(name) for name in WORKFLOWS}

    assert {name: (each.lands, each.runs_tests) for name, each in declared.items()} == {
        "deliver": (True, True),
        "focus": (True, True),
        "sync": (False, False),
        "task": (True, True),
        "watch": (False, False),
        "audit": (False, False),
        "auto": (False, False),
        "increment": (True, True),
        "plan": (True, False),
    }


def test_an_unknown_workflow_is_refused_with_what_to_do() -> None:
    with pytest.raises(UsageError, match="no workflow 'weave'"):
        find_workflow("weave")
