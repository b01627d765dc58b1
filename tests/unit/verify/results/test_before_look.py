"""Before the work a check fails, green or unknown, and unknown proves nothing."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.verify.command_results import command_result
from treadle.verify.results.before_look import (
    BeforeLook,
    GreenLook,
    RedLook,
    UnknownLook,
    before_look,
    inconclusive_reason,
)

BASH = shutil.which("bash") or "bash"
RED = RedLook()


def shell(directory: Path, line: str, program: str = "/bin/sh") -> tuple[int, str]:
    ended = subprocess.run(
        [program, "-c", line],
        cwd=directory,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout


@pytest.mark.parametrize(
    ("exit_code", "setup_failure", "look"),
    [
        (0, "", GreenLook()),
        (0, "setup failed with exit code 1", GreenLook()),
        (1, "", RED),
        (2, "", RED),
        # A crash is the project's own.
        (134, "", RED),
        (139, "", RED),
        (1, "setup failed with exit code 1", UnknownLook("setup failed with exit code 1")),
        (None, "", UnknownLook("it ran out of time")),
        (137, "", UnknownLook("it was ended by signal 9 (exit code 137)")),
        (143, "", UnknownLook("it was ended by signal 15 (exit code 143)")),
        (130, "", UnknownLook("it was ended by signal 2 (exit code 130)")),
        (152, "", UnknownLook("it was ended by signal 24 (exit code 152)")),
        (-9, "", UnknownLook("it was ended by signal 9 (exit code -9)")),
    ],
)
def test_how_a_check_ended_decides(
    exit_code: int | None, setup_failure: str, look: BeforeLook
) -> None:
    assert before_look(command_result(exit_code, "", setup_failure)) == look


def test_a_runner_that_did_not_end_is_red() -> None:
    assert before_look(command_result(0, "", command="python3 -m unittest")) == RED


@pytest.mark.parametrize(
    ("line", "look"),
    [
        ("jq-not-there . x", UnknownLook("jq-not-there was not found (exit code 127)",
         "jq-not-there")),
        ("./greet", UnknownLook("./greet was not found (exit code 127)", "./greet")),
        ("greet-not-there | grep -q hi", UnknownLook("greet-not-there was not found",
         "greet-not-there")),
        ("./greet | grep -q hi", UnknownLook("./greet was not found", "./greet")),
        (".venv/bin/python -m pytest", UnknownLook(".venv/bin/python was not found (exit code 127)",
         ".venv/bin/python")),
        ("sh with_tool.sh", UnknownLook("jq-not-there was not found (exit code 127)",
         "jq-not-there")),
        ("sh with_tool.sh || exit 1", UnknownLook("jq-not-there was not found", "jq-not-there")),
        (f"{BASH} with_tool.sh || exit 1", UnknownLook("jq-not-there was not found",
         "jq-not-there")),
        ("make tool", UnknownLook("jq-not-there was not found", "jq-not-there")),
        ("/bin/sh /opt/not-there/x.sh", UnknownLook(
            "/opt/not-there/x.sh was not found (exit code 2)", "/opt/not-there/x.sh")),
        # These are missing in the project, and the work may bring them.
        ("sh check.sh", RED),
        (f"{BASH} check.sh", RED),
        ("python3 missing.py", RED),
        ("python3 -m words_not_there", RED),
        ("make missing", RED),
        ("./plain.txt", RED),
        ("cat out.txt", RED),
        ("test -f out.txt", RED),
    ],
)  # fmt: skip
def test_what_a_real_shell_says_decides(tmp_path: Path, line: str, look: BeforeLook) -> None:
    (tmp_path / "plain.txt").touch()
    (tmp_path / "with_tool.sh").write_text("jq-not-there . x\n")
    (tmp_path / "Makefile").write_text("tool:\n\tjq-not-there . x; exit $$?\n")

    assert before_look(command_result(*shell(tmp_path, line))) == look


@pytest.mark.parametrize(
    "output",
    [
        "python3: can't open file '/checkout/words.py': [Errno 2] No such file or directory",
        "Error: Cannot find module '/checkout/words.js'",
        "Error: Cannot find module './words'",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/checkout/words.mjs' imported from x",
        "sh: 0: cannot open check.sh: No such file",
        "bash: check.sh: No such file or directory",
        "/usr/bin/python3: No module named words",
        "ModuleNotFoundError: No module named 'words'",
        "error: no bin target named `words` in default-run packages",
        "error: could not find `Cargo.toml` in `/checkout` or any parent directory",
        "main.go:3:8: no required module provides package example.org/words",
        "main.go:3:8: package words is not in std (/usr/lib/go/src/words)",
        'npm error Missing script: "test"',
        "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory",
        "make: *** No rule to make target 'test'.  Stop.",
        # Its own server is not there yet.
        "curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused",
        "Error: connect ECONNREFUSED 127.0.0.1:3000",
        "AggregateError [ECONNREFUSED]:\n    Error: connect ECONNREFUSED ::1:3000",
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=8000): Max"
        " retries exceeded with url: /",
        "dial tcp 127.0.0.1:80: connect: connection refused",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        "AssertionError: 503 != 200",
        "KeyError: user: not found",
    ],
)
def test_what_is_missing_in_the_project_is_red(output: str) -> None:
    assert before_look(command_result(1, f"{output}\n")) == RED


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("/usr/bin/python3: No module named pytest", "pytest is not installed"),
        ("ModuleNotFoundError: No module named 'pytest'", "pytest is not installed"),
        ("/x/.venv/bin/python: No module named coverage.__main__",
         "coverage.__main__ is not installed"),
        ("Error: Cannot find module 'vitest'", "vitest is not installed"),
        ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from a.test.js",
         "vitest is not installed"),
        ("Error: Cannot find module '@playwright/test'", "@playwright/test is not installed"),
        ("Error: Cannot find module '/x/node_modules/jest/bin/jest.js'",
         "/x/node_modules/jest/bin/jest.js is not installed"),
        ("cannot load such file -- rspec/core (LoadError)", "rspec/core is not installed"),
        ("ERROR: Could not find a version that satisfies the requirement pytest",
         "something is not installed: ERROR: Could not find a version that satisfies the"
         " requirement pytest"),
        ("error: no such command: `nextest`",
         "something is not installed: error: no such command: `nextest`"),
        ("Could not open input file: vendor/bin/phpunit",
         "something is not installed: Could not open input file: vendor/bin/phpunit"),
        ("npm error code E503\nnpm error 503 Service Unavailable - GET x/words",
         "the network failed: npm error code E503"),
        ("ERROR: HTTP error 503 while getting x/simple/words/",
         "the network failed: ERROR: HTTP error 503 while getting x/simple/words/"),
        ("npm error FetchError: connect ECONNREFUSED 127.0.0.1:4873",
         "the network failed: npm error FetchError: connect ECONNREFUSED 127.0.0.1:4873"),
        ("connect ECONNREFUSED 10.1.2.3:443",
         "the network failed: connect ECONNREFUSED 10.1.2.3:443"),
        ("ping: x.example: Temporary failure in name resolution",
         "the network failed: ping: x.example: Temporary failure in name resolution"),
        ("curl: (6) Could not resolve host: x.example",
         "the network failed: curl: (6) Could not resolve host: x.example"),
        ("HTTPSConnectionPool(host='x.example', port=443): Max retries exceeded with url: /a",
         "the network failed: HTTPSConnectionPool(host='x.example', port=443): Max retries exceeded"
         " with url: /a"),
        ("go: example.org/a@v1.0.0: dial tcp: lookup x.example: no such host",
         "the network failed: go: example.org/a@v1.0.0: dial tcp: lookup x.example: no such host"),
    ],
)  # fmt: skip
def test_what_comes_from_outside_is_unknown(output: str, reason: str) -> None:
    assert before_look(command_result(1, f"first\n{output}\n")) == UnknownLook(reason)


@pytest.mark.parametrize(
    ("exit_code", "output", "program"),
    [
        (127, "> words@1.0.0 test\n> vitest run\n\nsh: 1: vitest: not found", "vitest"),
        (2, "/bin/sh: 1: pytest: not found\nmake: *** [Makefile:2: test] Error 127", "pytest"),
        (2, "make: pytest: No such file or directory\nmake: *** [test] Error 127", "pytest"),
        (2, "error: Failed to spawn: `pytest`\n  Caused by: No such file or directory", "pytest"),
        (1, "Command not found: pytest", "pytest"),
        (127, "bundler: command not found: rspec", "rspec"),
        (1, "Error: the command pytest could not be found within PATH or Pipfile's [scripts].",
         "pytest"),
        (1, "sh: 1: vitest: not found\n ELIFECYCLE  Test failed.", "vitest"),
        (127, "zsh:1: command not found: jq", "jq"),
        (1, "/bin/sh: line 1: .venv/bin/python: No such file or directory", ".venv/bin/python"),
    ],
)  # fmt: skip
def test_a_missing_program_is_named(exit_code: int, output: str, program: str) -> None:
    look = before_look(command_result(exit_code, f"{output}\n"))

    assert isinstance(look, UnknownLook)
    assert look.program == program


@pytest.mark.parametrize(
    ("exit_code", "output", "setup_failure", "reason"),
    [
        (0, "", "setup failed with exit code 1", ""),
        (1, "", "", ""),
        (1, "", "setup failed with exit code 1", "setup failed with exit code 1"),
        (None, "", "", "it ran out of time"),
        (127, "/bin/sh: 1: jq: not found\n", "", "jq was not found (exit code 127)"),
        (126, "/bin/sh: 1: /x: Permission denied\n", "", "/x cannot be executed (exit code 126)"),
        # What the work is to add is missing before it.
        (127, "/bin/sh: 1: ./greet: not found\n", "", ""),
    ],
)
def test_a_result_without_a_meaning_for_the_project_says_why(
    exit_code: int | None, output: str, setup_failure: str, reason: str
) -> None:
    result = command_result(exit_code, output, setup_failure)

    assert inconclusive_reason(result) == reason
