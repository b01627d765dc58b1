"""Finds the files that a command is judged by: those it runs, loads and compares with. Pure.

A command names judges and the product alike. A script is a judge if its exit code is all that is
looked at; it is the product if the line itself looks at what it prints or makes.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from treadle.domain.check import FileChange
from treadle.verify.commands import programs
from treadle.verify.commands.call_files import read_call
from treadle.verify.commands.comparisons import find_expectations, is_compared
from treadle.verify.commands.file_mentions import CallFiles, FileMention, ShellCall
from treadle.verify.commands.shell_calls import read_calls
from treadle.verify.commands.shell_libraries import ScriptCalls, product_libraries
from treadle.verify.commands.task_lines import read_task
from treadle.verify.commands.word_paths import TOP, is_folder, matching_paths, resolve_path
from treadle.verify.judges.judge_files import has_judge_name
from treadle.verify.judges.tree_pair import TreePair

RUN = "a script that the command runs"
LOADED = "loaded by the command"
GIVEN = "given to the test runner"
COMPARED = "what results are compared with"
NAMED = "named by the command"
USED_BY = "used by {}"

_MOST_TEXTS = 80
_DEEPEST = 8
_MODULE_ENDINGS = (".py", "/__main__.py", "/__init__.py")
_SHELL_ENDINGS = (".sh", ".bash", ".zsh", ".ksh", ".dash", ".bats")
_SHEBANG = re.compile(r"#!.*\b(?:ba|da|z|k|a)?sh\b")
# Ends of a word in a line that cannot be read.
_WORD_BREAK = re.compile(r"[\s;&|()<>{}\"'`$=,]+")


@dataclass(frozen=True, slots=True)
class CommandFiles:
    """What a command depends on besides the product."""

    # Why each file is a judge.
    judges: dict[str, str]
    # Folders that Python, and programs by their names, are searched in.
    import_roots: frozenset[str]
    program_folders: frozenset[str]
    # Names of the programs that are run.
    programs: frozenset[str]
    # Data that results are compared with.
    expectations: frozenset[str]
    runs_doctests: bool
    # Whether it may run tests, or tools that read the source, as far as can be told.
    runs_tests: bool
    runs_linters: bool
    # Files of the base whose contents would tell more.
    needed: frozenset[str]


def read_command(command: str, trees: TreePair) -> CommandFiles:
    """What a command depends on, also by scripts and tasks of the base as far as they are read."""
    reader = _CommandReader(trees, trees.base_paths | trees.work_paths | trees.linked_paths())
    reader.texts.append(_Text(command))
    reader.read()
    libraries = product_libraries(reader.loaded, reader.calls, trees)
    return CommandFiles(
        {path: why for path, why in reader.judges.items() if path not in libraries},
        frozenset(reader.import_roots),
        frozenset(reader.program_folders),
        frozenset(reader.programs),
        frozenset(reader.expectations),
        reader.runs_doctests,
        reader.runs_tests,
        reader.runs_linters,
        frozenset(reader.needed),
    )


def find_judges(command: str, changes: Sequence[FileChange]) -> frozenset[str]:
    """Those of the changed files that judge by this command, by their names alone."""
    paths = frozenset(change.path for change in changes)
    return frozenset(read_command(command, TreePair("", paths, paths, tuple(changes))).judges)


@dataclass(frozen=True, slots=True)
class _Text:
    """A line or a script to be read."""

    text: str
    folder: str = ""
    own_folder: str = ""
    # The script; empty for the command.
    path: str = ""
    # Whether the output of all of it is looked at.
    is_compared: bool = False
    # A script of the base may run files that are still to be written.
    is_script: bool = False
    depth: int = 0
    products: frozenset[str] = frozenset()


@dataclass(slots=True)
class _CommandReader:
    trees: TreePair
    paths: frozenset[str]
    judges: dict[str, str] = field(default_factory=dict)
    import_roots: set[str] = field(default_factory=set)
    program_folders: set[str] = field(default_factory=set)
    programs: set[str] = field(default_factory=set)
    expectations: set[str] = field(default_factory=set)
    needed: set[str] = field(default_factory=set)
    texts: list[_Text] = field(default_factory=list)
    # The scripts that load each file by `.`, and the calls of each script.
    loaded: dict[str, set[str]] = field(default_factory=dict)
    calls: dict[str, ScriptCalls] = field(default_factory=dict)
    runs_doctests: bool = False
    runs_tests: bool = False
    runs_linters: bool = False

    def read(self) -> None:
        seen: set[_Text] = set()
        while self.texts and len(seen) < _MOST_TEXTS:
            text = self.texts.pop(0)
            if text not in seen and text.depth < _DEEPEST:
                seen.add(text)
                self._read_text(text)

    def _read_text(self, text: _Text) -> None:
        self.runs_doctests |= "doctest" in text.text
        self.runs_linters |= programs.LINTING.search(text.text) is not None
        calls = read_calls(text.text, text.folder, text.own_folder)
        if calls is None:
            self.runs_tests = True
            for word in _WORD_BREAK.split(text.text):
                for path in matching_paths(word, text.folder, self.paths):
                    self._add_judge(path, NAMED, text)
            return
        files = [read_call(call) for call in calls]
        names = self.calls.setdefault(text.path, ScriptCalls())
        names.words.update(re.findall(r"\w+", text.text))
        places = []
        for number, (call, each) in enumerate(zip(calls, files, strict=True)):
            compared = text.is_compared or is_compared(number, calls, files, self.trees)
            place = replace(text, text="", folder=call.folder, is_compared=compared)
            places.append(replace(place, depth=text.depth + 1))
            names.add(call, is_compared=compared)
            self._read_folders(call, each)
        # A program whose output is looked at anywhere is the product everywhere.
        products = {
            path
            for place, each in zip(places, files, strict=True)
            if place.is_compared
            for mention in self._scripts(each)
            for path in self._resolve(mention, place.folder)
        }
        for place, each in zip(places, files, strict=True):
            for mention in (*each.mentions, *self._scripts(each)):
                self._add_mention(mention, replace(place, products=frozenset(products)))
            self._add_code(each, place)
        for path in find_expectations(calls, files, self.trees):
            self.expectations.add(path)
            self._add_judge(path, COMPARED, text)

    def _read_folders(self, call: ShellCall, files: CallFiles) -> None:
        self.programs.add(files.program)
        self.runs_tests |= files.is_runner
        self.import_roots.add(call.folder)
        for name, value in call.variables:
            folders = [resolve_path(each or ".", call.folder) for each in value.split(":")]
            found = {each for each in folders if each is not None}
            if name in programs.SEARCH_VARIABLES:
                self.import_roots |= found
            elif name == "PATH":
                self.program_folders |= found

    def _add_code(self, files: CallFiles, inner: _Text) -> None:
        if files.code:
            self._queue(files.code, inner)
        if files.task:
            task = read_task(files.task, inner.folder, self._read_base)
            for path in (*task.sources, *task.included, *(task.targets & self.trees.added)):
                self._add_judge(path, LOADED, inner)
            for name in programs.TASK_RUNNERS[files.task[0]]:
                for path in matching_paths(name, task.folder, self.paths):
                    self._add_judge(path, LOADED, inner)
            for change in self.trees.changes:
                if change.path.startswith(tuple(f"{folder}/" for folder in task.tools)):
                    self._add_judge(change.path, LOADED, inner)
            self.runs_tests = True
            place = replace(inner, folder=task.folder, own_folder=task.folder)
            self._queue(task.text, place)

    def _queue(self, text: str, place: _Text) -> None:
        if text:
            self.texts.append(replace(place, text=text, products=frozenset()))

    def _scripts(self, files: CallFiles) -> list[FileMention]:
        """What is run, also by a name that is looked for in the folders of PATH."""
        programs_of_path = [
            FileMention(f"{TOP}{posixpath.join(folder, files.program)}", "script")
            for folder in self.program_folders
            if files.program and files.program not in programs.TOOLS
        ]
        scripts = [each for each in files.mentions if each.use in ("script", "module")]
        return [*scripts, *programs_of_path]

    def _read_base(self, path: str) -> str:
        if path in self.trees.base_paths:
            self.needed.add(path)
        return self.trees.base_text(path)

    def _add_mention(self, mention: FileMention, place: _Text) -> None:
        paths = list(self._resolve(mention, place.folder))
        if mention.use == "script" and not paths and not place.is_compared:
            # What the line built or installed itself may well be a test.
            self.runs_tests = True
        for path in paths:
            why = self._reason(mention, path, place)
            if mention.use == "script":
                self.import_roots.add(posixpath.dirname(path))
            if why:
                self._add_judge(path, why, place)
            if mention.use == "sourced":
                self.needed.add(path)
                self.loaded.setdefault(path, set()).add(place.path)
        if mention.use in ("test", "mention", "compared"):
            self._add_folder(mention, place)

    def _add_folder(self, mention: FileMention, place: _Text) -> None:
        """Changed files with the name of a judge, below a folder that the command names."""
        folder = resolve_path(mention.word, place.folder)
        if not folder:
            return
        if mention.use == "test" and is_folder(folder, self.paths):
            self.import_roots.add(folder)
        for change in self.trees.changes:
            if change.path.startswith(f"{folder}/") and has_judge_name(change.path):
                self._add_judge(change.path, NAMED, place)

    def _reason(self, mention: FileMention, path: str, place: _Text) -> str:
        is_named = has_judge_name(self.trees.own_name(path))
        is_known = path in self.trees.base_paths
        match mention.use:
            case "script" | "module":
                is_product = place.is_compared or path in place.products
                is_unwritten = place.is_script and not is_known
                is_judge = is_named and (is_known or not place.is_compared)
                return RUN if is_judge or not (is_product or is_unwritten) else ""
            case "loaded" | "sourced":
                return LOADED
            case "test" | "test_module":
                return GIVEN
            case "input":
                return NAMED if is_named or is_known else ""
            case "compared":
                return ""
            case "mention":
                return NAMED if is_named else ""

    def _resolve(self, mention: FileMention, folder: str) -> Iterator[str]:
        if mention.use in ("module", "test_module"):
            yield from self._module_files(mention, folder)
            return
        yield from matching_paths(mention.word, folder, self.paths)

    def _module_files(self, mention: FileMention, folder: str) -> Iterator[str]:
        """The files of a dotted name; that of a test may end in a class and a function."""
        parts = mention.word.split(".")
        lengths = range(1, len(parts) + 1) if mention.use == "test_module" else (len(parts),)
        for root in {folder, "", "src", "lib", *self.import_roots}:
            for length in lengths:
                module = posixpath.join(root, *parts[:length])
                endings = _MODULE_ENDINGS[: 1 if length < len(parts) else 3]
                names = (f"{module}{ending}" for ending in endings)
                yield from (name for name in names if name in self.paths)

    def _add_judge(self, path: str, why: str, place: _Text) -> None:
        if path in self.judges or path not in self.paths:
            return
        self.judges[path] = why
        if why not in (RUN, LOADED) and not path.endswith(_SHELL_ENDINGS):
            return
        text = self._read_base(path)
        if path.endswith(_SHELL_ENDINGS) or _SHEBANG.match(text):
            script = _Text(text, place.folder, posixpath.dirname(path), path, is_script=True)
            self.texts += [replace(script, depth=place.depth + 1)] if text else []
        else:
            self.runs_tests |= why == RUN
        self._add_used_files(path, text)

    def _add_used_files(self, script: str, text: str) -> None:
        """Changed files with the name of a judge that a script names, or that lie beside it."""
        words = set(re.findall(r"\w+", text))
        for change in self.trees.changes:
            folder, name = posixpath.split(change.path)
            is_beside = folder == posixpath.dirname(script) and name.partition(".")[0] in words
            if has_judge_name(name) and (is_beside or change.path in text):
                self.judges.setdefault(change.path, USED_BY.format(script))
