"""Whether installing a project's packages runs or copies its own code, by its manifests. Pure."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

# Scripts that npm, pnpm and yarn run when they install.
_NODE_SCRIPTS = frozenset(
    {"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}
)
# Build backends whose editable install of pure Python refers to the code and copies nothing.
_PLAIN_BACKENDS = frozenset(
    {
        *("setuptools.build_meta", "hatchling.build", "flit_core.buildapi", "uv_build"),
        *("poetry.core.masonry.api", "pdm.backend"),
    }
)
_LOCAL_REQUIREMENT = re.compile(r"^[^\S\n]*(?:-e\b|--editable\b|\.|file:)", re.MULTILINE)
_LOCAL_GEM = re.compile(r"\bgemspec\b|\bpath\b")


def runs_own_code(manifests: Mapping[str, str]) -> bool:
    """Whether an installation runs scripts of the project or copies packages out of it."""
    return any(_runs_own_code(PurePosixPath(path).name, text) for path, text in manifests.items())


def builds_from_code(manifests: Mapping[str, str]) -> bool:
    """Whether an editable install depends on more of the Python package than its metadata."""
    named = ((PurePosixPath(path).name, text) for path, text in manifests.items())
    return any(
        name == "setup.py" or (name == "pyproject.toml" and not _is_plain_package(text))
        for name, text in named
    )


def _runs_own_code(name: str, text: str) -> bool:
    match name:
        case "package.json":
            package = _json(text)
            scripts = package.get("scripts")
            names = set(scripts) if isinstance(scripts, dict) else set()
            return bool(names & _NODE_SCRIPTS) or '"file:' in text or '"patchedDep' in text
        case "pnpm-workspace.yaml":
            return "patchedDependencies" in text
        case "Gemfile":
            return _LOCAL_GEM.search(text) is not None
        case "composer.json":
            return any(word in text for word in ('"scripts"', '"classmap"', '"path"'))
        case _ if name.endswith(".txt"):
            return _LOCAL_REQUIREMENT.search(text) is not None
        case _:
            return False


def _is_plain_package(text: str) -> bool:
    try:
        settings = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    build = settings.get("build-system")
    # Without one, uv installs no package, and pip uses setuptools.
    backend = build.get("build-backend", "") if isinstance(build, dict) else ""
    project = settings.get("project")
    is_static = not (isinstance(project, dict) and project.get("dynamic"))
    hooks = ("hooks", "ext-modules", "cmdclass", "build-script")
    tools = json.dumps(settings.get("tool", {}), default=str)
    has_hook = any(f'"{hook}"' in tools for hook in hooks) or _has_build_script(settings)
    return backend in ("", *_PLAIN_BACKENDS) and is_static and not has_hook


def _has_build_script(settings: Mapping[str, Any]) -> bool:
    tool = settings.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    return isinstance(poetry, dict) and "build" in poetry


def _json(text: str) -> Mapping[str, Any]:
    try:
        loaded = json.loads(text)
    except (ValueError, RecursionError):
        return {"scripts": {"install": ""}}  # nothing is known, so everything is possible
    return loaded if isinstance(loaded, dict) else {}
