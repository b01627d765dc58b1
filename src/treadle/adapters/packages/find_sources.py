"""Finds the package indexes of this machine with the user's own package tools."""

import asyncio
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from treadle.adapters.host_variables import host_variables
from treadle.adapters.packages.language_queries import (
    LanguageQueries,
    LanguageSources,
    language_questions,
)
from treadle.adapters.packages.other_sources import (
    GRADLE_MANIFESTS,
    MAVEN_MANIFEST,
    OTHER_TOOLS,
    gradle_sources,
    maven_sources,
    other_tool_sources,
)
from treadle.adapters.packages.package_sources import (
    PackageSources,
    SkippedTool,
    ToolSources,
    combine_sources,
    find_login_files,
)
from treadle.adapters.packages.project_indexes import parse_project_files
from treadle.adapters.packages.tool_queries import FileReader, ToolQueries, read_file
from treadle.adapters.packages.user_configuration import UserConfiguration

_SUPER_POM = "org/apache/maven/model/pom-4.0.0.xml"


async def find_package_sources(
    profiles: Collection[str],
    environment: Mapping[str, str],
    *,
    search_path: str,
    project_root: Path,
) -> PackageSources:
    """The indexes of these languages, by the tools that are installed in `search_path` and the
    user's configuration, and what the project's files name. A tool that fails is skipped."""
    reader = FileReader()
    configuration = UserConfiguration(environment, reader.read)
    queries = LanguageQueries(
        ToolQueries(host_variables(environment, project_root), search_path), configuration
    )
    answers = await asyncio.gather(
        *(ask() for ask in language_questions(queries, profiles)),
        _other_tools(queries, project_root),
    )
    found = [each for answer in answers for each in answer]
    named = parse_project_files(
        lambda name: read_file(project_root / name, os.O_NOFOLLOW | os.O_NONBLOCK), environment
    )
    sources = combine_sources(
        [each for each in found if isinstance(each, ToolSources)],
        named.indexes,
        logins=configuration.netrc_logins(),
        project_logins=named.logins,
        skipped=[each for each in found if isinstance(each, SkippedTool)],
    )
    return replace(
        sources,
        variables={**named.variables, **sources.variables},
        login_files=find_login_files(reader.contents, sources.indexes),
    )


async def _other_tools(queries: LanguageQueries, project: Path) -> LanguageSources:
    """The tools that Treadle does not answer for, if the project uses them."""
    names = await asyncio.to_thread(_list_names, project)
    tools = [each for each in OTHER_TOOLS if any(name.endswith(each.manifests) for name in names)]
    answers = await asyncio.gather(*(queries.queries.ask(*each.command) for each in tools))
    sources: LanguageSources = [
        other_tool_sources(tool, answer) if isinstance(answer, str) else answer
        for tool, answer in zip(tools, answers, strict=True)
        if answer is not None
    ]
    if MAVEN_MANIFEST in names:
        settings = queries.configuration.read(queries.configuration.home / ".m2/settings.xml")
        super_pom = await asyncio.to_thread(_read_super_pom, queries.queries)
        sources.append(maven_sources(settings, super_pom))
    if names & set(GRADLE_MANIFESTS):
        sources.append(gradle_sources())
    return sources


def _list_names(folder: Path) -> set[str]:
    try:
        return {entry.name for entry in folder.iterdir()}
    except OSError:
        return set()


def _read_super_pom(queries: ToolQueries) -> str:
    """The model that all of maven's projects inherit from; it names maven's default repository."""
    program = queries.find_real("mvn")
    pattern = "lib/maven-model-builder-*.jar"
    for library in sorted(program.parent.parent.glob(pattern)) if program else ():
        try:
            with ZipFile(library) as archive:
                return archive.read(_SUPER_POM).decode()
        except (OSError, BadZipFile, KeyError, ValueError):
            continue
    return ""
