"""Node projects: npm with a lock file, pnpm, yarn, and a workspace with several packages."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.projects.user_project import UserProject

CRITERION = "`slug.js` makes slugs."
TEST = """\
import assert from 'node:assert'
import { test } from 'node:test'

import { words } from '../slug.js'

test('words', () => assert.deepEqual(words('a b'), ['a', 'b']))
"""
OLD_CODE = "export const words = (text) => text.split(' ')\n"
CODE = f"import slugify from 'slugify'\n\n{OLD_CODE}export const slug = (text) => slugify(text)\n"
PACKAGE = (
    '{\n  "name": "words",\n  "version": "1.0.0",\n  "type": "module",\n'
    '  "scripts": {\n    "test": "node --test"\n  },\n'
    '  "dependencies": {\n    "left-pad": "^1.3.0"\n  }\n}\n'
)


def spec(path: str = "./slug.js") -> str:
    program = f"import('{path}').then(m => process.exit(m.slug('a b') === 'a-b' ? 0 : 1))"
    return f'# Slugs\n\n- {CRITERION} Check: `node -e "{program}"`\n'


def files(path: str = "./slug.js") -> Mapping[str, str]:
    return {
        "SPEC.md": spec(path),
        "package.json": PACKAGE,
        ".gitignore": "node_modules/\n",
        "slug.js": OLD_CODE,
        "test/words.test.js": TEST,
    }


@pytest.mark.parametrize(
    ("tool", "lock", "install", "add"),
    [
        ("npm", "package-lock.json", "npm install --package-lock-only", "npm install slugify"),
        ("pnpm", "pnpm-lock.yaml", "pnpm install --lockfile-only", "pnpm add slugify"),
        ("yarn", "yarn.lock", "yarn install --silent", "yarn add slugify"),
    ],
)
def test_an_agent_adds_a_dependency_to_a_node_project(
    tmp_path: Path, tool: str, lock: str, install: str, add: str
) -> None:
    user = UserProject(tmp_path, *([] if tool == "npm" else [tool]))
    user.write(files())
    user.run_tool("sh", "-c", install)
    user.commit()
    outside = user.file_made_outside(lock, add)

    commands = user.init()
    user.try_setup()
    user.deliver_with(CRITERION, [add], {"slug.js": CODE})

    assert commands["setup"].startswith(tool)
    assert (user.project / lock).read_text() == outside


def test_an_agent_adds_a_dependency_to_one_package_of_a_workspace(tmp_path: Path) -> None:
    user = UserProject(tmp_path)
    member = {f"packages/words/{name}": text for name, text in files().items() if name != "SPEC.md"}
    user.write(
        {
            **member,
            "SPEC.md": spec("./packages/words/slug.js"),
            "package.json": '{\n  "name": "all",\n  "private": true,\n'
            '  "workspaces": [\n    "packages/*"\n  ]\n}\n',
            ".gitignore": "node_modules/\n",
        }
    )
    user.run_tool("npm", "install", "--package-lock-only")
    user.commit()
    add = "npm install slugify -w packages/words"
    outside = user.file_made_outside("package-lock.json", add)

    commands = user.init()
    user.try_setup()
    user.deliver_with(CRITERION, [add], {"packages/words/slug.js": CODE})

    assert "--workspaces" in commands["test"]
    assert (user.project / "package-lock.json").read_text() == outside
