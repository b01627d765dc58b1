"""Bad input gets one clear line and what to do next, never a traceback."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.harness import TREADLE, CommandHarness
from tests.missing import missing

# Root may read everything; without these two it is like anybody else.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["deliver", "-p", "nowhere"], "treadle: nowhere does not exist"),
        (["deliver", "-p", "SPEC.md"], "treadle: SPEC.md is not a directory"),
        (["deliver", "--max-cost", "0"], "limits.max_cost_usd on the command line: expected"),
        (["deliver", "--max-cost", "much"], "treadle: invalid value for '--max-cost'"),
        (
            ["deliver", "--lnd", "auto"],
            "treadle: no such option '--lnd'\n  hint: did you mean --land?",
        ),
        (["delivr"], "treadle: no such command 'delivr'\n  hint: did you mean deliver?"),
        (["list"], "treadle: no such command 'list'\n  hint: did you mean ls?"),
        (["deliver", "/elsewhere/SPEC.md"], "is not in the project"),
        (["show", "ffffffff"], "treadle: there is no run 'ffffffff'"),
        (["rehearse", "nothing.yaml", "--", "deliver"], "nothing.yaml"),
        (["rehearse", "nothing.yaml"], "treadle: no workflow to rehearse"),
        (["land"], "treadle: there are no runs of this project yet"),
        (["demo", "--keep", "."], "project is not empty"),
        (["demo", "--keep", "SPEC.md"], "SPEC.md: File exists"),
    ],
)
def test_a_wrong_command_line_is_refused_in_words(
    harness: CommandHarness, arguments: list[str], complaint: str
) -> None:
    refused = harness.treadle(*arguments)

    assert refused.exit_code == 2
    assert complaint in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[limits]\nmax_cots_usd = 3\n", "treadle.toml:2: limits.max_cots_usd: unknown key"),
        ('[limits]\nmax_cost_usd = "ten"\n', "treadle.toml:2: limits.max_cost_usd: expected a n"),
        ("[limits\n", "treadle.toml:1: "),
        ("version = 9\n", "written by a newer Treadle"),
    ],
)
def test_a_wrong_settings_file_is_refused_with_its_line(
    harness: CommandHarness, toml: str, complaint: str
) -> None:
    (harness.project / "treadle.toml").write_text(toml)

    refused = harness.treadle("deliver", "--no-sandbox")

    assert refused.exit_code == 2
    assert complaint in refused.stderr
    assert "hint: " in refused.stderr


def test_a_project_without_a_specification_is_refused(harness: CommandHarness) -> None:
    (harness.project / "SPEC.md").unlink()

    refused = harness.treadle("deliver", "--no-sandbox", ANTHROPIC_API_KEY="dummy")

    assert refused.exit_code == 2
    assert f"treadle: no SPEC.md in {harness.project}" in refused.stderr


def test_a_directory_that_is_no_repository_is_refused(harness: CommandHarness) -> None:
    plain = harness.directory / "plain"
    plain.mkdir()
    (plain / "SPEC.md").write_text("# x\n")

    refused = harness.treadle("deliver", "--no-sandbox", "-p", str(plain))

    assert refused.exit_code == 1
    assert "is not a git repository" in refused.stderr
    assert "hint: run `treadle init`" in refused.stderr


def test_a_binary_that_is_not_there_is_named(harness: CommandHarness) -> None:
    refused = harness.treadle(
        "deliver", "--no-sandbox", CLAUDE_BIN="/no/such/claude", ANTHROPIC_API_KEY="dummy"
    )

    assert refused.exit_code == 1
    assert "CLAUDE_BIN names /no/such/claude, which is not an executable file" in refused.stderr


def test_a_broken_status_file_is_refused_with_its_line(harness: CommandHarness) -> None:
    (harness.project / ".treadle").mkdir()
    (harness.project / ".treadle" / "status.json").write_text(
        '{\n "deliverables": [\n  {"id": 1}]}'
    )

    refused = harness.treadle("status")

    assert refused.exit_code == 1
    assert "status.json:3: a deliverable needs an `id`" in refused.stderr


def test_a_root_that_cannot_be_written_is_named(harness: CommandHarness) -> None:
    harness.root.write_text("a file in the way")
    harness.settings({})

    refused = harness.treadle("deliver", "--no-sandbox", ANTHROPIC_API_KEY="dummy")

    assert refused.exit_code == 1
    assert f"treadle: cannot write {harness.root}/locks: Not a directory" in refused.stderr
    assert "hint: free some space there, or check its permissions" in refused.stderr


def test_bare_treadle_prints_help_with_the_exit_codes(harness: CommandHarness) -> None:
    shown = harness.treadle()

    assert shown.exit_code == 0
    assert shown.stdout.startswith("Usage: treadle")
    assert "130  interrupted" in shown.stdout
    assert harness.treadle("help").stdout == shown.stdout


@pytest.fixture
def locked(harness: CommandHarness) -> Iterator[Path]:
    """A directory with a project in it that nobody may look into."""
    directory = harness.directory / "locked"
    (directory / "project" / ".git").mkdir(parents=True)
    directory.chmod(0)
    yield directory
    directory.chmod(0o700)


def powerless(harness: CommandHarness, *arguments: str, **variables: str) -> tuple[int, list[str]]:
    """The exit code and the complaint of a command that has no rights beyond its user's."""
    if os.getuid() == 0 and shutil.which("setpriv") is None:
        missing("no setpriv here to give up root's rights with")
    done = subprocess.run(
        [*(POWERLESS if os.getuid() == 0 else []), TREADLE, *arguments],
        cwd=harness.project,
        env={**harness.environment, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr.splitlines()


@pytest.mark.parametrize("command", ["ls", "status", "show", "doctor", "config show", "deliver"])
def test_a_directory_that_may_not_be_read_is_named(
    harness: CommandHarness, locked: Path, command: str
) -> None:
    below = str(locked / "project")

    assert powerless(harness, *command.split(), "-p", str(locked)) == (
        2,
        [f"treadle: {locked} cannot be read", "  hint: check its permissions with `ls -ld`"],
    )
    assert powerless(harness, *command.split(), "-p", below) == (
        2,
        [f"treadle: cannot reach {below}: Permission denied", "  hint: check the path"],
    )


def test_a_root_that_may_not_be_read_is_named(harness: CommandHarness, locked: Path) -> None:
    code, complaint = powerless(harness, "ls", TREADLE_ROOT=str(locked / "kept"))

    assert (code, complaint[0]) == (
        1,
        f"treadle: cannot write {locked}/kept/events.db: Permission denied",
    )


def test_the_doctor_finds_what_may_not_be_read(harness: CommandHarness, locked: Path) -> None:
    code, complaint = powerless(
        harness, "doctor", HOME=str(locked), TREADLE_ROOT=str(locked / "root")
    )

    assert (code, complaint) == (1, [])


def test_a_current_directory_that_is_gone_is_said_so(harness: CommandHarness) -> None:
    gone = harness.directory / "gone"
    gone.mkdir()

    done = subprocess.run(
        ["/bin/sh", "-c", 'rmdir ../gone && exec "$1" ls', "sh", TREADLE],
        cwd=gone,
        env=harness.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            "treadle: the current directory cannot be used: No such file or directory",
            "  hint: change to an existing directory",
        ],
    )


def test_without_git_the_demo_says_what_to_install(harness: CommandHarness) -> None:
    refused = harness.treadle("demo", PATH="/nowhere")

    assert (refused.exit_code, refused.stderr.splitlines()) == (
        1,
        [
            "treadle: git was not found",
            "  hint: install git (2.31 or newer) and put it on your PATH, outside the project",
        ],
    )


def test_a_project_whose_name_is_no_text_has_a_status_all_the_same(harness: CommandHarness) -> None:
    strange = Path(os.fsdecode(os.fsencode(harness.directory) + b"/bad\xff"))
    strange.mkdir()

    assert harness.treadle("status", "--json", "-p", str(strange)).exit_code == 0
