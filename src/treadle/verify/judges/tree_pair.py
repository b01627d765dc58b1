"""The trees of the base and of the work that are compared, as far as they were read. Types only."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.domain.check import FileChange

# By path; None for a file that cannot be read: too large, a link, a submodule.
Contents = Mapping[str, bytes | None]


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
