"""In manifests of Python what judges is the base's, and the rest is the work's."""

import tomllib
from typing import Any

import pytest

from treadle.verify.manifests.pytest_settings import merge_pytest_ini
from treadle.verify.manifests.python_manifests import (
    merge_first_settings,
    merge_pipfile,
    merge_pyproject,
)
from treadle.verify.manifests.setup_cfg import merge_setup_cfg

BASE = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "shop"
dependencies = ["httpx>=0.27"]

[dependency-groups]
dev = ["pytest>=8"]

[tool.pytest.ini_options]
addopts = "-q"

[tool.uv.sources]
local = { path = "local" }
"""


def merged(work: str, base: str | None = BASE) -> dict[str, Any]:
    result = merge_pyproject(None if base is None else base.encode(), work.encode())
    assert result is not None
    return tomllib.loads(result.decode())


@pytest.mark.parametrize(
    "work",
    [
        BASE.replace('addopts = "-q"', 'addopts = "--collect-only"'),
        BASE.replace(
            "[tool.pytest.ini_options]", "[tool.coverage.run]\nbranch = false\n\n[tool.none]"
        ),
        BASE + '\n[tool.ruff]\nexclude = ["*"]\n',
        BASE + '\n[project.entry-points.pytest11]\nfake = "shop.fake"\n',
        BASE.replace("hatchling.build", "fake").replace(
            "[project]", 'backend-path = ["."]\n[project]'
        ),
        BASE.replace('"pytest>=8"', '"pytest @ file:///tmp/pytest"'),
        BASE.replace('"pytest>=8"', '"pytest<1"'),
        BASE.replace('"pytest>=8"', ""),
        BASE.replace('"httpx>=0.27"', '"httpx>=0.27", "fake @ https://a.example/fake.whl"'),
        BASE.replace('{ path = "local" }', '{ path = "fake" }\npytest = { path = "fake" }'),
        BASE.replace('name = "shop"', 'name = "pytest"'),
        BASE + '\n[tool.setuptools]\npy-modules = ["pytest"]\n',
        BASE + '\n[tool.hatch.build.targets.wheel.hooks.custom]\npath = "x.py"\n',
    ],
)
def test_nothing_that_judges_comes_from_the_work(work: str) -> None:
    assert merged(work) == tomllib.loads(BASE)


@pytest.mark.parametrize(
    "work",
    [
        BASE.replace(
            '["httpx>=0.27"]', '["httpx>=0.28", "rich[all]>=13; python_version > \'3.8\'"]'
        ),
        BASE.replace('["httpx>=0.27"]', "[]"),
        BASE.replace('"pytest>=8"', '"pytest>=8", "pytest-httpx"'),
        BASE.replace(
            "dependencies =", 'version = "2"\nscripts = { shop = "shop:main" }\ndependencies ='
        ),
        BASE.replace(
            "[dependency-groups]",
            '[project.entry-points."shop.plugins"]\na = "shop:a"\n\n[dependency-groups]',
        ),
        BASE + '\n[tool.hatch.build.targets.wheel]\npackages = ["src/shop"]\n',
    ],
)
def test_the_product_comes_from_the_work_with_its_bytes(work: str) -> None:
    assert merge_pyproject(BASE.encode(), work.encode()) == work.encode()


def test_scripts_have_no_names_of_tools() -> None:
    scripts = 'scripts = { shop = "a:b", pytest = "a:b", grep = "a:b" }\ndependencies ='

    assert merged(BASE.replace("dependencies =", scripts, 1))["project"]["scripts"] == {
        "shop": "a:b"
    }


def test_an_added_manifest_keeps_its_metadata_and_no_settings() -> None:
    work = BASE.replace('name = "shop"', 'name = "shop"\nversion = "1"')

    assert merged(work, None) == {
        "build-system": {"requires": ["hatchling"], "build-backend": "hatchling.build"},
        "project": {"name": "shop", "version": "1", "dependencies": ["httpx>=0.27"]},
        "dependency-groups": {"dev": ["pytest>=8"]},
    }


def test_the_first_settings_of_pytest_may_say_where_the_product_is() -> None:
    work = (
        '[tool.pytest.ini_options]\npythonpath = ["src"]\nasyncio_mode = "auto"\naddopts = "--co"\n'
    )
    result = merge_first_settings(b"", work.encode()) or b""

    assert tomllib.loads(result.decode()) == {
        "tool": {"pytest": {"ini_options": {"pythonpath": ["src"], "asyncio_mode": "auto"}}}
    }


@pytest.mark.parametrize(
    ("work", "result"),
    [
        (b"[pytest]\npythonpath = . src\n", b"[pytest]\npythonpath = . src\n"),
        (b"[pytest]\npythonpath = src\naddopts = --co\n", b"[pytest]\npythonpath = src\n"),
        (b"[pytest]\npythonpath = fake\n", None),
        (b"[pytest]\naddopts = --co\n", None),
        (b"[tool:pytest]\n", None),
        (b"addopts", None),
    ],
)
def test_an_added_pytest_ini_has_harmless_options_alone(work: bytes, result: bytes | None) -> None:
    assert merge_pytest_ini(None, work) == result
    assert merge_pytest_ini(b"[pytest]\n", work) is None


def test_poetry_keeps_its_settings_and_takes_plain_dependencies() -> None:
    base = '[tool.poetry]\nname = "shop"\n[tool.poetry.dependencies]\npython = "^3"\n'
    work = (
        '[tool.poetry]\nname = "shop"\nversion = "2"\n[tool.poetry.dependencies]\npython = "^3"\n'
        'rich = { version = "^13", extras = ["all"] }\nfake = { path = "fake" }\n'
        '[tool.poetry.group.dev.dependencies]\npytest = "^8"\nx = { git = "https://a.example/x" }\n'
        '[tool.poetry.plugins.pytest11]\nfake = "x"\n[tool.poetry.build]\nscript = "x.py"\n'
    )

    assert merged(work, base) == {
        "tool": {
            "poetry": {
                "name": "shop",
                "version": "2",
                "dependencies": {"python": "^3", "rich": {"version": "^13", "extras": ["all"]}},
                "group": {"dev": {"dependencies": {"pytest": "^8"}}},
            }
        }
    }


@pytest.mark.parametrize("content", [b"a = ", b"\xff", b"a=" + b"[" * 100_000])
def test_what_cannot_be_read_is_not_merged(content: bytes) -> None:
    assert merge_pyproject(b"", content) is None
    assert merge_pyproject(content, b"") is None


def test_a_pipfile_takes_plain_packages() -> None:
    base = '[packages]\nhttpx = "*"\n[dev-packages]\npytest = ">=8"\n[scripts]\ntest = "pytest"\n'
    work = (
        '[packages]\nhttpx = "*"\nrich = "*"\nfake = {path = "."}\n[dev-packages]\npytest = "==1"\n'
        '[scripts]\ntest = "true"\n[[source]]\nurl = "https://a.example"\n'
    )
    result = merge_pipfile(base.encode(), work.encode()) or b""

    assert tomllib.loads(result.decode()) == {
        "packages": {"httpx": "*", "rich": "*"},
        "dev-packages": {"pytest": ">=8"},
        "scripts": {"test": "pytest"},
    }


def test_setup_cfg_takes_metadata_and_keeps_settings_of_tools() -> None:
    base = b"[metadata]\nname = shop\n[tool:pytest]\naddopts = -q\n"
    work = (
        b"[metadata]\nname = shop\nversion = 2\n[options]\ninstall_requires =\n\trich\n\tx@file:x\n"
        b"cmdclass =\n\ta = b\n[options.entry_points]\npytest11 =\n\ta = b\nconsole_scripts =\n"
        b"\tshop = a:b\n\tpytest = a:b\n[tool:pytest]\naddopts = --co\n[flake8]\nexclude = .\n"
    )

    assert merge_setup_cfg(base, work) == (
        b"[tool:pytest]\naddopts = -q\n\n[metadata]\nname = shop\nversion = 2\n\n"
        b"[options]\ninstall_requires = \n\trich\n\n"
        b"[options.entry_points]\nconsole_scripts = \n\tshop = a:b\n\n"
    )
    assert merge_setup_cfg(base, base.replace(b"-q", b"-x")) == base
    assert merge_setup_cfg(
        base, b"[metadata]\nname = shop\nversion=3\n[tool:pytest]\naddopts = -q\n"
    ) == (b"[metadata]\nname = shop\nversion=3\n[tool:pytest]\naddopts = -q\n")
    assert merge_setup_cfg(base, b"nothing") is None
