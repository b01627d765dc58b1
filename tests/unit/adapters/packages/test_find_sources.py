"""The user's tools are asked, and what a project names is kept apart."""

from collections.abc import Mapping
from pathlib import Path

from tests.unit.adapters.packages.configuration import ADA
from treadle.adapters.packages.find_sources import find_package_sources
from treadle.adapters.packages.package_sources import (
    PackageSources,
    ProjectIndex,
    SkippedTool,
    UnsupportedIndex,
)
from treadle.domain.package_index import PackageIndex


class Machine:
    """A home, a project and a folder of programs."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project, self.programs = (
            folder / name for name in ("home", "project", "programs")
        )
        for each in (self.home, self.project, self.programs):
            each.mkdir()

    def install(self, name: str, text: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    async def find(
        self, *profiles: str, variables: Mapping[str, str] | None = None
    ) -> PackageSources:
        environment = {"HOME": str(self.home), **(variables or {})}
        # Programs of this machine would answer, too.
        return await find_package_sources(
            profiles, environment, search_path=str(self.programs), project_root=self.project
        )


async def test_only_the_tools_of_the_named_languages_are_asked(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install("go", """echo '{"GOPROXY": "https://modules.example"}'""")
    machine.install("gem", "echo https://gems.example/")

    assert await machine.find("go") == PackageSources(
        indexes=(PackageIndex("go", "https://modules.example"),),
        variables={"GOPROXY": "https://modules.example"},
    )


async def test_a_tool_that_fails_is_skipped(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install("go", "echo rubbish")
    machine.install("gem", "exit 1")
    machine.install("npm", "echo '[]'")
    machine.install("pnpm", "echo '[]'")
    machine.install("yarn", "echo undefined")
    machine.install("cargo", "echo error: no toolchain; exit 1")

    found = await machine.find("go", "ruby", "node", "rust")

    assert found == PackageSources(
        skipped=(
            SkippedTool("npm", "its answer names no index"),
            SkippedTool("pnpm", "its answer names no index"),
            SkippedTool("yarn", "its answer names no index"),
            SkippedTool("cargo", "its answer names no index"),
            SkippedTool("go", "its answer names no index"),
            SkippedTool("gem", "ended with exit code 1"),
        )
    )


async def test_a_cargo_with_a_git_index_says_what_to_do(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install(
        "cargo", "echo 'failed to fetch `https://x.example/crates.example-index`'; exit 101"
    )

    found = await machine.find("rust")

    assert found.skipped == (
        SkippedTool("cargo", "it downloads its index with git; install cargo 1.70 or newer"),
    )


async def test_without_python_pip_is_asked_in_treadles_own_environment(tmp_path: Path) -> None:
    variables = {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": "https://ada:hunter2@a.example/simple",
        "PIP_EXTRA_INDEX_URL": "https://b.example/",
    }

    found = await Machine(tmp_path).find("python", variables=variables)

    assert found.indexes == (
        PackageIndex("python", "https://a.example/simple", ADA),
        PackageIndex("python", "https://b.example/"),
    )
    assert found.home_files == {
        ".config/pip/pip.conf": "[global]\nindex-url = https://a.example/simple\n"
        "extra-index-url = https://b.example/\n"
    }


async def test_a_file_with_a_login_is_named_and_its_content_stays_outside(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install("npm", f"""echo '{{"userconfig": "{machine.home}/.npmrc"}}'""")
    npmrc = machine.home / ".npmrc"
    npmrc.write_text("registry=https://a.example/\n//a.example/:_auth=YWRhOmh1bnRlcjI=\n")

    assert await machine.find("node") == PackageSources(
        indexes=(PackageIndex("node", "https://a.example/", ADA),),
        home_files={".npmrc": "registry=https://a.example/\n"},
        login_files=(str(npmrc),),
    )


async def test_a_password_in_a_keyring_is_asked_for_if_pip_is_set_to(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install(
        "python3",
        """echo '{"default": "https://index.example/", "keyring": "subprocess", """
        """"indexes": ["https://ada@a.example/"]}'""",
    )
    machine.install("keyring", '[ "$1 $2 $3" = "get a.example ada" ] && echo hunter2')

    assert (await machine.find("python")).indexes == (
        PackageIndex("python", "https://a.example/", ADA),
    )


async def test_an_index_that_only_the_project_names_is_kept_apart(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install("npm", """echo '{"registry": "https://packages.example/"}'""")
    (machine.project / ".npmrc").write_text(
        "@ours:registry=https://corp.example/\n//corp.example/:_authToken=${NPM_TOKEN}\n"
    )

    found = await machine.find("node", variables={"NPM_TOKEN": "hunter2"})

    assert found == PackageSources(
        indexes=(PackageIndex("node", "https://packages.example/"),),
        variables={"NPM_TOKEN": "placeholder"},
        project_indexes=(ProjectIndex(PackageIndex("node", "https://corp.example/"), ".npmrc"),),
    )


async def test_a_file_of_a_project_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    (machine.home / ".npmrc").write_text("registry=https://corp.example/\n")
    (machine.project / ".npmrc").symlink_to(machine.home / ".npmrc")

    assert await machine.find() == PackageSources()


async def test_other_tools_are_asked_if_the_project_uses_them(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install("composer", "echo '[repositories.x.url] https://packages.example'")
    machine.install("dotnet", "exit 1")
    (machine.project / "composer.json").touch()
    (machine.project / "app.csproj").touch()
    (machine.project / "pom.xml").touch()
    (machine.project / "build.gradle").touch()
    (machine.home / ".m2").mkdir()
    (machine.home / ".m2/settings.xml").write_text("<mirror><url>http://m.example/</url></mirror>")

    assert await machine.find() == PackageSources(
        unsupported=(
            UnsupportedIndex(
                "composer",
                "https://packages.example",
                "allow packages.example:443 in sandbox.hosts",
            ),
            UnsupportedIndex("maven", "http://m.example/", "allow m.example:80 in sandbox.hosts"),
            UnsupportedIndex(
                "gradle", "", "allow the hosts of its `repositories` in sandbox.hosts"
            ),
        ),
        skipped=(SkippedTool("dotnet", "ended with exit code 1"),),
    )


async def test_a_tool_loads_nothing_from_the_project(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.install("gem", 'echo "https://gems.example/${RUBYOPT:-}${RUBYLIB:-}${GEM_PATH:-}"')
    lib = str(machine.project / "lib")

    found = await machine.find(
        "ruby", variables={"RUBYOPT": f"-r{lib}/x", "RUBYLIB": lib, "GEM_PATH": lib}
    )

    assert found.indexes == (PackageIndex("ruby", "https://gems.example/"),)
