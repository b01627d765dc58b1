"""Pushes a branch from a repository outside the agent's reach; never by force."""

from dataclasses import dataclass, field, replace

from treadle.domain.remote_address import RemoteAddress, parse_remote_url
from treadle.workspace.git import Git, GitTimedOut
from treadle.workspace.landing_filters import read_programs, without_programs
from treadle.workspace.push_outcome import (
    AlreadyPushed,
    PushOutcome,
    PushRefused,
    RemoteUnreachable,
    read_outcome,
)

TOKEN_VARIABLE = "TREADLE_PUSH_TOKEN"  # noqa: S105  the name of a variable
# Accepted by GitHub with any kind of token.
_USER = "x-access-token"
# Run by git with /bin/sh and answered by builtins alone: the token is in no argument and no file.
_HELPER = (
    '!f() { test "$1" = get && '
    f'printf "username={_USER}\\npassword=%s\\n" "${TOKEN_VARIABLE}"; }}; f'
)
_PUSH = (
    *("push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--no-force"),
    "--recurse-submodules=no",
)
# Programs that would ask a person, in a window.
_ASKING = ("GIT_ASKPASS", "SSH_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True, slots=True)
class PushRemote:
    """A remote of the user's repository, by its name and the URL that git pushes to."""

    name: str
    url: str = field(repr=False)

    @property
    def address(self) -> RemoteAddress | None:
        """Where it is; None for a folder of this machine."""
        return parse_remote_url(self.url)


@dataclass(frozen=True, slots=True)
class TokenPush:
    """Push to an HTTPS URL with a token, whatever the user has configured for it."""

    url: str
    token: str = field(repr=False)


async def find_push_remote(git: Git) -> PushRemote | None:
    """The remote that the user pushes to: `remote.pushDefault`, or `origin`, or the only one."""
    names = (await git.try_run("remote")).output.split("\n")
    default = (await git.try_run("config", "--get", "remote.pushDefault")).output
    wanted = [name for name in (default, "origin") if name and name in names]
    if not wanted and len(names) == 1 and names[0]:
        wanted = names
    if not wanted:
        return None
    found = await git.try_run("remote", "get-url", "--push", wanted[0])
    url = found.output.partition("\n")[0].strip()
    return PushRemote(wanted[0], url) if found.ok and url else None


async def push_branch(
    git: Git, target: PushRemote | TokenPush, *, branch: str, commit: str
) -> PushOutcome:
    """Move the branch of the remote forward to the commit, or make it; safe to repeat.

    Without a token the user's own login does it: ssh, or a credential helper.
    """
    ready = _unasked(without_programs(git, await read_programs(git)))
    place = target.name if isinstance(target, PushRemote) else target.url
    if isinstance(target, TokenPush):
        ready = _with_token(ready, target)
    ref = f"refs/heads/{branch}"
    try:
        ran = await ready.try_run(*_PUSH, "--", place, f"{commit}:{ref}")
        outcome = read_outcome(ran.exit_code, ran.output, ran.stderr, commit)
        if not isinstance(outcome, PushRefused):
            return outcome
        # If the connection is cut after the push, git itself sends it again, and that is refused.
        listed = await ready.try_run("ls-remote", "--", place, ref)
    except GitTimedOut as error:
        return RemoteUnreachable(error.message)
    return AlreadyPushed(commit) if listed.output == f"{commit}\t{ref}" else outcome


def _unasked(git: Git) -> Git:
    """No program asks a person for a password: nobody would answer."""
    kept = {name: value for name, value in git.environment.items() if name not in _ASKING}
    quiet = {"SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never"}
    return replace(git, environment={**kept, **quiet}).with_options("-c", "core.askPass=")


def _with_token(git: Git, target: TokenPush) -> Git:
    """The token is answered for this host alone, and no redirect leads to another one."""
    scheme, _, rest = target.url.partition("://")
    host = f"{scheme}://{rest.partition('/')[0]}"
    return git.with_variables(**{TOKEN_VARIABLE: target.token}).with_options(
        # An empty one takes all others out of the list.
        *("-c", f"credential.{host}.helper="),
        *("-c", f"credential.{host}.helper={_HELPER}"),
        *("-c", "http.followRedirects=false"),
        # The longest match counts, so that no rule of the user's leads elsewhere.
        *("-c", f"url.{target.url}.insteadOf={target.url}"),
        *("-c", f"url.{target.url}.pushInsteadOf={target.url}"),
    )
