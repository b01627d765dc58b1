"""Merges pyproject.toml and Pipfile: what judges from the base, the rest from the work. Pure."""

import re
from typing import Any

from treadle.verify.manifests.package_names import (
    Table,
    is_free_name,
    is_test_package,
    merge_requirements,
    merge_versions,
    requirement_name,
)
from treadle.verify.manifests.pytest_settings import harmless_options
from treadle.verify.manifests.toml_tables import PLAIN, items, merge_toml, table

_BACKENDS = frozenset(
    {
        *("setuptools.build_meta", "hatchling.build", "flit_core.buildapi", "pdm.backend"),
        *("poetry.core.masonry.api", "uv_build", "maturin", "scikit_build_core.build", "mesonpy"),
    }
)
# Groups of entry points that a runner or a build tool loads.
_LOADED_GROUPS = re.compile(
    r"pytest11|nose|distutils|setuptools|flake8|pylint|coverage|tox|hypothesis|mypy|pip"
)
_POETRY_KEYS = frozenset(
    {
        *("name", "version", "description", "license", "authors", "maintainers", "readme", "urls"),
        *("homepage", "repository", "documentation", "keywords", "classifiers", "packages"),
        *("include", "exclude", "dependencies", "dev-dependencies", "extras", "scripts"),
    }
)
_SETUPTOOLS_KEYS = frozenset(
    {
        *("packages", "package-dir", "py-modules", "package-data", "exclude-package-data"),
        *("include-package-data", "dynamic", "zip-safe"),
    }
)


def merge_pyproject(base: bytes | None, work: bytes) -> bytes | None:
    """None if one of them is not readable."""
    return merge_toml(base, work, _merge_pyproject)


def merge_first_settings(base: bytes | None, work: bytes) -> bytes | None:
    """The same for a project without settings of pytest: the harmless ones of the work count."""
    return merge_toml(base, work, _merge_first_settings)


def merge_pipfile(base: bytes | None, work: bytes) -> bytes | None:
    return merge_toml(base, work, _merge_pipfile)


def _merge_pyproject(base: Table, work: Table) -> dict[str, Any]:
    project = _merge_project(table(base, "project"), table(work, "project"))
    groups = {
        name: merge_requirements(items(table(base, "dependency-groups"), name), group)
        for name, group in table(work, "dependency-groups").items()
        if isinstance(group, list)
    }
    return {
        **{key: value for key, value in base.items() if key not in ("project", "tool")},
        "build-system": _build_system(table(base, "build-system"), table(work, "build-system")),
        "project": project,
        "dependency-groups": groups,
        "tool": _merge_tools(table(base, "tool"), table(work, "tool")),
    }


def _merge_project(base: Table, work: Table) -> dict[str, Any]:
    if not base and not is_free_name(str(work.get("name", ""))):
        return {}
    known = {requirement_name(str(each)) for each in items(base, "dependencies")}
    merged = dict(work)
    if "name" in base:
        merged["name"] = base["name"]
    if "dependencies" in work:
        merged["dependencies"] = merge_requirements(
            items(base, "dependencies"), items(work, "dependencies")
        )
    if "optional-dependencies" in work:
        extras = table(base, "optional-dependencies")
        merged["optional-dependencies"] = {
            name: merge_requirements(
                items(extras, name), items(table(work, "optional-dependencies"), name)
            )
            for name in table(work, "optional-dependencies")
        }
    for key in ("scripts", "gui-scripts"):
        if key in work:
            merged[key] = _free_scripts(table(base, key), table(work, key), known)
    merged["entry-points"] = _entry_points(table(base, "entry-points"), table(work, "entry-points"))
    return {key: value for key, value in merged.items() if value != {} or work.get(key) == {}}


def _free_scripts(base: Table, work: Table, known: set[str]) -> dict[str, Any]:
    return {
        name: value for name, value in work.items() if name in base or is_free_name(name, known)
    }


def _entry_points(base: Table, work: Table) -> dict[str, Any]:
    """Groups that tools load by themselves are those of the base."""
    kept = {name: group for name, group in work.items() if not _LOADED_GROUPS.match(name)}
    loaded = {name: group for name, group in base.items() if _LOADED_GROUPS.match(name)}
    return {**kept, **loaded}


