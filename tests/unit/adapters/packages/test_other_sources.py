"""Tools that Treadle does not answer for say which host to allow."""

from treadle.adapters.packages.other_sources import (
    OTHER_TOOLS,
    gem_sources,
    gradle_sources,
    maven_sources,
    other_tool_sources,
)
from treadle.adapters.packages.package_sources import ToolSources, UnsupportedIndex
from treadle.domain.package_index import PackageIndex

COMPOSER, NUGET = OTHER_TOOLS
CENTRAL = "<repositories><repository><url>https://maven.example/m2</url></repository>"


def unsupported(tool: str, url: str, host: str) -> ToolSources:
    advice = f"allow {host} in sandbox.hosts"
    return ToolSources(unsupported=(UnsupportedIndex(tool, url, advice),))


def test_gem_lists_its_sources() -> None:
    output = "*** CURRENT SOURCES ***\n\nhttps://gems.example/\nfile:///srv/gems\nhttp://\n"

    assert gem_sources(output) == ToolSources(
        indexes=(PackageIndex("ruby", "https://gems.example/"),)
    )


def test_the_repositories_of_composer_are_named() -> None:
    output = (
        "[repositories.packages.example.type] composer\n"
        "[repositories.packages.example.url] https?://packages.example\n"
        "[home] https://unrelated.example\n"
    )

    assert other_tool_sources(COMPOSER, output) == unsupported(
        "composer", "https://packages.example", "packages.example:443"
    )


def test_the_sources_of_nuget_are_named() -> None:
    assert other_tool_sources(NUGET, "E https://nuget.example/v3/index.json\n") == unsupported(
        "nuget", "https://nuget.example/v3/index.json", "nuget.example:443"
    )


def test_a_mirror_of_maven_takes_the_place_of_its_default() -> None:
    settings = "<mirrors><mirror>\n<url> https://mirror.example:8443/m2 </url>\n</mirror></mirrors>"

    assert maven_sources(settings, CENTRAL) == unsupported(
        "maven", "https://mirror.example:8443/m2", "mirror.example:8443"
    )
    for nothing in ("", "<settings/>"):
        assert maven_sources(nothing, CENTRAL) == unsupported(
            "maven", "https://maven.example/m2", "maven.example:443"
        )


def test_the_repositories_of_gradle_are_in_the_project() -> None:
    assert gradle_sources().unsupported == (
        UnsupportedIndex("gradle", "", "allow the hosts of its `repositories` in sandbox.hosts"),
    )
