"""A Node project is installed from its lock file, and still if that no longer fits."""

from pathlib import Path

import pytest

from tests.unit.workspace.detection import lay_out, package, proposed
from treadle.workspace.detect import DetectedCommands

NPM = "npm ci || npm install"
MADE = "mkdir -p .treadle-reports"
JEST = "--json --outputFile=.treadle-reports/jest.json"
PLAYWRIGHT = "playwright test --reporter=list,json"
VITEST = "--reporter=default --reporter=junit --outputFile.junit=.treadle-reports/vitest.xml"

CASES: list[tuple[dict[str, str], DetectedCommands]] = [
    (
        {"package.json": package({"test": "jest", "lint": "eslint ."}), "package-lock.json": ""},
        DetectedCommands(("node",), NPM, "npm run lint", f"{MADE} && npm run test -- {JEST}"),
    ),
    (
        {"package.json": package({}, "jest")},
        DetectedCommands(("node",), "npm install", "", f"{MADE} && npx jest {JEST}"),
    ),
    (
        {"package.json": package({}, "vitest", "@playwright/test"), "pnpm-lock.yaml": ""},
        DetectedCommands(
            ("node",), "pnpm install --no-frozen-lockfile", "", f"pnpm exec vitest run {VITEST}"
        ),
    ),
    (
        {"package.json": package({}, "@playwright/test"), "yarn.lock": ""},
        DetectedCommands(
            ("node",),
            "yarn install",
            "",
            f"yarn run {PLAYWRIGHT}",
        ),
    ),
    # Browser tests that are configured run beside those of units, whatever came of those.
    (
        {
            "package.json": package({}, "vitest", "@playwright/test"),
            "playwright.config.ts": "",
        },
        DetectedCommands(
            ("node",),
            "npm install",
            test=f"code=0; (npx vitest run {VITEST}) || code=$?;"
            f" (npx {PLAYWRIGHT}) || code=$?; exit $code",
        ),
    ),
    (
        {
            "package.json": package({"test": "node --test"}, "@playwright/test"),
            "playwright.config.mjs": "",
        },
        DetectedCommands(
            ("node",),
            "npm install",
            test=f"code=0; (npm run test) || code=$?; (npx {PLAYWRIGHT}) || code=$?; exit $code",
        ),
    ),
    (
        {"package.json": package({}, "@playwright/test"), "playwright.config.js": ""},
        DetectedCommands(("node",), "npm install", test=f"npx {PLAYWRIGHT}"),
    ),
    # The script runs them itself.
    (
        {
            "package.json": package({"test": "vitest run && npm run e2e"}, "@playwright/test"),
            "playwright.config.ts": "",
        },
        DetectedCommands(("node",), "npm install", test="npm run test"),
    ),
    (
        {"package.json": package({"test": "ava"}), "yarn.lock": "", ".yarnrc.yml": ""},
        DetectedCommands(("node",), "yarn install --no-immutable", "", "yarn run test"),
    ),
    (
        {"package.json": package({"test": "bun test"}), "bun.lockb": ""},
        DetectedCommands(("node",), "bun install", "", "bun run test"),
    ),
    (
        {"package.json": package({}, "mocha", packageManager="pnpm@9.0.0")},
        DetectedCommands(("node",), "pnpm install --no-frozen-lockfile", "", "pnpm exec mocha"),
    ),
    (
        {
            "package.json": package({"typecheck": "tsc"}, "typescript"),
            "tsconfig.json": "{}",
        },
        DetectedCommands(("node",), "npm install", "npm run typecheck", ""),
    ),
    (
        {"package.json": package({}, "typescript"), "tsconfig.json": "{}"},
        DetectedCommands(("node",), "npm install", "npx tsc --noEmit", ""),
    ),
    (
        {"package.json": package({"test": 'echo "Error: no test specified" && exit 1'})},
        DetectedCommands(("node",)),  # what npm init writes is no test
    ),
    (
        {"package.json": package({"test": "vitest --watch"}, "vitest")},
        # it would never end
        DetectedCommands(("node",), "npm install", "", f"npx vitest run {VITEST}"),
    ),
    (
        {"package.json": "{}", "test/a.test.mjs": ""},
        DetectedCommands(("node",), "", "", "node --test"),
    ),
    ({"package.json": "{broken"}, DetectedCommands(("node",))),
    ({"package.json": '["not", "a", "table"]'}, DetectedCommands(("node",))),
    ({"package.json": '{"scripts": [], "devDependencies": null}'}, DetectedCommands(("node",))),
    (
        {"package.json": package({"test": "vitest"}), "yarn.lock": ""},
        DetectedCommands(("node",), "yarn install", "", f"yarn run test {VITEST}"),
    ),
    (
        {"package.json": package({"test": "cross-env CI=1 NODE_OPTIONS=--x jest --ci"})},
        DetectedCommands(("node",), "", "", f"{MADE} && npm run test -- {JEST}"),
    ),
    # Where more than the one tool is started, or it has a report of its own, it is left alone.
    (
        {"package.json": package({"test": "tsc && jest"})},
        DetectedCommands(("node",), test="npm run test"),
    ),
    (
        {"package.json": package({"test": "vitest run --reporter=dot"})},
        DetectedCommands(("node",), test="npm run test"),
    ),
]


@pytest.mark.parametrize(
    ("files", "found"), [pytest.param(*case, id=" ".join(case[0]) or "nothing") for case in CASES]
)
def test_commands_are_proposed_from_the_files(
    tmp_path: Path, files: dict[str, str], found: DetectedCommands
) -> None:
    lay_out(tmp_path, files)

    assert proposed(tmp_path) == found
