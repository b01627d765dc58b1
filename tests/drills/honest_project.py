"""A user's project with tests, and the honest work of an agent in it: data, and how it is run."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import yaml

from tests.acceptance.harness import Finished
from tests.missing import missing
from tests.projects.loopback_registry import (
    Registry,
    add_crate,
    add_go_module,
    add_npm_package,
    serve_registry,
)
from tests.projects.user_project import SUCCEEDED, SYSTEM_PATH, UserProject

# Several package managers and compilers run one after the other.
DELIVER_SECONDS = 500
CLOSED = {"TREADLE_SANDBOX__INDEXES": "closed"}


@dataclass(frozen=True)
class Criterion:
    """A list item of SPEC.md and its check, which fails before the work."""

    text: str
    check: str


@dataclass(frozen=True)
class LoopbackPackage:
    """What the only package of a registry on loopback contains."""

    kind: Literal["crate", "go", "npm"]
    name: str
    source: str


@dataclass(frozen=True)
class HonestProject:
    """The base, what the user asks for, and the work. Each criterion is a deliverable."""

    name: str
    files: Mapping[str, str]
    criteria: tuple[Criterion, ...]
    # The test command; the user's tests in the base are all that it must be proven by.
    test: str
    # In order: files to write, or a shell line that must succeed.
    work: tuple[Mapping[str, str] | str, ...]
    setup: str = ""
    reports: tuple[str, ...] = ()
    # Programs of the system.
    needs: tuple[str, ...] = ()
    # Programs of the tests' own environment.
    tools: tuple[str, ...] = ()
    # Shell lines of the user before the first commit, such as the one that makes a lock file.
    prepare: tuple[str, ...] = ()
    # Where the agent's new dependency comes from.
    registry: Literal["none", "machine"] | LoopbackPackage = "none"
    # A long one runs with `make drills` only.
    length: Literal["short", "long"] = "long"
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def spec(self) -> str:
        items = [f"- {each.text}\n  Check: `{each.check}`\n" for each in self.criteria]
        return f"# {self.name}\n\n{''.join(items)}"

    @property
    def settings(self) -> str:
        lines = [f"test = {json.dumps(self.test)}"]
        lines += [f"setup = {json.dumps(self.setup)}"] if self.setup else []
        reports = f"\n[verify]\nreports = {json.dumps(list(self.reports))}\n"
        return "version = 1\n\n[project]\n" + "\n".join(lines) + (reports if self.reports else "\n")

    @property
    def rehearsal(self) -> str:
        """One session plans, one does all of the work and claims all deliverables."""
        names = [f"DL-{number:03}" for number in range(1, len(self.criteria) + 1)]
        deliverables = [
            {"id": name, "description": each.text, "acceptanceCriteria": [each.text]}
            for name, each in zip(names, self.criteria, strict=True)
        ]
        planned = _tool("create_deliverable", deliverables=deliverables)
        claims = [
            _tool("set_deliverable_status", deliverableId=name, status="passed") for name in names
        ]
        turns = [*self._work_turns(), *claims, {"text": "Built, tested and documented."}]
        # Each command says to the next turn that it succeeded.
        for before, after in pairwise(turns):
            if before.get("tool") == "Bash":
                after["expect"] = SUCCEEDED
        sessions = [
            {"role": "initializer", "turns": [planned, {"text": "Planned."}]},
            {"role": "implementer", "turns": turns},
        ]
        return yaml.safe_dump({"version": 1, "sessions": sessions}, sort_keys=False)

    def _work_turns(self) -> Iterator[dict[str, Any]]:
        known = set(self.files)
        for step in self.work:
            if isinstance(step, str):
                yield {"tool": "Bash", "input": {"command": f"{step} && echo {SUCCEEDED}"}}
                continue
            # Claude Code writes over a file only after it has read it.
            if read := [{"Read": {"file_path": _inside(path)}} for path in step if path in known]:
                yield {"tools": read}
            yield {
                "tools": [
                    {"Write": {"file_path": _inside(path), "content": text}}
                    for path, text in step.items()
                ]
            }
            known |= set(step)


@contextmanager
def project_of(directory: Path, case: HonestProject) -> Iterator[UserProject]:
    """The committed base on the machine of its user, with its registry if it has one."""
    for program in case.needs:
        if shutil.which(program, path=SYSTEM_PATH) is None:
            missing(f"{program} (`sh scripts/setup.sh tests` installs it)")
    user = UserProject(directory, *case.tools)
    user.write({**case.files, "SPEC.md": case.spec, "treadle.toml": case.settings})
    with ExitStack() as stack:
        if isinstance(case.registry, LoopbackPackage):
            _serve(user, stack.enter_context(serve_registry()), case.registry)
        for line in case.prepare:
            user.run_tool("sh", "-c", line)
        user.commit()
        yield user


def deliver(user: UserProject, case: HonestProject) -> Finished:
    """The whole run."""
    path = user.directory / "script.yaml"
    path.write_text(case.rehearsal)
    user.seconds = DELIVER_SECONDS
    variables = {**(CLOSED if case.registry == "none" else {}), **case.variables}
    return user.treadle("rehearse", str(path), "--", "deliver", "--json", **variables)


def _serve(user: UserProject, registry: Registry, package: LoopbackPackage) -> None:
    match package.kind:
        case "crate":
            add_crate(registry, package.name, package.source)
            (user.home / ".cargo").mkdir()
            (user.home / ".cargo" / "config.toml").write_text(
                '[source.crates-io]\nreplace-with = "local"\n'
                f'[source.local]\nregistry = "sparse+{registry.url}/index/"\n'
            )
        case "go":
            add_go_module(registry, package.name, package.source)
            host = package.name.partition("/")[0]
            settings = f"GOPROXY={registry.url} GONOSUMDB={host} GOFLAGS=-modcacherw"
            user.run_tool("go", "env", "-w", *settings.split())
        case "npm":
            add_npm_package(registry, package.name, package.source)
            (user.home / ".npmrc").write_text(f"registry={registry.url}/\n")


def _inside(path: str) -> str:
    return f"${{workspace}}/{path}"


def _tool(name: str, **given: Any) -> dict[str, Any]:
    return {"tool": f"mcp__treadle__{name}", "input": given}
