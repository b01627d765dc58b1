"""Which files of a project a command, a script or a settings file names. Pure.

Used for files that run by themselves: a file that one of them names runs with it. The readers of
each format would be many and still miss some, so words are compared with the project's paths.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from treadle.policy.named_folders import started_words

_WORD = re.compile(r"[\w.@+~/-]+")
_NAME = re.compile(r"\w+")
_MODULE_OPTION = re.compile(r"(?<![\w-])-m[\"',\s]*([A-Za-z_][\w.]*)")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<from>[\w.]+)[ \t]+import[ \t]+(?P<names>\([^)]{0,1000}\)|[^\n#]+)"
    r"|import[ \t]+(?P<import>[^\n#]+))",
    re.MULTILINE,
)
_PYTHON = re.compile(r"#![^\n]*python")
# With one of these, a module may be in any folder.
_MODULE_PATH = re.compile(r"sys\.path|PYTHONPATH|\s-I\s*\S")
_LOADED = re.compile(r"\b(?:ruby|perl)\b[^\n;|&]{0,300}?\s-[rM]\s?([\w:]+)")
# What a shell reads into itself need not look like a script.
_SOURCED = re.compile(
    r"(?:^|[\s;&|({\"'])(?:\.|source|source_env|source_env_if_exists|source_up|dotenv"
    r"|dotenv_if_exists|env_vars_required|load_prefix)\s+[\"']?([^\s\"';&|)]+)",
    re.MULTILINE,
)
# A line that adds folders to the search path of a shell; mise writes `_.path = ["bin"]`.
_SEARCH_PATH = re.compile(r"^.*(?<![A-Z_])(?:PATH_add|PATH_rm|PATH=|PATH\s\+?=|_\.path).*$", re.M)
_VARIABLE = re.compile(r"\$\w+|\$\{[^}\n]{0,200}\}|%\w+%")
# Lines that only choose files, and rules for a person's coding agent, start nothing.
_SELECTS_ONLY = re.compile(
    r"^[^\S\n]*(?:exclude|files|types|run\s*=).*$"
    r"|\b(?:Bash|Read|Edit|Write|Glob|Grep|MultiEdit|WebFetch)\([^)\n]{0,500}\)",
    re.MULTILINE,
)
_CODE = frozenset(
    (
        *("py", "pyw", "pyi", "js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx"),
        *("rb", "php", "lua", "pl", "java", "kt", "go", "rs"),
    )
)
_SHELLS = frozenset(
    (
        *("sh", "bash", "zsh", "fish", "ksh", "csh", "ps1", "bat", "cmd", "awk", "tcl"),
        *("exs", "r", "jl", "el", "vim", "groovy", "kts"),
    )
)
# Documents, pictures and locks: naming one of them starts nothing.
_DATA = frozenset(
    (
        *("md", "mdx", "rst", "adoc", "txt", "csv", "tsv", "html", "htm", "css", "scss", "less"),
        *("svg", "png", "jpg", "jpeg", "gif", "ico", "pdf", "json", "json5", "lock", "sum", "log"),
        *("xml", "po", "mo", "woff", "woff2", "ttf", "map", "snap", "example", "sample"),
    )
)
# Of these, tools that a person starts read some; hooks name them as a place to look for settings.
_MANIFESTS = re.compile(
    r"(?:pyproject|cargo|pipfile|rustfmt|clippy|ruff|\.?pylintrc|mypy|pytest|tox|setup)"
    r"(?:\.(?:toml|ini|cfg))?"
    r"|go\.(?:mod|work)|gemfile|rakefile|(?:gnu)?makefile|justfile|taskfile\.ya?ml"
    r"|(?:.*\.)?(?:docker|container)file(?:\..*)?|(?:docker-)?compose[\w.-]*\.ya?ml"
    r"|license|readme|changelog|codeowners|\.gitignore|\.gitattributes|\.editorconfig"
    r"|\.prettier.*|\.stylelint.*|\.markdownlint.*|\.yamllint.*|\.flake8|\.shellcheckrc|\.eslintrc\.ya?ml"
)
_ENDINGS = ("", ".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb")
_INSIDES = ("__main__.py", "__init__.py", "index.js", "index.mjs", "index.cjs", "index.ts")
_MOST_WORDS = 20_000
# A name that more files have says nothing about which one is meant.
_MOST_NAMESAKES = 5
_MOST_SEARCHED = 20_000
_MOST_LINKS = 10
_MOST_TREES = 50
_LONGEST_WORD = 4_096
_MOST_PARTS = 20


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """The files of a project, those that may be executed, and its links with their targets."""

    paths: frozenset[str]
    executable: frozenset[str] = frozenset()
    links: Mapping[str, str] = field(default_factory=dict)
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_folder: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Paths that are no single word, such as those with blanks, by the longest name in them.
    odd: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        paths: Iterable[str],
        executable: Iterable[str] = (),
        links: Mapping[str, str] | None = None,
    ) -> "ProjectFiles":
        known, names, folders = frozenset(paths), defaultdict(list), defaultdict(list)
        for path in sorted(known):
            folder, _, name = path.rpartition("/")
            names[name].append(path)
            folders[folder].append(path)
        by_name = {name: tuple(found) for name, found in names.items()}
        by_folder = {folder: tuple(found) for folder, found in folders.items()}
        odd = defaultdict(list)
        for path in sorted(known):
            if not _WORD.fullmatch(path):
                odd[max(_NAME.findall(path), key=len, default="")].append(path)
        by_part = {part: tuple(found) for part, found in odd.items()}
        return cls(known, frozenset(executable), links or {}, by_name, by_folder, by_part)

    def find(self, path: str) -> str:
        """The file that a path leads to, through links of the project; empty if there is none."""
        target = self.lead(path)
        return target if target in self.paths else ""

    def lead(self, path: str) -> str:
        """The path without links of the project; empty if one leaves it, or leads nowhere."""
        for _ in range(_MOST_LINKS):
            parts = path.split("/")
            heads = ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
            link = next((head for head in heads if head in self.links), None)
            if link is None:
                return path
            target = inside(self.links[link], link.rpartition("/")[0])
            if target is None:
                return ""
            path = f"{target}{path[len(link) :]}".lstrip("/")
        return ""


def inside(path: str, folder: str) -> str | None:
    """The path relative to the project, if it does not leave it; empty for the project itself."""
    if path.startswith("/"):
        return None
    parts: list[str] = []
    for part in f"{folder}/{path}".split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def named_files(text: str, path: str, files: ProjectFiles) -> frozenset[str]:
    """The files that a text of this path names and that may run; `path` is empty for a command."""
    folder, ending, script = path.rpartition("/")[0], ending_of(path), ""
    if ending not in _CODE:
        script = _SELECTS_ONLY.sub("", text)
        text = _VARIABLE.sub("", script)
    found: set[str] = set()
    for word in dict.fromkeys(_WORD.findall(text)[:_MOST_WORDS]):
        found.update(_resolve(word, folder, files, by_name=ending not in _CODE))
    for word in _SOURCED.findall(text):
        found.update(_paths_like(word, folder, files))
    is_python = ending in ("py", "pyw") or _PYTHON.match(text) is not None
    anywhere = _MODULE_PATH.search(text) is not None and not ending
    for module in (*_MODULE_OPTION.findall(text), *(_imports(text) if is_python else ())):
        hits = frozenset(_module_files(module, folder, files))
        found.update(hits or (_namesakes(f"{module}.py", files) if anywhere else ()))
    if script:
        found.update(each for each in _started(script, folder, files) if not is_data(each))
    found.update(_with_blanks(text, files))
    return frozenset(found - {path})


def _started(text: str, folder: str, files: ProjectFiles) -> Iterator[str]:
    """What a script starts without naming it: files of a folder, or a name after an interpreter."""
    words = started_words(text)
    for module in _LOADED.findall(text):
        name = module.rpartition("::")[2]
        yield from (*_namesakes(f"{name}.rb", files), *_namesakes(f"{name}.pm", files))
    for name in words.names:
        if "/" not in name and not ending_of(name):
            yield from _namesakes(name, files)
    for start in dict.fromkeys((folder, "")):
        for named in words.folders:
            place = files.lead(inside(named.lstrip("/"), start) or "")
            yield from (each for each in files.by_folder.get(place, ()) if place)
        for named in sorted(words.trees)[:_MOST_TREES]:
            if place := files.lead(inside(named.lstrip("/"), start) or ""):
                yield from (each for each in files.paths if each.startswith(f"{place}/"))


def _namesakes(name: str, files: ProjectFiles) -> tuple[str, ...]:
    found = files.by_name.get(name, ())
    return found if len(found) <= _MOST_NAMESAKES else ()


def program_folders(text: str, path: str) -> frozenset[str]:
    """The folders that a text puts on the search path, as paths of the project."""
    folder = path.rpartition("/")[0]
    lines = (_VARIABLE.sub("", line) for line in _SEARCH_PATH.findall(text))
    words = {word for line in lines for word in _WORD.findall(line)}
    named = (inside(word.lstrip("/"), folder) for word in words if "PATH" not in word)
    return frozenset(name for name in named if name)


def is_data(path: str) -> bool:
    """Whether a file is none that runs, by its name."""
    name = path.rpartition("/")[2].lower()
    return ending_of(path) in _DATA or _MANIFESTS.fullmatch(name) is not None


def ending_of(path: str) -> str:
    """What follows the last dot of a file's name, in lower case."""
    name = path.rpartition("/")[2].lower()
    return name.rpartition(".")[2] if "." in name else ""


