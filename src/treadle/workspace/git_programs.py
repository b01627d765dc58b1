"""The programs that the user has configured for git, and which changed files they are for. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

# The variable with the empty value that switches a setting off.
EMPTY_VARIABLE = "TREADLE_EMPTY"

_FILTER = re.compile(r"filter\.(?P<name>.+)\.(?P<setting>clean|smudge|process|required)", re.DOTALL)
_HOOK = re.compile(r"hook\.(?P<name>.+)\.(?:command|event)", re.DOTALL)
# Writes what it reads: `nbstripout` and others set it so that git finds a filter for both ways.
_COPIES = ("", "cat")
_LFS = re.compile(r"(?:\S*/)?git[- ]lfs\s")
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class GitFilter:
    """A filter of the user's: the commands that change a file on its way to or from the disk."""

    name: str
    clean: str = ""
    smudge: str = ""
    process: str = ""

    @property
    def writes_other_bytes(self) -> bool:
        """Whether a file on disk is other than what git has of it."""
        return bool(self.process.strip()) or self.smudge.strip() not in _COPIES

    @property
    def is_lfs(self) -> bool:
        """Whether it is the one of Git LFS, which leaves all files alone but pointers."""
        commands = [command for command in (self.smudge, self.process) if command.strip()]
        return bool(commands) and all(_LFS.match(command) for command in commands)


@dataclass(frozen=True, slots=True)
class GitPrograms:
    """The filters by name, and the names of hooks that the configuration defines."""

    filters: Mapping[str, GitFilter] = field(default_factory=dict)
    hooks: tuple[str, ...] = ()

    @property
    def switched_off(self) -> tuple[str, ...]:
        """Options for git by which no filter and no such hook runs; a name may hold any letter."""
        keys = [
            *(
                f"filter.{name}.{setting}"
                for name in self.filters
                for setting in ("clean", "smudge", "process", "required")
            ),
            *(f"hook.{name}.enabled" for name in self.hooks),
        ]
        return tuple(f"--config-env={key}={EMPTY_VARIABLE}" for key in keys)


@dataclass(frozen=True, slots=True)
class ChangedBlob:
    """A file of the work that differs from the snapshot."""

    path: str
    blob: str


@dataclass(frozen=True, slots=True)
class FilteredFile:
    """A file of the work that git would write to disk through a program."""

    path: str
    filter: str


def parse_programs(listing: str) -> GitPrograms:
    """Parse `git config --null --list`; of several values the last one counts."""
    found: dict[str, dict[str, str]] = {}
    hooks: dict[str, None] = {}
    for entry in filter(None, listing.split("\0")):
        key, _, value = entry.partition("\n")
        if match := _FILTER.fullmatch(key):
            found.setdefault(match["name"], {})[match["setting"]] = value
        elif match := _HOOK.fullmatch(key):
            hooks[match["name"]] = None
    filters = {
        name: GitFilter(name, *(commands.get(each, "") for each in ("clean", "smudge", "process")))
        for name, commands in found.items()
    }
    return GitPrograms(filters, tuple(hooks))


def parse_filter_names(listing: str) -> dict[str, str]:
    """Parse `git check-attr -z filter`: the filter of each path that has one."""
    fields = listing.split("\0")
    triples = zip(fields[0::3], fields[1::3], fields[2::3], strict=False)
    unnamed = ("unspecified", "unset", "set")
    return {path: value for path, _, value in triples if value not in unnamed}


def find_filtered(
    programs: GitPrograms,
    changed: Sequence[ChangedBlob],
    attributes: Iterable[Mapping[str, str]],
    pointers: Iterable[str],
) -> tuple[FilteredFile, ...]:
    """The changed files that would be other ones on disk without their filter.

    `attributes` are the filters of paths by each source of attributes that may count; `pointers`
    are the blobs that are pointers of Git LFS.
    """
    pointing = frozenset(pointers)
    filtered: dict[FilteredFile, None] = {}
    for names in attributes:
        for each in changed:
            used = programs.filters.get(names.get(each.path, ""))
            if used is None or not used.writes_other_bytes:
                continue
            if not used.is_lfs or each.blob in pointing:
                filtered[FilteredFile(each.path, used.name)] = None
    return tuple(filtered)


def filtered_reason(filtered: Sequence[FilteredFile]) -> str:
    """Why such work does not land, for the user."""
    paths = list(dict.fromkeys(each.path for each in filtered))
    names = ", ".join(dict.fromkeys(repr(each.filter) for each in filtered))
    more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
    listed = ", ".join(paths[:_MOST_NAMES])
    return (
        f"{listed}{more} would pass the filter {names} of your git, and landing starts no program: "
        "see what the work changes with `treadle diff`, then merge it yourself"
    )
