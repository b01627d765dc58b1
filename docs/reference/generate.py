"""Writes the pages of `PAGES` from the code (`make docs`), or checks them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from inspect import cleandoc
from itertools import groupby
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import click

from docs.reference.exit_code_texts import (
    COMMAND_NOTES,
    REASONS_FOOT,
    REASONS_HEAD,
    WHAT_TO_DO,
)
from treadle.adapters.agents.registry import all_kinds
from treadle.cli.commands import COMMANDS
from treadle.cli.main import treadle
from treadle.cli.run_options import WorkflowOptions
from treadle.domain.events import (
    agent,
    audit,
    focus,
    oversight,
    plan,
    publishing,
    queue,
    run,
    session,
    verification,
    work,
)
from treadle.domain.events.all_events import DISPLAY_ONLY, Event
from treadle.domain.exit_reasons import END_REASONS, MEANINGS
from treadle.settings.environment import ANY_AGENT_VARIABLES, DATABASE_URL
from treadle.settings.environment_values import variable_name
from treadle.settings.keys import (
    EXAMPLES,
    SettingKey,
    expected_text,
    known_keys,
    sections,
    toml_value,
)

HERE = Path(__file__).parent
MADE = "<!-- Made from the code by `make docs`. Edit the code, not this page. -->"

RULES = {
    "": "",
    "database_url": ": the address of a PostgreSQL database",
    "project_path": ": a path inside the project",
    "not_empty": ", not empty",
}

SETTINGS_HEAD = """\
Settings come from `treadle.toml` in the project, then from the environment, then from the command
line; the later one wins. An unknown key or a wrong value is an error that names the line and the
nearest known key. `treadle config show` prints every value and where it comes
from; `treadle config schema` prints the JSON Schema. Options named here are those of
`treadle deliver`."""

EVENTS_HEAD = """\
One line of `treadle deliver --json` or `treadle logs --json` is an envelope with an event in it.
The envelope has four fields: `run` (the run's id), `seq` (1, 2, 3 … without a gap), `at` (the time,
UTC) and `event`. The event's `type` says which one it is. Readers must skip types and fields
that they do not know. Names and meanings never change.

