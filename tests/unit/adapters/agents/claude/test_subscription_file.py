"""The file of a subscription's login: where it is, what it says, and that it is read again."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from treadle.adapters.agents.claude.subscription_file import (
    LoginEnded,
    LoginState,
    StoredLogin,
    SubscriptionFile,
    credentials_file,
    parse_login,
)


def file_with(**changes: Any) -> bytes:
    login = {"accessToken": "a", "refreshToken": "r", "expiresAt": 1794854042286}
    return json.dumps({"claudeAiOauth": {**login, **changes}, "mcpOAuth": {}}).encode()


@pytest.mark.parametrize(
    ("content", "login"),
    [
        (file_with(), StoredLogin("a", "r", 1794854042.286)),
        (file_with(refreshToken=None), StoredLogin("a", "", 1794854042.286)),
        (file_with(expiresAt=None), StoredLogin("a", "r", 0.0)),
        (file_with(accessToken="", refreshToken="", expiresAt=0), LoginEnded()),
        (file_with(accessToken=" "), LoginEnded()),
        (file_with(accessToken="naïve"), LoginEnded()),
        (file_with(accessToken=7), LoginEnded()),
        (b'{"mcpOAuth": {}}', LoginEnded()),
        (b'{"claudeAiOauth": []}', LoginEnded()),
        (b"[]", LoginEnded()),
        (b"{", LoginEnded()),
        (b"", LoginEnded()),
        (b"\xff", LoginEnded()),
    ],
)
def test_what_the_file_says(content: bytes, login: LoginState) -> None:
    assert parse_login(content) == login


def test_a_login_does_not_show_itself() -> None:
    assert repr(StoredLogin("secret-a", "secret-r", 1.0)) == "StoredLogin(expires_at=1.0)"


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, "/home/ada/.claude/.credentials.json"),
        ({"CLAUDE_CONFIG_DIR": ""}, "/home/ada/.claude/.credentials.json"),
        ({"CLAUDE_CONFIG_DIR": "/c"}, "/c/.credentials.json"),
        (
            {"CLAUDE_CONFIG_DIR": "/c", "CLAUDE_SECURESTORAGE_CONFIG_DIR": "/s"},
            "/s/.credentials.json",
        ),
    ],
)
def test_where_the_file_is(environment: dict[str, str], found: str) -> None:
    assert credentials_file(environment, Path("/home/ada")) == Path(found)


def test_the_file_is_read_again_when_it_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(file_with(accessToken="1st"))
    file = SubscriptionFile(path)
    first = file.read()
    # As Claude Code writes it: of the same size, and perhaps at the same time.
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    (tmp_path / "next").write_bytes(file_with(accessToken="2nd"))
    os.utime(tmp_path / "next", ns=times)
    (tmp_path / "next").rename(path)
    second = file.read()
    path.write_bytes(file_with(accessToken="third"))
    third = file.read()
    path.unlink()

    tokens = [each.access_token for each in (first, second, third) if isinstance(each, StoredLogin)]
    assert (tokens, file.read()) == (["1st", "2nd", "third"], LoginEnded())
