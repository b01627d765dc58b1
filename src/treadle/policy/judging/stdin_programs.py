"""Checks programs that an interpreter reads from stdin. Pure."""

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.arguments import Arguments
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.word_kinds import KINDS
from treadle.policy.shell.syntax import Redirect, ShellCommand, Word

UNSEEN = (
    "it would run what comes through its input, a program that nobody has seen. "
    "Write it to a file and run that"
)
_WAITS = "without a file it waits for a person to type"
_INPUT = frozenset({"-", "/dev/stdin"})
# The checks of rules whose commands run such a program.
_CHECKS = names("interpreter python script-runner")
_TOLD = "--version --help"
# With these it runs something else than its input, or nothing at all.
_ENOUGH = {
    "python": names(f"{_TOLD} -c -m -V -h"),
    "node": names(f"{_TOLD} -e -p -pe -v -h -c -i --eval --print --check --test --run"),
    "ruby": names(f"{_TOLD} -e -v -c"),
    "php": names(f"{_TOLD} -r -v -m -i -l -w -S --ini --ri --rf"),
    "tsx": names(f"{_TOLD} -e -p -v -h --test"),
    "ts-node": names(f"{_TOLD} -e -p -v -h"),
}
# Without a file they run the one that package.json names.
_HAS_MAIN = frozenset({"nodemon"})
# What a runner does with the program that follows.
_MODES = frozenset({"watch"})


def runs_stdin(name: str) -> bool:
    """Whether a tool of this name, given no file, runs what it is sent."""
    return name in _ENOUGH


def check_interpreter(arguments: Arguments, location: CommandLocation) -> str | None:
    """Without a file or code it waits for a person."""
    if arguments.fed or not runs_code_from_stdin(arguments):
        return "a debugger asks a person" if _asks(arguments) else None
    return _WAITS


def runs_code_from_stdin(arguments: Arguments) -> bool:
    """Whether an interpreter would run what it is sent."""
    if arguments.rule.check not in _CHECKS:
        return False
    enough = _ENOUGH.get(
        "python" if arguments.rule.check == "python" else arguments.rule.name, frozenset()
    )
    # With a program, ruby's `-v` only makes it verbose.
    if arguments.rule.name == "ruby" and arguments.operands:
        enough -= {"-v"}
    if not enough.isdisjoint(arguments.switches) or any(v.flag in enough for v in arguments.values):
        return False
    program = _program(arguments)
    return arguments.rule.name not in _HAS_MAIN if program is None else program.text in _INPUT


def _program(arguments: Arguments) -> Word | None:
    """What is named to be run; what follows it are its arguments."""
    named = [value.word for value in arguments.values if value.kind == "program" and value.flag]
    modes = _MODES if arguments.rule.check == "script-runner" else frozenset()
    return next((word for word in (*named, *arguments.operands) if word.text not in modes), None)


def _asks(arguments: Arguments) -> bool:
    inspects = bool(arguments.operands) and arguments.operands[0].text == "inspect"
    return arguments.rule.name == "node" and ("-i" in arguments.switches or inspects)


def stdin_refusal(
    command: ShellCommand, arguments: Arguments, location: CommandLocation
) -> str | None:
    """Why it must not run its input: a file of it is judged as code, its text must be in sight."""
    if not (arguments.fed and runs_code_from_stdin(arguments)):
        return None
    for redirect in command.redirects:
        reason = path_refusal(redirect.target, "run", location) if _opens(redirect) else None
        if reason is not None:
            return reason
    sources = [redirect for redirect in command.redirects if _feeds(redirect)]
    is_known = _is_known(sources[-1], location) if sources else command.input_shown
    return None if is_known else UNSEEN


def _is_known(source: Redirect, location: CommandLocation) -> bool:
    """Whether the program is a checked file or text in the line, not made at run time."""
    return source.kind != "duplicate" and KINDS["inline"](source.target, location) is None


def _opens(redirect: Redirect) -> bool:
    return redirect.kind in {"read", "both"}


def _feeds(redirect: Redirect) -> bool:
    """Whether the redirection provides the input; a duplicate does not say its direction."""
    if redirect.kind == "duplicate":
        return redirect.descriptor == "0" or (
            not redirect.descriptor and redirect.target.text not in {"1", "2"}
        )
    is_inline = redirect.kind in {"heredoc", "herestring"}
    return (is_inline or _opens(redirect)) and redirect.descriptor in {"", "0"}
