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
    ("kind", "file", "text"),
    [
        (
            "python",
            "pyproject.toml",
            f'[[tool.uv.index]]\nname = "my-corp"\nurl = "{URL}"',
        ),
        ("python", "pyproject.toml", f'[tool.uv]\nindex-url = "{URL}"'),
        ("python", "pyproject.toml", f'[tool.uv]\nextra-index-url = ["{URL}"]'),
        (
            "python",
            "pyproject.toml",
            f'[[tool.poetry.source]]\nname = "corp"\nurl = "{URL}"',
        ),
        ("python", "pyproject.toml", f'[[tool.pdm.source]]\nname = "corp"\nurl = "{URL}"'),
        ("python", "uv.toml", f'[[index]]\nurl = "{URL}"'),
        ("python", "Pipfile", f'[[source]]\nname = "corp"\nurl = "{URL}"'),
        ("python", "requirements.txt", f"--extra-index-url {URL}\ntiny"),
        ("python", "requirements-dev.txt", f"-i {URL}"),
        ("node", ".npmrc", f"registry={URL}"),
        ("node", ".npmrc", f"@ours:registry={URL}"),
        ("node", ".yarnrc.yml", f"npmRegistryServer: {URL}"),
        ("node", ".yarnrc.yml", f"npmScopes: {{ours: {{npmRegistryServer: '{URL}'}}}}"),
        ("rust", ".cargo/config.toml", f'[registries.corp]\nindex = "sparse+{URL}"'),
        ("rust", ".cargo/config", f'[source.corp]\nregistry = "sparse+{URL}"'),
    ],
)
def test_an_index_is_named_in(kind: IndexKind, file: str, text: str) -> None:
    names = parse_project_files(reader({file: text}), {})

    assert names == ProjectNames((ProjectIndex(PackageIndex(kind, URL), file),))


NPMRC = "//corp.example/:_authToken=${NPM_TOKEN}\n"
YARNRC = (
    'npmScopes: {ours: {npmRegistryServer: "https://corp.example/",'
    ' npmAuthToken: "${YARN_NPM_AUTH_TOKEN}"}}'
)


def test_a_login_of_a_project_is_taken_from_a_variable_of_the_user() -> None:
    files = {".npmrc": NPMRC, ".yarnrc.yml": YARNRC}
    names = parse_project_files(reader(files), {"NPM_TOKEN": "a", "YARN_NPM_AUTH_TOKEN": "b"})

    assert names.logins == (
        IndexLogin("Bearer a", "node", url="//corp.example/"),
        IndexLogin("Bearer b", "node", url="https://corp.example/"),
    )
    assert names.variables == {"NPM_TOKEN": "placeholder", "YARN_NPM_AUTH_TOKEN": "placeholder"}


@pytest.mark.parametrize(
    "name",
    ["PATH", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "ANTHROPIC_AUTH_TOKEN", "GITHUB_TOKEN"],
)
def test_a_project_cannot_name_any_variable_as_a_login(name: str) -> None:
    text = NPMRC.replace("NPM_TOKEN", name)

    assert parse_project_files(reader({".npmrc": text}), {name: "secret"}).logins == ()


def test_no_variable_gets_into_an_address_and_no_login_is_read_from_one() -> None:
    files = {
        ".npmrc": "registry=https://evil.example/${NPM_TOKEN}/\n@b:registry=https://evil.example/",
        "requirements.txt": "-i https://ada:pw@corp.example/x",
    }
    names = parse_project_files(reader(files), {"NPM_TOKEN": "hunter2"})

    assert names.indexes == (
        ProjectIndex(PackageIndex("python", URL), "requirements.txt"),
        ProjectIndex(PackageIndex("node", "https://evil.example/"), ".npmrc"),
    )


def test_a_project_without_such_files_names_nothing() -> None:
    assert parse_project_files(reader({}), {"NPM_TOKEN": ADA}) == ProjectNames()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["\n", "\n ", "${", "${a", "\\"])
def test_files_that_repeat_one_piece_are_read_in_a_moment(piece: str) -> None:
    text = piece * 200_000
    files = {"requirements.txt": text, ".npmrc": f"registry={text}\n{text}"}

    assert parse_project_files(reader(files), {"NPM_TOKEN": ADA}).logins == ()
