"""Checks of language tools that no list of words makes, by the names that rules call them. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from treadle.policy.commands.catalogue import catalogue
from treadle.policy.commands.language import names
from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.fed_programs import interpreter, runs_input
from treadle.policy.judging.kinds import KINDS
from treadle.policy.judging.place import Place
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
_WINDOWS = names("codegen open cr ff wk show-report show-trace")
_REVEALS = re.compile(r"secrets:.*|env:(?:de|en)crypt")
_CODE_FILE = re.compile(r"[\w./@-]+\.(?:[cm]?[jt]sx?|html)")


def manage(given: Arguments, place: Place) -> str | None:
    if given.operands and given.operands[0].text in ("shell", "dbshell", "shell_plus", "runscript"):
        return f"{given.operands[0].text} waits for a person, or runs code unseen"
    return None


def pre_commit(given: Arguments, place: Place) -> str | None:
    if given.operands and given.operands[0].text in ("run", "validate-config"):
        return None
    return "hooks of git stay as they are; only `run` is allowed"


def script_or_tool(given: Arguments, place: Place) -> str | None:
    """`yarn NAME` runs a script of package.json, or a tool that the project has installed."""
    name = given.operands[0].text if given.operands else ""
    if name in _NOT_SCRIPTS:
        return f"{name} is not an allowed sub-command"
    if _CODE_FILE.fullmatch(name):
        return KINDS["code"](given.operands[0], place)
    if KINDS["script"](given.operands[0], place) is not None or "/" in name:
        return f"{name} is not a script or a tool of the project"
    entries = catalogue().get(name, ())
    if any(entry.family == "base" for entry in entries):
        return f"{name} is not a tool of the project"
    if runs_input(name) and (len(given.operands) < 2 or given.operands[1].text == "-"):
        return f"{name} would run its input. Name a file to run"
    return None


def handed_on(given: Arguments, place: Place) -> str | None:
    """Options that a package tool may take for its own, wherever they stand."""
    for word in given.operands:
        if word.text.partition("=")[0] in ("--script-shell", "--shell-emulator", "--node-options"):
            return f"{word.text} changes what runs the script"
    return None


def tool(given: Arguments, place: Place) -> str | None:
    """Sub-commands that many tools share, and that run something else or wait for a person."""
    name = given.operands[0].text if given.operands else ""
    return f"{name} is not an allowed sub-command" if name in _NOT_OF_TOOLS else None


def script_runner(given: Arguments, place: Place) -> str | None:
    return tool(given, place) or interpreter(given, place)


def shows_pages(given: Arguments, place: Place) -> str | None:
    """Tools for browsers: what opens a window for a person is not for an agent."""
    name = given.operands[0].text if given.operands else ""
    if name in _WINDOWS or "--debug" in {value.flag for value in given.values}:
        return "it opens a window and waits for a person. Run the tests without it"
    return tool(given, place)


def no_console(given: Arguments, place: Place) -> str | None:
    if given.operands and _REVEALS.fullmatch(given.operands[0].text):
        return f"{given.operands[0].text} shows or changes secrets"
    if given.operands and given.operands[0].text in ("tinker", "db", "dbal:run-sql", "psysh"):
        return f"{given.operands[0].text} waits for a person, or runs code unseen"
    return None


def lints_only(given: Arguments, place: Place) -> str | None:
    """What clippy hands on to the compiler: lints, and nothing that names a program or a folder."""
    for word in given.operands:
        if word.text.startswith(("-C", "-Z", "-L", "-o", "--codegen", "--sysroot", "--extern")):
            return f"{word.text} changes how the compiler works. Only lints are given: -D warnings"
    return None


def audit(given: Arguments, place: Place) -> str | None:
    if given.operands and given.operands[0].text not in ("fix", "signatures"):
        return f"{given.operands[0].text} is not an allowed sub-command"
    return None


def pkg_set(given: Arguments, place: Place) -> str | None:
    for word in given.operands:
        if not re.match(
            (
                r"(?:name|version|description|type|main|module|private|license|keywords|engines\.\w+)="
            ),
            word.text,
        ):
            # A script is a shell line, and whoever writes it into the file is asked about it there.
            return f"{word.text} is not one of the plain keys of package.json. Use the Edit tool"
    return None


def scaffold(given: Arguments, place: Place) -> str | None:
    name = given.operands[0].text if given.operands else ""
    return None if _SCAFFOLDS.fullmatch(name) else f"{name} is code from elsewhere"


def needs_operand(given: Arguments, place: Place) -> str | None:
    named = {"-r", "--requirement", "-e", "--editable", "--group"} & set(given.switches)
    return None if given.operands or named else "an argument is missing"


def file_only(given: Arguments, place: Place) -> str | None:
    if re.fullmatch(r"[\w./-]+\.rb", given.operands[0].text):
        return None
    return "code on the line is not run"


def _elsewhere(word: Word) -> bool:
    """A Go package with a version, or of another host."""
    return "@" in word.text or (
        "." in word.text.split("/")[0].strip(".") and "/" in word.text and word.text[:1] != "."
    )


def go_local(given: Arguments, place: Place) -> str | None:
    for word in given.operands:
        if _elsewhere(word):
            return f"{word.text} is code from elsewhere"
        reason = KINDS["run"](word, place)
        if reason is not None:
            return reason
    return None


def go_get(given: Arguments, place: Place) -> str | None:
    for word in given.operands:
        if not re.fullmatch(r"[\w.~/-]+(?:@[\w.+-]+)?", word.text) or word.text.startswith(
            ("/", "..")
        ):
            return f"{word.text} is not the path of a module"
    return None


def go_env(given: Arguments, place: Place) -> str | None:
    return None if all("=" not in word.text for word in given.operands) else "it sets nothing"


def go_words(given: Arguments, place: Place) -> str | None:
    for word in given.operands:
        if word.text.startswith(("/", "~", "..")):
            return f"{word.text} is outside the project"
    return None


def make(given: Arguments, place: Place) -> str | None:
    for word in given.operands:
        name, equals, value = word.text.partition("=")
        if not equals and KINDS["name"](replace(word, text=name.lstrip("./")), place) is not None:
            return f"{word.text} is not the name of a target"
        if "$" in value or "`" in value:
            return f"make would run what stands in {word.text}"
        if equals and not re.fullmatch(
            r"(?!SHELL|MAKE|CC|CXX|LD|AR(?!GS$|CH$)|PATH|HOME|PWD|\.)[A-Z][A-Z0-9_]*", name
        ):
            return f"the variable {name} must not be set"
    return None


LANGUAGE_CHECKS: Mapping[str, Callable[[Arguments, Place], str | None]] = {
    "interpreter": interpreter,
    "python": interpreter,
    "manage": manage,
    "pre-commit": pre_commit,
    "script-or-tool": script_or_tool,
    "audit": audit,
    "lints-only": lints_only,
    "no-console": no_console,
    "tool": tool,
    "handed-on": handed_on,
    "script-runner": script_runner,
    "shows-pages": shows_pages,
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
