"""In Cargo.toml what judges is the base's, and the rest is the work's."""

import tomllib
from typing import Any

import pytest

from treadle.verify.manifests.cargo_manifest import merge_cargo

BASE = """\
[package]
name = "shop"
version = "0.1.0"
edition = "2021"

[dependencies]
serde = "1"
local = { path = "local" }

[dev-dependencies]
proptest = "1"

[[test]]
name = "cart"
"""


def merged(work: str, base: str | None = BASE) -> dict[str, Any]:
    result = merge_cargo(None if base is None else base.encode(), work.encode())
    assert result is not None
    return tomllib.loads(result.decode())


@pytest.mark.parametrize(
    "work",
    [
        BASE.replace('edition = "2021"', 'edition = "2021"\nautotests = false'),
        BASE.replace('edition = "2021"', 'edition = "2021"\nbuild = "evil.rs"'),
        BASE + "harness = false\n",
        BASE.replace('[[test]]\nname = "cart"\n', ""),
        BASE + "\n[lib]\ntest = false\ndoctest = false\n",
        BASE + '\n[lib]\npath = "src/other.rs"\n',
        BASE + '\n[patch.crates-io]\nproptest = { path = "fake" }\n',
        BASE + "\n[profile.test]\ndebug-assertions = false\n",
        BASE.replace('proptest = "1"', 'proptest = { path = "fake" }'),
        BASE.replace('proptest = "1"', 'proptest = { package = "fake", version = "1" }'),
        BASE.replace('proptest = "1"', ""),
        BASE.replace('serde = "1"', 'serde = "1"\nfake = { git = "https://a.example/fake" }'),
        BASE + '\n[build-dependencies]\ncc = "1"\n',
        BASE + '\n[lints.rust]\ndead_code = "allow"\n',
    ],
)
def test_nothing_that_judges_comes_from_the_work(work: str) -> None:
    assert merged(work) == tomllib.loads(BASE)


@pytest.mark.parametrize(
    "work",
    [
        BASE.replace("0.1.0", "0.2.0"),
        BASE.replace(
            'serde = "1"', 'serde = { version = "1", features = ["derive"] }\nregex = "1"'
        ),
        BASE.replace("[[test]]", '[features]\nfast = []\n\n[[bin]]\nname = "shop"\n\n[[test]]'),
        BASE.replace("[[test]]", "[target.'cfg(unix)'.dependencies]\nnix = \"0.29\"\n\n[[test]]"),
    ],
)
def test_the_product_comes_from_the_work_with_its_bytes(work: str) -> None:
    assert merge_cargo(BASE.encode(), work.encode()) == work.encode()


def test_an_added_manifest_keeps_what_describes_the_product() -> None:
    work = BASE.replace("local = {", "gone = {") + '\n[lib]\npath = "src/shop.rs"\ntest = false\n'

    assert merged(work, None) == {
        "package": {"name": "shop", "version": "0.1.0", "edition": "2021"},
        "lib": {"path": "src/shop.rs"},
        "dependencies": {"serde": "1"},
        "dev-dependencies": {"proptest": "1"},
    }


def test_a_workspace_may_grow() -> None:
    base = '[workspace]\nmembers = ["a"]\nresolver = "2"\n'
    work = '[workspace]\nmembers = ["b"]\nexclude = ["a"]\n[workspace.dependencies]\nserde = "1"\n'

    assert merged(work, base) == {
        "workspace": {"members": ["a", "b"], "resolver": "2", "dependencies": {"serde": "1"}}
    }
