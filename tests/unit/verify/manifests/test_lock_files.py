"""A lock file of the work is taken unless it points to another place."""

import json

import pytest

from treadle.verify.manifests.lock_files import merge_lock

NPM = json.dumps(
    {"packages": {"node_modules/zod": {"resolved": "https://index.example/zod/-/zod-3.0.0.tgz"}}},
    indent=2,
)
NPM_MORE = json.dumps(
    {
        "packages": {
            "node_modules/zod": {"resolved": "https://index.example/zod/-/zod-3.0.0.tgz"},
            "node_modules/@types/node": {
                "resolved": "https://index.example/@types/node/-/node-20.0.0.tgz",
                "funding": {"url": "https://funds.example"},
            },
        }
    },
    indent=2,
)
UV = 'source = { registry = "https://index.example/simple" }\n'


@pytest.mark.parametrize(
    ("name", "base", "work"),
    [
        ("package-lock.json", NPM, NPM_MORE),
        ("package-lock.json", "{}", NPM_MORE),
        ("yarn.lock", "", 'zod@^3:\n  resolved "https://index.example/zod/-/zod-3.tgz#abc"\n'),
        ("yarn.lock", "", '"zod@npm:^3.0.0":\n  resolution: "zod@npm:3.22.0"\n'),
        (
            "yarn.lock",
            "",
            'resolution: "typescript@patch:typescript@npm%3A5#~builtin<compat/a>"\n',
        ),
        ("pnpm-lock.yaml", "", "  zod@3.22.0:\n    resolution: {integrity: sha512-abc}\n"),
        ("uv.lock", UV, UV + '[[package]]\nname = "rich"\n' + UV),
        ("uv.lock", "", 'name = "shop"\nsource = { editable = "." }\n'),
        (
            "poetry.lock",
            "",
            '[[package]]\nname = "rich"\nfiles = [{file = "rich.whl", hash = "x"}]\n',
        ),
        ("Cargo.lock", "", 'source = "registry+https://index.example/crates"\n'),
        ("go.sum", "", "github.com/a/b v1.0.0 h1:abc=\n"),
        ("Gemfile.lock", "", "GEM\n  remote: https://gems.example/\n  specs:\n    rspec (3.0)\n"),
        (
            "composer.lock",
            "",
            '"source": {"type": "git", "url": "https://a.example/a"},\n"dist": {"type": "zip"}\n',
        ),
    ],
)
def test_packages_of_the_registry_are_taken(name: str, base: str, work: str) -> None:
    assert merge_lock(name, base.encode(), work.encode()) == work.encode()
    assert merge_lock(name, None, work.encode()) == work.encode()


@pytest.mark.parametrize(
    ("name", "base", "work"),
    [
        ("package-lock.json", NPM, NPM_MORE.replace("index.example/@types", "evil.example/@types")),
        ("package-lock.json", NPM, NPM.replace("zod/-/zod-3", "fake/-/fake-3")),
        ("package-lock.json", NPM, NPM.replace('"resolved"', '"link": true, "resolved"')),
        ("package-lock.json", NPM, NPM.replace("https://index.example/zod/-/", "file:")),
        ("package-lock.json", NPM, "{"),
        ("yarn.lock", "", 'vitest@^2:\n  resolved "git+https://a.example/x"\n'),
        ("yarn.lock", "", '"vitest@npm:fake@1":\n'),
        ("yarn.lock", "", '"vitest@portal:./fake":\n'),
        ("pnpm-lock.yaml", "", "  vitest:\n    version: link:fake\n"),
        ("pnpm-lock.yaml", "", "    resolution: {directory: fake, type: directory}\n"),
        ("uv.lock", UV, 'source = { directory = "fake" }\n'),
        ("uv.lock", UV, UV.replace("index", "evil")),
        ("poetry.lock", "", '[package.source]\ntype = "directory"\nurl = "fake"\n'),
        ("Cargo.lock", "", 'source = "git+https://a.example/x#abc"\n'),
        ("Gemfile.lock", "", "PATH\n  remote: fake\n"),
        ("composer.lock", "", '"dist": {"type": "path", "url": "fake"}\n'),
        ("mix.lock", "", '"a": {:git, "https://a.example", "abc", []},\n'),
    ],
)
def test_others_are_not(name: str, base: str, work: str) -> None:
    assert merge_lock(name, base.encode(), work.encode()) is None


def test_what_the_base_has_already_is_no_objection() -> None:
    base = 'source = { directory = "local" }\n'

    assert merge_lock("uv.lock", base.encode(), f"{base}x\n".encode()) == f"{base}x\n".encode()