def _resolve(word: str, folder: str, files: ProjectFiles, *, by_name: bool) -> Iterator[str]:
    """The files that one word may mean, from the top of the project or from the text's folder."""
    bare = word.rstrip("/.").lstrip("/")
    if not bare or len(bare) > _LONGEST_WORD:
        return
    hits = [hit for hit in _paths_like(bare, folder, files) if _may_run(hit, word, files)]
    yield from hits
    # Behind a variable or an absolute path.
    parts = bare.split("/")
    for start in range(max(1, len(parts) - _MOST_PARTS), len(parts) - 1):
        yield from _paths_like("/".join(parts[start:]), "", files)
    name = parts[-1]
    if by_name and not hits and (ending_of(name) in _CODE | _SHELLS or "/" in word):
        namesakes = files.by_name.get(name, ())
        is_loose = word.startswith(("/", "./")) or len(parts) == 1
        if is_loose and len(namesakes) <= _MOST_NAMESAKES:
            yield from (each for each in namesakes if _may_run(each, word, files))
    if _MODULE.fullmatch(word):
        yield from _module_files(word, folder, files)


def _paths_like(path: str, folder: str, files: ProjectFiles) -> Iterator[str]:
    for start in dict.fromkeys((folder, "")):
        place = inside(path, start)
        if not place:
            continue
        for candidate in (
            *(f"{place}{ending}" for ending in _ENDINGS),
            *(f"{place}/{name}" for name in _INSIDES[2:]),
        ):
            if (hit := files.find(candidate)) and not is_data(hit):
                yield hit


