"""Real pushes over HTTP to a repository behind the fake GitHub, and what a token is shown to."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contracts.forges import TOKEN, GitHubSite
from tests.github.fake_github import Fault
from tests.github.fake_state import FakeToken
from tests.github.git_backend import commit_of
from tests.unit.workspace.real_git import Repository, repository_in
from treadle.workspace.git import Git, user_git
from treadle.workspace.push import PushRemote, TokenPush, find_push_remote, push_branch
from treadle.workspace.push_outcome import (
    AlreadyPushed,
    Pushed,
    PushNotPermitted,
    PushRefused,
    RemoteMoved,
    RemoteUnreachable,
)

BRANCH = "treadle/count-words-0001"

# Writes down how git and its helpers are started, then is that program.
SPY = """#!{python}
import os, sys
with open({log!r}, "a") as log:
    log.write(repr(sys.argv) + "\\n")
os.execv({program!r}, sys.argv)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return repository_in(tmp_path)


def target_of(site: GitHubSite, token: str = TOKEN) -> TokenPush:
    return TokenPush(f"{site.address.url}.git", token)


def git_of(repository: Repository, **variables: str) -> Git:
    return user_git(repository.path, {**repository.environment, **variables})


def there(site: GitHubSite, branch: str = BRANCH) -> str:
    return commit_of(site.fake.bare(site.repository), branch)


async def test_a_branch_is_pushed_with_the_token_and_a_repetition_changes_nothing(
    site: GitHubSite, repository: Repository
) -> None:
    before = repository.state()
    git, commit = git_of(repository), repository.head

    first = await push_branch(git, target_of(site), branch=BRANCH, commit=commit)
    again = await push_branch(git, target_of(site), branch=BRANCH, commit=commit)

    assert (first, again) == (Pushed(commit), AlreadyPushed(commit))
    assert there(site) == commit
    assert repository.state() == before
    assert "url" not in (repository.git_dir / "config").read_text()


async def test_it_moves_forward(site: GitHubSite, repository: Repository) -> None:
    git = git_of(repository)
    await push_branch(git, target_of(site), branch=BRANCH, commit=repository.head)
    second = repository.commit("More", readme="more")

    assert await push_branch(git, target_of(site), branch=BRANCH, commit=second) == Pushed(second)
    assert there(site) == second


async def test_what_others_pushed_is_never_overwritten(
    site: GitHubSite, repository: Repository
) -> None:
    git = git_of(repository)
    theirs = site.push(BRANCH)

    result = await push_branch(git, target_of(site), branch=BRANCH, commit=repository.head)

    assert isinstance(result, RemoteMoved)
    assert there(site) == theirs


async def test_an_older_commit_does_not_take_the_branch_back(
    site: GitHubSite, repository: Repository
) -> None:
    git, older = git_of(repository), repository.head
    newer = repository.commit("More", readme="more")
    await push_branch(git, target_of(site), branch=BRANCH, commit=newer)

    result = await push_branch(git, target_of(site), branch=BRANCH, commit=older)

    assert isinstance(result, RemoteMoved)
    assert there(site) == newer


async def test_settings_that_force_or_push_more_do_not_count(
    site: GitHubSite, repository: Repository
) -> None:
    repository.git("tag", "-a", "v1", "-m", "v1")
    repository.git("config", "push.followTags", "true")
    repository.git("config", "push.gpgSign", "true")
    repository.git("config", f"remote.{site.address.url}.git.push", "+refs/heads/*:refs/heads/*")
    repository.git("branch", "private")

    result = await push_branch(
        git_of(repository), target_of(site), branch=BRANCH, commit=repository.head
    )

    assert result == Pushed(repository.head)
    assert there(site, "private") == ""
    assert not list(site.fake.bare(site.repository).glob("refs/tags/*"))


async def test_no_hook_of_the_user_runs(
    site: GitHubSite, repository: Repository, tmp_path: Path
) -> None:
    hook = repository.git_dir / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    hook.chmod(0o755)
    repository.git("config", "hook.mine.command", f"touch {tmp_path}/ran")
    repository.git("config", "hook.mine.event", "pre-push")

    result = await push_branch(
        git_of(repository), target_of(site), branch=BRANCH, commit=repository.head
    )

    assert result == Pushed(repository.head)
    assert not (tmp_path / "ran").exists()


