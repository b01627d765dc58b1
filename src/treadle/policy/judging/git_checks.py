"""Checks of git commands, by the name that rules use for them. Pure."""

from collections.abc import Callable, Mapping

from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import path_refusal, relative_parts
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_DISCARDS = "it throws away work that is not committed, which this run does not allow"
_CHANGES_NOTHING = "in this role you change nothing. Print it, or send it through a pipe"


def _everything(word: Word, location: CommandLocation) -> bool:
    """Whether it is the folder that git runs in, or one above, however it is spelled."""
    paths = [(at, absolute(at, word.text)) for at in location.directories]
    return any(path == at or relative_parts(location.root, path) is not None for at, path in paths)


def grep(arguments: Arguments, location: CommandLocation) -> str | None:
    """With the pattern in an option, the first word is a path or a commit, too."""
    words = arguments.operands[:1] if arguments.has("-e") else ()
    reasons = (KINDS["revision"](word, location) for word in words)
    return next((reason for reason in reasons if reason is not None), None)


def checkout(arguments: Arguments, location: CommandLocation) -> str | None:
    """A branch to go to, or files to take from a commit: a word may be either."""
    for word in arguments.operands:
        if not word.plain:
            return f"what {word.text} becomes is known only at run time. Write it out"
        if _everything(word, location):
            return None if location.context.destructive else _DISCARDS
        path = Word(word.text.replace("^", "").replace("@{", ""))
        if word.text != "-" and (reason := KINDS["pathspec"](path, location)):
            return reason
    return None


def restore(arguments: Arguments, location: CommandLocation) -> str | None:
    staged = arguments.has("-S", "--staged") and not arguments.has("-W", "--worktree")
    everything = any(_everything(word, location) for word in arguments.operands)
    return _DISCARDS if everything and not staged and not location.context.destructive else None


def branch(arguments: Arguments, location: CommandLocation) -> str | None:
    lists = arguments.has("--list", "-l", "-a", "-r", "--merged", "--no-merged", "--contains")
    changes = bool(arguments.operands) and not lists
    changes |= arguments.has("-d", "-m", "-c", "-u", "--delete", "--move", "--copy")
    changes |= arguments.has("--set-upstream-to", "--unset-upstream")
    return _CHANGES_NOTHING if changes and location.context.roles == "read" else None


def remove(arguments: Arguments, location: CommandLocation) -> str | None:
    """Without -f, git removes only files that are as a commit has them."""
    if any(_everything(word, location) for word in arguments.operands):
        return "it would take everything. Name each path"
    return None


def patches(arguments: Arguments, location: CommandLocation) -> str | None:
    """`format-patch` writes a file for each commit where it runs; `archive` prints."""
    target = arguments.value("-o", "--output-directory", "--output")
    if target is None and (arguments.has("--stdout") or arguments.full_name == "git archive"):
        return None
    if location.context.roles == "read":
        return _CHANGES_NOTHING
    return path_refusal(target or Word("0001-x.patch"), "write", location)


GIT_CHECKS: Mapping[str, Callable[[Arguments, CommandLocation], str | None]] = {
    "git-grep": grep,
    "git-checkout": checkout,
    "git-restore": restore,
    "git-branch": branch,
    "git-rm": remove,
    "git-patches": patches,
}
