"""A command that only says what it would do needs no person; one that says so in vain does."""

import pytest

from tests.unit.policy.judging.judge_line import empty_disk
from treadle.policy.judging.shell_context import ShellContext
from treadle.policy.light.line_decision import decide_light_line


def rule_of(line: str) -> str:
    return decide_light_line(line, ShellContext("/project"), lookups=empty_disk()).rule


@pytest.mark.parametrize(
    "line",
    [
        "npm publish --dry-run",
        "npm publish --tag next --dry-run",
        "npm publish --dry-run=true",
        "cargo publish --dry-run -p app",
        "git push -f --dry-run origin main",
        "kubectl apply --dry-run=client -f app.yaml",
        "goreleaser release --snapshot --clean",
        "npm run release -- --dry-run",
    ],
)
def test_a_rehearsal_runs(line: str) -> None:
    assert rule_of(line) == "light"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("npm publish --dry-run=false", "gate-publish"),
        ("npm publish --dry-run false", "gate-publish"),
        ("npm publish --dry-run --no-dry-run", "gate-publish"),
        ("npm publish --dry-runner", "gate-publish"),
        ("npm publish --tag --dry-run", "gate-publish"),
        ("npm publish -- --dry-run", "gate-publish"),
        ("git push -f -- --dry-run", "gate-force-push"),
        ("git push -f -o --dry-run", "gate-force-push"),
        ("kubectl apply --dry-run=none -f app.yaml", "gate-deploy"),
        ("terraform apply --snapshot", "gate-deploy"),
        ("cargo publish --token --dry-run", "gate-publish"),
    ],
)
def test_an_option_that_has_no_effect_opens_no_gate(line: str, rule: str) -> None:
    assert rule_of(line) == rule
