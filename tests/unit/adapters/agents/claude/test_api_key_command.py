"""The key that a helper prints: how long it is kept, when it is asked for again, what is no key."""

import base64
import json
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.api_key_command import (
    HelperCommand,
    HelperKey,
    good_until,
    helper_command,
    run_helper,
)
from treadle.adapters.agents.claude.user_files import UserFiles
from treadle.domain.model_access import SecretMissing

# Prints another key each time.
COUNTING = 'echo >> "$HOME/asked"; echo "key-$(wc -l < "$HOME/asked" | tr -d " ")"'


class SettableClock:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def command(line: str, directory: Path, timeout_s: float = 20) -> HelperCommand:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(directory), "WHERE": "the user's"}
    return HelperCommand(line, directory, environment, timeout_s=timeout_s)


async def test_a_key_is_kept_for_its_time_and_then_asked_for_again(tmp_path: Path) -> None:
    clock, learned = SettableClock(), list[str]()
    helper = HelperKey(command(COUNTING, tmp_path), learn_secret=learned.append, unix_time=clock)

    first = await helper.current()
    clock.now += 299
    again = await helper.current()
    clock.now += 2
    later = await helper.current()

    assert (first, again, later) == (b"key-1", b"key-1", b"key-2")
    assert learned == ["key-1", "key-2"]


async def test_after_a_refusal_the_helper_is_asked_at_once(tmp_path: Path) -> None:
    helper = HelperKey(command(COUNTING, tmp_path))
    first = await helper.current()
    assert isinstance(first, bytes)

    assert await helper.replace_refused(first)
    # Another request was refused with the same key; there is a newer one already.
    assert await helper.replace_refused(first)
    assert await helper.current() == b"key-2"


async def test_the_same_key_once_more_is_no_replacement(tmp_path: Path) -> None:
    helper = HelperKey(command("echo always", tmp_path))
    await helper.current()

    assert not await helper.replace_refused(b"always")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("exit 3", "exit code 3"),
        ("echo s3cret word", "something other than one key"),
        ("echo one; echo two", "something other than one key"),
        ("printf 'k\\303\\244y'", "something other than one key"),
        ("true", "something other than one key"),
    ],
)
def test_what_is_no_key_is_said_without_what_was_printed(
    line: str, words: str, tmp_path: Path
) -> None:
    answer = run_helper(command(line, tmp_path))

    assert isinstance(answer, SecretMissing)
    assert (words in answer.message, "s3cret" in answer.message) == (True, False)


def test_a_helper_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    answer = run_helper(command("sleep 1000 & sleep 1000", tmp_path, timeout_s=0.2))

    assert isinstance(answer, SecretMissing)
    assert "took more than 0.2 s" in answer.message


def test_it_runs_in_the_users_home_with_the_users_variables(tmp_path: Path) -> None:
    files = UserFiles(
        tmp_path / "settings.json", {"FROM": "settings", "PATH": "/evil"}, 'echo "$FROM:$PWD:$PATH"'
    )
    given = {"PATH": "/usr/bin:/bin", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS": "1500"}

    made = helper_command(files, given, tmp_path)

    assert run_helper(made) == f"settings:{tmp_path}:/usr/bin:/bin".encode()
    assert made.lifetime_s == 1.5


def test_a_web_token_is_replaced_before_it_expires(tmp_path: Path) -> None:
    claims = base64.urlsafe_b64encode(json.dumps({"exp": 1100}).encode()).rstrip(b"=")
    made = command("", tmp_path)

    assert good_until(b"head." + claims + b".sign", 1000.0, made) == 1070.0
    assert good_until(b"plain", 1000.0, made) == 1300.0
    assert good_until(b"a.b.c", 1000.0, made) == 1300.0
