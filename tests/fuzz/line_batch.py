"""One batch of lines: read, read in both ways, by the light policy, run, compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.bash import Ran, run_in_bash
from tests.fuzz.compare import is_comparable, unseen
from treadle.domain.shell import ParseLine
from treadle.policy.judging.shell_context import ShellContext, SystemLookups
from treadle.policy.light.line_decision import check_light_line, read_light_line
from treadle.policy.shell.flatten import flatten
from treadle.policy.shell.line_parser import (
    expected_outline,
    parse_if_plain,
    parse_line,
    parse_with_shfmt,
)
from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.syntax import ParsedLine


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of some lines."""

    lines: int = 0
    readable: int = 0
    cheap: int = 0
    run: int = 0
    # How many of the run ones made bash do anything at all.
    active: int = 0
    failures: tuple[str, ...] = ()

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.lines + other.lines,
            self.readable + other.readable,
            self.cheap + other.cheap,
            self.run + other.run,
            self.active + other.active,
            self.failures + other.failures,
        )


def try_lines(lines: Sequence[str], *, shfmt: ParseLine, bwrap: str) -> Tally:
    scripts = {
        line: found
        for line in lines
        if isinstance(found := parse_line(line, shfmt=shfmt), ParsedLine)
    }
    both_ways = {line: _both_ways(line, shfmt) for line in scripts}
    failures = [f"{line!r}: {problem}" for line, problem in both_ways.items() if problem]
    failures += [f"{line!r}: {problem}" for line in lines if (problem := _judge(line, shfmt))]
    to_run = [line for line, script in scripts.items() if is_comparable(script)]
    active = 0
    for line, ran in zip(to_run, run_in_bash(to_run, bwrap=bwrap), strict=True):
        active += bool(ran.commands or ran.traced or ran.files)
        failures += [f"{line!r}: {problem}" for problem in unseen(scripts[line], ran)]
        failures += [
            f"{line!r}: by the light policy: {problem}"
            for problem in _unseen_lightly(line, ran, shfmt)
        ]
    cheap = sum(problem is not None for problem in both_ways.values())
    return Tally(len(lines), len(scripts), cheap, len(to_run), active, tuple(failures))


def _judge(line: str, shfmt: ParseLine) -> str:
    """How the light policy fails on the line; empty if it does not."""
    lookups = SystemLookups(
        real_path=lambda path: path, which=lambda name: None, what_is=lambda path: "", shfmt=shfmt
    )
    try:
        list(check_light_line(line, ShellContext("/project"), lookups))
    except Exception as error:  # whatever it is, it is reported
        return f"the light policy raised {error!r}"
    return ""


def _unseen_lightly(line: str, ran: Ran, shfmt: ParseLine) -> list[str]:
    """What bash did and the light policy did not read."""
    script = read_light_line(line, shfmt=shfmt)
    if script is None:
        return ["not read"]
    # It does not compute a name such as `$((1+2))`.
    named = all(command.name is None or command.name.plain for command in script.commands)
    return unseen(script, ran) if named else []


def _both_ways(line: str, shfmt: ParseLine) -> str | None:
    """None if only the full way is open; else how the cheap way differs from it, or nothing."""
    expected = expected_outline(line)
    cheap = parse_if_plain(line, expected)
    if cheap is None:
        return None
    try:
        full = flatten(parse_with_shfmt(line, expected, shfmt=shfmt))
    except LineRefused as refused:
        return f"read cheaply, refused by the full way: {refused.rule}"
    return "" if flatten(cheap) == full else f"read differently: {flatten(cheap)} and {full}"
