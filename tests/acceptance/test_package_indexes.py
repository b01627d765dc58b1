"""Real package tools install in the real sandbox, through Treadle, as they do outside."""

import asyncio
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

import pytest

from tests.missing import missing
from tests.unit.adapters.packages.registry import Registry, registry
from tests.unit.adapters.packages.test_lock_files import (
    CASES,
    RUST,
    SEARCH_PATH,
    VENV,
    add_tiny,
    filled,
)
from treadle.adapters.packages.find_sources import find_package_sources
from treadle.adapters.packages.home_files import write_home_files
from treadle.adapters.packages.package_sources import PackageSources
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.domain.events.oversight import HostAsked
from treadle.domain.sandbox import Confinement, SandboxFailed
from treadle.gateway.allowed_hosts import AllowedHosts
from treadle.gateway.indexes.certificates import authority_files
from treadle.gateway.sandbox_network import SandboxIndexes, machine_proxy, open_network
from treadle.settings.environment import parse_environment
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.wiring.sandbox import choose_sandbox, find_sandbox_reach

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("package-managers")]

SECRET = "hunter2"
# What a program inside could find: its variables, its files, and those of the other programs.
LOOK = f"; env; cat $(find $HOME -type f -size -100k) | grep -a {SECRET}; cat /proc/*/environ"


@dataclass(frozen=True)
class InSandbox:
    """A line that was run in the sandbox."""

    exit_code: int
    output: str
    decisions: list[HostAsked] = field(default_factory=list)


