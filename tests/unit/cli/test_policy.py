"""`treadle policy`: what the shell policy says, to a person or to a program."""

import io
import json
from pathlib import Path

import pytest

from tests.unit.cli.stored_runs import Command

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("line", "options", "code", "decision"),
    [
        ("npm test", (), 0, "allow"),
        ("rm x", (), 1, "deny"),
        ("rm x", ("--destructive",), 0, "allow"),
        ("rm x", ("--profile", "default+destructive"), 0, "allow"),
        ("git push --force", (), 3, "ask"),
        ("npm test", ("--profile", "python"), 1, "deny"),
        ("git add .", ("--role", "reviewer"), 1, "deny"),
    ],
)
def test_the_exit_code_is_the_decision(
    line: str,
    options: tuple[str, ...],
    code: int,
    decision: str,
    treadle: Command,
    capsys: Captured,
) -> None:
    assert treadle("policy", "check", line, *options) == code
    assert capsys.readouterr().out.startswith(f"{decision}  (")


def test_a_person_reads_the_decision_the_rule_and_the_reason(
    treadle: Command, capsys: Captured
) -> None:
    treadle("policy", "check", "sort -o x y")

    assert capsys.readouterr().out.splitlines() == [
        "deny  (sort)",
        "`sort`: the option -o is not allowed. Write its output with > inside the project.",
    ]


def test_a_program_reads_one_object(treadle: Command, capsys: Captured) -> None:
    treadle("policy", "check", "ls", "--json")

    assert json.loads(capsys.readouterr().out) == {
        "cmd": "ls",
        "decision": "allow",
        "rule": "ls",
        "reason": "",
    }


def test_a_batch_is_answered_line_by_line_in_order(
    treadle: Command, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        {"cmd": "npm test", "profile": "default"},
        {"cmd": "npm test", "profile": "python"},
        {"cmd": "rm \u2028 \ud800"},
        {"cmd": "rm x", "profile": "default+destructive"},
        {"cmd": "npm publish", "profile": "node", "more": 1},
    ]
    text = "".join(json.dumps(each) + "\n" for each in asked)
    monkeypatch.setattr("sys.stdin", io.StringIO(text + "\n"))

    assert treadle("policy", "check", "--batch") == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [(each["cmd"], each["decision"]) for each in answers] == [
        ("npm test", "allow"),
        ("npm test", "deny"),
        ("rm \u2028 \ud800", "deny"),
        ("rm x", "allow"),
        ("npm publish", "ask"),
    ]
    assert {tuple(each) for each in answers} == {("cmd", "decision", "rule", "reason")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ls\n", "line 1 is not JSON"),
        ('{"cmd": "ls"}\n[]\n', "line 2 has no text under cmd"),
        ('{"cmd": 1}\n', "line 1 has no text under cmd"),
        ('{"cmd": "ls", "profile": "cobol"}\n', "there is no profile named 'cobol'"),
    ],
)
def test_a_batch_that_is_no_batch_is_wrong_usage(
    text: str, said: str, treadle: Command, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))

    assert treadle("policy", "check", "--batch") == 2
    assert said in capsys.readouterr().err


def test_nothing_to_check_is_wrong_usage(treadle: Command, capsys: Captured) -> None:
    assert treadle("policy", "check") == 2
    assert "no command to check" in capsys.readouterr().err


def test_no_project_is_needed(tmp_path: Path, treadle: Command) -> None:
    assert treadle("policy", "check", "touch x", inside=tmp_path) == 0
    assert treadle("policy", "check", "touch ../x", inside=tmp_path) == 1


def test_the_settings_of_the_project_count(project: Path, treadle: Command) -> None:
    (project / "treadle.toml").write_text(
        '[policy]\nallow_commands = ["docker"]\nask_before = ["npm run seed"]\n', "utf-8"
    )

    assert treadle("policy", "check", "docker ps") == 0
    assert treadle("policy", "check", "npm run seed") == 3