async def test_a_rule_that_sends_https_to_ssh_does_not_count_with_a_token(
    site: GitHubSite, repository: Repository
) -> None:
    for name in ("insteadOf", "pushInsteadOf"):
        repository.git("config", f"url.git@nowhere.invalid:.{name}", f"{site.fake.site}/")

    result = await push_branch(
        git_of(repository), target_of(site), branch=BRANCH, commit=repository.head
    )

    assert result == Pushed(repository.head)


async def test_the_token_is_in_no_argument_no_file_and_no_url(
    site: GitHubSite, repository: Repository, tmp_path: Path
) -> None:
    git = git_of(repository)
    log, spy = tmp_path / "started", tmp_path / "git"
    spy.write_text(SPY.format(python=sys.executable, log=str(log), program=git.program))
    spy.chmod(0o755)
    trace = tmp_path / "trace"
    traced = replace(git, program=str(spy)).with_variables(
        GIT_TRACE=str(trace), GIT_TRACE2_EVENT=str(tmp_path / "trace2"), GIT_TRACE_CURL=str(trace)
    )

    result = await push_branch(traced, target_of(site), branch=BRANCH, commit=repository.head)

    assert result == Pushed(repository.head)
    assert "push" in log.read_text()
    assert files_with(TOKEN, tmp_path) == []
    paths = [each.path + each.query for each in site.fake.received]
    assert not any(TOKEN in each for each in paths)


async def test_a_credential_helper_of_the_user_neither_answers_nor_keeps_the_token(
    site: GitHubSite, repository: Repository, tmp_path: Path
) -> None:
    helper = f"!f() {{ cat >> {tmp_path}/kept; echo username=x; echo password=wrong; }}; f"
    repository.git("config", "credential.helper", helper)
    repository.git("config", f"credential.{site.fake.site}.helper", helper)

    result = await push_branch(
        git_of(repository), target_of(site), branch=BRANCH, commit=repository.head
    )

    assert result == Pushed(repository.head)
    assert not (tmp_path / "kept").exists()


async def test_a_redirect_to_another_host_does_not_get_the_token(
    site: GitHubSite, repository: Repository
) -> None:
    there = {"location": f"http://127.0.0.1:{site.fake.logs_port}/logs/1"}
    site.fake.faults.append(Fault(r"\.git/info/refs", 302, there))

    result = await push_branch(
        git_of(repository), target_of(site), branch=BRANCH, commit=repository.head
    )

    assert isinstance(result, RemoteUnreachable)
    assert site.fake.log_requests == []


async def test_a_wrong_token_and_one_that_may_only_read_are_not_permitted(
    site: GitHubSite, repository: Repository
) -> None:
    git, commit = git_of(repository), repository.head
    wrong = await push_branch(git, target_of(site, "ghp_wrong"), branch=BRANCH, commit=commit)
    site.fake.tokens[TOKEN] = FakeToken("ada", may_write=False)
    reading = await push_branch(git, target_of(site), branch=BRANCH, commit=commit)

    assert isinstance(wrong, PushNotPermitted)
    assert isinstance(reading, PushNotPermitted)
    assert "ghp_wrong" not in wrong.reason


async def test_a_repository_that_is_not_there_is_not_permitted(
    site: GitHubSite, repository: Repository
) -> None:
    target = TokenPush(f"{site.fake.site}/ada/other.git", TOKEN)

    result = await push_branch(git_of(repository), target, branch=BRANCH, commit=repository.head)

    assert isinstance(result, PushNotPermitted)


async def test_a_rule_of_the_remote_refuses(site: GitHubSite, repository: Repository) -> None:
    hook = site.fake.bare(site.repository) / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'GH006: Protected branch update failed'\nexit 1\n")
    hook.chmod(0o755)

    result = await push_branch(
        git_of(repository), target_of(site), branch=BRANCH, commit=repository.head
    )

    assert isinstance(result, PushRefused)
    assert "GH006" in result.reason


async def test_an_outage_is_a_value_and_a_repetition_does_it(
    site: GitHubSite, repository: Repository
) -> None:
    git, commit = git_of(repository), repository.head
    site.fake.faults.append(Fault(r"\.git/info/refs", 503))
    assert isinstance(
        await push_branch(git, target_of(site), branch=BRANCH, commit=commit), RemoteUnreachable
    )
    nobody = TokenPush("http://127.0.0.1:9/ada/engine.git", TOKEN)
    assert isinstance(
        await push_branch(git, nobody, branch=BRANCH, commit=commit), RemoteUnreachable
    )

    assert await push_branch(git, target_of(site), branch=BRANCH, commit=commit) == Pushed(commit)


