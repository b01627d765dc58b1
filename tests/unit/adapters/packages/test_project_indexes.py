"""Files of a project name indexes, which count only with the user's permission."""

from collections.abc import Callable, Mapping

import pytest

from tests.unit.adapters.packages.configuration import ADA
from treadle.adapters.packages.package_sources import IndexLogin, ProjectIndex
from treadle.adapters.packages.project_indexes import ProjectNames, parse_project_files
from treadle.domain.package_index import IndexKind, PackageIndex

URL = "https://corp.example/x"


def reader(files: Mapping[str, str]) -> Callable[[str], str]:
    return lambda name: files.get(name, "")


@pytest.mark.parametrize(
    ("kind", "file", "text", "name"),
    [
        (
            "python",
            "pyproject.toml",
            f'[[tool.uv.index]]\nname = "my-corp"\nurl = "{URL}"',
            "MY_CORP",
        ),
        ("python", "pyproject.toml", f'[tool.uv]\nindex-url = "{URL}"', ""),
        ("python", "pyproject.toml", f'[tool.uv]\nextra-index-url = ["{URL}"]', ""),
        (
            "python",
            "pyproject.toml",
            f'[[tool.poetry.source]]\nname = "corp"\nurl = "{URL}"',
            "CORP",
        ),
        ("python", "pyproject.toml", f'[[tool.pdm.source]]\nname = "corp"\nurl = "{URL}"', "CORP"),
        ("python", "uv.toml", f'[[index]]\nurl = "{URL}"', ""),
        ("python", "Pipfile", f'[[source]]\nname = "corp"\nurl = "{URL}"', "CORP"),
        ("python", "requirements.txt", f"--extra-index-url {URL}\ntiny", ""),
        ("python", "requirements-dev.txt", f"-i {URL}", ""),
        ("node", ".npmrc", f"registry={URL}", ""),
        ("node", ".npmrc", f"@ours:registry={URL}", ""),
        ("node", ".yarnrc.yml", f"npmRegistryServer: {URL}", ""),
        ("node", ".yarnrc.yml", f"npmScopes: {{ours: {{npmRegistryServer: '{URL}'}}}}", ""),
        ("rust", ".cargo/config.toml", f'[registries.corp]\nindex = "sparse+{URL}"', "CORP"),
        ("rust", ".cargo/config", f'[source.corp]\nregistry = "sparse+{URL}"', "CORP"),
    ],
)
def test_an_index_is_named_in(kind: IndexKind, file: str, text: str, name: str) -> None:
    names = parse_project_files(reader({file: text}), {})

    assert names == ProjectNames((ProjectIndex(PackageIndex(kind, URL), file, name),))


NPMRC = "//corp.example/:_authToken=${NPM_TOKEN}\n"
YARNRC = (
    'npmScopes: {ours: {npmRegistryServer: "https://corp.example/", npmAuthToken: "${CORP_AUTH}"}}'
)


def test_a_login_of_a_project_is_taken_from_a_variable_of_the_user() -> None:
    files = {".npmrc": NPMRC, ".yarnrc.yml": YARNRC}
    names = parse_project_files(reader(files), {"NPM_TOKEN": "a", "CORP_AUTH": "b"})

    assert names.logins == (
        IndexLogin("Bearer a", "node", url="//corp.example/"),
        IndexLogin("Bearer b", "node", url="https://corp.example/"),
    )
    assert names.variables == {"NPM_TOKEN": "placeholder", "CORP_AUTH": "placeholder"}


@pytest.mark.parametrize(
    "name", ["PATH", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "ANTHROPIC_AUTH_TOKEN", "X"]
)
def test_a_project_cannot_name_any_variable_as_a_login(name: str) -> None:
    text = NPMRC.replace("NPM_TOKEN", name)

    assert parse_project_files(reader({".npmrc": text}), {name: "secret"}) == ProjectNames()


def test_a_project_without_such_files_names_nothing() -> None:
    assert parse_project_files(reader({}), {"NPM_TOKEN": ADA}) == ProjectNames()
