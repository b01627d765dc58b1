"""Which packages of a repository the tool of its root installs and tests as one. Pure."""

import re
from fnmatch import fnmatchcase

from treadle.workspace.stacks.project_listing import ProjectListing
from treadle.workspace.stacks.stack import table

_YAML_ITEM = re.compile(r"^[^\S\n]*-\s*['\"]?([^'\"#\s]+)", re.MULTILINE)


def node_members(files: ProjectListing) -> list[ProjectListing]:
    """The listings of the workspaces that package.json or pnpm-workspace.yaml names."""
    return [
        listing
        for folder, listing in files.packages.items()
        if listing.has("package.json") and _is_node_member(files, folder)
    ]


def is_member(files: ProjectListing, language: str, folder: str) -> bool:
    """Whether the commands of the root's language include this package."""
    match language:
        case "node":
            return _is_node_member(files, folder)
        case "python":
            return "workspace" in table(files.toml("pyproject.toml"), "tool", "uv")
        case "rust":
            return "workspace" in files.toml("Cargo.toml")
        case "go":
            return files.has("go.work")
        case "java":
            return files.has("pom.xml", "settings.gradle", "settings.gradle.kts")
        case _:
            return False


def _is_node_member(files: ProjectListing, folder: str) -> bool:
    named = files.json("package.json").get("workspaces")
    if isinstance(named, dict):
        named = named.get("packages")
    patterns = [str(pattern) for pattern in named] if isinstance(named, list) else []
    patterns += _YAML_ITEM.findall(files.text("pnpm-workspace.yaml"))
    return any(fnmatchcase(folder, pattern.removeprefix("./").rstrip("/")) for pattern in patterns)
