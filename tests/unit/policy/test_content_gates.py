"""Each gate on written texts knows what it asks about, and what it must let pass."""

from pathlib import PurePosixPath

import pytest

from treadle.policy.content_gates import GATES, find_content_gate

ASKED = [(gate.rule, path, text) for gate in GATES for path, text in gate.asks]
PASSED = [(path, text) for gate in GATES for path, text in gate.passes]


def rule_of(path: str, text: str) -> str | None:
    gate = find_content_gate(PurePosixPath(path), text)
    return None if gate is None else gate.rule


@pytest.mark.parametrize(("rule", "path", "text"), ASKED)
def test_the_examples_of_a_gate_are_asked_about(rule: str, path: str, text: str) -> None:
    assert rule_of(path, text) == rule


@pytest.mark.parametrize(("path", "text"), PASSED)
def test_the_counter_examples_pass_all_gates(path: str, text: str) -> None:
    assert rule_of(path, text) is None


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        (".GitHub/Workflows/x.YML", "run: terraform apply -auto-approve", "gate-pipeline"),
        (".github/workflows/x.yml", "run: git push -f origin", "gate-pipeline"),
        (".github/workflows/x.yml", "run: rm -rf build", "gate-pipeline"),
        (".github/workflows/x.yml", "run: rm -fr build", "gate-pipeline"),
        (".github/workflows/x.yml", "run: rm build.log", None),
        (".github/workflows/x.yml", "# run: git push --force", None),
        (".github/dependabot.yml", "publish", None),
        ("fly.toml", 'release_command = "rails db:migrate"', "gate-pipeline"),
        ("README.md", "Set API_KEY and deploy to production with rm -rf.", None),
        ("db/migrate/001_create.rb", "class Migrate; end", None),
        ("web/.env.prod", "", "gate-production"),
        ("src/token.ts", "const refresh_token: 'aG9zdDo4MDgwL2Zvbz9iYXI9MQ'", "gate-credential"),
        ("src/a.ts", "max_tokens = 20000000000000000000000", None),
        ("src/a.py", "password = getpass.getpass('Your password 123456789')", None),
        ("src/a.yml", "secret: ${{ secrets.PROD_SECRET_KEY_2024 }}", None),
        ("src/a.py", "token = 'aaaaaaaaaaaaaaaaaaaaaaaa1'", None),
        ("src/a.ts", "accessToken: 'Vb7Kq2Xr9Lm4Zt8Np3Ws'", "gate-credential"),
        ("src/a.ts", "mytokens: 'Vb7Kq2Xr9Lm4Zt8Np3Ws'", None),
        (".github/workflows/x.yml", "run: git push; ls --force", None),
    ],
)
def test_a_word_alone_is_no_reason_to_ask(path: str, text: str, rule: str | None) -> None:
    assert rule_of(path, text) == rule


@pytest.mark.parametrize("text", ["a1_" * 700_000, "push " * 400_000, "password " * 200_000])
@pytest.mark.parametrize("path", ["src/a.py", ".github/workflows/x.yml"])
def test_a_text_of_any_shape_is_decided_about(path: str, text: str) -> None:
    assert rule_of(path, text) is None
