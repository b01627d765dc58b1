"""Errors of the parser look like all others, and name what was probably meant."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from treadle.cli.commands import COMMANDS
from treadle.cli.completion import SHELLS, VARIABLE
from treadle.cli.main import treadle
from treadle.cli.usage_errors import OTHER_NAMES, usage_error


def error_of(*arguments: str) -> tuple[str, str]:
    with pytest.raises(click.ClickException) as caught:
        treadle.main(list(arguments), prog_name="treadle", standalone_mode=False)
    error = usage_error(caught.value)
    return error.message, error.hint


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("delivr",), ("no such command 'delivr'", "did you mean deliver?")),
        (("stop",), ("no such command 'stop'", "did you mean cancel?")),
        (("version",), ("no such command 'version'", "did you mean --version?")),
        (("zzz",), ("no such command 'zzz'", "see `treadle --help`")),
        (("config", "shw"), ("no such command 'shw'", "did you mean show?")),
        (("config", "list"), ("no such command 'list'", "see `treadle config --help`")),
        (("deliver", "--lnd"), ("no such option '--lnd'", "did you mean --land?")),
        (("focus",), ("missing argument 'WORDS'", "see `treadle focus --help`")),
    ],
)
def test_a_wrong_word_is_one_line_with_a_hint(
    arguments: tuple[str, ...], error: tuple[str, str]
) -> None:
    assert error_of(*arguments) == error


def test_names_of_other_tools_stand_for_commands_that_exist() -> None:
    assert set(OTHER_NAMES.values()) - set(COMMANDS) == set()
    assert set(OTHER_NAMES) & set(COMMANDS) == set()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("del", {"deliver"}),
        ("show ", {"last"}),
        ("config show limits.max_c", {"limits.max_cost_usd"}),
        ("deliver --max-c", {"--max-cost"}),
    ],
)
def test_a_shell_completes_commands_runs_settings_and_options(
    tmp_path: Path, words: str, expected: set[str]
) -> None:
    environment = {
        "PATH": os.defpath,
        "HOME": str(tmp_path),
        VARIABLE: "fish_complete",
        "COMP_WORDS": f"treadle {words}",
        "COMP_CWORD": "" if words.endswith(" ") else words.rpartition(" ")[2],
    }

    done = subprocess.run(
        [sys.executable, "-m", "treadle"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    found = {line.partition(",")[2].partition("\t")[0] for line in done.stdout.splitlines()}
    assert expected <= found


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    treadle.main(["completion", shell], prog_name="treadle", standalone_mode=False)

    assert VARIABLE in capsys.readouterr().out