def _build_system(base: Table, work: Table) -> dict[str, Any]:
    is_plain = (
        work.get("build-backend", "setuptools.build_meta") in _BACKENDS
        and "backend-path" not in work
        and all(requirement_name(str(each)) for each in items(work, "requires"))
    )
    return dict(work) if is_plain and not base else dict(base)


def _merge_tools(base: Table, work: Table) -> dict[str, Any]:
    merged: dict[str, Any] = dict(base)
    if "poetry" in work:
        merged["poetry"] = _merge_poetry(table(base, "poetry"), table(work, "poetry"))
    for tool in ("pdm", "uv"):
        development = table(work, tool).get("dev-dependencies")
        before = table(base, tool)
        if isinstance(development, list):
            requirements = merge_requirements(items(before, "dev-dependencies"), development)
            merged[tool] = {**before, "dev-dependencies": requirements}
        elif isinstance(development, dict):
            groups = table(before, "dev-dependencies")
            merged[tool] = {
                **before,
                "dev-dependencies": {
                    name: merge_requirements(items(groups, name), items(development, name))
                    for name in development
                },
            }
    if "setuptools" in work:
        merged["setuptools"] = _merge_setuptools(
            table(base, "setuptools"), table(work, "setuptools")
        )
    targets = table(table(table(work, "hatch"), "build"), "targets")
    if targets and "hooks" not in str(targets) and _has_free_names(targets):
        hatch = table(base, "hatch")
        merged["hatch"] = {**hatch, "build": {**table(hatch, "build"), "targets": targets}}
    if "flit" in work and _has_free_names(table(work, "flit")):
        merged["flit"] = work["flit"]
    return {name: value for name, value in merged.items() if value != {}}


def _merge_first_settings(base: Table, work: Table) -> dict[str, Any]:
    merged = _merge_pyproject(base, work)
    options = harmless_options(table(table(table(work, "tool"), "pytest"), "ini_options"))
    if options:
        merged["tool"] = {**table(merged, "tool"), "pytest": {"ini_options": options}}
    return merged


def _merge_poetry(base: Table, work: Table) -> dict[str, Any]:
    rest = {key: value for key, value in base.items() if key not in (*_POETRY_KEYS, "group")}
    merged = {**{key: value for key, value in work.items() if key in _POETRY_KEYS}, **rest}
    if "name" in base:
        merged["name"] = base["name"]
    for key in ("dependencies", "dev-dependencies"):
        if key in work or key in base:
            versions = merge_versions(table(base, key), table(work, key), is_plain=PLAIN)
            merged[key] = versions
    if "scripts" in work:
        merged["scripts"] = _free_scripts(table(base, "scripts"), table(work, "scripts"), set())
    groups = table(base, "group")
    merged["group"] = {
        name: {
            **group,
            "dependencies": merge_versions(
                table(table(groups, name), "dependencies"),
                table(group, "dependencies"),
                is_plain=PLAIN,
            ),
        }
        for name, group in table(work, "group").items()
        if isinstance(group, dict)
    }
    return {key: value for key, value in merged.items() if value != {} or key in work}


def _merge_setuptools(base: Table, work: Table) -> dict[str, Any]:
    product = {key: value for key, value in work.items() if key in _SETUPTOOLS_KEYS}
    if not _has_free_names(product):
        return dict(base)
    rest = {key: value for key, value in base.items() if key not in _SETUPTOOLS_KEYS}
    return {**product, **rest}


def _has_free_names(value: object) -> bool:
    """Whether no package or module in a table has the name of a tool or of a test package."""
    if isinstance(value, dict):
        return all(_has_free_names(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return all(map(_has_free_names, value))
    words = re.split(r"[/.*]+", value) if isinstance(value, str) else []
    return not any(is_test_package(word) or word == "unittest" for word in words if word)


def _merge_pipfile(base: Table, work: Table) -> dict[str, Any]:
    merged = {key: value for key, value in base.items() if key not in ("packages", "dev-packages")}
    for key in ("packages", "dev-packages"):
        if key in work or key in base:
            merged[key] = merge_versions(table(base, key), table(work, key), is_plain=PLAIN)
    return merged
