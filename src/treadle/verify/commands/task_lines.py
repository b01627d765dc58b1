"""The shell lines that a task runner takes from its file: `npm test`, `make check`. Pure."""

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

# The text of a file of the base; empty if there is none.
ReadText = Callable[[str], str]

_NODE_PROGRAMS = frozenset({"npm", "pnpm", "yarn", "bun"})
_RUN_WORDS = frozenset({"run", "run-script", "rum", "urn", "task"})
_ABBREVIATIONS = {"t": "test", "tst": "test"}
_DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies")
_LOCAL_VERSION = re.compile(r"(?:(?:file|link|portal):|(?=\.{1,2}/))(?P<path>.{1,500})")
_FOLDER_OPTIONS = frozenset({"-C", "--prefix", "--cwd", "--dir", "--directory"})
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", ".justfile", "Justfile")
_MAKE_RULE = re.compile(
    r"^(?P<targets>[^\s:#=][^:#=]*?)\s*::?(?!=)\s*(?P<needs>[^#;]*)(?:;(?P<line>.*))?"
)
_JUST_RULE = re.compile(
    r"^@?(?P<targets>[A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)\s*(?P<needs>[^#;]*)(?P<line>;.*)?"
)
_MAKE_VARIABLE = re.compile(
    r"^(?:export\s+)?(?P<name>[\w.-]+)\s*(?:[:?]{0,2}=|:=)\s*(?P<value>.*)$"
)
_MAKE_SHELL = re.compile(r"\$\(shell[ \t]+([^()]{1,500})\)")
_MAKE_USE = re.compile(r"\$[({]([\w.-]+)[)}]")
_INCLUDE = re.compile(
    r"^[ \t]*(?:-|s)?include[ \t]+(.+)$|^[ \t]*import\??[ \t]+['\"](.+)['\"]", re.MULTILINE
)
_MOST_TARGETS = 40
_MAKE_DEFAULTS = {"MAKE": "make", "SHELL": "sh", "CC": "cc", "CURDIR": "."}
# A command in the code of a task, such as `sh "make"` or `session.run("python", "a.py")`.
_QUOTED_COMMAND = re.compile(r"\b(?:sh|system|run|run_always|ruby)\b\s*\(?\s*([\"'][^)\n]*)")
_TASK_FILES: dict[str, tuple[tuple[str, ...], re.Pattern[str]]] = {
    "rake": (("Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"), _QUOTED_COMMAND),
    "nox": (("noxfile.py",), _QUOTED_COMMAND),
    **dict.fromkeys(("invoke", "inv"), (("tasks.py",), _QUOTED_COMMAND)),
    "task": (
        ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml"),
        re.compile(r"^[ \t]*(?:- (?:cmd:)?|cmds?:)[ \t]*(\S.*)$", re.MULTILINE),
    ),
    "tox": (("tox.ini",), re.compile(r"^(?:commands\w*[ \t]*=|[ \t])[ \t]*+(\S.*)$", re.MULTILINE)),
}


@dataclass(frozen=True, slots=True)
class TaskLines:
    """The lines of a task, where they run, and the files that the runner's own file includes."""

    folder: str
    text: str = ""
    included: tuple[str, ...] = ()
    # The files with the tasks.
    sources: tuple[str, ...] = ()
    # Folders of packages in the project whose programs the lines run.
    tools: tuple[str, ...] = ()
    # Files that the lines make; one that is there already is not made.
    targets: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Recipes:
    """Rules of a makefile or a justfile: what each target needs and runs."""

    needs: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, list[str]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    first: str = ""


def read_task(words: Sequence[str], folder: str, read: ReadText) -> TaskLines:
    """What a task runner would run in a folder, by the files of the base."""
    program, arguments = words[0], list(words[1:])
    folder, arguments = _folder(folder, arguments)
    if program in _NODE_PROGRAMS:
        return _read_scripts("package.json", "scripts", _script_names(arguments), folder, read)
    if program == "composer":
        return _read_scripts("composer.json", "scripts", _script_names(arguments), folder, read)
    if program == "deno":
        return _read_scripts("deno.json", "tasks", _script_names(arguments), folder, read)
    if program in ("make", "gmake"):
        return _read_recipes(_option(arguments, "-f") or _MAKEFILES, arguments, folder, read)
    if program == "just":
        return _read_recipes(_option(arguments, "-f") or _JUSTFILES, arguments, folder, read)
    return _read_lines(program, folder, read)


def _read_lines(program: str, folder: str, read: ReadText) -> TaskLines:
    """All lines of a file of tasks: which of them a task runs is not looked at."""
    names, pattern = _TASK_FILES.get(program, ((), _QUOTED_COMMAND))
    paths = [posixpath.join(folder, name) for name in names]
    text = next(filter(None, map(read, paths)), "")
    lines = [" ".join(re.split(r"[\"',\s]+", found)).strip() for found in pattern.findall(text)]
    return TaskLines(folder, "\n".join(filter(None, lines)), sources=tuple(paths))


def _folder(folder: str, arguments: list[str]) -> tuple[str, list[str]]:
    rest = []
    words = iter(arguments)
    for word in words:
        name, _, value = word.partition("=")
        if name in _FOLDER_OPTIONS:
            folder = posixpath.normpath(posixpath.join(folder, value or next(words, "")))
        else:
            rest.append(word)
    return ("" if folder == "." else folder), rest


