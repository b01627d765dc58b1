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
        ("rm x", (), 0, "allow"),
        ("cat .env", (), 1, "deny"),
        ("git push --force", (), 3, "ask"),
        ("rm x", ("--mode", "strict"), 1, "deny"),
        ("rm x", ("--destructive",), 0, "allow"),
        ("rm x", ("--profile", "default"), 1, "deny"),
        ("rm x", ("--profile", "default+destructive"), 0, "allow"),
        ("git push --force", ("--mode", "strict"), 3, "ask"),
        ("npm test", ("--profile", "python"), 1, "deny"),
        ("git add .", ("--mode", "strict", "--role", "reviewer"), 1, "deny"),
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
    treadle("policy", "check", "sort -o x y", "--mode", "strict")

    assert capsys.readouterr().out.splitlines() == [
        "deny  (sort)",
        "`sort`: the option -o is not allowed. Write its output with > inside the project.",
        'judged by the strict policy: policy.mode = "strict"',
    ]


@pytest.mark.parametrize(
    ("settings", "options", "said"),
    [
        ("", (), "light policy: in the sandbox, with the network closed"),
        ("", ("--role", "reviewer"), "light policy: in the sandbox, with the network closed"),
        ("", ("--profile", "node"), "strict policy: chosen by --profile or --destructive"),
        ('[policy]\nmode = "strict"\n', (), 'strict policy: policy.mode = "strict"'),
        ('[policy]\nmode = "light"\n', (), 'light policy: policy.mode = "light"'),
        ('[policy]\nmode = "light"\n', ("--mode", "strict"), 'policy: policy.mode = "strict"'),
        (
            '[sandbox]\nnetwork = "allowlist"\nhosts = ["example.com:443"]\n',
            (),
            'strict policy: sandbox.network = "allowlist"',
        ),
        (
            '[sandbox]\nwritable = ["/srv/shared"]\n',
            (),
            "strict policy: sandbox.writable allows more paths",
        ),
    ],
)
def test_the_answer_names_the_policy_that_judged(
    settings: str,
    options: tuple[str, ...],
    said: str,
    project: Path,
    treadle: Command,
    capsys: Captured,
) -> None:
    (project / "treadle.toml").write_text(settings, "utf-8")

    assert treadle("policy", "check", "npm test", *options) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(said)


def test_the_light_policy_knows_no_profile(treadle: Command, capsys: Captured) -> None:
    assert treadle("policy", "check", "ls", "--mode", "light", "--profile", "node") == 2
    assert "have no effect under the light policy" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('allow_commands = ["sh"]', "policy.allow_commands: 'sh' has no effect"),
        ('allow_commands = ["docker compose"]', "'docker compose' is not one name"),
        ('mode = "light"\nallow_commands = ["docker"]', "policy.allow_commands has no effect with"),
        ('mode = "light"\nallow_pkill_targets = ["x"]', "policy.allow_pkill_targets has no effect"),
        ('ask_before = [" "]', "an empty pattern matches nothing"),
        ('mode = "lite"', "policy.mode"),
    ],
)
def test_a_setting_without_effect_is_refused(
    settings: str, said: str, project: Path, treadle: Command, capsys: Captured
) -> None:
    (project / "treadle.toml").write_text(f"[policy]\n{settings}\n", "utf-8")

    assert treadle("policy", "check", "ls") == 2
    assert said in capsys.readouterr().err


def test_a_program_reads_one_object(treadle: Command, capsys: Captured) -> None:
    treadle("policy", "check", "ls", "--json")

    assert json.loads(capsys.readouterr().out) == {
        "cmd": "ls",
        "decision": "allow",
        "rule": "light",
        "reason": "",
        "policy": "light",
    }


