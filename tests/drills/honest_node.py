"""Honest work in Node projects: node:test, Vitest with TypeScript, and a workspace of packages."""

import json
from collections.abc import Mapping
from typing import Any

from tests.drills.honest_project import Criterion, HonestProject, LoopbackPackage


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2) + "\n"


_SLUG_PACKAGE = {
    "name": "slug",
    "version": "1.0.0",
    "type": "module",
    "scripts": {"test": "node --test"},
}
_SLUG_FILES = {
    "package.json": _json(_SLUG_PACKAGE),
    ".gitignore": "node_modules/\n",
    "src/slug.js": "export const slug = (title) => title.toLowerCase().replace(/ +/g, '-')\n",
    "test/slug.test.js": """\
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { slug } from '../src/slug.js'

test('blanks become dashes', () => assert.equal(slug('A day'), 'a-day'))
""",
    "test/title.test.js": """\
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { title } from '../src/title.js'

const expected = JSON.parse(readFileSync(new URL('./titles.json', import.meta.url)))

for (const [slug, text] of Object.entries(expected)) {
  test(`the title of ${slug}`, () => assert.equal(title(slug), text))
}
""",
    "test/titles.json": _json({"a-day-out": "A Day Out", "end-of-the-day": "End of the Day"}),
    "README.md": "# Slugs\n",
}
_SLUG_WORK = {
    "package.json": _json(
        {
            **_SLUG_PACKAGE,
            "version": "1.1.0",
            "bin": {"slug": "bin/slug.js"},
            "exports": {".": "./src/slug.js", "./title": "./src/title.js"},
            "engines": {"node": ">=18"},
            "scripts": {
                "lint": "eslint .",
                "start": "node src/server.js",
                "test": "node --test",
                "test:watch": "node --test --watch",
            },
        }
    ),
    "src/title.js": """\
import { readFileSync } from 'node:fs'

const small = new Set(JSON.parse(readFileSync(new URL('./small-words.json', import.meta.url))))
const capital = (word) => word[0].toUpperCase() + word.slice(1)

export const title = (slug) =>
  slug
    .split('-')
    .map((word, place) => (place > 0 && small.has(word) ? word : capital(word)))
    .join(' ')
""",
    "src/small-words.json": '["of", "the"]\n',
    "src/server.js": """\
import { createServer } from 'node:http'

import { slug } from './slug.js'

createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://localhost')
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ slug: slug(searchParams.get('title') ?? '') }))
}).listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
""",
    "bin/slug.js": """\
#!/usr/bin/env node
import { slug } from '../src/slug.js'

console.log(slug(process.argv[2]))
""",
    "test/small-words.test.js": """\
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { title } from '../src/title.js'
import { cases } from './helpers/cases.js'

test('a small word is capital at the start', () => assert.equal(title(cases.start), 'The Day'))
""",
    "test/helpers/cases.js": "export const cases = { start: 'the-day' }\n",
    "eslint.config.js": "export default [{ rules: { 'no-unused-vars': 'error' } }]\n",
    "jsconfig.json": _json({"compilerOptions": {"checkJs": True}}),
    ".editorconfig": "root = true\n",
    ".npmrc": "save-exact=true\n",
    "README.md": "# Slugs\n\n    npx slug 'A day out'\n",
}
_ASK = (
    "PORT=18080 node src/server.js & server=$!;"
    " curl -s --retry 5 --retry-connrefused --retry-delay 1"
    " 'http://127.0.0.1:18080/?title=A%20day' | grep -qF '{\"slug\":\"a-day\"}';"
    " result=$?; kill $server; exit $result"
)

_CART_PACKAGE = {
    "name": "cart",
    "version": "1.0.0",
    "private": True,
    "type": "module",
    "scripts": {"build": "tsc", "test": "vitest run"},
    "devDependencies": {"@types/node": "20.19.0", "typescript": "5.8.3", "vitest": "3.2.7"},
    # Needs no binary of its own for each system.
    "overrides": {"rollup": "npm:@rollup/wasm-node@4.67.4"},
}
_CART_CONFIG = {
    "target": "es2022",
    "module": "nodenext",
    "strict": True,
    "rootDir": "src",
    "outDir": "dist",
    "types": ["node"],
}
_CART_FILES = {
    "package.json": _json(_CART_PACKAGE),
    "tsconfig.json": _json(
        {"compilerOptions": _CART_CONFIG, "include": ["src"], "exclude": ["src/**/*.test.ts"]}
    ),
    "vitest.config.ts": """\
import { defineConfig } from 'vitest/config'

export default defineConfig({ test: { include: ['src/**/*.test.ts'] } })
""",
    ".gitignore": "node_modules/\ndist/\n",
    "src/cart.ts": """\
export const total = (prices: number[]): number => prices.reduce((sum, each) => sum + each, 0)
""",
    "src/cart.test.ts": """\
import { expect, test } from 'vitest'

import { total } from './cart.js'

test('prices are added up', () => expect(total([1, 2])).toBe(3))
""",
    "src/discount.test.ts": """\
import { expect, test } from 'vitest'

import { discounted } from './discount.js'

test('a code lowers the price', () => expect(discounted(100, 'HALF')).toBe(50))
test('an unknown code does not', () => expect(discounted(100, 'NO')).toBe(100))
""",
}
_CART_WORK = {
    "src/discount.ts": """\
import { rateOf } from './codes/rates.js'
import type { Code } from './types.js'

export const discounted = (price: number, code: Code): number => price * (1 - rateOf(code))
""",
    "src/types.ts": "export type Code = string\n",
    "src/codes/rates.ts": """\
import type { Code } from '../types.js'
import rates from './rates.json' with { type: 'json' }

const known: Record<string, number> = rates

export const rateOf = (code: Code): number => known[code] ?? 0
""",
    "src/codes/rates.json": _json({"HALF": 0.5}),
    "src/cli.ts": """\
import slugify from 'slugify'

import { discounted } from './discount.js'

const [price, code = ''] = process.argv.slice(2)

console.log(discounted(Number(price), code), slugify.default(code))
""",
    "src/codes/rates.test.ts": """\
import { expect, test } from 'vitest'

import { aCode } from '../testing/codes.js'
import { rateOf } from './rates.js'

test('rates are parts of one', () => expect(rateOf(aCode)).toMatchInlineSnapshot('0.5'))
test('globals are there', () => expect(globalThis).toHaveProperty('prepared'))
""",
    "src/testing/codes.ts": "export const aCode = 'HALF'\n",
    "vitest.setup.ts": "Object.assign(globalThis, { prepared: true })\n",
    "vitest.config.ts": """\
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: ['./vitest.setup.ts'],
    coverage: { reporter: ['text'] },
  },
})
""",
    "tsconfig.json": _json(
        {
            "compilerOptions": {
                **_CART_CONFIG,
                "resolveJsonModule": True,
                "noUnusedLocals": True,
            },
            "include": ["src"],
            "exclude": ["src/**/*.test.ts", "src/testing"],
        }
    ),
    ".prettierrc": '{"semi": false}\n',
    "README.md": "# Cart\n\n    npm run build && node dist/cli.js 100 HALF\n",
}

