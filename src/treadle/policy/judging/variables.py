"""Variables in a line: which may be set, which may be used, and what they stand for. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product, takewhile

from treadle.policy.commands.language import names
from treadle.policy.judging.paths import refusal
from treadle.policy.judging.place import Place
from treadle.policy.judging.secrets import is_secret_variable
from treadle.policy.shell.syntax import Assignment, Command, Script, Word

# What a program may be given besides its arguments: it changes how the program speaks or which of
# its own modes it runs in, not which code it runs.
_SETTABLE = names("""
    CI DEBUG VERBOSE PORT HOST HOSTNAME TZ LANG LANGUAGE TERM COLUMNS LINES NO_COLOR FORCE_COLOR
    CLICOLOR CLICOLOR_FORCE NODE_ENV BABEL_ENV APP_ENV RAILS_ENV RACK_ENV FLASK_ENV FLASK_DEBUG
    FLASK_APP DJANGO_SETTINGS_MODULE DJANGO_ENV MIX_ENV TEST_ENV ENVIRONMENT LOG_LEVEL LOGLEVEL
    RUST_LOG RUST_BACKTRACE CARGO_TERM_COLOR CARGO_INCREMENTAL CGO_ENABLED GOOS GOARCH GOMAXPROCS
    GO111MODULE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8
    PYTHONIOENCODING PYTHONFAULTHANDLER PYTEST_TIMEOUT TESTING COVERAGE SEED BROWSER_HEADLESS
    HEADLESS HUSKY DISABLE_SPRING SKIP_ENV_VALIDATION
    NEXT_TELEMETRY_DISABLED ASTRO_TELEMETRY_DISABLED
    DO_NOT_TRACK UV_OFFLINE APP_DEBUG XDEBUG_MODE PGHOST PGPORT PGUSER PGDATABASE TEST_DATABASE
    BASE_URL API_URL UPDATE_SNAPSHOTS SOURCE_DATE_EPOCH
    """)
_SETTABLE_PREFIX = (
    "LC_",
    "VITE_",
    "NEXT_PUBLIC_",
    "REACT_APP_",
    "NUXT_PUBLIC_",
    "PUBLIC_",
    "TEST_",
)
# Lists of directories that code is taken from: they must lie inside the project.
_FOLDERS = frozenset({"PYTHONPATH", "NODE_PATH", "GOPATH", "GOBIN", "CARGO_TARGET_DIR"})
_ONLY = {"GIT_EDITOR": {"true", ":"}, "EDITOR": {"true", ":"}, "GIT_TERMINAL_PROMPT": {"0"},
         "GIT_PAGER": {"cat"}, "PAGER": {"cat"}, "BROWSER": {"none"}}  # fmt: skip
# Options for a whole tool: only those that bring in no other code.
_SHAPED = {
    "NODE_OPTIONS": re.compile(
        r"(?:\s*--(?:max-old-space-size=\d+|experimental-vm-modules|no-warnings|trace-warnings"
        r"|enable-source-maps|no-deprecation|experimental-strip-types|unhandled-rejections=\w+))+"
    ),
    "GOFLAGS": re.compile(r"-mod=(?:mod|vendor|readonly)|-count=1|-v"),
    "RUSTFLAGS": re.compile(r"-D ?warnings"),
    "PYTHONWARNINGS": re.compile(r"error|ignore|default|always|once"),
}
# Names that change what the shell or other programs do, even if they are only set in the line.
_DANGEROUS = re.compile(
    r"PATH|.*PATH|IFS|ENV|BASH.*|PS[0-9]|PROMPT_COMMAND|HOME|SHELL|LD_.*|DYLD_.*|NODE_.*|npm_.*"
    r"|NPM_.*|PYTHON.*|PIP_.*|UV_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL.*|GIT_.*|SSH_.*|GO[A-Z]+|CARGO.*"
    r"|RUST.*|.*_?PROXY|.*_?proxy|ANTHROPIC.*|CLAUDE.*|AWS_.*|.*EDITOR|.*PAGER|VISUAL|BROWSER"
    r"|TMPDIR|CDPATH|GLOBIGNORE|FCEDIT|HISTFILE|MAKEFLAGS|MAKEFILES|JAVA_.*|_JAVA.*|PHP.*"
    r"|COMPOSER.*|DENO_.*|BUN_.*|MANPAGER|LESS.*|GREP_.*|SHELLOPTS|OPENSSL_.*|SSL_.*|CURL_.*"
    r"|XDG_.*|TREADLE.*|POSIXLY_CORRECT"
)
# Known to every shell and no secret; their values are not known here.
_USABLE = names(
    "HOME USER LOGNAME SHELL LANG TERM HOSTNAME OLDPWD RANDOM SECONDS LINENO UID EUID"
    " PPID PATH TMPDIR"
    " EPOCHSECONDS COLUMNS LINES CI NODE_ENV ? $ ! # 0 _ PIPESTATUS"
)
_LOCAL_DATABASE = re.compile(r"sqlite|\w+://(?:[^@/]*@)?(?:localhost|127\.0\.0\.1)(?:[:/]|$)")
_MOST_READINGS = 32
_USE = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>\w+))")
_SPREADS = re.compile(r"[*?\[\]{}~]")


def assignment_refusal(given: Assignment, command: Command, place: Place) -> str | None:
    """Why this variable must not be set here."""
    name, value = given.name, given.value
    alone = not command.words
    if alone and not _DANGEROUS.fullmatch(name):
        return None
    if name in _ONLY and value.plain and value.text in _ONLY[name]:
        return None
    if name in _SHAPED and value.plain and _SHAPED[name].fullmatch(value.text):
        return None
    if name in _FOLDERS and not alone:
        return _folders_refusal(value, place)
    if name == "DATABASE_URL" and value.plain and _LOCAL_DATABASE.match(value.text):
        return None
    if (name in _SETTABLE or name.startswith(_SETTABLE_PREFIX)) and not is_secret_variable(name):
        known = not (value.variables or value.substitutes or value.text.startswith("~"))
        return None if known else f"the value of {name} must be written out"
    return f"the variable {name} must not be set: it may change which code runs. Leave it out"


def _folders_refusal(value: Word, place: Place) -> str | None:
    for part in value.text.split(":"):
        piece = replace(value, text=part or ".")
        reason = refusal(piece, "run", place)
        if reason:
            return reason
    return None


def loop_refusal(script: Script) -> str | None:
    for loop in script.loops:
        if _DANGEROUS.fullmatch(loop.variable):
            return f"the variable {loop.variable} must not be set by a loop. Use another name"
    return None


def use_refusal(command: Command, script: Script) -> str | None:
    """Why a variable must not be used: what is not set in the line may be a secret."""
    used = [name for word in _all_words(command) for name in word.variables]
    if not used:
        return None
    known = {
        given.name
        for each in script.commands
        for given in each.assignments
        if not each.words or each.words[0].text == "export"
    }
    known |= {loop.variable for loop in script.loops} | {"PWD"} | _USABLE
    for name in used:
        if name not in known:
            return (
                f"the variable {name} is not set in this line, and may be a secret. "
                "Set it in the line, or write the value out"
            )
    return None


def _all_words(command: Command) -> tuple[Word, ...]:
    if not (command.assignments or command.redirects):
        return command.words
    values = (given.value for given in command.assignments)
    return (*command.words, *values, *(redirect.target for redirect in command.redirects))


def readings(command: Command, script: Script, place: Place) -> tuple[Command, ...] | None:
    """The command with known variables put in: once for each value they may have; None if too many.

    A word whose value is not surely known stays as it is, and the rules treat it as unknown.
    """
    if all(not word.variables for word in command.words):
        return (command,)
    choices = [_choices(word, command, script, place) for word in command.words]
    if any(len(choice) > _MOST_READINGS for choice in choices):
        return None
    found = tuple(product(*choices))
    if len(found) > _MOST_READINGS:
        return None
    return tuple(replace(command, words=words) for words in found)


def _choices(word: Word, command: Command, script: Script, place: Place) -> tuple[Word, ...]:
    # With one dollar sign only: of several, some may be quoted and no variables at all.
    if len(word.variables) != 1 or word.substitutes or word.text.count("$") != 1:
        return (word,)
    name = word.variables[0]
    values = _values(name, command, script, place)
    found = _USE.search(word.text)
    if not values or found is None or name not in (found["braced"], found["bare"]):
        return (word,)
    return tuple(_put_in(word, found, value) for value in values)


def _put_in(word: Word, use: re.Match[str], value: Word) -> Word:
    """The word with that value; as it is, if bash would make several words of it, or none."""
    rest = word.text[: use.start()] + word.text[use.end() :]
    splits = re.search(r"\s", value.text) or not value.text
    if word.expands and (splits or (_SPREADS.search(value.text) and not value.expands)):
        return word
    text = word.text[: use.start()] + value.text + word.text[use.end() :]
    # A pattern that a loop goes through has become names, also where they stand in quotes.
    spreads = value.expands or (word.expands and bool(_SPREADS.search(rest)))
    return Word(text, expands=spreads, quoted=word.quoted)


def _values(name: str, command: Command, script: Script, place: Place) -> tuple[Word, ...]:
    """Every value that the variable may have here; none if one of them is not known."""
    if name == "PWD":
        return tuple(Word(directory) for directory in place.directories)
    values = [given.value for each in script.commands for given in _set_by(each, name)]
    looped = [value for loop in script.loops if loop.variable == name for value in loop.values]
    surely = any(
        each.certain and command.scope[: len(each.scope)] == each.scope
        for each in takewhile(lambda each: each is not command, script.commands)
        if any(_set_by(each, name))
    )
    # What stands in a loop is not certain; outside of it, its variable may have no value yet.
    if not surely and (command.certain or not looped):
        return ()
    values += looped
    return tuple(dict.fromkeys(values)) if all(map(_is_known, values)) else ()


def _is_known(value: Word) -> bool:
    """A tilde has become a home by the time the value is used."""
    return not (value.variables or value.substitutes or (value.expands and "~" in value.text))


def _set_by(command: Command, name: str) -> Iterator[Assignment]:
    """A variable before a command is that command's alone; the shell does not keep it."""
    if not command.words or command.words[0].text == "export":
        yield from (given for given in command.assignments if given.name == name)
