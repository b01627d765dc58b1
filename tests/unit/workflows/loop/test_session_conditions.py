"""What sessions are told about their sandbox."""

import pytest

from treadle.workflows.loop.session_conditions import SessionConditions, conditions_text

BUILDER = """\
# Where you work

- You work in a sandbox. You can write to this project, to `/tmp` and to your home directory. The \
rest of the machine, Docker and `sudo` are closed.
- The network is closed, except for the package indexes. Any other download fails at once: do not \
try it again. If the work cannot be done without it, write in your notes which host it needs.
- Add a dependency with the project's own tool, such as `npm install NAME`, `uv add NAME` or \
`cargo add NAME`, so that the lock file is updated, and commit both files.
- Start a server or a database that you need on 127.0.0.1, and stop it in the same command: a \
later command cannot end it. Run no command that does not end by itself in the foreground: put \
`timeout 60` before it.
- Do not push, publish or deploy, and do not run `treadle`: commit, and Treadle brings the commits \
to the user.
- Files with credentials, such as `.env`, are not for you. Where a test needs a key, make one up \
that contains the word EXAMPLE.
- If a command is refused, the refusal says what to do instead. Do not look for a way around it.
"""


def test_a_session_that_builds_is_told_what_is_closed_and_what_to_do_instead() -> None:
    assert conditions_text(SessionConditions("sandboxed", "gateway"), "run") == BUILDER


@pytest.mark.parametrize(
    ("conditions", "line"),
    [
        (
            SessionConditions("sandboxed", "gateway", indexes="closed"),
            "- The network is closed. Any other download",
        ),
        (
            SessionConditions("sandboxed", "gateway", indexes="closed"),
            "- You cannot install packages",
        ),
        (
            SessionConditions("sandboxed", "allowlist", ("a.example:443", "b.example:80")),
            "except for the package indexes, `a.example:443` and `b.example:80`.",
        ),
        (
            SessionConditions("sandboxed", "gateway", ("unused.example:443",)),
            "except for the package indexes.",
        ),
        (SessionConditions("unsandboxed", "gateway"), "- There is no sandbox here"),
    ],
)
def test_the_lines_follow_from_the_settings(conditions: SessionConditions, line: str) -> None:
    assert line in conditions_text(conditions, "run")


@pytest.mark.parametrize(
    "conditions",
    [SessionConditions("sandboxed", "open"), SessionConditions("unsandboxed", "gateway")],
)
def test_an_open_network_is_not_called_closed(conditions: SessionConditions) -> None:
    assert "network is closed" not in conditions_text(conditions, "run")


def test_a_role_that_only_reads_is_told_to_change_nothing() -> None:
    text = conditions_text(SessionConditions("sandboxed", "gateway"), "read")

    assert "- Your role only reads: change no file of the project, which may be mounted" in text
    assert "Add a dependency" not in text