def _script_names(arguments: list[str]) -> list[str]:
    plain = [word for word in arguments[: _index(arguments, "--")] if not word.startswith("-")]
    while plain and plain[0] in _RUN_WORDS:
        plain = plain[1:]
    name = _ABBREVIATIONS.get(plain[0], plain[0]) if plain else ""
    return [f"pre{name}", name, f"post{name}"] if name else []


def _index(words: list[str], word: str) -> int:
    return words.index(word) if word in words else len(words)


def _read_scripts(
    file: str, key: str, names: Sequence[str], folder: str, read: ReadText
) -> TaskLines:
    path = posixpath.join(folder, file)
    manifest = _json_table(read(path))
    scripts = _table(manifest, key)
    text = "\n".join(line for name in names for line in _as_lines(scripts.get(name)))
    tools = tuple(_local_tools(manifest, folder, text, read))
    return TaskLines(folder, text, sources=(path,), tools=tools)


def _local_tools(manifest: dict[str, Any], folder: str, text: str, read: ReadText) -> Iterator[str]:
    """The folders of those packages of the project that bring a program of the lines."""
    words = set(text.split())
    for key in _DEPENDENCIES:
        for name, version in _table(manifest, key).items():
            local = _LOCAL_VERSION.fullmatch(version) if isinstance(version, str) else None
            if local is None:
                continue
            place = posixpath.normpath(posixpath.join(folder, local["path"]))
            programs = _json_table(read(posixpath.join(place, "package.json"))).get("bin")
            found = programs if isinstance(programs, dict) else {name.rpartition("/")[2]: ""}
            if not words.isdisjoint(found):
                yield place


def _json_table(text: str) -> dict[str, Any]:
    try:
        return _as_table(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}


def _table(parent: dict[str, Any], key: str) -> dict[str, Any]:
    return _as_table(parent.get(key))


def _as_table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_lines(value: object) -> list[str]:
    if isinstance(value, list):
        return [line for each in value for line in _as_lines(each)]
    return [value.removeprefix("@")] if isinstance(value, str) else []


def _option(arguments: list[str], name: str) -> tuple[str, ...]:
    at = _index(arguments, name) + 1
    return tuple(arguments[at : at + 1])


def _read_recipes(
    files: tuple[str, ...], arguments: list[str], folder: str, read: ReadText
) -> TaskLines:
    paths = [posixpath.normpath(posixpath.join(folder, name)) for name in files]
    text = next(filter(None, map(read, paths)), "")
    rule = _JUST_RULE if files == _JUSTFILES else _MAKE_RULE
    recipes = _parse_recipes(text.replace("\\\n", " "), rule)
    skipped = {*_option(arguments, "-f"), *_option(arguments, "-j")}
    targets = [
        word
        for word in arguments
        if not word.startswith("-") and "=" not in word and word not in skipped
    ]
    lines = list(_target_lines(targets or [recipes.first], recipes))
    names = [name for found in _INCLUDE.findall(text) for name in " ".join(found).split()]
    included = tuple(posixpath.normpath(posixpath.join(folder, name)) for name in names)
    made = () if files == _JUSTFILES else recipes.lines
    names = [_expand(name, recipes.variables) for name in made]
    built = frozenset(posixpath.normpath(posixpath.join(folder, name)) for name in names)
    return TaskLines(folder, "\n".join(lines), included, tuple(paths), targets=built)


def _parse_recipes(text: str, rule: re.Pattern[str]) -> _Recipes:
    recipes, current = _Recipes(), list[str]()
    for line in text.splitlines():
        if line[:1] in ("\t", " ") and line.strip():
            for target in current:
                recipes.lines[target].append(line.strip())
        elif found := _MAKE_VARIABLE.match(line):
            recipes.variables[found["name"]] = found["value"].strip()
        elif found := rule.match(line):
            current = found["targets"].split()
            recipes.first = recipes.first or next((t for t in current if t[0] != "."), "")
            for target in current:
                recipes.needs.setdefault(target, []).extend(found["needs"].split())
                lines = recipes.lines.setdefault(target, [])
                lines += [found["line"]] if found["line"] else []
    return recipes


def _target_lines(targets: list[str], recipes: _Recipes) -> Iterator[str]:
    """The lines of what the targets need, then their own."""
    seen: set[str] = set()

    def lines_of(target: str) -> Iterator[str]:
        if target in seen or len(seen) > _MOST_TARGETS:
            return
        seen.add(target)
        for need in recipes.needs.get(target, ()):
            yield from lines_of(need)
        for line in recipes.lines.get(target, ()):
            yield _expand(line.lstrip("@-+ \t"), recipes.variables)

    for target in targets:
        yield from lines_of(target)


def _expand(line: str, variables: dict[str, str]) -> str:
    for _ in range(3):
        line = _MAKE_USE.sub(lambda found: {**_MAKE_DEFAULTS, **variables}.get(found[1], ""), line)
    # Two dollars are one of the shell; automatic variables name what make builds.
    line = re.sub(r"\$[@<^?*+]", "", _MAKE_SHELL.sub(r"$$(\1)", line))
    return line.replace("$$", "$")
