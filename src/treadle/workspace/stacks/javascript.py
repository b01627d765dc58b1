"""Setup, check and test commands of a project with a package.json. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treadle.domain.suite_report import REPORTS_FOLDER
from treadle.workspace.stacks.project_listing import ProjectListing
from treadle.workspace.stacks.stack import Stack, chain, run_all, table
from treadle.workspace.stacks.workspace_members import node_members

_PLACEHOLDER = "no test specified"


@dataclass(frozen=True, slots=True)
class PackageManager:
    """A package manager: how it installs, runs a script, and runs a tool.

    An installation takes the versions of the lock file, and still succeeds if the agent has changed
    package.json without it.
    """

    install: str
    script: str
    tool: str
    # Runs the test script of each workspace that has one.
    test_members: str
    # Separates a script from further options for it.
    further: str = ""


_NPM = PackageManager(
    "npm ci || npm install", "npm run", "npx", "npm run test --workspaces --if-present", "-- "
)
_MANAGERS = {
    "npm": replace(_NPM, install="npm install"),
    "pnpm": PackageManager(
        # In CI it would refuse a lock file that does not match.
        "pnpm install --no-frozen-lockfile",
        "pnpm run",
        "pnpm exec",
        "pnpm --recursive --if-present run test",
    ),
    "yarn": PackageManager("yarn install", "yarn run", "yarn run", "yarn workspaces run test"),
    "bun": PackageManager("bun install", "bun run", "bunx", "bun run --filter '*' test"),
}
_YARN_BERRY = PackageManager(
    "yarn install --no-immutable",
    "yarn run",
    "yarn run",
    "yarn workspaces foreach --all run test",
)


@dataclass(frozen=True, slots=True)
class NodeSuiteRunner:
    """A test runner: its package, its command, and the options that make it write a report."""

    package: str
    command: str
    # A script that matches this pattern accepts the report options.
    script: str = ""
    report: str = ""
    first: str = ""


# Unit test runners come before browser test runners.
_RUNNERS = (
    NodeSuiteRunner(
        "vitest",
        "vitest run",
        script=r"vitest(?: run)?",
        report=(
            f"--reporter=default --reporter=junit --outputFile.junit={REPORTS_FOLDER}/vitest.xml"
        ),
    ),
    NodeSuiteRunner(
        "jest",
        "jest",
        script=r"jest",
        report=f"--json --outputFile={REPORTS_FOLDER}/jest.json",
        # Jest does not create the folder.
        first=f"mkdir -p {REPORTS_FOLDER}",
    ),
    NodeSuiteRunner("mocha", "mocha"),
    NodeSuiteRunner("ava", "ava"),
    NodeSuiteRunner(
        "@playwright/test",
        "playwright test",
        script=r"playwright test",
        # Only a variable sets the output file; see verify/reports/report_request.py.
        report="--reporter=list,json",
    ),
)
_PLAYWRIGHT = _RUNNERS[-1]
_PLAYWRIGHT_CONFIGS = tuple(
    f"playwright.config.{ending}" for ending in ("ts", "js", "mts", "mjs", "cts", "cjs")
)
_PLAIN = r"(?:cross-env )?(?:[A-Z_]+=\S+ )*(?:{script})(?: --?[\w.=:/-]+)*"
_OWN_REPORT = ("--reporter", "--json", "--outputFile")


def node(files: ProjectListing) -> Stack | None:
    if not files.has("package.json"):
        return None
    package = files.json("package.json")
    installer = _installer(files, package)
    scripts = table(package, "scripts")
    dependencies = {**table(package, "dependencies"), **table(package, "devDependencies")}
    members = node_members(files)
    needs_setup = dependencies or members or _is_locked(files)
    return Stack(
        "node",
        installer.install if needs_setup else "",
        _check(files, scripts, dependencies, installer),
        _test(files, scripts, dependencies, installer) or _test_members(members, installer),
        ("node_modules/",) if needs_setup else (),
    )


def _installer(files: ProjectListing, package: Mapping[str, Any]) -> PackageManager:
    if files.has("pnpm-lock.yaml", "pnpm-workspace.yaml"):
        return _MANAGERS["pnpm"]
    if files.has("yarn.lock"):
        return _YARN_BERRY if files.has(".yarnrc.yml") else _MANAGERS["yarn"]
    if files.has("bun.lock", "bun.lockb"):
        return _MANAGERS["bun"]
    if files.has("package-lock.json", "npm-shrinkwrap.json"):
        return _NPM
    named, _, version = str(package.get("packageManager", "")).partition("@")
    if named == "yarn" and not version.startswith(("0", "1.")):
        return _YARN_BERRY
    return _MANAGERS.get(named, _MANAGERS["npm"])


def _is_locked(files: ProjectListing) -> bool:
    return files.has(
        *("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"),
        *("bun.lock", "bun.lockb"),
    )


def _check(
    files: ProjectListing,
    scripts: Mapping[str, Any],
    dependencies: Mapping[str, Any],
    installer: PackageManager,
) -> str:
    names = [name for name in ("lint", "typecheck", "type-check") if name in scripts]
    commands = [f"{installer.script} {name}" for name in names]
    has_type_check = any(name.startswith("type") for name in names)
    if files.has("tsconfig.json") and "typescript" in dependencies and not has_type_check:
        commands.append(f"{installer.tool} tsc --noEmit")
    return chain(*commands)


def _test(
    files: ProjectListing,
    scripts: Mapping[str, Any],
    dependencies: Mapping[str, Any],
    installer: PackageManager,
) -> str:
    unit = _test_of_units(files, scripts, dependencies, installer)
    has_browser_tests = _PLAYWRIGHT.package in dependencies and files.has(*_PLAYWRIGHT_CONFIGS)
    # The project's own script may run them already.
    runs_all = re.search("playwright|e2e", f"{unit} {scripts.get('test', '')}")
    if not has_browser_tests or runs_all:
        return unit
    return run_all([unit, _command(_PLAYWRIGHT, installer)])


def _test_of_units(
    files: ProjectListing,
    scripts: Mapping[str, Any],
    dependencies: Mapping[str, Any],
    installer: PackageManager,
) -> str:
    script = str(scripts.get("test", ""))
    # A script that watches for changes never ends, so its tool is started directly.
    if _is_test_script(script) and "--watch" not in script:
        return _test_by_script(script, installer)
    for runner in _RUNNERS:
        if runner.package in dependencies:
            return _command(runner, installer)
    has_node_tests = any(name.endswith((".test.js", ".test.mjs")) for name in files.names)
    return "node --test" if has_node_tests else ""


def _command(runner: NodeSuiteRunner, installer: PackageManager) -> str:
    return chain(runner.first, f"{installer.tool} {runner.command} {runner.report}".rstrip())


def _test_by_script(script: str, installer: PackageManager) -> str:
    """The project's own script, with report options if they change nothing else."""
    command = f"{installer.script} test"
    for runner in _RUNNERS:
        plain = runner.script and re.fullmatch(_PLAIN.format(script=runner.script), script)
        if plain and not any(word in script for word in _OWN_REPORT):
            return chain(runner.first, f"{command} {installer.further}{runner.report}")
    return command


def _test_members(members: Sequence[ProjectListing], installer: PackageManager) -> str:
    scripts = [table(member.json("package.json"), "scripts").get("test", "") for member in members]
    return installer.test_members if any(_is_test_script(str(s)) for s in scripts) else ""


def _is_test_script(script: str) -> bool:
    """Not what `npm init` writes."""
    return bool(script) and _PLACEHOLDER not in script
