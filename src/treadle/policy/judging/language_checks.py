"""Checks of language tools, by the name that rules use for them. Pure."""

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

from treadle.policy.commands.catalogue import rules_by_name
from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.make_checks import fresh_venv, make
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.stdin_programs import check_interpreter, runs_stdin
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Word

_SCAFFOLDS = re.compile(
    r"(?:vite|next-app|react-app|astro|remix|svelte|vue|nuxt|expo-app|t3-app|hono|docusaurus"
    r"|playwright|next|react|@vitejs/app|@eslint/config|vite-extra|cloudflare|solid|qwik|tauri-app)"
    r"(?:@[\w.^~-]+)?"
)
_NOT_SCRIPTS = names("""
    config dlx link unlink global plugin set node login logout token owner access adduser whoami
    profile team org hook dist-tag star unstar explore edit repo docs bugs cache env store server
    patch patch-commit self-update setup deploy npm policies pack upgrade completions discover c
    unplug shell npm-login sh bash exec exec-env repl x tag user search
    """)
_NOT_OF_TOOLS = names(
    "exec shell console repl eval dlx sh bash login logout secret secrets token add run-commands"
    " release generate-token gh-deploy install-hooks auth custom"
)
# Wherever they stand among the first words.
_EVER_REFUSED = names("exec shell console repl eval dlx login")
_TAKE_ARGUMENT_FILES = names("pytest py.test mypy dmypy tsc rustc pylint black")
_CHOOSE_TEMPLATES = names("--template -t --example -e --scripts-version --preset")
_WAITS_FOR = re.compile(
    r"(?!(?:tcp|socket|https?(?:-get)?):)[^:]*"
    r"|(?:tcp:|https?(?:-get)?:/?/?)(?:(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)?:?)\d*(?:/.*)?"
)
_WINDOWS = names("codegen open cr ff wk show-report show-trace")
# A console takes any beginning of each part of a name.
_REVEALS = re.compile(
    r"se(?:c(?:r(?:e(?:ts?)?)?)?)?:.*|env:[de].*|config:sh.*|conf?:s.*|debug:d(?:o(?:t.*)?)?"
)
_CONSOLE = re.compile(r"ti[a-z]{0,4}|db|dbal:.*|psysh")
_CODE_FILE = re.compile(r"[\w./@-]+\.(?:[cm]?[jt]sx?|html)")


def manage(arguments: Arguments, location: CommandLocation) -> str | None:
    for name in sub_commands(arguments):
        if name in ("shell", "dbshell", "shell_plus", "runscript"):
            return f"{name} waits for a person, or runs code unseen"
        if name in ("diffsettings", "print_settings"):
            return f"{name} prints settings, which hold secrets"
    return None


def sub_commands(arguments: Arguments) -> list[str]:
    """The words that may name the sub-command: one may belong to the option before it."""
    open_ended = [value for value in arguments.values if value.flag and not value.word.text]
    return [word.text for word in arguments.operands[: 1 + len(open_ended)]]


def pre_commit(arguments: Arguments, location: CommandLocation) -> str | None:
    if arguments.operands and arguments.operands[0].text in ("run", "validate-config"):
        return None
    return "hooks of git stay as they are; only `run` is allowed"


def script_or_tool(arguments: Arguments, location: CommandLocation) -> str | None:
    """`yarn NAME` runs a script of package.json, or a tool that the project has installed."""
    name = arguments.operands[0].text if arguments.operands else ""
    if name in _NOT_SCRIPTS:
        return f"{name} is not an allowed sub-command"
    if name.endswith(".sh"):
        return f"{name} is a script of the shell"
    if _CODE_FILE.fullmatch(name):
        return KINDS["code"](arguments.operands[0], location)
    if KINDS["script"](arguments.operands[0], location) is not None or "/" in name:
        return f"{name} is not a script or a tool of the project"
    entries = rules_by_name().get(name, ())
    if any(entry.family == "base" for entry in entries):
        return f"{name} is not a tool of the project"
    if runs_stdin(name) and (len(arguments.operands) < 2 or arguments.operands[1].text == "-"):
        return f"{name} would run its input. Name a file to run"
    return None


def passed_options(arguments: Arguments, location: CommandLocation) -> str | None:
    """Options that a package tool may take for its own, wherever they stand."""
    for word in arguments.operands:
        if word.text.partition("=")[0] in ("--script-shell", "--shell-emulator", "--node-options"):
            return f"{word.text} changes what runs the script"
    return None


def tool(arguments: Arguments, location: CommandLocation) -> str | None:
    """Sub-commands that many tools share, and that run something else or wait for a person."""
    first, *further = sub_commands(arguments) or [""]
    for name in (first, *(name for name in further if name in _EVER_REFUSED)):
        if name in _NOT_OF_TOOLS or (arguments.rule.name == "nx" and name == "watch"):
            return f"{name} is not an allowed sub-command"
    for word in arguments.operands if arguments.rule.name == "wait-on" else ():
        if not _WAITS_FOR.fullmatch(word.text):
            return f"{word.text} is an address elsewhere"
    return argument_files(arguments, location)


def argument_files(arguments: Arguments, location: CommandLocation) -> str | None:
    """`@file` stands for the words in that file, for the tools that know it."""
    if arguments.rule.name in _TAKE_ARGUMENT_FILES:
        for word in arguments.operands:
            if word.text.startswith("@"):
                return f"{word.text} is a file of arguments. Write them out"
    return None