def test_what_the_settings_protect_is_not_written(project: Path, treadle: Command) -> None:
    (project / "treadle.toml").write_text('[verify]\nprotect = ["tests/contract"]\n', "utf-8")

    assert treadle("policy", "check", "touch tests/contract/x") == 1
    assert treadle("policy", "check", "touch tests/x") == 0


OWN_LINES = """
[project]
setup = "./setup.sh --all"
check = "./check.sh"
test = "git push --force"
"""


@pytest.fixture
def with_lines(project: Path) -> Path:
    (project / "treadle.toml").write_text(OWN_LINES, "utf-8")
    (project / "SPEC.md").write_text("- It greets. Check: `./greet.sh ada`\n", "utf-8")
    return project


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("./setup.sh --all", ["allow  (given-line)", "the user wrote this line"]),
        (" ./check.sh ", ["allow  (given-line)", "the user wrote this line"]),
        ("./greet.sh ada", ["allow  (given-line)", "the user wrote this line"]),
        ("npm test", ["allow  (npm test)"]),
    ],
)
def test_what_the_user_wrote_is_allowed_to_the_letter_by_its_own_rule(
    line: str, said: list[str], with_lines: Path, treadle: Command, capsys: Captured
) -> None:
    assert treadle("policy", "check", line) == 0
    assert capsys.readouterr().out.splitlines() == said


@pytest.mark.parametrize(
    ("line", "options", "code"),
    [
        ("./setup.sh", (), 1),
        ("./check.sh; ls", (), 1),
        ("./check.sh", ("--role", "reviewer"), 1),
        ("git push --force", (), 3),
    ],
)
def test_another_line_another_role_and_a_question_are_judged_as_ever(
    line: str, options: tuple[str, ...], code: int, with_lines: Path, treadle: Command
) -> None:
    assert treadle("policy", "check", line, *options) == code


def test_only_the_top_of_a_project_with_settings_has_lines_of_the_user(
    with_lines: Path, treadle: Command
) -> None:
    below = with_lines / "below"
    below.mkdir()
    assert treadle("policy", "check", "./greet.sh ada", inside=below) == 1

    (with_lines / "treadle.toml").unlink()
    assert treadle("policy", "check", "./greet.sh ada") == 1


def test_a_batch_is_judged_by_the_rules_alone(
    with_lines: Path, treadle: Command, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"cmd": "./check.sh"}\n'))

    assert treadle("policy", "check", "--batch") == 0
    assert json.loads(capsys.readouterr().out)["decision"] == "deny"


def test_all_rules_are_listed_by_family(treadle: Command, capsys: Captured) -> None:
    assert treadle("policy", "show") == 0
    shown = capsys.readouterr().out

    assert [
        word for word in ("base:", "python:", "pytest", "gate-deploy") if word not in shown
    ] == []


def test_one_rule_is_shown_in_full(treadle: Command, capsys: Captured) -> None:
    treadle("policy", "show", "chmod")

    assert capsys.readouterr().out.splitlines() == [
        "chmod",
        "  not for roles that only look",
        "  operands: text write...",
        "  instead: Make named files executable: chmod +x file.",
        "  yes  chmod u+x bin/run",
        "  no   chmod 777 f",
        "  no   chmod -R +x .",
        "  no   chmod +w f",
        "  no   chmod +x .treadle/a",
    ]


def test_rules_are_there_for_programs_too(treadle: Command, capsys: Captured) -> None:
    treadle("policy", "show", "touch", "--json")
    (rule,) = json.loads(capsys.readouterr().out)

    assert (rule["name"], rule["family"], rule["mode"]) == ("touch", "base", "run")


def test_an_unknown_rule_is_wrong_usage(treadle: Command, capsys: Captured) -> None:
    assert treadle("policy", "show", "frobnicate") == 2
    assert "no rule knows 'frobnicate'" in capsys.readouterr().err
