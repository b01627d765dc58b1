"""Recognises git substitutions that print one object name or branch. Pure."""

import re

from treadle.policy.shell.shell_nodes import Node, SimpleNode
from treadle.policy.shell.syntax import ShellCommand

# One commit, by name: no range and none of the suffixes that stand for several.
_REVISION = re.compile(r"(?!.*(?:\.\.|\^[@!-]))[A-Za-z0-9_@][\w./~^@{}+-]*")
_SHORT = re.compile(r"--short(?:=\d+)?")
# Of more options some print several words, or whatever they were given.
_OPTIONS = {
    "merge-base": re.compile(r"--fork-point|--octopus"),
    "describe": re.compile(
        r"--tags|--all|--always|--long|--abbrev=\d+|--exact-match|--first-parent|--match=[\w.*?/-]+"
    ),
    "rev-parse": re.compile(rf"--verify|-q|--quiet|{_SHORT.pattern}"),
}
# How many it is given; without any, `describe` takes the one that is checked out.
_REVISIONS = {"merge-base": (1, 8), "describe": (0, 1), "rev-parse": (1, 1)}
_BRANCH = (["git", "branch", "--show-current"], ["git", "rev-parse", "--abbrev-ref", "HEAD"])


def prints_object(node: Node) -> bool:
    """Whether it prints the name of an object or a tag, or nothing. That is never an option."""
    command = _plain_command(node)
    if command is None or len(command.words) < 2:
        return False
    git, sub, *rest = [word.text for word in command.words]
    options = _OPTIONS.get(sub)
    if git != "git" or options is None:
        return False
    revisions = [text for text in rest if not options.fullmatch(text)]
    # What it cannot resolve, `rev-parse` prints as it stands.
    least, most = _REVISIONS[sub]
    return least <= len(revisions) <= most and all(map(_REVISION.fullmatch, revisions))


def prints_branch(node: Node) -> bool:
    """Whether it prints the name of a branch, in which git lets no blank and no pattern."""
    command = _plain_command(node)
    return command is not None and [word.text for word in command.words] in _BRANCH


def _plain_command(node: Node) -> ShellCommand | None:
    """The one command of it, if nothing but its words decides what it prints."""
    if not isinstance(node, SimpleNode) or node.bodies:
        return None
    command = node.command
    quiet = all(
        redirect.descriptor == "2" and redirect.kind == "write" for redirect in command.redirects
    )
    known = quiet and not command.assignments and all(word.plain for word in command.words)
    return command if known else None
