"""Merges manifests by lines: plain dependencies from the work, all else from the base. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from treadle.verify.manifests.package_names import is_test_package, requirement_name

_QUOTED = r"""(?:"[^"'$#{}:/\\@]*"|'[^"'$#{}:/\\@]*')"""
_GRADLE_SCOPES = (
    "api|implementation|compileOnly|runtimeOnly|annotationProcessor|kapt|ksp|"
    "(?:test|androidTest|debug|release)(?:Implementation|CompileOnly|RuntimeOnly)"
)
_BLANK = r"\s*(?:[#].*|//.*)?"
# Of both sides; more of them take too long to compare.
MOST_LINES = 4_000


@dataclass(frozen=True, slots=True)
class LineManifest:
    """A manifest whose plain dependencies are lines of this form; `name` is the package."""

    dependency: re.Pattern[str]


GEMFILE = LineManifest(
    re.compile(rf"\s*gem\s*\(?\s*[\"'](?P<name>[\w./-]+)[\"'](?:\s*,\s*{_QUOTED})*\s*\)?{_BLANK}")
)
GEMSPEC = LineManifest(
    re.compile(
        rf"\s*\w+\.add_(?:runtime_|development_)?dependency\s*\(?\s*[\"'](?P<name>[\w./-]+)[\"']"
        rf"(?:\s*,\s*{_QUOTED})*\s*\)?{_BLANK}"
    )
)
GRADLE = LineManifest(
    re.compile(
        rf"\s*(?:{_GRADLE_SCOPES})\s*\(?\s*[\"'](?P<name>[\w.-]+:[\w.-]+)(?::[\w.+-]+)?[\"']\s*\)?{_BLANK}"
    )
)
MIX = LineManifest(re.compile(rf"\s*\{{\s*:(?P<name>\w+)\s*,\s*{_QUOTED}\s*\}}\s*,?{_BLANK}"))
SBT = LineManifest(
    re.compile(
        rf"\s*(?:libraryDependencies\s*\+=\s*)?\"(?P<name>[\w.-]+)\"\s*%%?%?\s*\"[\w.-]+\"\s*%\s*\"[\w.-]+\""
        rf"(?:\s*%\s*(?:Test|\"\w+\"))?\s*,?{_BLANK}"
    )
)
PUBSPEC = LineManifest(
    re.compile(rf"  (?P<name>\w+):\s*(?:any|[\"']?[\^<>=\d][\w.^<>= +-]*[\"']?){_BLANK}")
)

_GEMFILE_LINE = re.compile(
    r"(?:#.*)?|source\s+[\"']https://[\w.-]+/?[\"']|ruby\s+[\"'][\w.~>= ]+[\"']"
    r"|group\s*\(?\s*:\w+(?:\s*,\s*:\w+)*\s*\)?\s+do|end"
)
_GO_DIRECTIVE = re.compile(r"(\w+)\b")
_GO_OF_BASE = frozenset(
    {"replace", "exclude", "retract", "toolchain", "tool", "godebug", "ignore", "module"}
)


def merge_lines(manifest: LineManifest, base: bytes, work: bytes) -> bytes:
    """The base with the plain dependencies that the work added or changed."""
    before, after = _lines(base), _lines(work)
    if len(before) + len(after) > MOST_LINES:
        return base
    merged: list[str] = []
    for action, *span in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        start, end, work_start, work_end = span
        if action == "equal":
            merged += before[start:end]
            continue
        # What is no plain dependency stays, and so do test packages.
        merged += [line for line in before[start:end] if not _is_plain(manifest, line)]
        merged += [line for line in after[work_start:work_end] if _is_plain(manifest, line)]
    text = "".join(merged).encode(errors="surrogateescape")
    return work if _lines(text) == after else text


def merge_gemfile(base: bytes | None, work: bytes) -> bytes | None:
    """The same for a Gemfile; an added one is taken if it has plain lines alone."""
    if base is not None:
        return merge_lines(GEMFILE, base, work)
    is_plain = all(
        GEMFILE.dependency.fullmatch(line.rstrip("\n")) or _GEMFILE_LINE.fullmatch(line.strip())
        for line in _lines(work)
    )
    return work if is_plain else None


def merge_requirements_file(base: bytes | None, work: bytes) -> bytes:
    """The plain requirements of the work, and the other lines of the base."""
    known = {requirement_name(line.strip()): line for line in _lines(base or b"")}
    # In order; as keys, since there may be many.
    other = dict.fromkeys(line for line in _lines(base or b"") if not _is_requirement(line))
    kept = []
    for line in _lines(work):
        name = requirement_name(line.strip())
        if name and is_test_package(name) and name in known:
            kept.append(known[name])
        elif _is_requirement(line) or line in other:
            kept.append(line)
    taken = set(kept)
    missing = [line for line in other if line not in taken]
    tests = [line for name, line in known.items() if is_test_package(name) and line not in taken]
    merged = "".join([*missing, *kept, *tests])
    return work if _lines(merged.encode()) == _lines(work) else merged.encode()


def merge_go_mod(base: bytes | None, work: bytes) -> bytes:
    """What is required as in the work; what replaces or excludes modules as in the base."""
    work_lines = list(_go_lines(_lines(work)))
    if base is None:
        kept = [line for directive, line in work_lines if directive not in _GO_OF_BASE - {"module"}]
        merged = "".join(kept)
    else:
        base_lines = list(_go_lines(_lines(base)))
        of_base = [line for directive, line in base_lines if directive in _GO_OF_BASE]
        if of_base == [line for directive, line in work_lines if directive in _GO_OF_BASE]:
            return work
        merged = "".join(
            [*of_base, *(line for name, line in work_lines if name not in _GO_OF_BASE)]
        )
    return work if merged.encode() == work else merged.encode()


def _go_lines(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line with its directive, also inside of parentheses."""
    block = ""
    for line in lines:
        found = _GO_DIRECTIVE.match(line.strip())
        directive = block or (found[1] if found else "")
        if not block and line.partition("//")[0].rstrip().endswith("("):
            block = directive
        elif line.strip().startswith(")"):
            block = ""
        yield directive, line


def _is_plain(manifest: LineManifest, line: str) -> bool:
    found = manifest.dependency.fullmatch(line.rstrip("\n"))
    return found is not None and not is_test_package(found["name"])


def _is_requirement(line: str) -> bool:
    text = re.sub(r"(?:^|\s)#.*", "", line).strip()
    return not text or bool(requirement_name(text)) or text.startswith("--hash=")


def _lines(content: bytes) -> list[str]:
    text = content.decode(errors="surrogateescape")
    lines = text.splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
