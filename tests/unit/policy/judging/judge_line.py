"""A project on the disk with what the case files need, and lines judged in it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.domain.shell import ParserUnavailable
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext, SystemLookups
from treadle.wiring.policy import split_profile, system_lookups

SAID: dict[type[PolicyDecision], str] = {Allow: "allow", Ask: "ask", Deny: "deny"}

Judged = Callable[[str], PolicyDecision]


def project_at(place: Path) -> Path:
    """The one fixture that the case files speak of: a link that leads out."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "link_to_outside").symlink_to("/tmp")
    return place


def context(root: Path | str, profile: str = "default") -> ShellContext:
    profiles, destructive = split_profile(profile)
    return ShellContext(str(root), profiles=profiles, destructive=destructive)


def said(line: str, given: ShellContext, looks: SystemLookups | None = None) -> str:
    """The decision alone."""
    return SAID[type(decide_line(line, given, lookups=looks or system_lookups()))]


def empty_disk(*, directories: frozenset[str] = frozenset()) -> SystemLookups:
    """A disk without links and programs, and without a second parser."""
    return SystemLookups(
        real_path=lambda path: path,
        which=lambda name: None,
        what_is=lambda path: "directory" if path in directories else "",
        shfmt=lambda line: ParserUnavailable("there is none"),
    )


def with_links(looks: SystemLookups, links: dict[str, str]) -> SystemLookups:
    """The same disk, with paths that lead elsewhere."""

    def follow(path: str) -> str:
        for link, target in links.items():
            if path == link or path.startswith(f"{link}/"):
                return target + path.removeprefix(link)
        return path

    return replace(looks, real_path=follow)
