"""The commands by group, each with its line in the help. The module of a command has its name."""

from collections.abc import Mapping
from importlib import import_module

import click

GROUPS: Mapping[str, Mapping[str, str]] = {
    "Start work": {
        "init": "Set up a project: write treadle.toml and a first SPEC.md.",
        "deliver": "Build what SPEC.md asks for, and check it.",
        "task": "Plan one change, ask you, build it, open a pull request.",
        "focus": "Plan and build one change, then review it against the specs.",
        "watch": "Work through .treadle/backlog, one item after the other.",
        "auto": "Work through increments, each until it is complete.",
        "increments": "List, add and draw increments: work with dependencies.",
        "audit": "Compare the code with the specifications. Changes no files.",
        "plan": "Plan with the agent: it writes specifications and the backlog.",
        "sync": "Check every deliverable again. Changes no files.",
    },
    "Follow runs": {
        "status": "Show what waits for you, the deliverables and the live run.",
        "ls": "List runs.",
        "attach": "Watch a run that is working elsewhere.",
        "show": "Show one run: result, evidence, cost, next commands.",
        "logs": "Show the events of a run, also live.",
        "report": "Report on the last day, or on one run.",
        "cost": "Show costs by day, run, model or project.",
    },
    "Answer": {
        "approvals": "List the questions that wait for an answer.",
        "approve": "Answer a question with yes.",
        "deny": "Answer a question with no.",
        "reply": "Answer a question in your own words.",
        "discuss": "Settle the findings of audits and unclear specifications.",
    },
    "Review work": {
        "diff": "Show what a run changed.",
        "verify": "Run the checks of a run again.",
        "check": "Add, list or accept the checks of criteria.",
        "land": "Merge the work of a run into this checkout.",
        "drop": "Give up the work of a run. It is backed up first.",
        "undo": "Restore dropped work and lost commits, or undo a landing.",
    },
    "Control runs": {
        "resume": "Continue a run that was interrupted or reached a limit.",
        "retry": "Continue a run that gave up.",
        "pause": "Let a run save its work and end, to be resumed later.",
        "cancel": "End a run. Its work is kept.",
        "worker": "Execute detached runs, and runs that lost their process.",
        "clean": "Remove files of old runs whose work is merged.",
    },
    "Configure": {
        "doctor": "Check this machine and this project, and name the fixes.",
        "config": "Show the settings in effect, or their schema.",
        "auth": "Store, list and remove credentials.",
        "trust": "Review and accept what treadle.toml permits.",
        "policy": "Explain what the shell policy decides, and list its rules.",
        "completion": "Print the completion script for your shell.",
    },
    "Try it out": {
        "demo": "See a whole run in a minute. No account needed.",
        "rehearse": "Run a workflow with a scripted model.",
    },
}
COMMANDS: Mapping[str, str] = {
    name: text for group in GROUPS.values() for name, text in group.items()
}


def load_command(name: str) -> click.Command | None:
    """The command with this name; its module is imported now."""
    if name not in COMMANDS:
        return None
    command = import_module(f"treadle.cli.{name}").command
    return command if isinstance(command, click.Command) else None
