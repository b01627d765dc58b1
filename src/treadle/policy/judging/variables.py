"""Variables in a line: which may be set, which may be used, and what they stand for. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product, takewhile

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
    r"|XDG_.*|TREADLE.*|POSIXLY_CORRECT|PWD|OLDPWD|PIPESTATUS"
)
# The shell gives these a value of its own, whatever they were set to.
_MOVING = names(
    "_ OLDPWD RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME PIPESTATUS REPLY UID EUID"
    " PPID GROUPS DIRSTACK FUNCNAME HISTCMD OPTARG OPTIND MAPFILE COMP_WORDS"
)
_UNSETTING = (["unset"], ["read"])
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
    if name == "IFS" and value.plain and command.words[:1] and command.words[0].text == "read":
        return None
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


def name_refusal(name: str) -> str | None:
    """Why nothing that is read may be put under this name."""
    if not name.isidentifier() or _DANGEROUS.fullmatch(name) or is_secret_variable(name):
        return f"the variable {name} must not be set to what is read. Use another name"
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
    known |= {name for each in script.commands for name in _read_by(each)}
    for name in used:
        if name not in known or (is_secret_variable(name) and not _is_set(name, command, script)):
            return (
                f"the variable {name} is not set in this line, and may be a secret. "
                "Set it in the line, or write the value out"
            )
    return None


def _read_by(command: Command) -> Iterator[str]:
    """The names that a `read` puts lines under."""
    said = [word.text for word in command.words]
    if said[:1] != ["read"]:
        return
    before = ""
    for text in said[1:]:
        if not text.startswith("-") and before not in ("d", "n"):
            yield text
        # Such an option takes the next word.
        before = text[-1] if text.startswith("-") else ""


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
    """The word with every value that its variables may have; as it is, if one is not known."""
    uses = tuple(_USE.finditer(word.text))
    used = [use["braced"] or use["bare"] for use in uses]
    # With one dollar sign for each alone: of more, some may be quoted and no variables at all.
    if word.substitutes or word.text.count("$") != len(word.variables):
        return (word,)
    if sorted(used) != sorted(word.variables):
        return (word,)
    values = [_values(name, command, script, place) for name in used]
    given = islice(product(*values), _MOST_READINGS + 1) if all(values) else ()
    return tuple(_put_in(word, uses, each) for each in given) or (word,)


def _put_in(word: Word, uses: tuple[re.Match[str], ...], values: tuple[Word, ...]) -> Word:
    """The word with these values; as it is, if bash would make several words of it, or none."""
    if word.expands and any(_changes(value) for value in values):
        return word
    text, rest, at = "", "", 0
    for use, value in zip(uses, values, strict=True):
        text += word.text[at : use.start()] + value.text
        rest += word.text[at : use.start()]
        at = use.end()
    rest += word.text[at:]
    # A pattern that a loop goes through has become names, also where they stand in quotes.
    spreads = any(value.expands for value in values) or (
        word.expands and bool(_SPREADS.search(rest))
    )
    return Word(text + word.text[at:], expands=spreads, quoted=word.quoted)


def _changes(value: Word) -> bool:
    """Whether bash makes something else of it where it does not stand in quotes."""
    splits = re.search(r"\s", value.text) or not value.text
    return bool(splits or (_SPREADS.search(value.text) and not value.expands))


def _values(name: str, command: Command, script: Script, place: Place) -> tuple[Word, ...]:
    """Every value that the variable may have here; none if one of them is not known."""
    if name == "PWD":
        return tuple(Word(directory) for directory in place.directories)
    if name in _MOVING or any(_takes_away(each, name) for each in script.commands):
        return ()
    values = [given.value for each in script.commands for given in _set_by(each, name)]
    looped = [value for loop in script.loops if loop.variable == name for value in loop.values]
    if not _is_set(name, command, script):
        return ()
    values += looped
    return tuple(dict.fromkeys(values)) if all(map(_is_known, values)) else ()


def _is_set(name: str, command: Command, script: Script) -> bool:
    """Whether it surely has a value by then. Outside of its loop, a variable may have none yet."""
    return name in command.loops or any(
        each.certain and command.scope[: len(each.scope)] == each.scope
        for each in takewhile(lambda each: each is not command, script.commands)
        if any(_set_by(each, name))
    )


def _takes_away(command: Command, name: str) -> bool:
    """Whether it gives the variable a value that is not written in the line, or none at all."""
    said = [word.text for word in command.words]
    return said[:1] in _UNSETTING and name in said


def _is_known(value: Word) -> bool:
    """A tilde has become a home by the time the value is used."""
    return not (value.variables or value.substitutes or (value.expands and "~" in value.text))


def _set_by(command: Command, name: str) -> Iterator[Assignment]:
    """A variable before a command is that command's alone; the shell does not keep it."""
    if not command.words or command.words[0].text == "export":
        yield from (given for given in command.assignments if given.name == name)
