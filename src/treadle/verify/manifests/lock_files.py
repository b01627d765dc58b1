"""Decides whether a lock file of the work is taken: only if it points to no other place. Pure."""

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from treadle.verify.manifests.package_names import is_free_name, is_test_package

LOCK_FILES = frozenset(
    {
        *("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"),
        *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "Cargo.lock", "go.sum"),
        *("Gemfile.lock", "gems.locked", "composer.lock", "mix.lock", "pubspec.lock", "deno.lock"),
        *("pylock.toml", "Package.resolved", "packages.lock.json", "gradle.lockfile"),
    }
)
# Something of this machine, of a repository, or under another name.
_FOREIGN = re.compile(
    r"\b(?:file|link|portal|patch|exec|git\+\w+|git|ssh|github|gitlab|bitbucket):"
    r"|\"link\"\s*:\s*true|\b(?:directory|editable|virtual|develop|path)\s*[=:]\s*[\"'{]?"
    r"|\btype\"?\s*[=:]\s*[\"']?(?:file|directory|git|url|path)\b"
    r"|@npm:@?[\w.-]+(?:/[\w.-]+)?@|\bnpm:@?[\w./-]+@\d|^\s*(?:PATH|GIT|PLUGIN SOURCE)\s*$"
    r"|^\s*remote:\s*[./]|\bsource\s*=\s*\"(?:git|path)|\{:(?:git|path)\b"
)
# What looks so in a lock file of this name and is as usual. Packages of composer say where their
# source would be, besides the archive that is used.
_USUAL: dict[str, re.Pattern[str]] = {
    "yarn.lock": re.compile(r"#(?:optional!)?builtin<compat/|#~builtin<compat/|builtin%3Ccompat"),
    "deno.lock": re.compile(r"\"(?:npm|jsr):"),
    "composer.lock": re.compile(r"\"type\"\s*:\s*\"(?:git|zip)\"|\"url\"\s*:\s*\"https://"),
    "uv.lock": re.compile(r"source = \{ (?:editable|virtual) = \"\.\" \}"),
}
_SOURCE = re.compile(r"\bresolved\b|\btarball\b|\bregistry\b|\burl\s*=|\bremote:")
_HOST = re.compile(r"\bhttps?://([^/\"'\s]+)")


def merge_lock(name: str, base: bytes | None, work: bytes) -> bytes | None:
    """The work's, or None if it points to something local or elsewhere that the base has not."""
    known = set(_lines(base or b""))
    added = [line for line in _lines(work) if line not in known]
    usual = _USUAL.get(name)
    foreign = [
        line
        for line in added
        if _FOREIGN.search(line) and not (usual is not None and usual.search(line))
    ]
    hosts = _hosts(known)
    if foreign or (hosts and not _hosts(added) <= hosts):
        return None
    if name in ("package-lock.json", "npm-shrinkwrap.json") and not _has_own_archives(base, work):
        return None
    return work


def _hosts(lines: list[str] | set[str]) -> set[str]:
    return {host for line in lines for host in _hosts_of_line(line)}


def _hosts_of_line(line: str) -> Iterator[str]:
    """The first host behind each source. One search for both would begin anew at each of many
    sources without a host."""
    end = 0
    while (source := _SOURCE.search(line, end)) and (host := _HOST.search(line, source.end())):
        yield host[1]
        end = host.end()


def _has_own_archives(base: bytes | None, work: bytes) -> bool:
    """Whether the archive of each package has the package's own name, and each link is to a
    package of the project that takes no other's place."""
    try:
        before = _packages(base) if base else {}
        packages = _packages(work)
    except (ValueError, RecursionError, AttributeError):
        return False
    return all(
        _resolved(before.get(path)) == url
        or (path not in before and _is_own_package(path, entry, packages))
        or f"/{posixpath.basename(path)}-" in url
        for path, entry in packages.items()
        if (url := _resolved(entry))
    )


def _packages(content: bytes) -> dict[str, Any]:
    packages: dict[str, Any] = json.loads(content).get("packages") or {}
    return dict(packages.items())


def _resolved(entry: object) -> str:
    resolved = entry.get("resolved") if isinstance(entry, dict) else None
    return resolved if isinstance(resolved, str) else ""


def _is_own_package(path: str, link: dict[str, Any], packages: dict[str, Any]) -> bool:
    """Whether an entry is a link to a package of the same workspace under the package's name."""
    folder, name = link["resolved"], path.removeprefix("node_modules/")
    target = packages.get(folder)
    if link.get("link") is not True or not isinstance(target, dict) or "node_modules" in folder:
        return False
    return name == target.get("name", folder) and is_free_name(name) and not is_test_package(name)


def _lines(content: bytes) -> list[str]:
    return [line.strip() for line in content.decode(errors="replace").splitlines()]
