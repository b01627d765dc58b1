"""The input of a user's hook, and its exit codes: it can only forbid."""

import json

import pytest

from treadle.domain.agent import Deny, ToolUse
from treadle.domain.hooks import HookExit
from treadle.policy.user_hooks import (
    RULE,
    find_hook_denial,
    find_hook_files,
    make_hook_input,
)


def test_a_hook_reads_the_use_as_one_line_of_json() -> None:
    use = ToolUse("t1", "Bash", {"command": "ls\n", "n": 1}, "/srv/clone/src")

    given = make_hook_input(use, "implementer", "/srv/clone")

    assert given.endswith(b"}\n")
    assert given.count(b"\n") == 1
    assert json.loads(given) == {
        "event": "before_tool_use",
        "role": "implementer",
        "tool_use_id": "t1",
        "tool_name": "Bash",
        "tool_input": {"command": "ls\n", "n": 1},
        "cwd": "/srv/clone/src",
        "workspace": "/srv/clone",
    }


@pytest.mark.parametrize(
    ("ended", "denied"),
    [
        (HookExit(0), None),
        (HookExit(0, "a warning"), None),
        (HookExit(2, "not on Fridays\n"), "not on Fridays"),
        (HookExit(2), "The hook `guard` of this project forbids it."),
        (
            HookExit(1, "boom"),
            "The hook `guard` of this project failed with exit code 1, so nothing passes it "
            "(boom).",
        ),
        (
            HookExit(-9),
            "The hook `guard` of this project failed with exit code -9, so nothing passes it.",
        ),
        (
            HookExit(None, "no answer within 60 s"),
            "The hook `guard` of this project did not end in time or could not be started, so "
            "nothing passes it (no answer within 60 s).",
        ),
    ],
)
def test_a_hook_that_does_not_say_yes_says_no(ended: HookExit, denied: str | None) -> None:
    assert find_hook_denial("guard", ended) == (None if denied is None else Deny(denied, RULE))


def test_a_long_reason_is_cut() -> None:
    assert find_hook_denial("guard", HookExit(2, "x" * 9000)) == Deny("x" * 2000, RULE)


@pytest.mark.parametrize(
    ("commands", "files"),
    [
        ((), ()),
        (("python3 tools/guard.py --strict",), ("python3", "tools/guard.py")),
        (("./guard.sh 'a b'", "./guard.sh"), ("guard.sh", "a b")),
        (("/usr/bin/guard ../x",), ()),
        (("sh -c 'unclosed",), ("sh", "'unclosed")),
    ],
)
def test_the_files_that_a_hook_may_be_made_of_are_found_by_its_words(
    commands: tuple[str, ...], files: tuple[str, ...]
) -> None:
    assert find_hook_files(commands) == files
