"""The indexes of gem, and of tools that Treadle does not answer for: composer, maven, gradle and
NuGet. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from treadle.adapters.packages.index_urls import parse_address, without_login
from treadle.adapters.packages.package_sources import ToolSources, UnsupportedIndex
from treadle.domain.package_index import PackageIndex

_ADDRESS = re.compile(r"https?\??://[^\s\"'<>,]+")


@dataclass(frozen=True, slots=True)
class OtherTool:
    """A tool that is only asked if the project has one of its files."""

    name: str
    command: tuple[str, ...]
    # The endings of file names.
    manifests: tuple[str, ...]


OTHER_TOOLS = (
    OtherTool("composer", ("composer", "config", "--global", "--list"), ("composer.json",)),
    OtherTool(
        "nuget",
        ("dotnet", "nuget", "list", "source", "--format", "Short"),
        (".csproj", ".fsproj", ".sln", ".slnx"),
    ),
)
MAVEN_MANIFEST = "pom.xml"
GRADLE_MANIFESTS = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def gem_sources(output: str) -> ToolSources:
    """The sources that `gem sources --list` prints."""
    addresses = [address for line in output.splitlines() if (address := parse_address(line))]
    return ToolSources(
        indexes=tuple(PackageIndex("ruby", each.url, each.authorization) for each in addresses)
    )


def other_tool_sources(tool: OtherTool, output: str) -> ToolSources:
    """The hosts to allow, from the addresses that the tool prints."""
    lines = [line for line in output.splitlines() if tool.name != "composer" or ".url]" in line]
    # Composer writes `https?://` for either scheme.
    texts = _ADDRESS.findall("\n".join(lines))
    return _unsupported(tool.name, (text.replace("?://", "://") for text in texts))


def maven_sources(settings: str, super_pom: str) -> ToolSources:
    """The hosts to allow: the mirrors and repositories of settings.xml, or else maven's default."""
    elements = re.findall(
        r"<(?:mirror|repository|pluginRepository)>.*?</(?:mirror|repository|pluginRepository)>",
        settings or super_pom,
        re.DOTALL,
    ) or re.findall(r"<repository>.*?</repository>", super_pom, re.DOTALL)
    urls = [url for each in elements for url in re.findall(r"<url>\s*(\S+?)\s*</url>", each)]
    return _unsupported("maven", urls)


def gradle_sources() -> ToolSources:
    """gradle has no index of its own: the project names them."""
    advice = "allow the hosts of its `repositories` in sandbox.hosts"
    return ToolSources(unsupported=(UnsupportedIndex("gradle", "", advice),))


def _unsupported(tool: str, addresses: Iterable[str]) -> ToolSources:
    urls = dict.fromkeys(url for text in addresses if (url := without_login(text)))
    return ToolSources(
        unsupported=tuple(
            UnsupportedIndex(tool, url, f"allow {PackageIndex('files', url).host} in sandbox.hosts")
            for url in urls
        )
    )