async def test_an_answer_that_was_lost_does_not_hide_that_the_push_was_done(
    site: GitHubSite, repository: Repository
) -> None:
    git, commit = git_of(repository), repository.head
    repository.git("config", "url.git@nowhere.invalid:.insteadOf", f"{site.fake.site}/")
    site.fake.faults.append(Fault("git-receive-pack$", 0, method="POST", done=True))

    lost = await push_branch(git, target_of(site), branch=BRANCH, commit=commit)
    again = await push_branch(git, target_of(site), branch=BRANCH, commit=commit)

    # git sends it a second time by itself, and the remote refuses that.
    assert lost == again == AlreadyPushed(commit)
    assert there(site) == commit


async def test_a_push_that_hangs_is_ended(repository: Repository, tmp_path: Path) -> None:
    hanging = tmp_path / "hanging"
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o755)
    repository.git("remote", "add", "origin", "ssh://nowhere.invalid/x.git")
    git = replace(git_of(repository, GIT_SSH=str(hanging), GIT_SSH_VARIANT="simple"), limit_s=1.0)

    result = await push_branch(
        git, PushRemote("origin", "ssh://nowhere.invalid/x.git"), branch=BRANCH, commit="HEAD"
    )

    assert isinstance(result, RemoteUnreachable)


async def test_without_a_token_the_users_own_helper_logs_in(
    site: GitHubSite, repository: Repository
) -> None:
    repository.git("remote", "add", "origin", f"{site.address.url}.git")
    helper = f"!f() {{ echo username=ada; echo password={TOKEN}; }}; f"
    repository.git("config", "credential.helper", helper)
    git = git_of(repository)
    remote = await find_push_remote(git)
    assert remote is not None

    result = await push_branch(git, remote, branch=BRANCH, commit=repository.head)

    assert result == Pushed(repository.head)


async def test_without_any_login_nobody_is_asked(
    site: GitHubSite, repository: Repository, tmp_path: Path
) -> None:
    asking = tmp_path / "asking"
    asking.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\necho secret\n")
    asking.chmod(0o755)
    repository.git("remote", "add", "origin", f"{site.address.url}.git")
    repository.git("config", "core.askPass", str(asking))
    git = git_of(repository, GIT_ASKPASS=str(asking), SSH_ASKPASS=str(asking), DISPLAY=":0")

    result = await push_branch(git, PushRemote("origin", ""), branch=BRANCH, commit=repository.head)

    assert isinstance(result, PushNotPermitted)
    assert not (tmp_path / "asked").exists()


async def test_a_plain_folder_takes_a_branch_too(repository: Repository, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    run("git", "init", "--quiet", "--bare", str(bare), environment=repository.environment)
    repository.git("remote", "add", "origin", str(bare))
    git = git_of(repository)
    remote = await find_push_remote(git)

    assert remote == PushRemote("origin", str(bare))
    result = await push_branch(git, remote, branch=BRANCH, commit=repository.head)
    assert result == Pushed(repository.head)
    assert commit_of(bare, BRANCH) == repository.head


@pytest.mark.parametrize(
    ("remotes", "default", "found"),
    [
        ((), "", None),
        (("origin",), "", "origin"),
        (("fork",), "", "fork"),
        (("fork", "upstream"), "", None),
        (("fork", "origin"), "", "origin"),
        (("fork", "origin"), "fork", "fork"),
        (("origin",), "gone", "origin"),
    ],
)
async def test_the_remote_is_the_one_that_the_user_pushes_to(
    repository: Repository, remotes: tuple[str, ...], default: str, found: str | None
) -> None:
    for name in remotes:
        repository.git("remote", "add", name, f"https://github.com/ada/{name}.git")
    if default:
        repository.git("config", "remote.pushDefault", default)

    remote = await find_push_remote(git_of(repository))

    assert (remote and remote.name) == found


async def test_the_url_is_the_one_that_git_would_push_to(repository: Repository) -> None:
    repository.git("remote", "add", "origin", "gh:ada/engine")
    repository.git("config", "url.https://github.com/.pushInsteadOf", "gh:")

    remote = await find_push_remote(git_of(repository))

    assert remote is not None
    assert remote.url == "https://github.com/ada/engine"


def files_with(text: str, folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if text.encode() in path.read_bytes()]


def run(*command: str, environment: Mapping[str, str]) -> None:
    subprocess.run(command, env=dict(environment), check=True, cwd=os.sep)