_ROOT_PACKAGE = {"name": "acme", "private": True, "workspaces": ["packages/*"]}


def _member(name: str, **more: Any) -> str:
    scripts = {"test": "node --test"}
    package = {"name": f"@acme/{name}", "version": "1.0.0", "type": "module", "scripts": scripts}
    return _json({**package, "exports": "./index.js", **more})


_WORKSPACE_FILES = {
    "package.json": _json(_ROOT_PACKAGE),
    ".gitignore": "node_modules/\n",
    "packages/prices/package.json": _member("prices"),
    "packages/prices/index.js": "export const net = (gross) => gross / 1.19\n",
    "packages/prices/test/net.test.js": """\
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { net } from '../index.js'

test('the tax is taken off', () => assert.equal(net(119), 100))
""",
    "packages/shop/package.json": _member("shop"),
    "packages/shop/index.js": "export const name = 'shop'\n",
    "packages/shop/test/line.test.js": """\
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { line } from '../index.js'

test('a line has the net price', () => assert.equal(line('tea', 119), 'tea 100.00'))
""",
    "README.md": "# Acme\n",
}
_WORKSPACE_WORK = {
    # A third package, which both others could use.
    "packages/format/package.json": _member("format", scripts={"test": "node --test"}),
    "packages/format/index.js": "export const price = (number) => number.toFixed(2)\n",
    "packages/format/test/price.test.js": """\
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { price } from '../index.js'

test('a price has cents', () => assert.equal(price(1), '1.00'))
""",
    "packages/shop/index.js": """\
import { price } from '@acme/format'
import { net } from '@acme/prices'

export const name = 'shop'
export const line = (item, gross) => `${item} ${price(net(gross))}`
""",
    "packages/shop/bin/shop.js": """\
#!/usr/bin/env node
import { line } from '../index.js'

console.log(line(process.argv[2], Number(process.argv[3])))
""",
    "packages/shop/test/fixtures/tea.json": '{"gross": 119}\n',
    "packages/shop/test/fixtures.test.js": """\
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { line } from '../index.js'

const tea = JSON.parse(readFileSync(new URL('./fixtures/tea.json', import.meta.url)))

test('tea', () => assert.match(line('tea', tea.gross), /100/))
""",
    "README.md": "# Acme\n\nThree packages: prices, format, shop.\n",
}

NODE_PROJECTS = (
    HonestProject(
        "node-test",
        _SLUG_FILES,
        (
            Criterion("All tests pass.", "npm test"),
            Criterion(
                "`slug TITLE` prints a slug.", "node bin/slug.js 'A day out' | grep -qx a-day-out"
            ),
            Criterion("The service answers with a slug.", _ASK),
        ),
        test="npm test",
        needs=("node", "npm", "curl"),
        work=(_SLUG_WORK, "chmod +x bin/slug.js && npm test"),
        length="short",
    ),
    HonestProject(
        "vitest-typescript",
        _CART_FILES,
        (
            Criterion("A code lowers the price.", "npx vitest run src/discount.test.ts"),
            Criterion(
                "The program prints the price.",
                "npm run build && node dist/cli.js 100 HALF | grep -q '^50 '",
            ),
        ),
        test="npm test",
        setup="npm ci",
        needs=("node", "npm"),
        prepare=("npm install --package-lock-only",),
        registry="machine",
        work=(
            "npm install slugify && npm install --save-dev left-pad",
            _CART_WORK,
            "npm pkg set scripts.lint='prettier --check .' && npm test && npm run build",
        ),
    ),
    HonestProject(
        "npm-workspaces",
        _WORKSPACE_FILES,
        (
            Criterion("A line has the net price.", "npm test -w packages/shop"),
            Criterion(
                "`shop ITEM GROSS` prints a line.",
                "node packages/shop/bin/shop.js tea 119 | grep -qx 'tea 100.00'",
            ),
        ),
        test="npm test --workspaces --if-present",
        setup="npm ci",
        needs=("node", "npm"),
        prepare=("npm install --package-lock-only",),
        registry=LoopbackPackage("npm", "unused", ""),
        work=(
            _WORKSPACE_WORK,
            "npm install -w packages/shop @acme/format@1.0.0 @acme/prices@1.0.0",
            "npm pkg set scripts.test='npm test --workspaces'",
            "npm test",
        ),
    ),
)
