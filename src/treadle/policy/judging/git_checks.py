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


def _has(given: Arguments, *flags: str) -> bool:
    return bool(set(flags) & set(given.switches))


def add(given: Arguments, place: CommandLocation) -> str | None:
    return "-p asks a person" if _has(given, "-p") else None


def commit(given: Arguments, place: CommandLocation) -> str | None:
    told = (
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
    if not _has(given, *told):
        return "without a message it opens an editor"
    for word in given.operands:
        reason = path_refusal(word, "look", place)
        if reason is not None:
            return reason
    return None


def revision(given: Arguments, place: CommandLocation) -> str | None:
    """Names of branches and commits: what they stand on may be known only at run time."""
    for word in given.operands:
        if word.plain and not _REF.fullmatch(word.text):
            return f"{word.text} is not the name of a branch or commit"
        if word.text.startswith(("/", "~", "ext::", "+")) or "://" in word.text:
            return f"{word.text} leads out of this repository, or moves branches by force"
    return None


def _everything(word: Word, place: CommandLocation) -> bool:
    """Whether it is the folder that git runs in, or one above, however it is spelled."""
    paths = [(at, absolute(at, word.text)) for at in place.directories]
    return any(path == at or relative_parts(place.root, path) is not None for at, path in paths)


def grep(given: Arguments, place: CommandLocation) -> str | None:
    """With the pattern in an option, the first word is a path or a commit, too."""
    words = given.operands[:1] if _has(given, "-e") else ()
    reasons = (KINDS["revision"](word, place) for word in words)
    return next((reason for reason in reasons if reason is not None), None)


def checkout(given: Arguments, place: CommandLocation) -> str | None:
    """A branch to go to, or files to take from a commit: a word may be either."""
    if _has(given, "-f", "--force", "-B") and not place.context.destructive:
        return _DISCARDS
    for word in given.operands:
        if _everything(word, place):
            return None if place.context.destructive else _DISCARDS
        if word.plain and word.text != "-":
            reason = KINDS["pathspec"](Word(word.text.replace("^", "").replace("@{", "")), place)
            if reason is not None:
                return reason
        elif not word.plain:
            return f"what {word.text} becomes is known only at run time. Write it out"
    return None


def restore(given: Arguments, place: CommandLocation) -> str | None:
    staged = _has(given, "-S", "--staged") and not _has(given, "-W", "--worktree")
    if (
        not staged
        and not place.context.destructive
        and any(_everything(word, place) for word in given.operands)
    ):
        return _DISCARDS
    return None


def reset(given: Arguments, place: CommandLocation) -> str | None:
    if _has(given, "--hard", "--keep") and not place.context.destructive:
        return _DISCARDS
    return "-p asks a person" if _has(given, "-p") else revision_or_path(given, place)


def revision_or_path(given: Arguments, place: CommandLocation) -> str | None:
    for word in given.operands:
        reason = KINDS["revision"](word, place)
        if reason is not None:
            return reason
    return None


def branch(given: Arguments, place: CommandLocation) -> str | None:
    forced = _has(given, "-D", "-M", "-f")
    if forced and not place.context.destructive:
        return "it deletes or moves a branch whose work may be nowhere else"
    changes = _has(
        given,
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
    makes = bool(given.operands) and not _has(
        given, "--list", "-l", "-a", "-r", "--merged", "--no-merged", "--contains"
    )
    if (changes or makes) and place.context.roles == "read":
        return "in this role you change nothing"
    listed = not changes and not forced and _has(given, "--list", "-l")
    return None if listed else revision(given, place)


def tag(given: Arguments, place: CommandLocation) -> str | None:
    if _has(given, "-d", "--delete", "-f", "--force") and not place.context.destructive:
        return "it deletes or moves a tag"
    return None


def revert(given: Arguments, place: CommandLocation) -> str | None:
    goes_on = ("--no-edit", "-n", "--no-commit", "--continue", "--abort", "--skip", "--quit")
    if not _has(given, *goes_on):
        return "without --no-edit it opens an editor"
    return revision(given, place)


def remove(given: Arguments, place: CommandLocation) -> str | None:
    if not _has(given, "--cached", "-n", "--dry-run") and not place.context.destructive:
        return "it removes files, which this run does not allow"
    if any(_everything(word, place) for word in given.operands):
        return "it would take everything. Name each path"
    return None


def clean(given: Arguments, place: CommandLocation) -> str | None:
    return None if _has(given, "-n", "--dry-run") else "it removes files for good"


def config(given: Arguments, place: CommandLocation) -> str | None:
    reads = _has(given, "--get", "--get-all")
    if _has(given, "--global") and not reads:
        return "settings outside the project stay as they are"
    return None if reads or len(given.operands) == 1 else "it needs one name to read"


def patches(given: Arguments, place: CommandLocation) -> str | None:
    """Without --stdout, a file for each commit: into a folder, or where it runs."""
    if _has(given, "--stdout"):
        return None
    if place.context.roles == "read":
        return "in this role you change nothing. Print them with --stdout"
    return path_refusal(
        given.value("-o", "--output-directory") or Word("0001-x.patch"), "write", place
    )


def archive(given: Arguments, place: CommandLocation) -> str | None:
    if _has(given, "-o", "--output") and place.context.roles == "read":
        return "in this role you change nothing. Send it through a pipe"
    return None


def index(given: Arguments, place: CommandLocation) -> str | None:
    return None if _has(given, "--chmod") else "without --chmod it changes what is staged"


def push(given: Arguments, place: CommandLocation) -> str | None:
    return "--no-verify skips the checks" if _has(given, "--no-verify") else None


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
