"""The user's hook commands that can forbid a tool use: their input and their exit codes."""

import json
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath

from treadle.domain.agent import Deny, ToolUse
from treadle.domain.hooks import HookExit
from treadle.domain.signal import Role

RULE = "hook-by-settings"
_LONGEST_REASON = 2000
_FORBIDS = 2


def make_hook_input(use: ToolUse, role: Role, workspace: str) -> bytes:
    """The JSON line that a hook reads on stdin.

    It contains the workspace, because a hook runs in another directory.
    """
    fields = {
        "event": "before_tool_use",
        "role": role,
        "tool_use_id": use.id,
        "tool_name": use.name,
        "tool_input": dict(use.input),
        "cwd": use.directory,
        "workspace": workspace,
    }
    return json.dumps(fields, default=str).encode() + b"\n"


def find_hook_denial(command: str, ended: HookExit) -> Deny | None:
    """Exit code 0 allows the use. Anything else denies it, including a failure of the hook."""
    reason = ended.stderr.strip()[:_LONGEST_REASON]
    match ended.code:
        case 0:
            return None
        case code if code == _FORBIDS:
            return Deny(reason or f"The hook `{command}` of this project forbids it.", RULE)
        case None:
            failed = "did not end in time or could not be started"
        case code:
            failed = f"failed with exit code {code}"
    why = f" ({reason})" if reason else ""
    return Deny(f"The hook `{command}` of this project {failed}, so nothing passes it{why}.", RULE)


def find_hook_files(commands: Sequence[str]) -> tuple[str, ...]:
    """Words of the hooks that may be files of the project, which an agent must not write."""
    paths: dict[str, None] = {}
    for command in commands:
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        for word in words:
            path = PurePosixPath(word)
            if not word.startswith("-") and not path.is_absolute() and ".." not in path.parts:
                paths[str(path)] = None
    return tuple(path for path in paths if path != ".")
