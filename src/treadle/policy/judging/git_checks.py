"""Checks of git commands, by the name that rules use for them. Pure."""

import re
from collections.abc import Callable, Mapping

from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import path_refusal, relative_parts
from treadle.policy.judging.shell_context import CommandLocation, absolute
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_DISCARDS = "it throws away work that is not committed, which this run does not allow"
_REF = re.compile(r"[\w@][\w.@^~{}/+:,=-]*|-|HEAD.*")


def _has(arguments: Arguments, *flags: str) -> bool:
    return bool(set(flags) & set(arguments.switches))


def add(arguments: Arguments, location: CommandLocation) -> str | None:
    return "-p asks a person" if _has(arguments, "-p") else None


def commit(arguments: Arguments, location: CommandLocation) -> str | None:
    message_options = (
        "-m",
        "--message",
        "-F",
        "--file",
        "-C",
        "--reuse-message",
        "--no-edit",
        "--fixup",
        "--squash",
        "--dry-run",
    )
    if not _has(arguments, *message_options):
        return "without a message it opens an editor"
    for word in arguments.operands:
        reason = path_refusal(word, "look", location)
        if reason is not None:
            return reason
    return None


def revision(arguments: Arguments, location: CommandLocation) -> str | None:
    """Names of branches and commits: what they stand on may be known only at run time."""
    for word in arguments.operands:
        if word.plain and not _REF.fullmatch(word.text):
            return f"{word.text} is not the name of a branch or commit"
        if word.text.startswith(("/", "~", "ext::", "+")) or "://" in word.text:
            return f"{word.text} leads out of this repository, or moves branches by force"
    return None


def _everything(word: Word, location: CommandLocation) -> bool:
    """Whether it is the folder that git runs in, or one above, however it is spelled."""
    paths = [(at, absolute(at, word.text)) for at in location.directories]
    return any(path == at or relative_parts(location.root, path) is not None for at, path in paths)


def grep(arguments: Arguments, location: CommandLocation) -> str | None:
    """With the pattern in an option, the first word is a path or a commit, too."""
    words = arguments.operands[:1] if _has(arguments, "-e") else ()
    reasons = (KINDS["revision"](word, location) for word in words)
    return next((reason for reason in reasons if reason is not None), None)


def checkout(arguments: Arguments, location: CommandLocation) -> str | None:
    """A branch to go to, or files to take from a commit: a word may be either."""
    if _has(arguments, "-f", "--force", "-B") and not location.context.destructive:
        return _DISCARDS
    for word in arguments.operands:
        if _everything(word, location):
            return None if location.context.destructive else _DISCARDS
        if word.plain and word.text != "-":
            reason = KINDS["pathspec"](Word(word.text.replace("^", "").replace("@{", "")), location)
            if reason is not None:
                return reason
        elif not word.plain:
            return f"what {word.text} becomes is known only at run time. Write it out"
    return None


def restore(arguments: Arguments, location: CommandLocation) -> str | None:
    staged = _has(arguments, "-S", "--staged") and not _has(arguments, "-W", "--worktree")
    if (
        not staged
        and not location.context.destructive
        and any(_everything(word, location) for word in arguments.operands)
    ):
        return _DISCARDS
    return None


def reset(arguments: Arguments, location: CommandLocation) -> str | None:
    if _has(arguments, "--hard", "--keep") and not location.context.destructive:
        return _DISCARDS
    return "-p asks a person" if _has(arguments, "-p") else revision_or_path(arguments, location)


def revision_or_path(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        reason = KINDS["revision"](word, location)
        if reason is not None:
            return reason
    return None


def branch(arguments: Arguments, location: CommandLocation) -> str | None:
    forced = _has(arguments, "-D", "-M", "-f")
    if forced and not location.context.destructive:
        return "it deletes or moves a branch whose work may be nowhere else"
    changes = _has(
        arguments,
        "-d",
        "-m",
        "-c",
        "-u",
        "--delete",
        "--move",
        "--copy",
        "--track",
        "--set-upstream-to",
        "--unset-upstream",
    )
    makes = bool(arguments.operands) and not _has(
        arguments, "--list", "-l", "-a", "-r", "--merged", "--no-merged", "--contains"
    )
    if (changes or makes) and location.context.roles == "read":
        return "in this role you change nothing"
    listed = not changes and not forced and _has(arguments, "--list", "-l")
    return None if listed else revision(arguments, location)


def tag(arguments: Arguments, location: CommandLocation) -> str | None:
    if _has(arguments, "-d", "--delete", "-f", "--force") and not location.context.destructive:
        return "it deletes or moves a tag"
    return None


def revert(arguments: Arguments, location: CommandLocation) -> str | None:
    goes_on = ("--no-edit", "-n", "--no-commit", "--continue", "--abort", "--skip", "--quit")
    if not _has(arguments, *goes_on):
        return "without --no-edit it opens an editor"
    return revision(arguments, location)


def remove(arguments: Arguments, location: CommandLocation) -> str | None:
    if not _has(arguments, "--cached", "-n", "--dry-run") and not location.context.destructive:
        return "it removes files, which this run does not allow"
    if any(_everything(word, location) for word in arguments.operands):
        return "it would take everything. Name each path"
    return None


def clean(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if _has(arguments, "-n", "--dry-run") else "it removes files for good"


def config(arguments: Arguments, location: CommandLocation) -> str | None:
    reads = _has(arguments, "--get", "--get-all")
    if _has(arguments, "--global") and not reads:
        return "settings outside the project stay as they are"
    return None if reads or len(arguments.operands) == 1 else "it needs one name to read"


def patches(arguments: Arguments, location: CommandLocation) -> str | None:
    """Without --stdout, a file for each commit: into a folder, or where it runs."""
    if _has(arguments, "--stdout"):
        return None
    if location.context.roles == "read":
        return "in this role you change nothing. Print them with --stdout"
    return path_refusal(
        arguments.value("-o", "--output-directory") or Word("0001-x.patch"), "write", location
    )


def archive(arguments: Arguments, location: CommandLocation) -> str | None:
    if _has(arguments, "-o", "--output") and location.context.roles == "read":
        return "in this role you change nothing. Send it through a pipe"
    return None


def index(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if _has(arguments, "--chmod") else "without --chmod it changes what is staged"


def push(arguments: Arguments, location: CommandLocation) -> str | None:
    return "--no-verify skips the checks" if _has(arguments, "--no-verify") else None


GIT_CHECKS: Mapping[str, Callable[[Arguments, CommandLocation], str | None]] = {
    "git-add": add,
    "git-commit": commit,
    "git-revision": revision,
    "git-checkout": checkout,
    "git-grep": grep,
    "git-restore": restore,
    "git-reset": reset,
    "git-branch": branch,
    "git-tag": tag,
    "git-revert": revert,
    "git-rm": remove,
    "git-clean": clean,
    "git-config": config,
    "git-push": push,
    "git-patches": patches,
    "git-archive": archive,
    "git-index": index,
}
