"""The same projects for other runners. `*_PRODUCT` adds hello, as asked for, and breaks half."""

from dataclasses import replace

from tests.drills.base_toolchains import CARGO_TOML, GO_MOD, LINK_PACKAGES
from tests.drills.trick import BaseProject

GO_TEST = """\
package app

import "testing"

func TestDouble(t *testing.T) {
	if Double(2) != 4 {
		t.Fatal("wrong")
	}
}

func TestHalf(t *testing.T) {
	if Half(3) != 1.5 {
		t.Fatal("wrong")
	}
}
"""
GO_APP = (
    "package app\n\nfunc Double(n float64) float64 { return 2 * n }\n\n"
    "func Half(n float64) float64 { return n / 2 }\n"
)
GO = BaseProject(
    {"go.mod": GO_MOD, "app.go": GO_APP, "app_test.go": GO_TEST},
    "grep -q 'func Hello' app.go",
    test="go test -v ./...",
    needs=("go",),
)
GO_PRODUCT = {"app.go": GO_APP.replace("n / 2", "n / 3") + "\nfunc Hello() {}\n"}

RUST_TEST = """\
#[test]
fn double() {
    assert_eq!(app::double(2), 4);
}

#[test]
fn half() {
    assert_eq!(app::half(4), 2);
}
"""
RUST_APP = (
    "pub fn double(n: i32) -> i32 {\n    2 * n\n}\n\npub fn half(n: i32) -> i32 {\n    n / 2\n}\n"
)
CARGO = BaseProject(
    {
        "Cargo.toml": CARGO_TOML,
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "app"\nversion = "1.0.0"\n',
        ".gitignore": "target/\n",
        "src/lib.rs": RUST_APP,
        "tests/it.rs": RUST_TEST,
    },
    "grep -q 'fn hello' src/lib.rs",
    test="cargo test --offline",
    needs=("cargo",),
)
RUST_PRODUCT = {"src/lib.rs": RUST_APP.replace("n / 2", "n / 3") + "\npub fn hello() {}\n"}

JS_APP = "export const double = (n) => 2 * n\nexport const half = (n) => n / 2\n"
VITEST_TEST = """\
import { expect, it } from 'vitest'

import { double, half } from './app.js'

it('doubles', () => expect(double(2)).toBe(4))
it('halves', () => expect(half(3)).toBe(1.5))
"""
JS_CHECK = "grep -q hello app.js"
JS_PRODUCT = {"app.js": JS_APP.replace("n / 2", "n / 3") + "export const hello = () => 'hello'\n"}
VITEST = BaseProject(
    {
        "package.json": '{"type": "module"}\n',
        ".gitignore": "node_modules/\n",
        "app.js": JS_APP,
        "app.test.js": VITEST_TEST,
    },
    JS_CHECK,
    test="node_modules/.bin/vitest run --reporter=verbose",
    setup=LINK_PACKAGES,
    needs=("vitest",),
)
SNAPSHOT_TEST = VITEST_TEST.replace("toBe(1.5)", "toMatchSnapshot()")
SNAPSHOT = (
    "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`halves 1`] = `{}`;\n"
)
VITEST_SNAPSHOT = replace(
    VITEST,
    files={
        **VITEST.files,
        "app.test.js": SNAPSHOT_TEST,
        "__snapshots__/app.test.js.snap": SNAPSHOT.format(1.5),
    },
    # Without CI, Vitest would write a new one.
    test="CI=1 node_modules/.bin/vitest run --reporter=verbose",
)
NODE_TEST = """\
import assert from 'node:assert'
import { test } from 'node:test'

import { double, half } from './app.js'

test('doubles', () => assert.equal(double(2), 4))
test('halves', () => assert.equal(half(3), 1.5))
"""
NODE = BaseProject(
    {"package.json": '{"type": "module"}\n', "app.js": JS_APP, "app.test.js": NODE_TEST},
    JS_CHECK,
    test="node --test",
    needs=("node",),
)

RUBY_APP = "def twice(n) = 2 * n\n\ndef half(n) = n / 2.0\n"
RUBY_SPEC = """\
require_relative '../app'

RSpec.describe 'app' do
  it('twices') { expect(twice(2)).to eq 4 }

  it('halves') { expect(half(3)).to eq 1.5 }
end
"""
RSPEC = BaseProject(
    {"app.rb": RUBY_APP, "spec/app_spec.rb": RUBY_SPEC},
    "grep -q hello app.rb",
    test="rspec --format documentation",
    needs=("rspec",),
)
RUBY_PRODUCT = {"app.rb": RUBY_APP.replace("n / 2.0", "n / 3.0") + "\ndef hello = 'hello'\n"}

PHP_APP = "<?php\nfunction double($n) { return 2 * $n; }\nfunction half($n) { return $n / 2; }\n"
PHP_TEST = """\
<?php
require_once __DIR__ . '/../app.php';

final class NumbersTest extends PHPUnit\\Framework\\TestCase
{
    public function testDouble(): void
    {
        $this->assertEquals(4, double(2));
    }

    public function testHalf(): void
    {
        $this->assertEquals(1.5, half(3));
    }
}
"""
PHPUNIT = BaseProject(
    {"app.php": PHP_APP, "tests/NumbersTest.php": PHP_TEST},
    "grep -q hello app.php",
    test="phpunit --testdox --no-coverage tests",
    needs=("phpunit",),
)
PHP_PRODUCT = {
    "app.php": PHP_APP.replace("/ 2;", "/ 3;") + "function hello() { return 'hello'; }\n"
}

BATS_TEST = """\
@test "doubles" {
  [ "$(sh app.sh double 2)" = 4 ]
}

@test "halves" {
  [ "$(sh app.sh half 4)" = 2 ]
}
"""
SH_APP = "case $1 in\n  double) echo $(($2 * 2)) ;;\n  half) echo $(($2 / 2)) ;;\nesac\n"
BATS = BaseProject(
    {"app.sh": SH_APP, "tests/app.bats": BATS_TEST},
    "grep -q hello app.sh",
    test="bats tests",
    needs=("bats",),
)
SH_PRODUCT = {
    "app.sh": SH_APP.replace("/ 2", "/ 3").replace("esac", "  hello) echo hello ;;\nesac")
}
