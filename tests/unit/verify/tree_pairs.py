"""Makes pairs of trees from texts, and plans from them as a reader of git would."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from treadle.domain.check import FileChange, FileChangeKind
from treadle.domain.pin_plan import PinPlan
from treadle.verify.judges.tree_pair import TreePair
from treadle.verify.pins.pin_plan import content_paths, plan_pins

Files = Mapping[str, str]
BASE = "b" * 40


@dataclass(frozen=True)
class Work:
    """The files of a base, and what the work made of them; None removes a file."""

    command: str
    base: Files
    changes: Mapping[str, str | None]
    links: frozenset[str] = frozenset()
    base_links: Mapping[str, str] = field(default_factory=dict)

    @property
    def work(self) -> Files:
        files: dict[str, str | None] = {**self.base, **self.changes}
        return {path: text for path, text in files.items() if text is not None}


def read_pair(base: Files, work: Files, links: frozenset[str] = frozenset()) -> TreePair:
    """Two trees whose contents are all read."""
    unread = pair_of(base, work, links)
    return replace(
        unread,
        base_contents={path: text.encode() for path, text in base.items()},
        work_contents={path: text.encode() for path, text in work.items()},
    )


def pair_of(base: Files, work: Files, links: frozenset[str] = frozenset()) -> TreePair:
    """Two trees of which nothing is read yet."""
    kinds: dict[str, FileChangeKind] = {
        **dict.fromkeys(work.keys() - base.keys(), "added"),
        **dict.fromkeys(base.keys() - work.keys(), "removed"),
        **{path: "changed" for path in base.keys() & work.keys() if base[path] != work[path]},
    }
    changes = tuple(FileChange(path, kinds[path]) for path in sorted(kinds))
    return TreePair(BASE, frozenset(base), frozenset(work), changes, links=links)


def plan_of(work: Work, setup: str = "") -> PinPlan:
    """The plan, with no more read than is asked for."""
    pair = replace(pair_of(work.base, work.work, work.links), base_links=work.base_links)
    while missing := content_paths(work.command, pair, setup):
        pair = replace(
            pair,
            base_contents={**pair.base_contents, **_contents(work.base, missing)},
            work_contents={**pair.work_contents, **_contents(work.work, missing)},
        )
    return plan_pins(work.command, pair, setup)


def actions_of(work: Work, setup: str = "") -> dict[str, str]:
    """What happens to each file that the pinned tree does not take from the work."""
    plan = plan_of(work, setup)
    return {
        **{file.path: file.action for file in plan.files},
        **{file.path: "mixed" for file in plan.mixed},
    }


def _contents(files: Files, paths: tuple[str, ...]) -> dict[str, bytes]:
    return {path: files[path].encode() for path in paths if path in files}
