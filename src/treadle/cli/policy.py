"""`treadle policy`: what the shell policy decides about a command, and its rules."""

import json
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, TypedDict, Unpack, get_args

import click

from treadle.cli.context import CommandContext
from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.domain.errors import UsageError
from treadle.domain.exit_reasons import DONE, ERROR, PERSON_NEEDED
from treadle.domain.signal import Role
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext, SystemLookups
from treadle.policy.user_commands import allow_user_commands
from treadle.settings.definitions import Settings
from treadle.settings.load import load_settings
from treadle.wiring.policy import (
    find_user_command_lines,
    shell_context,
    split_profile,
    system_lookups,
)

DECISIONS: dict[type[PolicyDecision], str] = {Allow: "allow", Ask: "ask", Deny: "deny"}
# As for all commands: 0 it may run, 1 it may not, 3 a person decides.
DECISION_EXIT_CODES = {"allow": DONE, "deny": ERROR, "ask": PERSON_NEEDED}


class PolicyCheckOptions(TypedDict):
    """The options of `check`."""

    profile: str
    role: Role
    destructive: bool
    as_json: bool
    batch: bool


@click.group(name="policy")
def command() -> None:
    """Ask what the shell policy says about a command, or list its rules."""


@command.command()
@click.argument("line", metavar="[COMMAND]", default="")
@click.option(
    "--profile", default="default", help="default, or a language; +destructive may follow."
)
@click.option("--role", type=click.Choice(get_args(Role)), default="implementer", help="Who asks.")
@click.option("--destructive", is_flag=True, help="As with --allow-destructive: rm and mv inside.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option(
    "--batch", is_flag=True, help='JSON lines {"cmd", "profile"} on stdin, answered in order.'
)
@click.pass_obj
def check(command_context: CommandContext, line: str, **options: Unpack[PolicyCheckOptions]) -> int:
    """Would this COMMAND run here? Exit code 0: yes; 1: no; 3: a person is asked first."""
    looks, profile = system_lookups(), options["profile"]
    # Without a project the current directory is one, with default settings.
    settings = load_settings(
        command_context.project(None), environment=command_context.environment.raw
    ).settings
    context = _context(command_context, settings, options)
    if options["batch"]:
        for request in _read_batch():
            cmd = str(request.get("cmd", ""))
            of = _with_profile(context, str(request.get("profile") or profile))
            click.echo(json.dumps(_answer(cmd, decide_line(cmd, of, lookups=looks))))
        return 0
    if not line:
        raise UsageError("no command to check", hint="treadle policy check 'npm test', or --batch")
    own = find_user_command_lines(command_context.directory(None), settings)
    answer = _answer(line, _decide(line, _with_profile(context, profile), looks, own))
    return _print_answer(answer, as_json=options["as_json"])


def _decide(
    line: str, context: ShellContext, looks: SystemLookups, own: Collection[str]
) -> PolicyDecision:
    return allow_user_commands(decide_line(line, context, lookups=looks), line, own, context.roles)


def _print_answer(answer: dict[str, str], *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(answer))
    else:
        click.echo(f"{answer['decision']}  ({answer['rule']})")
        if answer["reason"]:
            click.echo(answer["reason"])
    return DECISION_EXIT_CODES[answer["decision"]]


def _context(
    command_context: CommandContext, settings: Settings, options: PolicyCheckOptions
) -> ShellContext:
    context = shell_context(
        command_context.working_directory,
        settings.policy,
        role=options["role"],
        destructive=options["destructive"],
    )
    return replace(context, protected=settings.verify.protect)


def _with_profile(context: ShellContext, profile: str) -> ShellContext:
    profiles, destructive = split_profile(profile)
    return replace(
        context,
        profiles=profiles or context.profiles,
        destructive=destructive or context.destructive,
    )


def _answer(line: str, decision: PolicyDecision) -> dict[str, str]:
    verdict = DECISIONS[type(decision)]
    return {"cmd": line, "decision": verdict, "rule": decision.rule, "reason": decision.reason}


def _read_batch() -> Iterator[dict[str, Any]]:
    for number, text in enumerate(sys.stdin, start=1):
        if not text.strip():
            continue
        try:
            request = json.loads(text)
        except ValueError as error:
            raise UsageError(f"line {number} is not JSON: {error}", hint=_BATCH_FORM) from None
        if not isinstance(request, dict) or not isinstance(request.get("cmd"), str):
            raise UsageError(f"line {number} has no text under cmd", hint=_BATCH_FORM)
        yield request


_BATCH_FORM = '{"cmd": "npm test", "profile": "default"}'


@command.command()
@click.argument("name", metavar="[NAME]", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.option("--check", "checks", is_flag=True, help="Judge the example of every rule.")
@click.pass_obj
def show(command_context: CommandContext, name: str, *, as_json: bool, checks: bool) -> int:
    """The rules by family; with NAME, all that one of them says."""
    from treadle.cli.policy_rules import failing_examples, rule_text, rules_json, rules_text

    if checks:
        failing = list(failing_examples(command_context.working_directory, system_lookups()))
        click.echo("\n".join(failing) or "every example is judged as its rule says")
        return 1 if failing else 0
    if as_json:
        click.echo(json.dumps(rules_json(name), indent=2))
    else:
        click.echo(rule_text(name) if name else rules_text())
    return 0
