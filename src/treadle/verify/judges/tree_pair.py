"""The trees of the base and of the work that are compared, as far as they were read. Types only."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from treadle.domain.check import FileChange

# By path; None for a file that cannot be read: too large, a link, a submodule.
Contents = Mapping[str, bytes | None]
# One link may lead to another.
_MOST_LINKS = 4


@dataclass(frozen=True, slots=True)
class TreePair:
    """Two trees: their paths, what differs, and the contents that were read so far."""

    # The commit whose judges count.
    base: str
    base_paths: frozenset[str]
    work_paths: frozenset[str]
    changes: tuple[FileChange, ...]
    base_contents: Contents = field(default_factory=dict, repr=False)
    work_contents: Contents = field(default_factory=dict, repr=False)
    # Paths of the work that are symbolic links or submodules.
    links: frozenset[str] = frozenset()
    # Where the links of the base lead, as they are written.
    base_links: Mapping[str, str] = field(default_factory=dict)

    def linked_names(self, path: str) -> Iterator[tuple[str, str]]:
        """The folder and the name by which each link of the base leads to a file."""
        names = {path}
        for _ in range(_MOST_LINKS):
            new = set()
            for link, written in self.base_links.items():
                folder, own = posixpath.split(link)
                target = posixpath.normpath(posixpath.join(folder, written))
                for each in names:
                    if each == target or each.startswith(f"{target}/"):
                        rest = each.removeprefix(target)
                        new.add(f"{link}{rest}")
                        yield folder, f"{own}{rest}"
            if not (names := new):
                return

    def own_name(self, path: str) -> str:
        """The path without the folder of a link: tests may link to the product."""
        return posixpath.basename(path) if path in self.base_links else path

    def linked_paths(self) -> frozenset[str]:
        """The paths by which links of the base lead to changed files."""
        names = (name for each in self.changes for name in self.linked_names(each.path))
        return frozenset(posixpath.join(*name) for name in names)

    @property
    def added(self) -> frozenset[str]:
        return frozenset(each.path for each in self.changes if each.how == "added")

    def base_text(self, path: str) -> str:
        """The text of a file of the base; empty if there is none, or it was not read."""
        return (self.base_contents.get(path) or b"").decode(errors="replace")

    def work_text(self, path: str) -> str:
        return (self.work_contents.get(path) or b"").decode(errors="replace")

    def has_read(self, path: str) -> bool:
        return path in self.base_contents or path in self.work_contents