def _may_run(path: str, word: str, files: ProjectFiles) -> bool:
    """Whether a word means a file to run: a plain one without an ending is mostly just a word."""
    return "/" in word or bool(ending_of(path)) or path in files.executable


def _module_files(module: str, folder: str, files: ProjectFiles) -> Iterator[str]:
    """The files of a Python module and of the packages that it is in."""
    stripped = module.lstrip(".")
    ups = "../" * (len(module) - len(stripped) - 1)
    parts = stripped.split(".") if stripped else []
    for start in dict.fromkeys((folder, "")):
        for end in range(1, len(parts) + 1):
            place = inside(f"{ups}{'/'.join(parts[:end])}", start)
            for name in (f"{place}.py", *(f"{place}/{each}" for each in _INSIDES[:2])):
                if place and (hit := files.find(name)):
                    yield hit


def _imports(text: str) -> Iterator[str]:
    for found in _IMPORT.finditer(text):
        if found["import"]:
            yield from (name.split()[0] for name in found["import"].split(",") if name.split())
            continue
        yield found["from"]
        dot = "" if found["from"].endswith(".") else "."
        names = (name.split() for name in found["names"].strip("()\\ ").split(","))
        yield from (f"{found['from']}{dot}{words[0]}" for words in names if words)


def _with_blanks(text: str, files: ProjectFiles) -> Iterator[str]:
    """Paths with blanks are searched for as they are, if the text has their longest name: an agent
    can add any number of them. What is beyond a limit counts as named."""
    searched = 0
    for name in dict.fromkeys(("", *_NAME.findall(text))):
        for path in files.odd.get(name, ()):
            searched += 1
            if (searched > _MOST_SEARCHED or path in text) and not is_data(path):
                yield path
