"""Asks the tools of one language on the host for their package indexes."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from treadle.adapters.packages.go_sources import GO_QUESTION, go_sources
from treadle.adapters.packages.index_urls import parse_address, with_password
from treadle.adapters.packages.node_sources import (
    NpmAnswer,
    npm_sources,
    parse_npm_answer,
    pnpm_sources,
)
from treadle.adapters.packages.other_sources import gem_sources
from treadle.adapters.packages.package_sources import SkippedTool, ToolSources
from treadle.adapters.packages.python_sources import (
    PIP_SCRIPT,
    PipAnswer,
    parse_pip_answer,
    pip_answer_without_pip,
    pip_sources,
    poetry_sources,
)
from treadle.adapters.packages.rust_sources import (
    CARGO_QUESTION,
    CARGO_VARIABLES,
    cargo_sources,
    is_git_index,
    parse_cargo_default,
)
from treadle.adapters.packages.tool_queries import ToolQueries
from treadle.adapters.packages.user_configuration import UserConfiguration
from treadle.adapters.packages.uv_sources import parse_uv_default, uv_sources
from treadle.adapters.packages.yarn_sources import YARN_QUESTIONS, yarn_sources

NO_ADDRESS = "its answer names no index"

LanguageSources: TypeAlias = list[ToolSources | SkippedTool]


@dataclass(frozen=True, slots=True)
class LanguageQueries:
    """The tools and the configuration of one user."""

    queries: ToolQueries
    configuration: UserConfiguration

    async def python(self) -> LanguageSources:
        pip, uv = await asyncio.gather(self._ask_pip(), self._ask_uv())
        default = pip.default if pip else uv
        if not default:
            return [SkippedTool("python", "neither pip nor uv names its index")]
        answer = pip or pip_answer_without_pip(self.configuration, default)
        for path in answer.files:
            # pip has read them; they are looked at for logins.
            self.configuration.read(Path(path))
        sources: LanguageSources = [
            pip_sources(await self._with_keyring(answer)),
            poetry_sources(self.configuration, default if self.queries.find("poetry") else ""),
        ]
        if self.queries.find("uv"):
            sources.append(uv_sources(self.configuration, uv or default))
        return sources

    async def node(self) -> LanguageSources:
        npm, pnpm, *yarn = await asyncio.gather(
            self.queries.ask("npm", "config", "list", "--json"),
            self.queries.ask("pnpm", "config", "list", "--json"),
            *(self.queries.ask("yarn", *question) for question in YARN_QUESTIONS),
        )
        answer = parse_npm_answer(npm) if isinstance(npm, str) else NpmAnswer()
        # The file of the installation, beside npm's own programs.
        program = await asyncio.to_thread(self.queries.find_real, "npm")
        builtin = program.parent.parent / "npmrc" if program else None
        sources: LanguageSources = [
            npm_sources(self.configuration, answer or NpmAnswer(), builtin_file=builtin)
        ]
        if isinstance(npm, SkippedTool) or answer is None:
            sources.append(npm if isinstance(npm, SkippedTool) else SkippedTool("npm", NO_ADDRESS))
        if pnpm is not None:
            sources.append(self._pnpm(pnpm))
        if any(each is not None for each in yarn):
            sources += self._yarn([each for each in yarn if isinstance(each, str)])
        return sources

    async def rust(self) -> LanguageSources:
        program = self.queries.find("cargo")
        if program is None:
            return []
        answer = await self.queries.run(
            (program, *CARGO_QUESTION),
            variables=CARGO_VARIABLES,
            scratch_variable="CARGO_HOME",
            capture="joined",
        )
        output = answer if isinstance(answer, str) else ""
        default = parse_cargo_default(output)
        sources: LanguageSources = [cargo_sources(self.configuration, default)]
        if isinstance(answer, SkippedTool):
            sources.append(answer)
        elif not default:
            old = "it downloads its index with git; install cargo 1.70 or newer"
            sources.append(SkippedTool("cargo", old if is_git_index(output) else NO_ADDRESS))
        return sources

    async def go(self) -> LanguageSources:
        answer = await self.queries.ask("go", *GO_QUESTION)
        if not isinstance(answer, str):
            return [answer] if answer else []
        return [go_sources(answer) or SkippedTool("go", NO_ADDRESS)]

    async def ruby(self) -> LanguageSources:
        answer = await self.queries.ask("gem", "sources", "--list")
        if not isinstance(answer, str):
            return [answer] if answer else []
        return [gem_sources(answer)]

    async def _ask_pip(self) -> PipAnswer | None:
        # The Python of Treadle itself is the last one: it may have pip if no other has.
        for program in (self.queries.find("python3"), self.queries.find("python"), sys.executable):
            if not program:
                continue
            answer = await self.queries.run((program, "-I", "-c", PIP_SCRIPT))
            if isinstance(answer, str) and (parsed := parse_pip_answer(answer)):
                return parsed
        return None

    async def _ask_uv(self) -> str:
        answer = await self.queries.ask("uv", "pip", "compile", "-h")
        return parse_uv_default(answer) if isinstance(answer, str) else ""

    async def _with_keyring(self, answer: PipAnswer) -> PipAnswer:
        """Fills in the passwords that the user keeps in a keyring and pip is set to ask for."""
        if answer.keyring != "subprocess":
            return answer
        indexes = await asyncio.gather(*map(self._with_password, answer.indexes))
        return replace(answer, indexes=tuple(indexes))

    async def _with_password(self, text: str) -> str:
        address = parse_address(text)
        if address is None or not address.username or address.password:
            return text
        for service in (address.url, urlsplit(address.url).netloc):
            password = await self.queries.ask("keyring", "get", service, address.username)
            if isinstance(password, str) and password.strip():
                return with_password(address, password.strip())
        return text

    def _pnpm(self, answer: str | SkippedTool) -> ToolSources | SkippedTool:
        if isinstance(answer, SkippedTool):
            return answer
        parsed = parse_npm_answer(answer)
        if parsed is None:
            return SkippedTool("pnpm", NO_ADDRESS)
        return pnpm_sources(self.configuration, parsed)

    def _yarn(self, answers: list[str]) -> LanguageSources:
        is_known = any(parse_address(each) for each in answers)
        sources: LanguageSources = [yarn_sources(self.configuration, answers)]
        return sources if is_known else [*sources, SkippedTool("yarn", NO_ADDRESS)]


def language_questions(
    queries: LanguageQueries, profiles: Collection[str]
) -> list[Callable[[], Awaitable[LanguageSources]]]:
    """What to ask for the languages of these profiles."""
    questions = (
        (queries.python, {"python"}),
        (queries.node, {"node", "bun"}),
        (queries.rust, {"rust"}),
        (queries.go, {"go"}),
        (queries.ruby, {"ruby"}),
    )
    return [question for question, names in questions if names & set(profiles)]
