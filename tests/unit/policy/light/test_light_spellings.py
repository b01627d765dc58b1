"""What the light policy is for is held in every spelling of its table; the rest runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.policy.judging.shell_context import ShellContext
from treadle.policy.light.line_decision import decide_light_line
from treadle.wiring.policy import system_lookups

TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "light_policy_spellings.json").read_text("utf-8")
)
SAID: dict[type[PolicyDecision], str] = {Allow: "allow", Ask: "ask", Deny: "deny"}
pytestmark = pytest.mark.xdist_group("light-policy")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> ShellContext:
    root = tmp_path_factory.mktemp("light") / "project"
    for folder in (".git/hooks", "src", "tests/contract", ".treadle"):
        (root / folder).mkdir(parents=True)
    (root / "link-to-env").symlink_to(".env")
    (root / "link-to-git").symlink_to(".git")
    return ShellContext(str(root), ask_before=("seed.sh",), protected=("tests/contract",))


def decide(line: str, context: ShellContext) -> PolicyDecision:
    return decide_light_line(line, context, lookups=system_lookups())


def astray(rows: list[dict[str, str]], context: ShellContext) -> list[tuple[str, str, str]]:
    """The lines that are decided in another way than the table says."""
    found = []
    for row in rows:
        decision = decide(row["line"], context)
        said = SAID[type(decision)]
        if (said, decision.rule) != (row["expect"], row["rule"]):
            found.append((row["line"], said, decision.rule))
    return found


@pytest.mark.parametrize("spelling", TABLE["spellings"])
def test_every_held_line_is_held_in_this_spelling(spelling: str, project: ShellContext) -> None:
    rows = [{**row, "line": spelling.replace("{}", row["line"], 1)} for row in TABLE["held"]]

    assert astray(rows, project) == []


@pytest.mark.parametrize("spelling", TABLE["quoted"])
def test_every_held_line_is_held_as_a_text_for_a_shell(
    spelling: str, project: ShellContext
) -> None:
    rows = [{**row, "line": spelling.replace("{}", row["line"], 1)} for row in TABLE["held"]]

    assert astray(rows, project) == []


@pytest.mark.parametrize("group", ["other", "unreadable"])
def test_further_spellings_are_held(group: str, project: ShellContext) -> None:
    assert astray(TABLE[group], project) == []


def test_everything_else_runs(project: ShellContext) -> None:
    refused = [
        (line, decision.rule)
        for line in TABLE["allowed"]
        if not isinstance(decision := decide(line, project), Allow)
    ]

    assert refused == []
