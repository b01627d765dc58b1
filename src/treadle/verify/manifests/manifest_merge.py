"""Merges a mixed manifest: what judges comes from the base, dependencies from the work. Pure.

One function for each format is in `manifests/`.
"""

import posixpath
import re
from collections.abc import Callable
from functools import partial

from treadle.verify.manifests import line_manifests
from treadle.verify.manifests.cargo_manifest import merge_cargo
from treadle.verify.manifests.json_manifests import merge_composer_json, merge_package_json
from treadle.verify.manifests.line_manifests import (
    LineManifest,
    merge_gemfile,
    merge_go_mod,
    merge_lines,
    merge_requirements_file,
)
from treadle.verify.manifests.lock_files import LOCK_FILES, merge_lock
from treadle.verify.manifests.pytest_settings import merge_pytest_ini
from treadle.verify.manifests.python_manifests import (
    merge_first_settings,
    merge_pipfile,
    merge_pyproject,
)
from treadle.verify.manifests.setup_cfg import merge_setup_cfg
from treadle.verify.manifests.source_lists import merge_makefile, merge_pom, merge_source_list
from treadle.verify.manifests.tsconfig import merge_tsconfig

# The content of the pinned tree by those of the base, if there is one, and of the work; None: the
# work's cannot be taken, so it is the base's or none.
Merge = Callable[[bytes | None, bytes], bytes | None]

_REQUIREMENTS = re.compile(r"(?:[\w.-]*-)?(?:requirements|constraints)[\w.-]*\.(?:txt|in)")
_SOURCE_LISTS = re.compile(r"CMakeLists\.txt|meson\.build|BUILD(?:\.bazel)?")
_TSCONFIGS = re.compile(r"[tj]sconfig(?:\.[\w.-]+)?\.json")
_MAKEFILES = re.compile(r"GNUmakefile|[Mm]akefile(?:\.am)?|.*\.mk")


def first_settings_merge(path: str) -> Merge | None:
    """The function for a project whose base has no settings of pytest: harmless ones are kept."""
    return _FIRST_SETTINGS.get(path) or manifest_merge(path)


def manifest_merge(path: str) -> Merge | None:
    """The function that merges a file of this name; None for a file that is no manifest."""
    name = posixpath.basename(path)
    if name in LOCK_FILES:
        return partial(merge_lock, name)
    if merge := _MERGES.get(name):
        return merge
    if _REQUIREMENTS.fullmatch(name):
        return merge_requirements_file
    if name.endswith(".gemspec"):
        return partial(_merge_changed, partial(merge_lines, line_manifests.GEMSPEC))
    if _TSCONFIGS.fullmatch(name):
        return partial(_merge_changed, merge_tsconfig)
    if _MAKEFILES.fullmatch(name):
        return partial(_merge_changed, merge_makefile)
    return partial(_merge_changed, merge_source_list) if _SOURCE_LISTS.fullmatch(name) else None


def _merge_changed(
    merge: Callable[[bytes, bytes], bytes | None], base: bytes | None, work: bytes
) -> bytes | None:
    """Of a manifest that is code, an added one cannot be taken."""
    return None if base is None else merge(base, work)


def _of_lines(manifest: LineManifest) -> Merge:
    return partial(_merge_changed, partial(merge_lines, manifest))


_MERGES: dict[str, Merge] = {
    "package.json": merge_package_json,
    "composer.json": merge_composer_json,
    "pyproject.toml": merge_pyproject,
    "Pipfile": merge_pipfile,
    "setup.cfg": merge_setup_cfg,
    "Cargo.toml": merge_cargo,
    "go.mod": merge_go_mod,
    "Gemfile": merge_gemfile,
    "gems.rb": merge_gemfile,
    "build.gradle": _of_lines(line_manifests.GRADLE),
    "build.gradle.kts": _of_lines(line_manifests.GRADLE),
    "mix.exs": _of_lines(line_manifests.MIX),
    "build.sbt": _of_lines(line_manifests.SBT),
    "pubspec.yaml": _of_lines(line_manifests.PUBSPEC),
    "pom.xml": partial(_merge_changed, merge_pom),
}
_FIRST_SETTINGS: dict[str, Merge] = {
    "pyproject.toml": merge_first_settings,
    "pytest.ini": merge_pytest_ini,
}
