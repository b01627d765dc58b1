"""Settings of TypeScript: how the product is made is the work's, what finds errors the base's."""

import json
from typing import Any

import pytest

from treadle.verify.manifests.tsconfig import merge_tsconfig

OPTIONS: dict[str, Any] = {"target": "es2020", "strict": True, "outDir": "dist", "types": ["node"]}
BASE: dict[str, Any] = {"compilerOptions": OPTIONS, "include": ["src"], "exclude": ["src/old"]}


def merge(work: dict[str, Any], base: dict[str, Any] | None = None) -> Any:
    merged = merge_tsconfig(json.dumps(base or BASE).encode(), json.dumps(work).encode())
    return None if merged is None else json.loads(merged)


def with_options(**changes: Any) -> dict[str, Any]:
    return {**BASE, "compilerOptions": {**OPTIONS, **changes}}


@pytest.mark.parametrize(
    "work",
    [
        with_options(target="es2022", resolveJsonModule=True, esModuleInterop=True),
        with_options(noUnusedLocals=True, strictNullChecks=True),
        with_options(types=["node", "@acme/types"]),
        with_options(paths={"@/*": ["./src/*"], "~/lib": ["src/lib/index.ts"]}),
        {**BASE, "include": ["src", "scripts/**/*.ts"]},
        BASE,
    ],
)
def test_what_the_product_needs_is_taken(work: dict[str, Any]) -> None:
    assert merge(work) == work


@pytest.mark.parametrize(
    "work",
    [
        with_options(strict=False),
        with_options(skipLibCheck=True, noEmit=True, noCheck=True, checkJs=False),
        with_options(outDir="build", rootDir=".", baseUrl="src", typeRoots=["types"]),
        with_options(paths={"vitest": ["./src/vitest.ts"], "@scope/x": ["./src/x.ts"]}),
        with_options(paths={"@/*": ["../elsewhere/*"]}),
        with_options(types=["node", "./fake"]),
        with_options(jsxImportSource="fake", plugins=[{"transform": "./fake.js"}]),
        {**BASE, "exclude": ["src/old", "src/broken.ts"]},
        {**BASE, "include": []},
        {**BASE, "files": [], "extends": "./other.json", "references": []},
        {},
    ],
)
def test_what_judges_is_as_it_was(work: dict[str, Any]) -> None:
    expected = {**BASE, "compilerOptions": {**OPTIONS}}
    # The work may well set no target.
    if "compilerOptions" not in work:
        del expected["compilerOptions"]["target"]

    assert merge(work) == expected


def test_comments_and_last_commas_are_read() -> None:
    base = b'{\n  // how\n  "compilerOptions": { "strict": true, /* and */ },\n}\n'
    work = b'{ "compilerOptions": { "strict": true, "target": "es2022", "a": "// ,}" }, }'

    merged = merge_tsconfig(base, work)

    assert merged is not None
    assert json.loads(merged) == {"compilerOptions": {"strict": True, "target": "es2022"}}
    assert merge_tsconfig(base, b"{ not json") is None
    assert merge_tsconfig(base, base) == base
