"""What a run keeps of the shell that asked for it: no secrets, and a fingerprint of them."""

from pathlib import Path

import orjson
import pytest

from tests.builders import RUN
from treadle.domain.run_request import RunRequest
from treadle.runs.shell_environment import (
    login_of,
    shell_environment,
    split_variables,
    with_shell_environment,
)
from treadle.settings.environment import Environment, parse_environment

REQUEST = RunRequest(RUN, "/project", {}, no_sandbox=False, rehearsal=True)
PLAIN = {
    "PATH": "/opt/node/bin:/usr/bin",
    "HTTPS_PROXY": "http://proxy.example:3128",
    "ANTHROPIC_BASE_URL": "https://models.example",
    "LC_ALL": "C.UTF-8",
    "CLAUDE_BIN": "/opt/claude",
    "CLAUDE_CONFIG_DIR": "/home/ada/accounts/work",
    "PIP_INDEX_URL": "https://index.example/simple",
    "GH_HOST": "git.example.com",
}
SECRET = {
    "ANTHROPIC_API_KEY": "sk-personal",
    "GH_TOKEN": "ghp_personal",
    "HTTP_PROXY": "http://ada:word@proxy.example:3128",
    "npm_config__auth": "YWRhOndvcmQ=",
    "PIP_EXTRA_INDEX_URL": "https://token@index.example/simple",
    "UV_INDEX_HOME_PASSWORD": "pass-word",
}
OTHER = {"TERM": "xterm", "TMPDIR": "/tmp/x", "EDITOR": "vi", "DATABASE_PASSWORD": "word"}


def environment(tmp_path: Path, **variables: str) -> Environment:
    own = {"HOME": str(tmp_path), "TREADLE_ROOT": str(tmp_path / "root")}
    return parse_environment({**own, **variables})


def test_what_decides_about_a_run_is_plain_or_secret_and_the_rest_is_left() -> None:
    assert split_variables({**PLAIN, **SECRET, **OTHER}) == (PLAIN, SECRET)


def test_no_secret_is_stored(tmp_path: Path) -> None:
    request = with_shell_environment(REQUEST, environment(tmp_path, **PLAIN, **SECRET))

    stored = orjson.dumps(request).decode()
    assert request.environment == PLAIN
    assert [value for value in SECRET.values() if value in stored] == []


def test_a_worker_uses_the_variables_of_the_shell_in_place_of_its_own(tmp_path: Path) -> None:
    request = with_shell_environment(REQUEST, environment(tmp_path, **PLAIN))
    worker = environment(tmp_path, PATH="/bin", ALL_PROXY="socks://proxy", TERM="dumb", **SECRET)

    used = shell_environment(request, worker)

    own = {"HOME": str(tmp_path), "TREADLE_ROOT": str(tmp_path / "root"), "TERM": "dumb"}
    assert (used.raw, used.path) == ({**own, **SECRET, **PLAIN}, PLAIN["PATH"])


def test_a_request_of_an_earlier_version_is_worked_on_with_the_workers_own(tmp_path: Path) -> None:
    worker = environment(tmp_path, **PLAIN)
    assert shell_environment(REQUEST, worker) is worker


@pytest.mark.parametrize(
    ("variables", "same"),
    [
        ({"ANTHROPIC_API_KEY": "sk-personal"}, True),
        ({"ANTHROPIC_API_KEY": "sk-personal", "PATH": "/bin", "TERM": "dumb"}, True),
        ({"ANTHROPIC_API_KEY": "sk-company"}, False),
        ({}, False),
        ({"ANTHROPIC_API_KEY": "sk-personal", "HOME": "/home/ada"}, False),
        ({"ANTHROPIC_API_KEY": "sk-personal", "TREADLE_DATABASE_URL": "postgresql://x"}, False),
    ],
)
def test_two_shells_have_the_same_login_if_their_secrets_home_and_database_are_the_same(
    tmp_path: Path, variables: dict[str, str], same: bool
) -> None:
    personal = environment(tmp_path, ANTHROPIC_API_KEY="sk-personal")

    assert (login_of(environment(tmp_path, **variables)) == login_of(personal)) is same


def test_a_fingerprint_says_nothing_without_the_key_of_its_directory(tmp_path: Path) -> None:
    here = login_of(environment(tmp_path, **SECRET))
    there = login_of(environment(tmp_path, TREADLE_ROOT=str(tmp_path / "other"), **SECRET))

    assert here != there
    assert (tmp_path / "root" / "fingerprints" / "key").stat().st_mode & 0o777 == 0o600
