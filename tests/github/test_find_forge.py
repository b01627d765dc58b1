"""Which forge a project is on, and which token is used for it; gh is the real one."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.forges import TOKEN, GitHubSite
from tests.github.fake_github import FakeGitHub, serve_github
from tests.github.fake_state import FakeToken
from tests.missing import missing
from tests.unit.workspace.real_git import Repository, repository_in
from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.private_files import CredentialFiles
from treadle.domain.forge import ForgeRepository, RepositoryAddress
from treadle.domain.forge_kind import ForgeToken
from treadle.domain.service_failures import NotFound
from treadle.runs.credentials import known_secrets
from treadle.runs.doctor import DoctorFinding, examine
from treadle.settings.environment import agent_environment, parse_environment
from treadle.wiring.forge import (
    ForgeChoice,
    ForgeSite,
    NoRemote,
    PlainRemote,
    connect_forge,
    connect_tracker,
    describe_forge,
    find_forge,
    forge_connection,
    http_client,
)
from treadle.workspace.project import find_project
from treadle.workspace.push import PushRemote, TokenPush, push_branch
from treadle.workspace.push_outcome import Pushed

GH = shutil.which("gh", path=os.defpath)
OTHER = "ghp_ABCDEFGHIJabcdefghij0123456789012345"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[FakeGitHub]:
    """On a Unix socket, too, where gh asks without TLS."""
    with serve_github(tmp_path / "github", tmp_path / "socket") as fake:
        fake.tokens[TOKEN] = FakeToken("ada")
        yield fake


async def choose(repository: Repository, url: str = "", **variables: str) -> ForgeChoice:
    if url:
        repository.git("remote", "add", "origin", url)
    raw = {**repository.environment, "TREADLE_ROOT": f"{repository.path}-root", **variables}
    project = await find_project(repository.path, raw)
    return await find_forge(project, parse_environment(raw))


def address(host: str = "github.com") -> RepositoryAddress:
    return RepositoryAddress("github", host, "ada", "engine")


def keep(repository: Repository, name: str, value: str) -> None:
    CredentialFiles(Path(f"{repository.path}-root")).write(name, value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://github.com/ada/engine.git", "github.com"),
        ("git@github.com:ada/engine.git", "github.com"),
        ("ssh://git@ssh.github.com:443/ada/engine.git", "github.com"),
        ("https://www.github.com/ada/engine", "github.com"),
        ("git@company.ghe.com:ada/engine.git", "company.ghe.com"),
    ],
)
async def test_github_is_known_by_its_name(repository: Repository, url: str, host: str) -> None:
    found = await choose(repository, url, GH_TOKEN=TOKEN)

    assert isinstance(found, ForgeSite)
    assert (found.address, found.token) == (address(host), ForgeToken(TOKEN, "GH_TOKEN"))
    assert TOKEN not in repr(found)


@pytest.mark.parametrize(
    "url",
    [
        "https://gitlab.com/ada/engine.git",
        "git@git.example.com:ada/engine.git",
        "https://github.com/engine.git",
        "https://github.com.evil.example/ada/engine.git",
        "http://github.com/ada/engine.git",
        "/srv/engine.git",
    ],
)
async def test_any_other_remote_is_a_plain_one(repository: Repository, url: str) -> None:
    found = await choose(repository, url, GH_TOKEN=TOKEN, GH_ENTERPRISE_TOKEN=OTHER)

    assert found == PlainRemote(PushRemote("origin", url))
    assert describe_forge(found) == (
        "plain git remote origin: branches are pushed, no pull requests",
        "",
    )


async def test_a_project_without_a_remote_has_no_forge(repository: Repository) -> None:
    assert await choose(repository) == NoRemote()


async def test_a_server_of_the_company_is_known_by_gh_host(repository: Repository) -> None:
    found = await choose(
        repository,
        "git@git.example.com:ada/engine.git",
        GH_HOST="git.example.com",
        GH_TOKEN=TOKEN,
        GH_ENTERPRISE_TOKEN=OTHER,
    )

    assert isinstance(found, ForgeSite)
    assert found.address == address("git.example.com")
    assert found.token == ForgeToken(OTHER, "GH_ENTERPRISE_TOKEN")
    assert found.push_target == TokenPush("https://git.example.com/ada/engine.git", OTHER)


async def test_a_variable_comes_before_what_is_stored(repository: Repository) -> None:
    keep(repository, "github-token", OTHER)

    found = await choose(repository, "git@github.com:ada/engine", GITHUB_TOKEN=TOKEN)

    assert isinstance(found, ForgeSite)
    assert found.token == ForgeToken(TOKEN, "GITHUB_TOKEN")


async def test_what_is_stored_is_for_its_own_kind_of_host(repository: Repository) -> None:
    keep(repository, "github-token", TOKEN)
    keep(repository, "github-enterprise-token", OTHER)

    found = await choose(repository, "git@github.com:ada/engine")
    assert isinstance(found, ForgeSite)
    assert found.token == ForgeToken(TOKEN, "treadle auth (github-token)")

    repository.git("remote", "set-url", "origin", "git@git.example.com:ada/engine")
    found = await choose(repository, GH_HOST="git.example.com")
    assert isinstance(found, ForgeSite)
    assert found.token == ForgeToken(OTHER, "treadle auth (github-enterprise-token)")


async def test_without_a_token_the_users_own_login_pushes(repository: Repository) -> None:
    url = "git@github.com:ada/engine"

    found = await choose(repository, url)

    assert isinstance(found, ForgeSite)
    assert (found.token, found.push_target) == (None, PushRemote("origin", url))
    assert describe_forge(found) == (
        "GitHub, github.com/ada/engine, without a token: no pull requests",
        "run `treadle auth set github-token`, or set GH_TOKEN",
    )


def logged_in(github: FakeGitHub, tmp_path: Path, *, host: str, token: str = TOKEN) -> Path:
    """A configuration of gh, made by `gh auth login` itself, for which the fake is GitHub."""
    if GH is None:
        missing("gh is not installed: make setup-tests")
    config = tmp_path / "gh"
    config.mkdir()
    (config / "config.yml").write_text(f"http_unix_socket: {tmp_path / 'socket'}\n")
    subprocess.run(
        [GH, "auth", "login", "--with-token", "--hostname", host],
        env={"PATH": os.defpath, "HOME": str(tmp_path), "GH_CONFIG_DIR": str(config)},
        input=f"{token}\n",
        text=True,
        check=True,
        cwd=tmp_path,
    )
    return config


async def test_the_token_of_gh_is_the_last_that_is_asked_for(
    repository: Repository, github: FakeGitHub, tmp_path: Path
) -> None:
    config = logged_in(github, tmp_path, host="github.com")
    url = "git@github.com:ada/engine"

    found = await choose(repository, url, GH_CONFIG_DIR=str(config))
    assert isinstance(found, ForgeSite)
    assert found.token == ForgeToken(TOKEN, "gh auth token")
    assert describe_forge(found)[0] == "GitHub, github.com/ada/engine, token from gh auth token"

    keep(repository, "github-token", OTHER)
    found = await choose(repository, GH_CONFIG_DIR=str(config))
    assert isinstance(found, ForgeSite)
    assert found.token == ForgeToken(OTHER, "treadle auth (github-token)")


async def test_a_server_that_gh_has_a_login_for_is_known(
    repository: Repository, github: FakeGitHub, tmp_path: Path
) -> None:
    config = logged_in(github, tmp_path, host="git.example.com")
    variables = {"GH_CONFIG_DIR": str(config), "GH_TOKEN": OTHER}

    found = await choose(repository, "git@git.example.com:ada/engine.git", **variables)
    assert isinstance(found, ForgeSite)
    assert (found.address, found.token) == (
        address("git.example.com"),
        ForgeToken(TOKEN, "gh auth token"),
    )

    repository.git("remote", "set-url", "origin", "git@other.example.com:ada/engine.git")
    assert isinstance(await choose(repository, **variables, GH_ENTERPRISE_TOKEN=OTHER), PlainRemote)


async def test_a_gh_of_the_project_is_not_run(repository: Repository, tmp_path: Path) -> None:
    program = repository.path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho {TOKEN}\n")
    program.chmod(0o755)
    path = f"{program.parent}:{repository.environment['PATH']}"

    found = await choose(repository, "git@github.com:ada/engine", PATH=path)

    assert isinstance(found, ForgeSite)
    assert found.token is None
    assert not (tmp_path / "ran").exists()


async def test_a_gh_that_answers_with_no_token_has_none(
    repository: Repository, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "gh"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho this is no token\n")
    program.chmod(0o755)
    path = f"{program.parent}:{repository.environment['PATH']}"

    found = await choose(repository, "git@github.com:ada/engine", PATH=path)

    assert isinstance(found, ForgeSite)
    assert found.token is None


async def test_the_parts_work_together(site: GitHubSite, repository: Repository) -> None:
    """From a remote to a pushed branch, by what a workflow is given."""
    raw = {**repository.environment, "GH_HOST": site.fake.host, "GH_ENTERPRISE_TOKEN": TOKEN}
    repository.git("remote", "add", "origin", f"{site.address.url}.git")
    project = await find_project(repository.path, raw)
    found = await find_forge(project, parse_environment(raw))
    assert isinstance(found, ForgeSite)
    assert found.token is not None
    client = http_client(parse_environment(raw))
    connection = forge_connection(found, found.token, client, SystemClock().now)
    try:
        repository_there = await connect_forge(connection).find_repository()
        issue = await connect_tracker(connection).read_issue(1)
    finally:
        await client.close()
    pushed = await push_branch(
        project.git, found.push_target, branch="treadle/x", commit=repository.head
    )

    assert repository_there == ForgeRepository("ada/engine", "main", can_push=True)
    assert (issue, pushed) == (NotFound("issue #1"), Pushed(repository.head))


async def test_doctor_has_a_line_about_the_forge(repository: Repository) -> None:
    repository.git("remote", "add", "origin", "git@github.com:ada/engine")
    environment = parse_environment({**repository.environment, "GH_TOKEN": TOKEN})

    findings = {each.name: each for each in await examine(repository.path, environment)}

    text = "GitHub, github.com/ada/engine, token from GH_TOKEN"
    assert findings["forge"] == DoctorFinding("forge", "good", text)


@pytest.mark.parametrize(
    "name", ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
)
def test_a_token_is_a_secret_and_no_agent_gets_it(name: str, tmp_path: Path) -> None:
    environment = parse_environment({"HOME": str(tmp_path), name: "shorttk"})

    assert "shorttk" in known_secrets(environment)
    assert agent_environment(environment.raw) == {}


def test_a_stored_token_is_a_secret(tmp_path: Path) -> None:
    environment = parse_environment({"HOME": str(tmp_path)})
    CredentialFiles(environment.root).write("github-token", TOKEN)

    assert TOKEN in known_secrets(environment)
