"""Whether a command ran in bubblewrap, and what its error messages mean."""

from pathlib import Path

import pytest

from treadle.adapters.sandboxes import bubblewrap_errors
from treadle.adapters.sandboxes.bubblewrap_report import has_exit_code, read_report
from treadle.domain.sandbox import SandboxFailed

CHILD = '{ "child-pid": 17, "net-namespace": 4026532183 }\n'


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (CHILD + '{ "exit-code": 0 }\n', True),
        (CHILD + '{ "exit-code": 137 }\n', True),
        (CHILD, False),
        ("", False),
        (CHILD + '{ "exit-co', False),
        ('{ "exit-code": "0" }\n', False),
        ('["exit-code"]\n', False),
    ],
)
def test_a_command_ran_if_the_report_has_its_exit_code(text: str, verdict: bool) -> None:
    assert has_exit_code(text) is verdict


def test_a_missing_report_is_a_failure(tmp_path: Path) -> None:
    assert read_report(tmp_path / "none.json", "") == SandboxFailed(
        "the sandbox left no report", "run `treadle doctor`"
    )


@pytest.mark.parametrize(
    ("errors", "failed"),
    [
        (
            "bwrap: setting up uid map: Permission denied",
            SandboxFailed(
                "the system does not let bubblewrap create a user namespace",
                bubblewrap_errors.APPARMOR,
            ),
        ),
        (
            "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
            SandboxFailed(
                "the system does not let bubblewrap create a user namespace",
                bubblewrap_errors.APPARMOR,
            ),
        ),
        (
            "bwrap: No permissions to create new namespace, likely because the kernel does not "
            "allow non-privileged user namespaces.",
            SandboxFailed(
                "the system does not allow user namespaces", bubblewrap_errors.NAMESPACES
            ),
        ),
        (
            "bwrap: Creating new namespace failed: nesting depth or "
            "/proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
            SandboxFailed(
                "the system does not allow user namespaces", bubblewrap_errors.NAMESPACES
            ),
        ),
        (
            "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
            SandboxFailed(
                "bubblewrap is not allowed to mount what the sandbox needs",
                bubblewrap_errors.CONTAINER,
            ),
        ),
        (
            "some words of the agent\nbwrap: Unknown option --disable-userns",
            SandboxFailed(
                "bubblewrap is too old: it lacks an option that the sandbox needs",
                "version 0.8.0 or newer is needed; " + bubblewrap_errors.INSTALL,
            ),
        ),
        (
            "bwrap: execvp /opt/claude: No such file or directory",
            SandboxFailed(
                "the sandbox has no /opt/claude",
                "if it is outside the system directories, add its directory to sandbox.readable",
            ),
        ),
        (
            "bwrap: Can't find source path /data/x: No such file or directory",
            SandboxFailed(
                "/data/x cannot be shown in the sandbox: it does not exist, or you may not read it",
                "correct sandbox.readable and sandbox.writable",
            ),
        ),
        (
            "bwrap: something new",
            SandboxFailed("the sandbox was not set up: something new", "run `treadle doctor`"),
        ),
        (
            "not a word of bubblewrap's: Unknown option",
            SandboxFailed(
                "the sandbox was not set up: there was no output", "run `treadle doctor`"
            ),
        ),
    ],
)
def test_errors_of_bubblewrap_are_explained(errors: str, failed: SandboxFailed) -> None:
    assert bubblewrap_errors.explain_error(errors) == failed


@pytest.mark.parametrize(
    ("text", "version"),
    [("bubblewrap 0.8.0\n", (0, 8, 0)), ("bubblewrap 0.11.0", (0, 11, 0)), ("what?", ())],
)
def test_its_version_is_parsed(text: str, version: tuple[int, ...]) -> None:
    assert bubblewrap_errors.parse_version(text) == version


def test_an_old_bubblewrap_and_a_missing_one_differ() -> None:
    assert bubblewrap_errors.too_old((0, 6, 1)) == SandboxFailed(
        "bubblewrap 0.6.1 is too old: 0.8.0 or newer is needed", bubblewrap_errors.INSTALL
    )
    assert bubblewrap_errors.not_installed().message.startswith("bubblewrap is not installed")
