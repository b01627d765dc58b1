"""With the files and variables of the lookup, real package tools write the same lock files inside
as outside, and send no login."""

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

import pytest

from tests.missing import missing
from tests.unit.adapters.packages.registry import Registry, registry
from treadle.adapters.packages.find_sources import find_package_sources
from treadle.adapters.packages.home_files import write_home_files

VENV = Path(__file__).parents[4] / ".venv"
# The programs themselves: the ones that choose a version of Rust look for it in the real home.
RUST = sorted(Path.home().glob(".rustup/toolchains/stable-*/bin"))
SEARCH_PATH = ":".join(
    [
        *(f"{VENV}/package-managers/bin", f"{VENV}/bin", *map(str, RUST)),
        *("/usr/local/bin", "/usr/bin", "/bin"),
    ]
)
ADA = "Basic YWRhOmh1bnRlcjI="


@dataclass(frozen=True)
class Case:
    """A tool, what the user and the project have configured, and the file it writes."""

    profile: str
    tool: str
    command: str
    lock: str
    # Texts of files by path, and variables; `{url}` is the registry.
    user: Mapping[str, str] = field(default_factory=dict)
    project: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    # What the proxy is to send.
    login: str | None = ADA


PYPROJECT = '[project]\nname = "p"\nversion = "0.1"\nrequires-python = ">=3.11"\n'
UV_INDEX = '[[index]]\nname = "corp"\nurl = "{url}/simple"\ndefault = true\n'
PACKAGE = '{{"name": "p", "version": "1.0.0"}}'
NPMRC = (
    "registry={url}/npm/\n@ours:registry={url}/npm/\n{bare}/npm/:_authToken=${{TOKEN}}\n"
    "save-exact=true\n"
)
CARGO = '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n'

CASES = {
    "pip": Case(
        *(
            "python",
            "python3",
            "python3 -m pip install -q --dry-run --report report tiny",
            "report",
        ),
        user={
            ".config/pip/pip.conf": "[global]\nindex-url = {url_with_login}/simple\n",
        },
        project={"requirements.txt": ""},
        variables={"PIP_EXTRA_INDEX_URL": "{url}/simple/"},
    ),
    "uv-file": Case(
        *("python", "uv", "uv add tiny", "uv.lock"),
        user={
            ".config/uv/uv.toml": UV_INDEX.replace("http://", "http://ada:hunter2@")
            + 'authenticate = "always"\n',
        },
        project={"pyproject.toml": PYPROJECT},
        variables={"UV_INDEX_CORP_USERNAME": "ada", "UV_INDEX_CORP_PASSWORD": "hunter2"},
    ),
    "uv-variable": Case(
        *("python", "uv", "uv add tiny", "uv.lock"),
        project={"pyproject.toml": PYPROJECT},
        variables={"UV_DEFAULT_INDEX": "{url_with_login}/simple"},
    ),
    "poetry": Case(
        *("python", "poetry", "poetry add tiny", "poetry.lock"),
        user={
            ".config/pip/pip.conf": "[global]\nindex-url = {url_with_login}/simple\n",
            ".config/pypoetry/auth.toml": "[http-basic.corp]\n"
            'username = "ada"\npassword = "hunter2"\n',
        },
        project={
            "pyproject.toml": PYPROJECT
            + '[tool.poetry]\npackage-mode = false\n[[tool.poetry.source]]\nname = "corp"\n'
            'url = "{url}/simple/"\npriority = "primary"\n'
        },
    ),
    "npm": Case(
        *("node", "npm", "npm install tiny @ours/small", "package-lock.json"),
        user={".npmrc": NPMRC},
        project={"package.json": PACKAGE},
        variables={"TOKEN": "hunter2"},
        login="Bearer hunter2",
    ),
    "pnpm": Case(
        *("node", "pnpm", "pnpm add tiny @ours/small", "pnpm-lock.yaml"),
        user={".npmrc": NPMRC},
        project={"package.json": PACKAGE},
        variables={"TOKEN": "hunter2"},
        login="Bearer hunter2",
    ),
    "yarn": Case(
        *("node", "yarn", "yarn add tiny @ours/small", "yarn.lock"),
        user={".npmrc": NPMRC, ".yarnrc": '"@ours:registry" "{url}/npm/"\n'},
        project={"package.json": PACKAGE},
        variables={"TOKEN": "hunter2"},
        login="Bearer hunter2",
    ),
    "yarn-berry": Case(
        *("node", "yarn-berry", "yarn-berry add tiny @ours/small", "yarn.lock"),
        user={
            ".yarnrc.yml": "npmRegistryServer: {url}/npm\nunsafeHttpWhitelist: [127.0.0.1]\n"
            "npmAlwaysAuth: true\nnpmAuthToken: ${{TOKEN}}\nnpmScopes:\n  ours:\n"
            "    npmRegistryServer: {url}/npm\n    npmAuthToken: hunter2\n"
        },
        project={"package.json": PACKAGE, "yarn.lock": ""},
        variables={"TOKEN": "hunter2"},
        login="Bearer hunter2",
    ),
    "cargo-registry": Case(
        *("rust", "cargo", "cargo add tiny --registry corp && cargo fetch", "Cargo.lock"),
        user={
            ".cargo/config.toml": '[registries.corp]\nindex = "sparse+{url}/crates/"\n'
            '[registry]\nglobal-credential-providers = ["cargo:token"]\n',
            ".cargo/credentials.toml": '[registries.corp]\ntoken = "hunter2"\n',
        },
        project={"Cargo.toml": CARGO, "src/lib.rs": ""},
        login="hunter2",
    ),
    "cargo-replaced": Case(
        *("rust", "cargo", "cargo add tiny && cargo fetch", "Cargo.lock"),
        user={
            ".cargo/config.toml": '[source.crates-io]\nreplace-with = "corp"\n[source.corp]\n'
            'registry = "sparse+{url}/mirror/"\n',
        },
        project={"Cargo.toml": CARGO, "src/lib.rs": ""},
        login=None,
    ),
    "go": Case(
        *("go", "go", "go get tiny.example/tiny@v1.0.0", "go.sum"),
        user={
            ".config/go/env": "GOPROXY={url}/go\nGONOSUMDB=*\n",
            ".netrc": "machine 127.0.0.1 login ada password hunter2\n",
        },
        project={"go.mod": "module p\n\ngo 1.19\n"},
    ),
}


pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("package-managers")]


@pytest.fixture(scope="module")
def served() -> Iterator[Registry]:
    with registry() as found:
        yield found


@pytest.mark.parametrize("name", CASES)
async def test_a_lock_file_written_inside_equals_the_one_written_outside(
    name: str, served: Registry, tmp_path: Path
) -> None:
    case = CASES[name]
    if which(case.tool, path=SEARCH_PATH) is None:
        missing(f"{case.tool}; run `make setup`")
    variables = {key: filled(text, served) for key, text in case.variables.items()}
    user, private = tmp_path / "user", tmp_path / "private"
    write_home_files(user, {path: filled(text, served) for path, text in case.user.items()})

    outside = add_tiny(case, served, tmp_path / "outside", {**variables, "HOME": str(user)})
    sources = await find_package_sources(
        (case.profile,),
        {**variables, "HOME": str(user), "PATH": SEARCH_PATH},
        search_path=SEARCH_PATH,
        project_root=tmp_path / "outside",
    )
    assert write_home_files(private, sources.home_files) == ()
    served.authorizations.clear()
    environment = {**sources.variables, "HOME": str(private)}
    inside = add_tiny(case, served, tmp_path / "inside", environment)

    assert "tiny" in outside
    assert inside == outside
    assert "hunter2" not in str((sources.home_files, environment))
    assert [each for each in served.authorizations if is_login(each)] == []
    assert {
        index.authorization for index in sources.indexes if index.url.startswith(served.url)
    } == {case.login}


def is_login(header: str | None) -> bool:
    return header not in (None, "placeholder", "Bearer placeholder", PLACEHOLDERS)


PLACEHOLDERS = "Basic cGxhY2Vob2xkZXI6cGxhY2Vob2xkZXI="


def filled(text: str, served: Registry) -> str:
    return text.format(
        url=served.url,
        bare=served.url.removeprefix("http:"),
        url_with_login=served.url.replace("//", "//ada:hunter2@"),
    )


def add_tiny(case: Case, served: Registry, project: Path, variables: Mapping[str, str]) -> str:
    """What is in the lock file afterwards."""
    for path, text in case.project.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(filled(text, served))
    ran = subprocess.run(
        ["/bin/sh", "-c", case.command],
        cwd=project,
        env={"PATH": SEARCH_PATH, "UV_CACHE_DIR": f"{project}-cache", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    manifest = next(iter(case.project))
    return (project / manifest).read_text() + (project / case.lock).read_text()
