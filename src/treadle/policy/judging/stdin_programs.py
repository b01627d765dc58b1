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


def check_interpreter(given: Arguments, place: CommandLocation) -> str | None:
    """Without a file or code it waits for a person."""
    if given.fed or not runs_code_from_stdin(given):
        return "a debugger asks a person" if _asks(given) else None
    return _WAITS


def runs_code_from_stdin(given: Arguments) -> bool:
    """Whether an interpreter would run what it is sent."""
    if given.rule.check not in _CHECKS:
        return False
    enough = _ENOUGH.get("python" if given.rule.check == "python" else given.rule.name, frozenset())
    # With a program named, ruby's `-v` only makes it speak more.
    if given.rule.name == "ruby" and given.operands:
        enough -= {"-v"}
    if not enough.isdisjoint(given.switches) or any(v.flag in enough for v in given.values):
        return False
    program = _program(given)
    return given.rule.name not in _HAS_MAIN if program is None else program.text in _INPUT


def _program(given: Arguments) -> Word | None:
    """What is named to be run; what follows it are its arguments."""
    named = [value.word for value in given.values if value.kind == "program" and value.flag]
    modes = _MODES if given.rule.check == "script-runner" else frozenset()
    return next((word for word in (*named, *given.operands) if word.text not in modes), None)


def _asks(given: Arguments) -> bool:
    inspects = bool(given.operands) and given.operands[0].text == "inspect"
    return given.rule.name == "node" and ("-i" in given.switches or inspects)


def stdin_refusal(command: ShellCommand, given: Arguments, place: CommandLocation) -> str | None:
    """Why it must not run its input: a file of it is judged as code, its text must be in sight."""
    if not (given.fed and runs_code_from_stdin(given)):
        return None
    for redirect in command.redirects:
        reason = path_refusal(redirect.target, "run", place) if _opens(redirect) else None
        if reason is not None:
            return reason
    sources = [redirect for redirect in command.redirects if _feeds(redirect)]
    seen = _is_seen(sources[-1], place) if sources else command.input_shown
    return None if seen else UNSEEN


def _is_seen(source: Redirect, place: CommandLocation) -> bool:
    """A file was judged; a text stands in the line, unless all of it is made at run time."""
    return source.kind != "duplicate" and KINDS["inline"](source.target, place) is None


def _opens(redirect: Redirect) -> bool:
    return redirect.kind in {"read", "both"}


def _feeds(redirect: Redirect) -> bool:
    """Whether the input comes from there. Of duplicates the direction is not told."""
    if redirect.kind == "duplicate":
        return redirect.descriptor == "0" or (
            not redirect.descriptor and redirect.target.text not in {"1", "2"}
        )
    here = redirect.kind in {"heredoc", "herestring"}
    return (here or _opens(redirect)) and redirect.descriptor in {"", "0"}
