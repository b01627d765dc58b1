"""`treadle policy`: what the shell policy decides about a command, and its rules."""

import json
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, get_args

import click

from treadle.cli.context import CommandContext
from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.domain.errors import UsageError
from treadle.domain.exit_reasons import DONE, ERROR, PERSON_NEEDED
from treadle.domain.signal import Role
from treadle.policy.judging.shell_context import ShellContext, SystemLookups
from treadle.policy.modes import MODES, ChosenPolicy, PolicyMode, choose_policy, is_network_open
from treadle.policy.permission_rules import split_ask_before
from treadle.policy.roles import ROLES
from treadle.policy.user_commands import allow_user_commands
from treadle.settings.load import load_settings
from treadle.wiring.policy import (
    decider,
    expected_confinement,
    find_user_command_lines,
    shell_context,
    split_profile,
    system_lookups,
)
from treadle.wiring.validate_settings import require_effect

DECISIONS: dict[type[PolicyDecision], str] = {Allow: "allow", Ask: "ask", Deny: "deny"}
# As for all commands: 0 it may run, 1 it may not, 3 a person decides.
DECISION_EXIT_CODES = {"allow": DONE, "deny": ERROR, "ask": PERSON_NEEDED}


class PolicyCheckOptions(TypedDict):
    """The options of `check`."""

    mode: PolicyMode | None
    profile: str | None
    role: Role
    destructive: bool
    as_json: bool
    batch: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """What all lines of one call are judged by."""

    policy: ChosenPolicy
    context: ShellContext
    # The project's own lines.
    own: Collection[str]


@click.group(name="policy")
def command() -> None:
    """Explain what the shell policy decides about a command, or list its rules.

    \b
    Example:
      treadle policy check 'npm test'
    """


@command.command()
@click.argument("line", metavar="[COMMAND]", default="")
@click.option("--mode", type=click.Choice(MODES), help="Override policy.mode.")
@click.option(
    "--profile",
    help="Ask the strict policy: default, or a language; +destructive may follow.",
)
@click.option(
    "--role",
    type=click.Choice(get_args(Role)),
    default="implementer",
    help="The role that runs the command.",
)
@click.option(
    "--destructive", is_flag=True, help="Ask the strict policy, as with --allow-destructive."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option(
    "--batch", is_flag=True, help='JSON lines {"cmd", "profile"} on stdin, answered in order.'
)
@click.pass_obj
def check(command_context: CommandContext, line: str, **options: Unpack[PolicyCheckOptions]) -> int:
    """Say whether COMMAND may run here. Exit code 0: yes; 1: no; 3: only with your approval.

    \b
    Example:
      treadle policy check 'npm test'
    """
    looks = system_lookups()
    question = _question(command_context, options)
    if options["batch"]:
        for request in _read_batch():
            profile = request.get("profile") or options["profile"]
            asked = _with_profile(question, None if profile is None else str(profile))
            click.echo(json.dumps(_judge(str(request.get("cmd", "")), asked, looks)))
        return 0
    if not line:
        raise UsageError("no command to check", hint="treadle policy check 'npm test', or --batch")
    asked = _with_profile(question, options["profile"])
    return _print_answer(_judge(line, asked, looks), asked.policy, as_json=options["as_json"])


def _question(command_context: CommandContext, options: PolicyCheckOptions) -> _Question:
    # Without a project the current directory is one, with default settings.
    environment = command_context.environment
    settings = load_settings(command_context.project(None), environment=environment.raw).settings
    require_effect(settings.policy)
    if options["mode"] == "light" and (options["profile"] or options["destructive"]):
        raise UsageError(
            "--profile and --destructive have no effect under the light policy",
            hint="add --mode strict, or leave them out",
        )
    facts = expected_confinement(settings.sandbox, sandboxed=not environment.no_sandbox)
    role = options["role"]
    mode = options["mode"] or settings.policy.mode
    policy = choose_policy(mode, facts, ROLES[role].commands)
    commands, _ = split_ask_before(settings.policy.ask_before)
    context = shell_context(
        command_context.working_directory,
        settings.policy,
        role=role,
        destructive=options["destructive"],
    )
    context = replace(
        context,
        ask_before=commands,
        protected=settings.verify.protect,
        reachable=is_network_open(facts.network),
    )
    own = find_user_command_lines(command_context.directory(None), settings)
    question = _Question(policy, context, own)
    return _of_strict(question) if options["destructive"] else question


def _with_profile(question: _Question, profile: str | None) -> _Question:
    """Profiles are known to the strict policy alone."""
    if profile is None:
        return question
    profiles, destructive = split_profile(profile)
    context = replace(
        question.context,
        profiles=profiles or question.context.profiles,
        destructive=destructive or question.context.destructive,
    )
    return replace(_of_strict(question), context=context)


def _of_strict(question: _Question) -> _Question:
    if question.policy.name == "strict":
        return question
    return replace(question, policy=ChosenPolicy("strict", "chosen by --profile or --destructive"))


def _judge(line: str, question: _Question, looks: SystemLookups) -> dict[str, str]:
    context = question.context
    decision = decider(question.policy.name)(line, context, lookups=looks)
    decision = allow_user_commands(decision, line, question.own, context.roles)
    return {
        "cmd": line,
        "decision": DECISIONS[type(decision)],
        "rule": decision.rule,
        "reason": decision.reason,
        "policy": question.policy.name,
    }


def _print_answer(answer: dict[str, str], policy: ChosenPolicy, *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(answer))
    else:
        click.echo(f"{answer['decision']}  ({answer['rule']})")
        if answer["reason"]:
            click.echo(answer["reason"])
        click.echo(f"judged by the {policy.name} policy: {policy.reason}")
    return DECISION_EXIT_CODES[answer["decision"]]


def _read_batch() -> Iterator[dict[str, Any]]:
    for number, text in enumerate(sys.stdin, start=1):
        if not text.strip():
            continue
        try:
            request = json.loads(text)
        except ValueError as error:
            raise UsageError(f"line {number} is not JSON: {error}", hint=_BATCH_FORM) from None
        if not isinstance(request, dict) or not isinstance(request.get("cmd"), str):
            raise UsageError(f"line {number} has no text in 'cmd'", hint=_BATCH_FORM)
        yield request


_BATCH_FORM = '{"cmd": "npm test", "profile": "default"}'


@command.command()
@click.argument("name", metavar="[NAME]", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.option("--check", "checks", is_flag=True, help="Test the example of every rule.")
@click.pass_obj
def show(command_context: CommandContext, name: str, *, as_json: bool, checks: bool) -> int:
    """List the rules by family, or explain the rule NAME.

    \b
    Example:
      treadle policy show npm
    """
    from treadle.cli.policy_rules import failing_examples, rule_text, rules_json, rules_text

    if checks:
        failing = list(failing_examples(command_context.working_directory, system_lookups()))
        click.echo("\n".join(failing) or "all examples match their rules")
        return 1 if failing else 0
    if as_json:
        click.echo(json.dumps(rules_json(name), indent=2))
    else:
        click.echo(rule_text(name) if name else rules_text())
    return 0
