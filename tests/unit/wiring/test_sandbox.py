"""Choosing a sandbox, and what settings and languages add to it."""

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.adapters.sandboxes.bubblewrap import Bubblewrap
from treadle.adapters.sandboxes.unsandboxed import Unsandboxed
from treadle.domain.errors import SettingsError
from treadle.domain.sandbox import ResourceLimits
from treadle.settings.environment import Environment, parse_environment
from treadle.settings.sandbox_definitions import SandboxSettings
from treadle.wiring.sandbox import (
    SandboxReach,
    choose_sandbox,
    find_sandbox_reach,
    remove_stale_reports,
)

PLAIN = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    home = tmp_path / "home"
    home.mkdir()
    return parse_environment({"HOME": str(home), "PATH": "/usr/bin:/bin"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def program(path: Path, says: Path | str) -> Path:
    """A stand-in that tells where the language lies, as those of version switchers do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_no_sandbox_is_a_choice_of_a_person(environment: Environment, tmp_path: Path) -> None:
    assert choose_sandbox(environment, reports=tmp_path, wanted=False) == Unsandboxed()


@pytest.mark.skipif("sys.platform == 'darwin'")
def test_a_linux_without_bubblewrap_has_one_that_says_so(tmp_path: Path) -> None:
    nothing = parse_environment({"PATH": str(tmp_path)})

    sandbox = choose_sandbox(nothing, reports=tmp_path, wanted=True)

    assert isinstance(sandbox, Bubblewrap)
    assert sandbox.reports == tmp_path


def test_reports_that_nobody_saw_to_their_end_are_swept_and_nothing_else(tmp_path: Path) -> None:
    for name in ("sandbox-a1.json", "sandbox-b2.json", "request.json", "sandbox.txt"):
        (tmp_path / name).touch()

    remove_stale_reports(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["request.json", "sandbox.txt"]


async def test_with_all_languages_in_the_system_nothing_is_added(
    environment: Environment, project: Path
) -> None:
    settings = SandboxSettings(processes=7, memory_mb=8, file_mb=9)

    found = await find_sandbox_reach(settings, (), environment, project)

    # What this machine itself has in /usr/etc.
    assert replace(found, private=()) == SandboxReach(
        (), (), {"PATH": "/usr/bin:/bin:/usr/local/bin"}, ResourceLimits(7, 8, 9)
    )


async def test_languages_elsewhere_are_asked_where_they_lie(
    environment: Environment, project: Path
) -> None:
    node = environment.home / ".switcher/node/22"
    (node / "bin").mkdir(parents=True)
    program(environment.home / ".switcher/shims/node", node)
    uv = program(environment.home / ".local/bin/uv", "uv 1.0")
    shims, bin_folder = environment.home / ".switcher/shims", environment.home / ".local/bin"
    theirs = replace(environment, path=f"{shims}:{bin_folder}:/usr/bin")

    found = await find_sandbox_reach(SandboxSettings(), ("node", "python"), theirs, project)

    assert found.readable == (node, uv)
    assert found.environment == {"PATH": f"{node}/bin:{uv.parent}:/usr/bin:/usr/local/bin:/bin"}


async def test_a_program_of_the_project_is_never_asked(
    environment: Environment, project: Path
) -> None:
    program(project / "bin/node", "/home/ada/.ssh")
    theirs = replace(environment, path=f"{project}/bin:bin:/usr/bin")

    found = await find_sandbox_reach(SandboxSettings(), ("node",), theirs, project)

    assert (found.readable, found.refused) == ((), ())


@pytest.mark.parametrize("says", ["not-absolute", "/nonexistent/node", ""])
async def test_an_answer_that_is_no_directory_is_left_out(
    says: str, environment: Environment, project: Path
) -> None:
    program(environment.home / "shims/node", says)
    theirs = replace(environment, path=f"{environment.home}/shims")

    found = await find_sandbox_reach(SandboxSettings(), ("node",), theirs, project)

    assert (found.readable, found.refused) == ((), ())


async def test_a_language_that_lies_in_the_home_itself_stays_hidden(
    environment: Environment, project: Path
) -> None:
    program(environment.home / "bin/node", environment.home)
    theirs = replace(environment, path=f"{environment.home}/bin")

    found = await find_sandbox_reach(SandboxSettings(), ("node",), theirs, project)

    assert (found.readable, found.refused) == ((), (environment.home,))


@pytest.mark.parametrize("named", ["{project}", "{project}/../project", "{link}"])
async def test_a_virtual_environment_cannot_show_the_project(
    named: str, environment: Environment, project: Path, tmp_path: Path
) -> None:
    for file in ("bin/python3.12", "lib/python3.12/os.py", ".venv/pyvenv.cfg"):
        (project / file).parent.mkdir(parents=True, exist_ok=True)
        (project / file).touch()
    link = tmp_path / "elsewhere"
    link.symlink_to(project)
    place = named.format(project=project, link=link)
    (project / ".venv/pyvenv.cfg").write_text(f"home = {place}/bin\n")

    found = await find_sandbox_reach(SandboxSettings(), ("python",), environment, project)

    assert found.readable == ()


async def test_caches_and_certificates_are_shown(
    environment: Environment, project: Path, tmp_path: Path
) -> None:
    browsers = environment.home / ".cache/ms-playwright"
    browsers.mkdir(parents=True)
    authority = tmp_path / "authority.pem"
    authority.touch()
    raw = {"SSL_CERT_FILE": str(authority), "CURL_CA_BUNDLE": "/nonexistent", "SSL_CERT_DIR": "x"}
    theirs = replace(environment, raw=raw)

    found = await find_sandbox_reach(SandboxSettings(), ("node",), theirs, project)

    assert found.readable == (browsers, authority)
    assert found.environment["PLAYWRIGHT_BROWSERS_PATH"] == str(browsers)


async def test_a_module_cache_of_the_host_is_not_shown(
    environment: Environment, project: Path
) -> None:
    (environment.home / "go/pkg/mod/corp.example").mkdir(parents=True)

    found = await find_sandbox_reach(SandboxSettings(), ("go",), environment, project)

    assert (found.readable, sorted(found.environment)) == ((), ["PATH"])


async def test_what_a_toolchain_holds_besides_programs_is_private(
    environment: Environment, project: Path
) -> None:
    conda = environment.home / "miniconda3"
    for name in (".condarc", "conda-meta/history", "envs/other/notes", "etc/npmrc", "lib/npmrc"):
        (conda / name).parent.mkdir(parents=True, exist_ok=True)
        (conda / name).touch()
    program(conda / "bin/python3", conda)
    theirs = replace(environment, path=f"{conda}/bin")

    found = await find_sandbox_reach(SandboxSettings(), ("python",), theirs, project)

    assert found.readable == (conda,)
    assert {path for path in found.private if path.is_relative_to(conda)} == {
        conda / name for name in ("conda-meta/history", "envs", ".condarc", "etc/npmrc")
    }


async def test_certificates_do_not_show_the_keys_beside_them(
    environment: Environment, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("/etc/ssl")
    raw = {"SSL_CERT_DIR": "/etc/ssl", "REQUESTS_CA_BUNDLE": f"{tmp_path}/link"}
    theirs = replace(environment, raw=raw | {"SSL_CERT_FILE": "/etc/os-release"})

    found = await find_sandbox_reach(SandboxSettings(), ("node",), theirs, project)

    assert found.readable == (Path("/etc/os-release"),)


async def test_the_users_own_paths_are_taken(environment: Environment, project: Path) -> None:
    settings = SandboxSettings(readable=("~/data", "/srv/models"), writable=("~/out/../cache",))

    found = await find_sandbox_reach(settings, ("php",), environment, project)

    assert found.readable == (environment.home / "data", Path("/srv/models"))
    assert found.writable == (environment.home / "cache",)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("data", "sandbox.readable has data, which is not an absolute path"),
        ("~other/data", "sandbox.readable has ~other/data, which is not an absolute path"),
        *(
            (
                path,
                f"sandbox.readable has {path}, which would show your home or Treadle's own "
                "directory",
            )
            for path in ("~", "~/", "~/x/..", "/", "~/.treadle", "~/.treadle/runs/1", "~/to-home")
        ),
        *(
            (path, f"sandbox.readable has {path}, which belongs to the system")
            for path in ("/etc", "/etc/ssh", "/run/user/7", "/var/run", "/dev/shm", "/proc/1")
        ),
        *(
            (path, f"sandbox.readable has {path}, which belongs to the system")
            for path in ("/sys", "/boot", "/root", "/var/run/x", "~/to-etc", "~/to-etc/ssh")
        ),
        *(
            (
                path,
                f"sandbox.readable has {path}, which has logins, or settings that your "
                "programs obey",
            )
            for path in (
                *("~/.ssh", "~/.ssh/id_ed25519", "~/.aws", "~/.gnupg", "~/.config/gh", "~/.claude"),
                *("~/.bashrc", "~/.profile", "~/.gitconfig", "~/.config/git", "~/.zshrc"),
                *("~/to-ssh", "~/to-ssh/id_ed25519", "~/.local/share"),
            )
        ),
        ("/var/tmp", "sandbox.readable has /var/tmp, which is shared by everybody on this machine"),
        ("~/socket", "sandbox.readable has ~/socket, which is not a file or directory"),
        ("~/agent", "sandbox.readable has ~/agent, which has sockets in it"),
    ],
)
async def test_paths_that_would_open_too_much_are_an_error(
    path: str, told: str, environment: Environment, project: Path
) -> None:
    for link, target in {"to-home": ".", "to-etc": "/etc", "to-ssh": ".ssh"}.items():
        (environment.home / link).symlink_to(target)
    (environment.home / "agent").mkdir()
    for place in ("socket", "agent/socket"):
        os.mknod(environment.home / place, stat.S_IFSOCK | 0o600)

    with pytest.raises(SettingsError) as raised:
        await find_sandbox_reach(SandboxSettings(readable=(path,)), (), environment, project)

    assert raised.value.message == told


@pytest.mark.parametrize("path", ["~/accounts", "~/accounts/of/ada", "~/accounts/of/ada/x"])
async def test_a_login_stays_closed_where_a_variable_has_moved_it(
    path: str, environment: Environment, project: Path
) -> None:
    moved = {"CLAUDE_CONFIG_DIR": str(environment.home / "accounts/of/ada")}
    theirs = replace(environment, raw={**environment.raw, **moved})
    settings = SandboxSettings(readable=(path,))

    await find_sandbox_reach(settings, (), environment, project)
    with pytest.raises(SettingsError, match="has logins"):
        await find_sandbox_reach(settings, (), theirs, project)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/usr/bin", "has programs that you run, or decides which ones run"),
        ("/usr", "has programs that you run, or decides which ones run"),
        ("~/tools", "has programs that you run, or decides which ones run"),
        ("~/tools/bin/x", "has programs that you run, or decides which ones run"),
        ("~/.local/bin", "has programs that you run, or decides which ones run"),
        ("~/.cargo", "has logins, or settings that your programs obey"),
        ("~/to-tools", "has programs that you run, or decides which ones run"),
        ("{project}", "contains the project, of which the agent has a clone"),
        ("{project}/.git/hooks", "is the project's own repository"),
    ],
)
async def test_what_the_user_runs_cannot_be_written(
    path: str, why: str, environment: Environment, project: Path
) -> None:
    theirs = replace(environment, path=f"{environment.home}/tools/bin:/usr/bin:/bin:relative")
    (environment.home / "to-tools").symlink_to("tools")
    named = path.format(project=project)

    with pytest.raises(SettingsError) as raised:
        await find_sandbox_reach(SandboxSettings(writable=(named,)), ("php",), theirs, project)

    assert raised.value.message == f"sandbox.writable has {named}, which {why}"


async def test_in_the_home_of_root_itself_paths_can_be_opened(project: Path) -> None:
    theirs = parse_environment({"HOME": "/root", "PATH": "/usr/bin:/bin"})
    settings = SandboxSettings(readable=("~/nonexistent",))

    found = await find_sandbox_reach(settings, ("php",), theirs, project)

    assert found.readable == (theirs.home / "nonexistent",)


@pytest.mark.parametrize("inner", ["absent", "link"])
async def test_a_path_that_the_agent_could_make_lead_elsewhere_is_an_error(
    inner: str, environment: Environment, project: Path
) -> None:
    out = environment.home / "out"
    (out / "fine").mkdir(parents=True)
    (out / "link").symlink_to("fine")
    settings = SandboxSettings(readable=("~/out/fine", f"~/out/{inner}"), writable=("~/out",))

    with pytest.raises(SettingsError) as raised:
        await find_sandbox_reach(settings, ("php",), environment, project)

    assert raised.value.message == (
        f"{out / inner} could be replaced by a link that leads elsewhere: "
        f"sandbox.writable has {out}"
    )