async def sandboxed(line: str, project: Path, sources: PackageSources) -> InSandbox:
    """Run a line in a project, with the indexes open and nothing else."""
    home, root = project.parent / "home", project.parent / "root"
    for folder in (home, root, project):
        folder.mkdir(exist_ok=True)
    write_home_files(home, sources.home_files)
    variables = {"PATH": SEARCH_PATH, "HOME": str(Path.home()), "TREADLE_ROOT": str(root)}
    environment = parse_environment(variables)
    reach = await find_sandbox_reach(SandboxSettings(), (), environment, project)
    sandbox = choose_sandbox(environment, reports=root, wanted=True)
    decisions: list[HostAsked] = []
    indexes = SandboxIndexes(
        sources.indexes,
        cache=root / "downloads",
        authorities=authority_files({}),
        variables=sources.variables,
    )
    with open_network(
        "gateway",
        AllowedHosts(),
        decisions.append,
        upstream=machine_proxy({}),
        interpreter=this_interpreter().program,
        access=indexes,
    ) as network:
        confined = sandbox.confine(
            [*network.entry, *sandbox.launcher(), "/bin/sh", "-c", line],
            {**network.environment({}), **reach.environment, "PATH": SEARCH_PATH},
            Confinement(
                project,
                home,
                readable=(*reach.readable, *network.readable, VENV, *RUST),
                sockets=network.sockets,
            ),
        )
        assert not isinstance(confined, SandboxFailed)
        ran = await asyncio.to_thread(
            subprocess.run,
            confined.command,
            cwd=project,
            env=dict(confined.environment),
            pass_fds=confined.descriptors,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return InSandbox(ran.returncode, ran.stdout.decode(errors="replace"), decisions)


@pytest.fixture(scope="module")
def served() -> Iterator[Registry]:
    with registry() as found:
        yield found


def require(tool: str) -> None:
    if which(tool, path=SEARCH_PATH) is None:
        missing(f"{tool}; run `make test`")


async def sources_of(
    profile: str, variables: Mapping[str, str], home: Path, project: Path
) -> PackageSources:
    return await find_package_sources(
        (profile,),
        {**variables, "HOME": str(home), "PATH": SEARCH_PATH},
        search_path=SEARCH_PATH,
        project_root=project,
    )


@pytest.mark.parametrize("name", CASES)
async def test_a_private_registry_is_used_as_outside_and_its_login_is_nowhere_inside(
    name: str, served: Registry, tmp_path: Path
) -> None:
    case = CASES[name]
    require(case.tool)
    variables = {key: filled(text, served) for key, text in case.variables.items()}
    user, project = tmp_path / "user", tmp_path / "inside"
    write_home_files(user, {path: filled(text, served) for path, text in case.user.items()})
    outside = add_tiny(case, served, tmp_path / "outside", {**variables, "HOME": str(user)})
    sources = await sources_of(case.profile, variables, user, tmp_path / "outside")
    write_home_files(project, {path: filled(text, served) for path, text in case.project.items()})
    served.authorizations.clear()

    ran = await sandboxed(f"( {case.command} ){LOOK}", project, sources)

    lock = project / case.lock
    assert lock.is_file(), ran.output
    manifest = next(iter(case.project))
    assert (project / manifest).read_text() + lock.read_text() == outside
    assert set(served.authorizations) == {case.login}
    assert SECRET not in ran.output
    assert {each.host for each in ran.decisions if each.allowed} == {"127.0.0.1"}


@dataclass(frozen=True)
class Install:
    """How a tool adds a small package of the machine's own index, and the lock file."""

    profile: str
    tool: str
    line: str
    files: Mapping[str, str] = field(default_factory=dict)
    lock: str = ""


INSTALLS = {
    "pip": Install(
        "python",
        "python3",
        "python3 -m venv v && v/bin/pip install -q iniconfig && v/bin/python -c 'import iniconfig'",
    ),
    "uv": Install(
        "python",
        "uv",
        "uv add -q --no-sync iniconfig && uv sync -q --frozen --no-install-project",
        {"pyproject.toml": '[project]\nname = "p"\nversion = "0.1"\nrequires-python = ">=3.11"\n'},
        "uv.lock",
    ),
    "npm": Install(
        "node",
        "npm",
        "npm install --silent is-odd && node -e 'require(\"is-odd\")'",
        {"package.json": '{"name": "p", "version": "1.0.0"}'},
        "package-lock.json",
    ),
}


@pytest.mark.parametrize("name", INSTALLS)
async def test_the_machines_own_index_is_used_as_outside(name: str, tmp_path: Path) -> None:
    install = INSTALLS[name]
    require(install.tool)
    outside, project = tmp_path / "outside", tmp_path / "inside"
    for folder in (outside, project):
        write_home_files(folder, install.files)
    # uv trusts the machine's certificates if it is told to, as inside by the variables for that.
    environment = {"PATH": SEARCH_PATH, "HOME": str(Path.home()), "UV_SYSTEM_CERTS": "1"}
    arguments = ["/bin/sh", "-c", install.line]
    await asyncio.to_thread(subprocess.run, arguments, cwd=outside, env=environment, check=True)
    sources = await sources_of(install.profile, {}, Path.home(), outside)
    ran = await sandboxed(install.line, project, sources)

    assert ran.exit_code == 0, ran.output
    if install.lock:
        assert (project / install.lock).read_text() == (outside / install.lock).read_text()
    assert [each for each in ran.decisions if not each.allowed] == []


async def test_what_is_no_reading_of_packages_is_refused_at_once_with_the_reason(
    served: Registry, tmp_path: Path
) -> None:
    require("npm")
    user, project = tmp_path / "user", tmp_path / "inside"
    url = f"{served.url}/npm/"
    npmrc = f"registry={url}\n{url.removeprefix('http:')}:_authToken={SECRET}\n"
    write_home_files(user, {".npmrc": npmrc})
    write_home_files(project, {"package.json": '{"name": "p", "version": "1.0.0"}'})
    sources = await sources_of("node", {}, user, project)
    served.authorizations.clear()
    curl = "curl -sS -o /dev/null -w '%{http_code}\\n'"

    ran = await sandboxed(
        f"npm publish --silent; {curl} -X PUT -d x {url}tiny; {curl} -d x {url}tiny;"
        f"{curl} {url}-/whoami; npm install https://elsewhere.example/x.tgz;"
        "curl -sS https://elsewhere.example/",
        project,
        sources,
    )

    reason = "Treadle: elsewhere.example:443 is not in sandbox.hosts"
    assert ran.output.splitlines()[:3] == ["403", "403", "403"], ran.output
    assert f"403 {reason}" in ran.output
    assert ran.output.endswith(f"\n{reason}\n")
    assert served.authorizations == []
