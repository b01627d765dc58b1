"""What a run takes from its agent: which lines as checks, and whose word at once."""

from dataclasses import replace
from pathlib import Path

import pytest

from treadle.wiring.tool_guard import why_no_check
from treadle.wiring.verification import pass_rules

from .proving_stage import staged


@pytest.mark.parametrize(
    ("line", "confined", "unconfined"),
    [
        ("grep -q hello greeting.txt", True, True),
        ("npm publish", False, False),
        ("./greet.sh | grep hello", True, False),  # a sandbox holds what the policy does not know
        ("sh -c 'rm -rf ~'", True, False),
    ],
)
async def test_a_check_of_an_agent_does_nothing_that_needs_a_person_or_a_sandbox(
    tmp_path: Path, line: str, confined: bool, unconfined: bool
) -> None:
    taken = []
    for name, is_confined in (("inside", True), ("outside", False)):
        directory = tmp_path / name
        directory.mkdir()
        stage = await staged(directory, {"policy.profiles": ("node",)}, confined=is_confined)
        taken.append(not why_no_check(stage.ready, stage.repository.path)(line))

    assert taken == [confined, unconfined]


async def test_the_terms_of_a_run_bar_such_lines(tmp_path: Path) -> None:
    stage = await staged(tmp_path, {"policy.profiles": ("node",)})

    terms = pass_rules(stage.ready, stage.repository.path)

    assert "A person must agree" in terms.why_not_run("npm publish")


async def test_where_nothing_is_built_no_pass_waits_for_the_tests(tmp_path: Path) -> None:
    ready = (await staged(tmp_path, {"project.test": "make test"})).ready
    syncing = replace(ready, request=replace(ready.request, workflow="sync"))

    settling = [pass_rules(each, tmp_path).settling for each in (ready, syncing)]

    assert settling == ["after_round", "at_once"]