Events marked *display* may be stored up to 100 ms late; all others are stored before what they
report takes effect."""

Row = tuple[str, ...]
Table = Iterable[Row]
# Explained once for all workflows.
RUN_OPTIONS = {each.name for each in fields(WorkflowOptions)}


def cli_page() -> str:
    """Every command with its help, its arguments and its options."""
    context = click.Context(treadle, info_name="treadle")
    parts = ["# Commands", MADE, cleandoc(treadle.help or "")]
    parts.append(
        "A run is named by its id, by its beginning or end, or by `last`. Answers go to standard\n"
        "output, messages to standard error. Errors are one line and a `hint:`."
    )
    listed = [(f"[`{name}`](#treadle-{name})", text) for name, text in COMMANDS.items()]
    parts.append(table(("command", "what it does"), listed))
    for name in COMMANDS:
        command = treadle.get_command(context, name)
        if command is not None:
            parts += _command(command, click.Context(command, context, info_name=name))
    deliver = treadle.get_command(context, "deliver")
    if deliver is not None:
        shared = [each for each in deliver.params if each.name in RUN_OPTIONS]
        rows = _option_rows(shared, click.Context(deliver, context, info_name="deliver"))
        parts.append("## Options of a run\n\n" + table(("option", "meaning"), rows))
    parts.append("See also [exit codes](exit-codes.md).")
    return page(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    path = context.command_path
    yield f"## {path}"
    yield code(" ".join([path, *command.collect_usage_pieces(context)]))
    yield _prose(command.help or "")
    params = command.get_params(context)
    names = {each.name for each in params}
    is_workflow = "log_file" in names
    own = [each for each in params if not (is_workflow and each.name in RUN_OPTIONS)]
    if rows := _option_rows(own, context):
        yield table(("option", "meaning"), rows)
    if is_workflow:
        missing = [f"`--{each.replace('_', '-')}`" for each in sorted(RUN_OPTIONS - names)]
        less = f" except {', '.join(missing)}" if missing else ""
        yield f"Takes the [options of a run](#options-of-a-run){less}."
    if isinstance(command, click.Group):
        for name, inner in sorted(command.commands.items()):
            yield from _command(inner, click.Context(inner, context, info_name=name))


def _option_rows(params: Iterable[click.Parameter], context: click.Context) -> list[Row]:
    """The options that have a meaning; arguments are explained by the text of the command."""
    records = (each.get_help_record(context) for each in params)
    rows = [(f"`{_cell(names)}`", _cell(text)) for names, text in filter(None, records)]
    return [row for row in rows if row[1] and not row[0].startswith(("`--help", "`-h, --help"))]


def settings_page() -> str:
    """Every setting with its default, what it takes, and the other ways to give it."""
    parts = [
        "# Settings",
        MADE,
        SETTINGS_HEAD,
        "## At the top of the file",
    ]
    parts += [_key(key) for key in known_keys().values() if not key.section]
    for name, cls in sections().items():
        parts.append(f"## [{name}]\n\n{cleandoc(cls.__doc__ or '')}")
        parts += [_key(key) for key in known_keys().values() if key.section == name]
    return page([*parts, _variables(), _passed()])


def _key(key: SettingKey) -> str:
    flags = _flags()
    default = f"default `{toml_value(key.default)}`"
    said = ["no default" if key.kind in EXAMPLES else default]
    said.append(f"takes {_takes(key)}")
    if given := DATABASE_URL if key.name == "database.url" else variable_name(key):
        said.append(f"variable `{given}`")
    if key.name in flags:
        said.append(f"option `{flags[key.name]}`")
    return f"### `{key.name}`\n\n{key.help}\n\n{' · '.join(said)}"


def _takes(key: SettingKey) -> str:
    words = expected_text(key)
    if key.kind == "choice":
        return ", ".join(f"`{choice}`" for choice in key.choices)
    if key.above is not None:
        words += f" above {key.above:g}"
    if key.least is not None:
        words += f", at least {key.least:g}"
    return words + RULES[key.rule]


def _flags() -> dict[str, str]:
    """The option of `treadle deliver` for each key that has one."""
    names: dict[str, Any] = {each.name: each.name for each in fields(WorkflowOptions)}
    by_field = {field: key for key, field in WorkflowOptions(**names).flags().items()}
    command = treadle.get_command(click.Context(treadle), "deliver")
    params = command.params if command is not None else []
    # The first option of a setting is its own; `--pr` is only another way to say `--land`.
    return {
        by_field[param.name]: max(param.opts, key=len)
        for param in reversed(params)
        if param.name in by_field
    }


def _variables() -> str:
    rows = [
        ("`TREADLE_ROOT`", "where Treadle keeps events, clones and locks; default `~/.treadle`"),
        ("`TREADLE_NO_SANDBOX`", "`1` is the same as `--no-sandbox`"),
        ("`CLAUDE_BIN`", "the `claude` executable, if `agent.binary` names none"),
        ("`NO_COLOR`", "set to anything: no colours"),
    ]
    return "## Variables that are not settings\n\n" + table(("variable", "meaning"), rows)


def _passed() -> str:
    rows = []
    own = (each for kind in all_kinds() for each in kind.variables.passed)
    for each in (*ANY_AGENT_VARIABLES, *own):
        names = ", ".join(f"`{name}`" for name in each.names)
        rows.append((each.reason, names, f"`{each.only_if}` is set" if each.only_if else "always"))
    return (
        "## Variables that reach the agent\n\nThe agent's environment is built from nothing. Only"
        " these variables are copied from yours, and\nthose that begin with `LC_`. Keys and tokens"
        " are replaced by placeholders: the gateway has the\nreal ones. The sandbox has"
        " [its own proxy and certificates](../guides/network.md), so yours stay\noutside.\n\n"
        + table(("for", "names", "when"), rows)
    )


GROUPS: tuple[tuple[str, ModuleType], ...] = (
    ("Run", run),
    ("Session", session),
    ("Agent", agent),
    ("Work", work),
    ("Verification", verification),
    ("Focus", focus),
    ("Audit", audit),
    ("Plan", plan),
    ("Queue", queue),
    ("Publishing", publishing),
    ("Oversight", oversight),
)


def events_page() -> str:
    """Every event with its sentence and its fields, and the values they are made of."""
    if left := {cls.__module__ for cls in get_args(Event)} - {each.__name__ for _, each in GROUPS}:
        raise KeyError(f"no group of the page has the events of {left}")
    nested: dict[str, type] = {}
    parts = [
        "# Events",
        MADE,
        EVENTS_HEAD,
    ]
    for title, module in GROUPS:
        parts.append(f"## {title}\n\n{cleandoc(module.__doc__ or '')}")
        parts += [
            _event(cls, nested) for cls in get_args(Event) if cls.__module__ == module.__name__
        ]
    parts.append("## Values inside events")
    parts += [f"### {name}\n\n{_fields(nested[name], nested)}" for name in _reached(nested)]
    return page(parts)


def _event(cls: type, nested: dict[str, type]) -> str:
    display = " *(display)*" if issubclass(cls, DISPLAY_ONLY) else ""
    name = cls.__dataclass_fields__["type"].default  # type: ignore[attr-defined]
    return f"### `{name}`{display}\n\n{cleandoc(cls.__doc__ or '')}\n\n{_fields(cls, nested)}"


def _reached(nested: dict[str, type]) -> list[str]:
    """In alphabetical order, with what the values are made of themselves."""
    known: set[str] = set()
    while fresh := set(nested) - known:
        known |= fresh
        for name in fresh:
            _fields(nested[name], nested)
    return sorted(known)


def _fields(cls: type, nested: dict[str, type]) -> str:
    hints = get_type_hints(cls)
    rows = [
        (f"`{each.name}`", _words(hints[each.name], nested) + _default(each))
        for each in fields(cls)
        if not (each.name == "type" and issubclass(cls, get_args(Event)))
    ]
    if not rows:
        return "No fields."
    return "Fields: " + "; ".join(_merged(rows)) + "."


def _merged(rows: list[tuple[str, str]]) -> Iterator[str]:
    """Neighbours of one kind together: `a`, `b` (string)."""
    for value, group in groupby(rows, key=lambda row: row[1]):
        yield f"{', '.join(name for name, _ in group)} ({value})"


def _default(each: "Field[Any]") -> str:
    if each.default is MISSING or each.name == "type":
        return ""
    return f"; default `{toml_value(each.default) if each.default is not None else 'null'}`"


PLAIN: dict[Any, str] = {
    str: "string",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime: "time",
    Any: "anything",
    type(None): "null",
}


def _words(hint: Any, nested: dict[str, type]) -> str:
    """A type as a reader of JSON would say it."""
    if isinstance(hint, NewType):
        return _words(hint.__supertype__, nested)
    if hint in PLAIN:
        return PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " or ".join(f"`{word}`" for word in inner)
    if origin in (Union, UnionType):
        return " or ".join(_words(each, nested) for each in inner)
    if origin is tuple:
        return f"list of {_words(inner[0], nested)}"
    if origin is dict:
        return "object"
    if is_dataclass(hint) and isinstance(hint, type):
        nested[hint.__name__] = hint
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    raise TypeError(f"no words for {hint!r}")


def exit_codes_page() -> str:
    """Every exit code, and every reason for which a run ends with what to do then."""
    reasons = [
        (f"`{name}`", str(reason.exit_code), reason.meaning, WHAT_TO_DO[name])
        for name, reason in END_REASONS.items()
    ]
    return page(
        [
            "# Exit codes and reasons",
            MADE,
            "Numbers and names on this page never change their meaning.",
            "## Codes",
            _exit_codes(),
            COMMAND_NOTES,
            "## Reasons",
            REASONS_HEAD,
            table(("reason", "code", "means", "what to do"), reasons),
            REASONS_FOOT,
        ]
    )


def _exit_codes() -> str:
    return table(("code", "means"), [(str(code), text) for code, text in MEANINGS.items()])


def table(head: tuple[str, ...], rows: Table) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(text: str) -> str:
    return f"```text\n{text}\n```"


def page(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _prose(text: str) -> str:
    """The help of a command, its examples as a block."""
    body, _, examples = text.partition("\b")
    if not examples:
        return cleandoc(body)
    lines = cleandoc(examples).splitlines()[1:]
    return cleandoc(body).rstrip() + "\n\n" + code("\n".join(line.strip() for line in lines))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "settings.md": settings_page,
    "events.md": events_page,
    "exit-codes.md": exit_codes_page,
}


def main(arguments: list[str]) -> int:
    stale = []
    for name, made in PAGES.items():
        path, text = HERE / name, made()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    word = "out of date, run `make docs`" if "--check" in arguments else "written"
    sys.stdout.writelines(f"docs/reference/{name}: {word}\n" for name in stale)
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
