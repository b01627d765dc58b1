"""Which binary is driven, and one clear line for every one that cannot be."""

from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.binary import (
    TESTED_FROM,
    TESTED_TO,
    ClaudeBinary,
    Support,
    bundled_binary,
    check_binary,
    find_binary,
    support_of,
)
from treadle.domain.errors import AgentUnavailable

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}

Program = Callable[..., Path]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes an executable file in a directory of its own."""

    def make(folder: str, content: str = "exit 0", *, name: str = "claude") -> Path:
        path = tmp_path / folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{content}\n")
        path.chmod(0o755)
        return path

    return make


def test_the_setting_comes_before_everything(program: Program) -> None:
    setting, variable, on_path = program("a"), program("b"), program("c")

    assert find_binary(
        setting=str(setting), claude_bin=str(variable), search_path=str(on_path.parent)
    ) == (setting, "setting")


def test_the_variable_comes_before_the_path(program: Program) -> None:
    variable, on_path = program("b"), program("c")

    assert find_binary(setting="", claude_bin=str(variable), search_path=str(on_path.parent)) == (
        variable,
        "CLAUDE_BIN",
    )


def test_the_path_comes_before_the_bundled_one(program: Program) -> None:
    on_path = program("c")

    assert find_binary(setting="", claude_bin="", search_path=f"/nowhere:{on_path.parent}") == (
        on_path,
        "PATH",
    )


def test_the_bundled_one_is_the_last_resort(tmp_path: Path) -> None:
    found = find_binary(setting="", claude_bin="", search_path=str(tmp_path))

    assert found == (bundled_binary(), "bundled")
    assert found[0].is_file()


def test_a_bare_name_is_looked_up_on_the_path(program: Program) -> None:
    on_path = program("c", name="claude-next")

    assert find_binary(setting="claude-next", claude_bin="", search_path=str(on_path.parent)) == (
        on_path,
        "setting",
    )


@pytest.mark.parametrize(
    ("setting", "claude_bin", "line"),
    [
        ("{}/gone", "{}/good", "agent.binary names {}/gone, which is not an executable file"),
        ("{}/plain", "", "agent.binary names {}/plain, which is not an executable file"),
        ("{}", "", "agent.binary names {}, which is not an executable file"),
        ("", "{}/gone", "CLAUDE_BIN names {}/gone, which is not an executable file"),
        ("", "claude-next", "CLAUDE_BIN names claude-next, which is not an executable file"),
    ],
)
def test_a_name_that_cannot_be_run_is_said_and_not_passed_over(
    setting: str, claude_bin: str, line: str, program: Program, tmp_path: Path
) -> None:
    program(".", name="good")
    (tmp_path / "plain").write_text("")

    with pytest.raises(AgentUnavailable) as caught:
        find_binary(
            setting=setting.format(tmp_path),
            claude_bin=claude_bin.format(tmp_path),
            search_path="/nowhere",
        )

    assert (caught.value.message, caught.value.hint) == (
        line.format(tmp_path),
        "correct it, or remove it to use the `claude` on your PATH",
    )


@pytest.mark.parametrize(
    ("answer", "version", "support"),
    [
        ("2.1.325 (Claude Code)", "2.1.325", "tested"),
        ("2.1.211 (Claude Code)", "2.1.211", "tested"),
        ("2.1.210", "2.1.210", "older"),
        ("1.99.999", "1.99.999", "older"),
        ("2.1.326", "2.1.326", "newer"),
        ("3.0.0-beta.1 (Claude Code)", "3.0.0", "newer"),
        ("claude v2.1.300, a build", "2.1.300", "tested"),
    ],
)
def test_a_version_is_read_and_placed(
    answer: str, version: str, support: Support, program: Program
) -> None:
    path = program("a", f"echo '{answer}'")

    assert check_binary(path, "PATH", ENVIRONMENT) == ClaudeBinary(path, "PATH", version, support)


@pytest.mark.parametrize(
    ("version", "support"),
    [
        (TESTED_FROM, "tested"),
        (TESTED_TO, "tested"),
        ((*TESTED_FROM[:2], TESTED_FROM[2] - 1), "older"),
        ((*TESTED_TO[:2], TESTED_TO[2] + 1), "newer"),
        ((0, 0, 0), "older"),
        ((99, 0, 0), "newer"),
    ],
)
def test_the_tested_range_includes_its_ends(version: tuple[int, ...], support: Support) -> None:
    assert support_of(version) == support


@pytest.mark.parametrize(
    "answer",
    [
        "true",
        "echo hello",
        "echo 2.1",
        "echo 2.1.325; exit 1",
        "printf '\\377\\376\\000'",
        "echo 1.2.$(printf '9%.0s' $(seq 5000))",
        "echo 2.1.325 >&2",
    ],
)
def test_a_program_without_a_version_is_not_worked_with(answer: str, program: Program) -> None:
    path = program("a", answer)

    with pytest.raises(AgentUnavailable) as caught:
        check_binary(path, "PATH", ENVIRONMENT)

    assert (caught.value.message, caught.value.hint) == (
        f"{path} --version did not print a version",
        "check that it is Claude Code, or name another one with agent.binary",
    )


def test_a_program_that_does_not_answer_is_given_up(program: Program) -> None:
    path = program("a", "exec tail -f /dev/null")

    with pytest.raises(AgentUnavailable) as caught:
        check_binary(path, "PATH", ENVIRONMENT, timeout_s=0.2)

    assert (caught.value.message, caught.value.hint) == (
        f"{path} --version did not answer within 0.2 s",
        "check that it is Claude Code, or name another one with agent.binary",
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\x7fELF not really", "Exec format error"), (b"#!/no/such/shell\n", "No such file")],
)
def test_a_file_that_does_not_start_is_said_with_the_reason(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "claude"
    path.write_bytes(content)
    path.chmod(0o755)

    with pytest.raises(AgentUnavailable) as caught:
        check_binary(path, "PATH", ENVIRONMENT)

    assert caught.value.message.startswith(f"{path} does not start: {reason}")
    assert caught.value.hint == "reinstall Claude Code, or name another binary with agent.binary"


def test_the_binary_is_asked_in_the_given_environment_alone(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_TEST", "1")
    path = program("a", 'echo "2.1.${SECRET_OF_THE_TEST:-300}"')

    assert check_binary(path, "PATH", ENVIRONMENT).version == "2.1.300"


def test_the_bundled_binary_is_the_newest_tested_one() -> None:
    path = bundled_binary()

    assert check_binary(path, "bundled", ENVIRONMENT) == ClaudeBinary(
        path, "bundled", ".".join(map(str, TESTED_TO)), "tested"
    )
