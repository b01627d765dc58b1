"""What a session is told about the sandbox and the network that it works with. Pure."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.events.run import SandboxMode
from treadle.domain.sandbox import Network
from treadle.policy.roles import ShellSet

READS = (
    "Your role only reads: change no file of the project, which may be mounted read-only. To build "
    "it or to run its tests, copy it first: `cp -r . /tmp/copy && cd /tmp/copy`."
)

IndexAccess = Literal["open", "closed"]


@dataclass(frozen=True, slots=True)
class SessionConditions:
    """What the commands of a session can reach."""

    sandbox: SandboxMode
    network: Network
    # Hosts that the user allows besides the model.
    hosts: tuple[str, ...] = ()
    indexes: IndexAccess = "open"


def conditions_text(conditions: SessionConditions, commands: ShellSet) -> str:
    """A section of the instructions: what is closed, and what to do instead."""
    lines = [_sandbox(conditions), _network(conditions), _dependencies(conditions)]
    if commands == "read":
        lines = [_sandbox(conditions), READS]
    lines += [
        "Start a server or a database that you need on 127.0.0.1, and stop it in the same command: "
        "a later command cannot end it. Run no command that does not end by itself in the "
        "foreground: put `timeout 60` before it.",
        "Do not push, publish or deploy, and do not run `treadle`: commit, and Treadle brings the "
        "commits to the user.",
        "Files with credentials, such as `.env`, are not for you. Where a test needs a key, make "
        "one up that contains the word EXAMPLE.",
        "If a command is refused, the refusal says what to do instead. Do not look for a way "
        "around it.",
    ]
    return "# Where you work\n\n" + "\n".join(f"- {line}" for line in lines if line) + "\n"


def _sandbox(conditions: SessionConditions) -> str:
    if conditions.sandbox == "unsandboxed":
        return "There is no sandbox here: stay inside the project and `/tmp`."
    return (
        "You work in a sandbox. You can write to this project, to `/tmp` and to your home "
        "directory. The rest of the machine, Docker and `sudo` are closed."
    )


def _network(conditions: SessionConditions) -> str:
    if conditions.sandbox == "unsandboxed" or conditions.network == "open":
        return ""
    allowed = ["the package indexes"] if conditions.indexes == "open" else []
    if conditions.network == "allowlist":
        allowed += [f"`{host}`" for host in conditions.hosts]
    beyond = f", except for {_joined(allowed)}" if allowed else ""
    return (
        f"The network is closed{beyond}. Any other download fails at once: do not try it again. "
        "If the work cannot be done without it, write in your notes which host it needs."
    )


def _dependencies(conditions: SessionConditions) -> str:
    closed = conditions.network in ("gateway", "none") and conditions.indexes == "closed"
    if conditions.sandbox == "sandboxed" and closed:
        return "You cannot install packages: work with those that are installed."
    return (
        "Add a dependency with the project's own tool, such as `npm install NAME`, `uv add NAME` "
        "or `cargo add NAME`, so that the lock file is updated, and commit both files."
    )


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
