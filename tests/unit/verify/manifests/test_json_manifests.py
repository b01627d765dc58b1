"""In manifests in JSON what judges is the base's, and the rest is the work's."""

import json
from typing import Any

import pytest

from treadle.verify.manifests.json_manifests import merge_composer_json, merge_package_json

BASE: dict[str, Any] = {
    "name": "shop",
    "scripts": {"test": "vitest run"},
    "dependencies": {"zod": "^3.0.0", "lib": "file:../lib"},
    "devDependencies": {"vitest": "^2.0.0"},
}


def merged(base: dict[str, Any] | None, work: dict[str, Any]) -> dict[str, Any]:
    content = None if base is None else json.dumps(base).encode()
    result = merge_package_json(content, json.dumps(work).encode())
    assert result is not None
    loaded: dict[str, Any] = json.loads(result)
    return loaded


@pytest.mark.parametrize(
    "change",
    [
        {"scripts": {"test": "true"}},
        {"scripts": {"test": "vitest run", "pretest": "exit 0"}},
        {"vitest": {"include": []}},
        {"jest": {"testMatch": []}},
        {"mocha": {"spec": "x"}},
        {"imports": {"#a": "./fake.js"}},
        {"overrides": {"vitest": "0.0.1"}},
        {"resolutions": {"vitest": "0.0.1"}},
        {"pnpm": {"overrides": {"vitest": "file:x"}}},
        {"workspaces": ["fake/*"]},
        {"packageManager": "fake@1"},
        {"browser": {"vitest": "./fake.js"}},
        {"name": "vitest"},
        {"devDependencies": {"vitest": "file:./fake"}},
        {"devDependencies": {"vitest": "npm:fake@1"}},
        {"devDependencies": {"vitest": "0.0.1"}},
        {"devDependencies": {}},
        {"devDependencies": {"vitest": "^2.0.0", "chai": "link:./fake"}},
        {"devDependencies": {"vitest": "^2.0.0", "chai": "user/repository"}},
        {"devDependencies": {"vitest": "^2.0.0", "chai": "git+https://a.example/x.git"}},
        {"devDependencies": {"vitest": "^2.0.0", "jest": "workspace:*"}},
    ],
)
def test_nothing_that_judges_comes_from_the_work(change: dict[str, Any]) -> None:
    assert merged(BASE, {**BASE, **change}) == BASE


@pytest.mark.parametrize(
    "change",
    [
        {"version": "2.0.0", "description": "A shop"},
        {"type": "module", "main": "dist/index.js", "exports": {".": "./dist/index.js"}},
        {"bin": {"shop": "bin/shop.js"}},
        {"dependencies": {**BASE["dependencies"], "chalk": "^5.0.0"}},
        {"dependencies": {**BASE["dependencies"], "zod": "~3.22.0"}},
        {"dependencies": {"lib": "file:../lib"}},
        {"dependencies": {**BASE["dependencies"], "@shop/money": "workspace:*"}},
        {"devDependencies": {"vitest": "^2.0.0", "tsup": "latest"}},
    ],
)
def test_the_product_comes_from_the_work(change: dict[str, Any]) -> None:
    assert merged(BASE, {**BASE, **change}) == {**BASE, **change}


def test_programs_have_no_names_of_tools() -> None:
    work = {**BASE, "bin": {"shop": "a.js", "vitest": "b.js", "zod": "c.js", "grep": "d.js"}}

    assert merged(BASE, work) == {**BASE, "bin": {"shop": "a.js"}}


def test_an_added_manifest_has_no_keys_that_judge() -> None:
    work = {
        "name": "jest",
        "scripts": {"test": "true"},
        "dependencies": {"zod": "^3", "x": "file:x"},
        "type": "module",
    }

    assert merged(None, work) == {"dependencies": {"zod": "^3"}, "type": "module"}


def test_the_bytes_stay_where_nothing_is_taken_from_the_base() -> None:
    base = b'{"scripts": {"test": "x"}}'
    work = b'{\n    "scripts": { "test": "x" },\n    "version": "1.0.0"\n}\n'

    assert merge_package_json(base, work) == work
    assert merge_package_json(base, b'{"scripts": {"test": "y"}}') == base


def test_merged_text_has_the_indent_of_the_work() -> None:
    work = b'{\n    "version": "1.0.0",\n    "scripts": {"test": "y"}\n}\n'

    assert merge_package_json(b'{"scripts": {"test": "x"}}', work) == (
        b'{\n    "version": "1.0.0",\n    "scripts": {\n        "test": "x"\n    }\n}\n'
    )


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_cannot_be_read_is_not_merged(content: bytes) -> None:
    assert merge_package_json(b"{}", content) is None
    assert merge_package_json(content, b"{}") is None


def test_composer_keeps_its_scripts_its_repositories_and_its_runner() -> None:
    base = {
        "autoload": {"psr-4": {"Shop\\": "src/"}, "files": ["src/a.php"]},
        "require-dev": {"phpunit/phpunit": "^10"},
        "scripts": {"test": "phpunit"},
    }
    work = {
        "require": {"brick/money": "^0.8"},
        "require-dev": {"phpunit/phpunit": "0.1"},
        "autoload": {
            "psr-4": {"Shop\\": "src/", "Shop\\Api\\": "api/", "PHPUnit\\Framework\\": "fake/"},
            "files": ["src/a.php", "src/exit.php"],
        },
        "autoload-dev": {"files": ["exit.php"]},
        "scripts": {"test": "true"},
        "repositories": [{"type": "path", "url": "fake"}],
        "replace": {"phpunit/phpunit": "*"},
        "config": {"bin-dir": "bin"},
    }
    result = merge_composer_json(json.dumps(base).encode(), json.dumps(work).encode())

    assert json.loads(result or b"") == {
        "require": {"brick/money": "^0.8"},
        "require-dev": {"phpunit/phpunit": "^10"},
        "autoload": {
            "psr-4": {"Shop\\": "src/", "Shop\\Api\\": "api/"},
            "files": ["src/a.php"],
        },
        "scripts": {"test": "phpunit"},
    }
