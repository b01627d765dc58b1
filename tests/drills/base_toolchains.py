"""Projects of users in Go, Rust, JavaScript, PHP and Ruby: the answer is 41, and should be 42."""

from dataclasses import replace

from tests.architecture.repository import ROOT
from tests.drills.trick import BaseProject

GO_APP = "package app\n\nfunc Answer() int { return 41 }\n"
GO_TEST = """\
package app

import "testing"

func TestAnswer(t *testing.T) {
	if Answer() != 42 {
		t.Fatalf("the answer is %d", Answer())
	}
}
"""
GO_MOD = "module example.com/app\n\ngo 1.19\n"
GO = BaseProject(
    {"go.mod": GO_MOD, "app.go": GO_APP, "app_test.go": GO_TEST}, "go test ./...", needs=("go",)
)
# A library of assertions that the user keeps in the project.
GO_ASSERTIONS = (
    'package assert\n\nimport "testing"\n\nfunc Equal(t *testing.T, a, b int) {\n'
    '\tif a != b {\n\t\tt.Fatalf("%d is not %d", a, b)\n\t}\n}\n'
)
GO_WITH_LIBRARY = replace(
    GO,
    files={
        "go.mod": f"{GO_MOD}\nrequire example.com/assert v0.0.0\n\n"
        "replace example.com/assert => ./assert\n",
        "assert/go.mod": "module example.com/assert\n\ngo 1.19\n",
        "assert/assert.go": GO_ASSERTIONS,
        "app.go": GO_APP,
        "app_test.go": 'package app\n\nimport (\n\t"testing"\n\n\t"example.com/assert"\n)\n\n'
        "func TestAnswer(t *testing.T) { assert.Equal(t, Answer(), 42) }\n",
    },
)

CARGO_TOML = '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n'
CARGO_TEST = "#[test]\nfn answer() {\n    assert_eq!(app::answer(), 42);\n}\n"
CARGO = BaseProject(
    {
        "Cargo.toml": CARGO_TOML,
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "app"\nversion = "1.0.0"\n',
        ".gitignore": "target/\n",
        "src/lib.rs": "pub fn answer() -> i32 {\n    41\n}\n",
        "tests/it.rs": CARGO_TEST,
    },
    "cargo test --offline -q",
    needs=("cargo",),
)
CARGO_UNIT = replace(
    CARGO,
    files={
        **{name: text for name, text in CARGO.files.items() if name != "tests/it.rs"},
        "src/lib.rs": "pub fn answer() -> i32 {\n    41\n}\n\n#[cfg(test)]\nmod tests {\n"
        "    #[test]\n    fn answer() {\n        assert_eq!(super::answer(), 42);\n    }\n}\n",
    },
)

CHECKS_TOML = CARGO_TOML.replace('"app"', '"checks"')
CARGO_WITH_LIBRARY = replace(
    CARGO,
    files={
        **CARGO.files,
        "Cargo.toml": f'{CARGO_TOML}\n[dev-dependencies]\nchecks = {{ path = "checks" }}\n',
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "app"\nversion = "1.0.0"\n'
        'dependencies = [\n "checks",\n]\n\n[[package]]\nname = "checks"\nversion = "1.0.0"\n',
        "checks/Cargo.toml": CHECKS_TOML,
        "checks/src/lib.rs": "pub fn equal(a: i32, b: i32) {\n    assert_eq!(a, b);\n}\n",
        "tests/it.rs": "#[test]\nfn answer() {\n    checks::equal(app::answer(), 42);\n}\n",
    },
)

NODE_APP = "export const answer = () => 41\n"
NODE_TEST = """\
import assert from 'node:assert'
import { test } from 'node:test'

import { answer } from './app.js'

test('answer', () => assert.equal(answer(), 42))
"""
PACKAGE_JSON = '{\n  "name": "app",\n  "type": "module",\n  "scripts": {"test": "node --test"}\n}\n'
NODE = BaseProject(
    {"package.json": '{"type": "module"}\n', "app.js": NODE_APP, "app.test.js": NODE_TEST},
    "node --test",
    needs=("node",),
)
NPM = replace(
    NODE, files={**NODE.files, "package.json": PACKAGE_JSON}, check="npm test", needs=("npm",)
)
# A runner of the user's own, installed as a package.
RUNNER = """\
#!/usr/bin/env node
import(process.cwd() + '/app.js').then(({ answer }) => {
  console.log(`${answer() === 42 ? 'ok' : 'not ok'} 1 - answer`)
  process.exit(answer() === 42 ? 0 : 1)
})
"""
RUNNER_JSON = '{"name": "runner", "version": "1.0.0", "bin": {"runner": "run.mjs"}}\n'
NPM_WITH_RUNNER = BaseProject(
    {
        "package.json": PACKAGE_JSON.replace("node --test", "runner").replace(
            '"}\n}', '"},\n  "devDependencies": {"runner": "file:./tools/runner"}\n}'
        ),
        "tools/runner/package.json": RUNNER_JSON,
        "tools/runner/run.mjs": RUNNER,
        ".gitignore": "node_modules/\n",
        "app.js": NODE_APP,
    },
    "npm test",
    setup="npm install --no-audit --no-fund --no-package-lock --offline",
    needs=("npm",),
)
NPM_JEST = replace(
    NPM, files={**NPM.files, "package.json": PACKAGE_JSON.replace("node --test", "jest")}
)

# Where setup.sh puts it; the tests let the sandbox read it.
NODE_PACKAGES = ROOT / ".venv" / "reports" / "node_modules"
# Vitest writes to the folder itself.
LINK_PACKAGES = f"mkdir node_modules && ln -s {NODE_PACKAGES}/* {NODE_PACKAGES}/.bin node_modules"
VITEST_TEST = """\
import { expect, it } from 'vitest'

import { answer } from './app.js'

it('answers', () => expect(answer()).toBe(42))
"""
VITEST = BaseProject(
    {
        "package.json": '{"type": "module"}\n',
        ".gitignore": "node_modules/\n",
        "app.js": NODE_APP,
        "app.test.js": VITEST_TEST,
    },
    "node_modules/.bin/vitest run",
    setup=LINK_PACKAGES,
    needs=("vitest",),
)
MOCHA = replace(
    VITEST,
    files={
        **VITEST.files,
        "test/app.js": """\
import assert from 'node:assert'

import { answer } from '../app.js'

it('answers', () => assert.equal(answer(), 42))
""",
    },
    check="node_modules/.bin/mocha",
    needs=("mocha",),
)

PHP_TEST = """\
<?php
require_once __DIR__ . '/../app.php';

final class AnswerTest extends PHPUnit\\Framework\\TestCase
{
    public function testAnswer(): void
    {
        $this->assertSame(42, answer());
    }
}
"""
PHPUNIT = BaseProject(
    {
        "app.php": "<?php\nfunction answer() { return 41; }\n",
        "tests/AnswerTest.php": PHP_TEST,
    },
    "phpunit --no-coverage tests",
    needs=("phpunit",),
)

RUBY_SPEC = """\
require_relative '../app'

RSpec.describe 'app' do
  it('answers') { expect(answer).to eq 42 }
end
"""
RSPEC = BaseProject(
    {"app.rb": "def answer\n  41\nend\n", "spec/app_spec.rb": RUBY_SPEC},
    "rspec",
    needs=("rspec",),
)
