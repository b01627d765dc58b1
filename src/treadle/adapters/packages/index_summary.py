"""What `treadle doctor` says about the package indexes. Pure."""

from dataclasses import dataclass
from typing import Literal

from treadle.adapters.packages.package_sources import PackageSources
from treadle.domain.package_index import PackageIndex


@dataclass(frozen=True, slots=True)
class IndexFinding:
    """One line about the indexes, and how to put it right."""

    verdict: Literal["good", "warning"]
    text: str
    fix: str = ""


def summarize_sources(sources: PackageSources) -> tuple[IndexFinding, ...]:
    """The indexes in use, with those that have a login, and everything that is not in use."""
    return (
        *(IndexFinding("good", line) for line in _lines(sources.indexes)),
        *(
            IndexFinding(
                "warning",
                f"{each.file} names {each.index.url}, which your own tools do not",
                "add it to the configuration of your own tool, or, without a login, "
                f'sandbox.hosts = ["{each.index.host}"]',
            )
            for each in sources.project_indexes
        ),
        *(
            IndexFinding("warning", f"{each.tool}: {each.url}".rstrip(": "), each.advice)
            for each in sources.unsupported
        ),
        *(
            IndexFinding("warning", f"{each.tool} is skipped: {each.reason}")
            for each in sources.skipped
        ),
    )


def _lines(indexes: tuple[PackageIndex, ...]) -> list[str]:
    kinds = dict.fromkeys(index.kind for index in indexes)
    return [
        f"{kind}: {', '.join(_name(index) for index in indexes if index.kind == kind)}"
        for kind in kinds
    ]


def _name(index: PackageIndex) -> str:
    return f"{index.url} (login)" if index.authorization else index.url
