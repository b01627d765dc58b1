"""How a project with a package.json is set up, checked and tested. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treadle.workspace.stacks.files import Files
from treadle.workspace.stacks.languages import Stack, chain

_PLACEHOLDER = "no test specified"


@dataclass(frozen=True, slots=True)
class Installer:
    """A package manager: how it installs, runs a script, and runs a tool."""

    install: str
    script: str
    tool: str


_NPM = Installer("npm ci", "npm run", "npx")
_PNPM = Installer("pnpm install --frozen-lockfile", "pnpm run", "pnpm exec")
_YARN = Installer("yarn install --frozen-lockfile", "yarn run", "yarn run")
_YARN_BERRY = Installer("yarn install --immutable", "yarn run", "yarn run")
_BUN = Installer("bun install --frozen-lockfile", "bun run", "bunx")
_UNLOCKED = {
    "npm": Installer("npm install", _NPM.script, _NPM.tool),
    "pnpm": Installer("pnpm install", _PNPM.script, _PNPM.tool),
    "yarn": Installer("yarn install", _YARN.script, _YARN.tool),
    "bun": Installer("bun install", _BUN.script, _BUN.tool),
}

# Tools that run tests, the usual one for units before the one for browsers.
_RUNNERS = (
    ("vitest", "vitest run"),
    ("jest", "jest"),
    ("mocha", "mocha"),
    ("ava", "ava"),
    ("@playwright/test", "playwright test"),
)


def node(files: Files) -> Stack | None:
    if not files.has("package.json"):
        return None
    package = files.json("package.json")
    installer = _installer(files, package)
    scripts = _table(package, "scripts")
    wanted = {**_table(package, "dependencies"), **_table(package, "devDependencies")}
    setup = installer.install if wanted or _is_locked(files) else ""
    return Stack(
        "node",
        setup,
        _check(files, scripts, wanted, installer),
        _test(files, scripts, wanted, installer),
    )


def _installer(files: Files, package: Mapping[str, Any]) -> Installer:
    if files.has("pnpm-lock.yaml"):
        return _PNPM
    if files.has("yarn.lock"):
        return _YARN_BERRY if files.has(".yarnrc.yml") else _YARN
    if files.has("bun.lock", "bun.lockb"):
        return _BUN
    if files.has("package-lock.json", "npm-shrinkwrap.json"):
        return _NPM
    named = str(package.get("packageManager", "")).partition("@")[0]
    return _UNLOCKED.get(named, _UNLOCKED["npm"])


def _is_locked(files: Files) -> bool:
    return files.has(
        *("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"),
        *("bun.lock", "bun.lockb"),
    )


def _check(
    files: Files, scripts: Mapping[str, Any], wanted: Mapping[str, Any], installer: Installer
) -> str:
    names = [name for name in ("lint", "typecheck", "type-check") if name in scripts]
    commands = [f"{installer.script} {name}" for name in names]
    typed = any(name.startswith("type") for name in names)
    if files.has("tsconfig.json") and "typescript" in wanted and not typed:
        commands.append(f"{installer.tool} tsc --noEmit")
    return chain(*commands)


def _test(
    files: Files, scripts: Mapping[str, Any], wanted: Mapping[str, Any], installer: Installer
) -> str:
    script = str(scripts.get("test", ""))
    # A script that waits for changes never ends, so the tool behind it is started instead.
    if script and _PLACEHOLDER not in script and "--watch" not in script:
        return f"{installer.script} test"
    for package, command in _RUNNERS:
        if package in wanted:
            return f"{installer.tool} {command}"
    own = any(name.endswith((".test.js", ".test.mjs")) for name in files.names)
    return "node --test" if own else ""


def _table(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = holder.get(name)
    return found if isinstance(found, Mapping) else {}
