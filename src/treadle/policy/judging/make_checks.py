"""Checks of make's variables, and of virtual environments that are cleared. Pure."""

import re
from dataclasses import replace

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_NOT_SET = re.compile(
    r"(?!SHELL|MAKE|CC|CXX|LD|AR(?!GS$|CH$)|PATH|HOME|PWD|\.)[A-Z][A-Z0-9_]*",
)
# What a Makefile runs by these names; the program itself, in a version, is as good.
_PROGRAMS = names(
    "AS FC YACC LEX RM CPP PC CO GET TEX TANGLE WEAVE CTANGLE CWEAVE MAKEINFO LINT PYTHON PYTHON3"
    " NODE NPM NPX YARN PNPM BUN GO CARGO RUBY BUNDLE PHP COMPOSER PIP UV POETRY PYTEST INSTALL TAR"
    " SED AWK GREP CP MV LN OBJCOPY OBJDUMP STRIP NM RANLIB PKG_CONFIG DOCKER GIT CURL WGET FIND"
    " SUDO BASH SH EXEC CMD COMMAND RUN RUNNER"
)
_PLACES = re.compile(r"DESTDIR|VPATH|(?:\w*_)?(?:PREFIX|DIR|ROOT|OUT|OUTPUT|DEST)|\w*DIR")
_OF_SHELL = re.compile(r"[;&|$`()<>\n]")
_ENVIRONMENT = re.compile(r"(?:/tmp/[\w./-]+|(?:[\w./-]+/)?\.?v?env[\w.-]*|\.?virtualenv)")


def make(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        name, equals, value = word.text.partition("=")
        if (
            not equals
            and KINDS["name"](replace(word, text=name.lstrip("./")), location) is not None
        ):
            return f"{word.text} is not the name of a target"
        reason = _set_refusal(name, value, location) if equals else None
        if reason is not None:
            return reason
    return None


def _set_refusal(name: str, value: str, location: CommandLocation) -> str | None:
    if _OF_SHELL.search(value):
        return f"the shell would run what stands in {name}={value}"
    if not _NOT_SET.fullmatch(name):
        return f"the variable {name} must not be set"
    if name in _PROGRAMS and not re.fullmatch(rf"{name.lower()}[\d.]*", value):
        return f"the variable {name} names a program. Leave it as the Makefile has it"
    if _PLACES.fullmatch(name) and value:
        return path_refusal(Word(value), "run" if name == "VPATH" else "write", location)
    return None


def fresh_venv(arguments: Arguments, location: CommandLocation) -> str | None:
    """With --clear, all that is in the folder goes first."""
    if "--clear" not in arguments.switches and "-c" not in arguments.switches:
        return None
    for word in arguments.operands:
        if not _ENVIRONMENT.fullmatch(word.text) or ".." in word.text.split("/"):
            return f"--clear would empty {word.text}, which is not named as an environment is"
    return None
