"""Decides which paths outside the system's directories a project's languages need. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path, PurePath

SYSTEM = (Path("/usr"), Path("/bin"), Path("/sbin"), Path("/nix/store"), Path("/gnu/store"))
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True, slots=True)
class ToolchainQuery:
    """A command that prints where a language is installed: on the PATH may be only a shim of a
    version manager."""

    program: str
    arguments: tuple[str, ...]


# Each command prints the language's root directory.
TOOLCHAIN_QUERIES: Mapping[str, tuple[ToolchainQuery, ...]] = {
    "node": (ToolchainQuery("node", ("-p", "require('path').resolve(process.execPath, '../..')")),),
    "python": (
        ToolchainQuery("python3", ("-I", "-S", "-c", "import sys; print(sys.base_prefix)")),
        ToolchainQuery("python", ("-I", "-S", "-c", "import sys; print(sys.base_prefix)")),
    ),
    "ruby": (
        ToolchainQuery(
            "ruby", ("--disable=gems", "-rrbconfig", "-e", "puts RbConfig::CONFIG['prefix']")
        ),
    ),
    "go": (ToolchainQuery("go", ("env", "GOROOT")),),
    "rust": (ToolchainQuery("rustc", ("--print", "sysroot")),),
}
# Programs that consist of one file.
SINGLE_FILES: Mapping[str, tuple[str, ...]] = {
    "bun": ("bun", "bunx"),
    "node": ("deno",),
    "php": ("php", "composer"),
    "python": ("uv", "uvx"),
}
# Below the home: where version managers and distributions install Python.
PYTHON_FOLDERS = (
    *(".pyenv/versions", ".asdf/installs", ".local/share/asdf/installs", ".rye/py"),
    *(".local/share/uv/python", ".local/share/mise/installs", ".local/share/pypoetry/python"),
    *("miniconda3", "anaconda3", "miniforge3", "mambaforge", ".conda/envs"),
)
PROFILES = ("node", "bun", "python", "ruby", "go", "rust", "php")


@dataclass(frozen=True, slots=True)
class DownloadCache:
    """A directory of downloads below the home, and the variable that names it to the tools."""

    profile: str
    folder: str
    variable: str


# Only of what is public: the module cache of Go holds private modules of other projects, and
# addresses with passwords.
CACHES = (
    DownloadCache("node", ".cache/ms-playwright", "PLAYWRIGHT_BROWSERS_PATH"),
    DownloadCache("python", ".cache/ms-playwright", "PLAYWRIGHT_BROWSERS_PATH"),
)


@dataclass(frozen=True, slots=True)
class FoundToolchains:
    """What this machine has: the languages' root directories, single programs and caches."""

    roots: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    caches: Mapping[str, Path] | None = None


@dataclass(frozen=True, slots=True)
class Toolchains:
    """What the sandbox shows of them."""

    readable: tuple[Path, ...]
    path: str
    environment: Mapping[str, str]
    # Root directories that would expose private paths.
    refused: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class PrivatePaths:
    """Paths that no toolchain may expose, under any of their names."""

    # These and what is above them stay hidden; what is below them may be shown.
    kept: tuple[Path, ...]
    # What is below these stays hidden, too: the project, which agents write, and Treadle's own
    # directory.
    closed: tuple[Path, ...]
    # Follows links.
    real: Callable[[Path], Path]

    def is_exposed_by(self, path: Path) -> bool:
        """Whether showing the path, or the target of its links, would expose a private path."""
        kept = self._every_name((*self.kept, *self.closed))
        closed = self._every_name(self.closed)
        return any(
            contains_private(name, kept) or any(is_within(name, other) for other in closed)
            for name in self._every_name((path,))
        )

    def _every_name(self, paths: Iterable[Path]) -> tuple[Path, ...]:
        names = (name for path in paths for name in (Path(normpath(path)), self.real(path)))
        return tuple(dict.fromkeys(names))


def choose_toolchains(
    found: FoundToolchains, *, search_path: Iterable[str], private: PrivatePaths
) -> Toolchains:
    """The roots that expose nothing private, and a PATH of directories that the sandbox shows and
    agents cannot write to."""
    outside = [root for root in dict.fromkeys(found.roots) if not is_in_system(root)]
    refused = tuple(root for root in outside if private.is_exposed_by(root))
    roots = [root for root in outside if root not in refused]
    files = [
        file
        for file in dict.fromkeys(found.files)
        if not is_in_system(file) and not private.is_exposed_by(file)
    ]
    caches = {
        variable: folder
        for variable, folder in (found.caches or {}).items()
        if not private.is_exposed_by(folder)
    }
    entries = [
        *(str(root / "bin") for root in roots),
        *(str(file.parent) for file in files),
        *(entry for entry in search_path if is_in_system(Path(entry))),
        *SYSTEM_PATH,
    ]
    return Toolchains(
        readable=(*roots, *files, *dict.fromkeys(caches.values())),
        path=":".join(dict.fromkeys(entries)),
        environment={variable: str(folder) for variable, folder in caches.items()},
        refused=refused,
    )


def is_in_system(path: Path) -> bool:
    """Whether every sandbox shows the path; one with `..` may lead anywhere."""
    has_parent = ".." in path.parts
    return path.is_absolute() and not has_parent and any(is_within(path, top) for top in SYSTEM)


def is_within(path: PurePath, top: PurePath) -> bool:
    """Whether the path is this directory or below it."""
    return path == top or top in path.parents


def contains_private(path: PurePath, private: Iterable[PurePath]) -> bool:
    """Whether the path is one of the private ones, or has one of them below it."""
    return any(path == other or path in other.parents for other in private)


def private_paths(home: Path, root: Path) -> tuple[Path, ...]:
    """Directories that hold much besides toolchains, so neither they nor what is above them may be
    shown. Treadle's own directory holds credentials and other runs."""
    shared = (".config", ".local", ".local/share", ".local/bin", ".cache", ".cargo", ".ssh")
    return (home, root, *(home / name for name in shared))


def find_venv_root(
    configuration: str, exists: Callable[[Path], bool], *, home: Path, real: Callable[[Path], Path]
) -> Path | None:
    """The prefix of a virtual environment's Python, according to its pyvenv.cfg.

    An agent may have changed that file. So the prefix must look like an installed Python, and below
    the home it must be where a tool installs Pythons.
    """
    for line in configuration.splitlines():
        key, _, value = line.partition("=")
        folder = Path(value.strip())
        if key.strip() != "home" or not folder.is_absolute() or folder.name != "bin":
            continue
        names = (folder.parent, real(folder.parent))
        if ".." in folder.parts or not all(_may_be_python(name, home, real) for name in names):
            continue
        library = folder.parent / "lib"
        versions = [f"python3.{minor}" for minor in range(8, 30)]
        if any(
            exists(folder / version) and exists(library / version / "os.py") for version in versions
        ):
            return folder.parent
    return None


def _may_be_python(root: Path, home: Path, real: Callable[[Path], Path]) -> bool:
    homes = [name for name in (home, real(home)) if is_within(root, name)]
    return not homes or any(
        is_within(root, name / kept) for name in homes for kept in PYTHON_FOLDERS
    )