def script_runner(arguments: Arguments, location: CommandLocation) -> str | None:
    return tool(arguments, location) or check_interpreter(arguments, location)


def browser_tool(arguments: Arguments, location: CommandLocation) -> str | None:
    """Tools for browsers: what opens a window for a person is not for an agent."""
    name = arguments.operands[0].text if arguments.operands else ""
    if name in _WINDOWS or "--debug" in {value.flag for value in arguments.values}:
        return "it opens a window and waits for a person. Run the tests without it"
    return tool(arguments, location)


def no_console(arguments: Arguments, location: CommandLocation) -> str | None:
    for name in sub_commands(arguments):
        if _REVEALS.fullmatch(name):
            return f"{name} shows or changes secrets"
        if _CONSOLE.fullmatch(name):
            return f"{name} waits for a person, or runs code unseen"
    return None


def lints_only(arguments: Arguments, location: CommandLocation) -> str | None:
    """What clippy hands on to the compiler: lints, and nothing that names a program or a folder."""
    for word in arguments.operands:
        if word.text.startswith(("-C", "-Z", "-L", "-o", "--codegen", "--sysroot", "--extern")):
            return f"{word.text} changes how the compiler works. Only lints are given: -D warnings"
    return None


def audit(arguments: Arguments, location: CommandLocation) -> str | None:
    if arguments.operands and arguments.operands[0].text not in ("fix", "signatures"):
        return f"{arguments.operands[0].text} is not an allowed sub-command"
    return None


def pkg_set(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        if not re.match(
            (
                r"(?:name|version|description|type|main|module|private|license|keywords|engines\.\w+)="
            ),
            word.text,
        ):
            # A script is a shell line; it was checked when it was written into the file.
            return f"{word.text} is not one of the plain keys of package.json. Use the Edit tool"
    return None


def scaffold(arguments: Arguments, location: CommandLocation) -> str | None:
    name = arguments.operands[0].text if arguments.operands else ""
    if not _SCAFFOLDS.fullmatch(name):
        return f"{name} is code from elsewhere"
    texts = [word.text for word in arguments.operands]
    attached = [text.partition("=")[::2] for text in texts if "=" in text]
    pairs = [*pairwise(texts), *attached]
    for option, value in pairs:
        if option in _CHOOSE_TEMPLATES and KINDS["template"](Word(value), location) is not None:
            return f"{value} is a template from elsewhere"
    return None


def needs_operand(arguments: Arguments, location: CommandLocation) -> str | None:
    named = {"-r", "--requirement", "-e", "--editable", "--group"} & set(arguments.switches)
    return None if arguments.operands or named else "an argument is missing"


def file_only(arguments: Arguments, location: CommandLocation) -> str | None:
    if re.fullmatch(r"[\w./-]+\.rb", arguments.operands[0].text):
        return None
    return "code on the line is not run"


def _elsewhere(word: Word) -> bool:
    """A Go package with a version, or of another host."""
    return "@" in word.text or (
        "." in word.text.split("/")[0].strip(".") and "/" in word.text and word.text[:1] != "."
    )


def go_local(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        if _elsewhere(word):
            return f"{word.text} is code from elsewhere"
        reason = KINDS["run"](word, location)
        if reason is not None:
            return reason
    return None


def go_get(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        if not re.fullmatch(r"[\w.~/-]+(?:@[\w.+-]+)?", word.text) or word.text.startswith(
            ("/", "..")
        ):
            return f"{word.text} is not the path of a module"
    return None


def go_env(arguments: Arguments, location: CommandLocation) -> str | None:
    return None if all("=" not in word.text for word in arguments.operands) else "it sets nothing"


def go_words(arguments: Arguments, location: CommandLocation) -> str | None:
    for word in arguments.operands:
        if word.text.startswith(("/", "~", "..")):
            return f"{word.text} is outside the project"
    return None


def interpreter_files(arguments: Arguments, location: CommandLocation) -> str | None:
    """What an interpreter runs; with --test, all that follow are files of code, too."""
    if (
        arguments.rule.name == "ruby"
        and any(word.text == "-" for word in arguments.operands)
        and (arguments.fed and "-v" in arguments.switches)
    ):
        return "it would run what comes through its input. Write it to a file and run that"
    reason = check_interpreter(arguments, location)
    if reason is None and "--test" in arguments.switches:
        reasons = (KINDS["near"](word, location) for word in arguments.rest)
        reason = next((each for each in reasons if each is not None), None)
    return reason


LANGUAGE_CHECKS: Mapping[str, Callable[[Arguments, CommandLocation], str | None]] = {
    "interpreter": interpreter_files,
    "python": check_interpreter,
    "argument-files": argument_files,
    "fresh-venv": fresh_venv,
    "manage": manage,
    "pre-commit": pre_commit,
    "script-or-tool": script_or_tool,
    "audit": audit,
    "lints-only": lints_only,
    "no-console": no_console,
    "tool": tool,
    "handed-on": passed_options,
    "script-runner": script_runner,
    "shows-pages": browser_tool,
    "pkg-set": pkg_set,
    "scaffold": scaffold,
    "needs-operand": needs_operand,
    "file-only": file_only,
    "go-local": go_local,
    "go-run": go_local,
    "go-get": go_get,
    "go-env": go_env,
    "go-words": go_words,
    "make": make,
}