def test_a_batch_is_answered_line_by_line_in_order(
    treadle: Command, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        {"cmd": "npm test", "profile": "default"},
        {"cmd": "npm test", "profile": "python"},
        {"cmd": "rm \u2028 \ud800"},
        {"cmd": "rm x"},
        {"cmd": "rm x", "profile": "default+destructive"},
        {"cmd": "npm publish", "profile": "node", "more": 1},
    ]
    text = "".join(json.dumps(each) + "\n" for each in asked)
    monkeypatch.setattr("sys.stdin", io.StringIO(text + "\n"))

    assert treadle("policy", "check", "--batch") == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert [(each["cmd"], each["decision"], each["policy"]) for each in answers] == [
        ("npm test", "allow", "strict"),
        ("npm test", "deny", "strict"),
        ("rm \u2028 \ud800", "allow", "light"),
        ("rm x", "allow", "light"),
        ("rm x", "allow", "strict"),
        ("npm publish", "ask", "strict"),
    ]
    assert {tuple(each) for each in answers} == {("cmd", "decision", "rule", "reason", "policy")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ls\n", "line 1 is not JSON"),
        ('{"cmd": "ls"}\n[]\n', "line 2 has no text in 'cmd'"),
        ('{"cmd": 1}\n', "line 1 has no text in 'cmd'"),
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
    assert treadle("policy", "check", "touch .git/x", inside=tmp_path) == 1
    assert treadle("policy", "check", "touch ../x", "--mode", "strict", inside=tmp_path) == 1


def test_the_settings_of_the_project_count(project: Path, treadle: Command) -> None:
    (project / "treadle.toml").write_text(
        '[policy]\nallow_commands = ["docker"]\nask_before = ["npm run seed"]\n', "utf-8"
    )

    assert treadle("policy", "check", "docker ps", "--mode", "strict") == 0
    assert treadle("policy", "check", "npm run seed") == 3
    assert treadle("policy", "check", "npm run seed", "--mode", "strict") == 3


def test_what_the_settings_protect_is_not_written(project: Path, treadle: Command) -> None:
    (project / "treadle.toml").write_text('[verify]\nprotect = ["tests/contract"]\n', "utf-8")

    assert treadle("policy", "check", "touch tests/contract/x") == 1
    assert treadle("policy", "check", "touch tests/x") == 0


OWN_LINES = """
[policy]
mode = "strict"
[project]
setup = "docker compose up"
check = "docker compose run check"
test = "git push --force"
"""


JUDGED = 'judged by the strict policy: policy.mode = "strict"'


@pytest.fixture
def with_lines(project: Path) -> Path:
    (project / "treadle.toml").write_text(OWN_LINES, "utf-8")
    (project / "SPEC.md").write_text("- It greets. Check: `docker run greet ada`\n", "utf-8")
    return project


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("docker compose up", ["allow  (given-line)", "the user wrote this line", JUDGED]),
        (" docker compose run check ", ["allow  (given-line)", "the user wrote this line", JUDGED]),
        ("docker run greet ada", ["allow  (given-line)", "the user wrote this line", JUDGED]),
        ("npm test", ["allow  (npm)", JUDGED]),
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
        ("docker compose", (), 1),
        ("docker compose run check; ls", (), 1),
        ("docker compose run check", ("--role", "reviewer"), 1),
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
    assert treadle("policy", "check", "docker run greet ada", inside=below) == 1

    (with_lines / "treadle.toml").unlink()
    assert treadle("policy", "check", "docker run greet ada", "--mode", "strict") == 1


def test_a_batch_knows_them_too(
    with_lines: Path, treadle: Command, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"cmd": "docker compose run check"}\n'))

    assert treadle("policy", "check", "--batch") == 0
    assert json.loads(capsys.readouterr().out)["rule"] == "given-line"


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
        "  because: It looks at files, or changes those of the project.",
        "  not for read-only roles",
        "  operands: text write...",
        "  never: -R --recursive --reference",
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

    assert (rule["names"], rule["family"], rule["mode"]) == (["mkdir", "touch"], "base", "run")


def test_an_unknown_rule_is_wrong_usage(treadle: Command, capsys: Captured) -> None:
    assert treadle("policy", "show", "frobnicate") == 2
    assert "no rule covers 'frobnicate'" in capsys.readouterr().err
