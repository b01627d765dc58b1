"""What needs a person is asked about, or refused, as engineers type it; what looks like it runs."""

import json
from pathlib import Path, PurePosixPath

import pytest

from treadle.domain.agent import Allow, PolicyDecision
from treadle.policy.content_gates import find_content_gate
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext
from treadle.policy.light.line_decision import decide_light_line
from treadle.policy.modes import PolicyMode
from treadle.wiring.policy import system_lookups

TABLE: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parents[2] / "human_gate_spellings.json").read_text("utf-8")
)
# Under the light policy a removal inside of the clone needs no question, one outside does.
CASES: list[tuple[PolicyMode, str]] = [
    *(("strict", topic) for topic in TABLE if topic != "removal_outside"),
    *(("light", topic) for topic in TABLE if topic != "removal"),
]
# Systems elsewhere can be reached: without a network the light policy asks about fewer of them.
CONTEXT = ShellContext("/srv/clone", reachable=True)


def decide(mode: PolicyMode, line: str) -> PolicyDecision:
    decider = decide_light_line if mode == "light" else decide_line
    return decider(line, CONTEXT, lookups=system_lookups())


def allowed(mode: PolicyMode, lines: list[str]) -> list[str]:
    return [line for line in lines if isinstance(decide(mode, line), Allow)]


@pytest.mark.parametrize(("mode", "topic"), CASES)
def test_what_needs_a_person_does_not_run(mode: PolicyMode, topic: str) -> None:
    assert allowed(mode, TABLE[topic]["held"]) == []


@pytest.mark.parametrize(("mode", "topic"), CASES)
def test_what_only_looks_like_it_runs(mode: PolicyMode, topic: str) -> None:
    more = TABLE[topic].get("harmless_in_light", []) if mode == "light" else []
    harmless = TABLE[topic]["harmless"] + more

    assert [line for line in harmless if line not in allowed(mode, harmless)] == []


@pytest.mark.parametrize("topic", TABLE)
def test_every_topic_has_twenty_spellings_and_ten_that_are_harmless(topic: str) -> None:
    assert len(set(TABLE[topic]["held"])) >= 20
    assert len(set(TABLE[topic]["harmless"])) >= 10


PIPELINE = PurePosixPath(".github/workflows/ci.yml")


@pytest.mark.parametrize(
    "step",
    [
        "rm -rf src",
        "rm -fr build",
        "rm -Rf /srv/app",
        "rm -r -f dist",
        "rm -f -r dist",
        "rm -v -rf dist",
        "rm --recursive --force dist",
        "rm --force --recursive dist",
        'rm -rf "$HOME"',
        "sudo rm -rf /var/lib/app",
        "cd /srv && rm -rf app",
        "ssh web1 rm -rf /srv/app",
        "/bin/rm -rf dist",
        "xargs rm -rf < old.txt",
        "find . -exec rm -rf {} +",
        "docker run app rm -rf /data",
        "if true; then rm -rf dist; fi",
        "rm -rfv dist",
        "rm -rf -- dist",
        "git push && rm -rf .",
    ],
)
def test_a_removal_in_a_file_of_ci_asks(step: str) -> None:
    gate = find_content_gate(PIPELINE, f"    steps:\n      - run: {step}\n")

    assert gate is not None
    assert gate.rule == "gate-pipeline"


@pytest.mark.parametrize(
    "step",
    [
        "rm build.log",
        "rm -f build.log",
        "rm -r old",
        "npm run build",
        "npm test # never rm -rf here",
        "python -m pytest -rf",
        "cargo build --release",
        "grep -rf patterns.txt src",
        "charm -rf x",
        "mkdir -p dist",
        "git rm --cached old.py",
    ],
)
def test_a_step_that_looks_like_a_removal_passes(step: str) -> None:
    assert find_content_gate(PIPELINE, f"    steps:\n      - run: {step}\n") is None
