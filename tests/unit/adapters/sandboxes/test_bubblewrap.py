"""What is particular to bubblewrap: names, links, sockets and its options."""

import os
import platform
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.missing import missing
from treadle.adapters.sandboxes import bubblewrap_errors
from treadle.adapters.sandboxes.bubblewrap import (
    HOST_ENVIRONMENT,
    MAX_COPIED_BYTES,
    Bubblewrap,
    open_small_files,
    path_kind,
)
from treadle.adapters.sandboxes.bubblewrap_options import LAUNCHER, LAUNCHER_PYTHON
from treadle.adapters.sandboxes.command_runner import run_to_end
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.adapters.sandboxes.system_paths import (
    CONFIGURATION,
    RUNTIME_LINKS,
    account_files,
    runtime_link_options,
    system_options,
)
from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    Network,
    ResourceLimits,
    SandboxFailed,
)


@pytest.fixture
def sandbox(tmp_path: Path) -> Bubblewrap:
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap")
    return Bubblewrap(Path(program), tmp_path / "reports", this_interpreter(), platform.machine())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("work", "home", "shown"):
        (tmp_path / name).mkdir()
    (tmp_path / "shown/text").write_text("shown\n")
    return tmp_path


@pytest.fixture
def descriptors() -> Iterator[list[int]]:
    """The open ones of this process; they must be the same at the end of the test."""
    before = _open()
    yield before
    assert _open() == before


def _open() -> list[int]:
    return sorted(int(name.name) for name in Path("/proc/self/fd").iterdir())


async def output(sandbox: Bubblewrap, line: str, within: Confinement) -> str:
    confined = sandbox.confine(("sh", "-c", line), {}, within)
    assert isinstance(confined, ConfinedCommand)
    return (await run_to_end(confined, directory=within.workspace, seconds=60)).output


def within(folder: Path, *readable: str) -> Confinement:
    paths = tuple(folder / name for name in readable)
    return Confinement(folder / "work", folder / "home", readable=paths)


def test_nothing_is_confined_without_bubblewrap(folder: Path) -> None:
    sandbox = Bubblewrap(None, folder, this_interpreter(), platform.machine())

    assert sandbox.confine(("true",), {}, within(folder)) == bubblewrap_errors.not_installed()


async def test_a_probe_without_bubblewrap_fails(folder: Path) -> None:
    sandbox = Bubblewrap(None, folder, this_interpreter(), platform.machine())

    assert await sandbox.probe() == bubblewrap_errors.not_installed()


async def test_a_probe_of_an_old_bubblewrap_fails(folder: Path) -> None:
    old = folder / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    old.chmod(0o755)
    sandbox = Bubblewrap(old, folder, this_interpreter(), platform.machine())

    assert await sandbox.probe() == bubblewrap_errors.too_old((0, 6, 1))


def test_nothing_is_confined_on_a_machine_without_a_filter(folder: Path) -> None:
    sandbox = Bubblewrap(Path("/usr/bin/bwrap"), folder, this_interpreter(), "mips")

    found = sandbox.confine(("true",), {}, within(folder))

    assert isinstance(found, SandboxFailed)


def test_the_variables_of_a_command_are_not_visible_outside(
    sandbox: Bubblewrap, folder: Path, descriptors: list[int]
) -> None:
    confined = sandbox.confine(("true", "x"), {"KEY": "value"}, within(folder))

    assert isinstance(confined, ConfinedCommand)
    program, option, number, *rest = confined.command
    assert (program, option, rest) == (str(sandbox.program), "--args", ["--", "true", "x"])
    assert (confined.environment, int(number) in confined.descriptors) == (HOST_ENVIRONMENT, True)
    for descriptor in confined.descriptors:
        os.close(descriptor)


def test_a_path_that_cannot_be_protected_leaves_no_descriptor_open(
    sandbox: Bubblewrap, folder: Path, descriptors: list[int]
) -> None:
    (folder / "work/.git").symlink_to("elsewhere")

    found = sandbox.confine(("true",), {}, within(folder))

    assert isinstance(found, SandboxFailed)


async def test_a_readable_link_is_seen_under_both_names(sandbox: Bubblewrap, folder: Path) -> None:
    (folder / "link").symlink_to(folder / "shown/text")
    line = f"cat {folder}/link {folder}/shown/text; ls {folder}"

    assert await output(sandbox, line, within(folder, "link")) == "shown\nshown\n" + (
        "home\nlink\nshown\nwork\n"
    )


async def test_a_link_in_a_readable_directory_stays_one(sandbox: Bubblewrap, folder: Path) -> None:
    (folder / "shown/link").symlink_to("text")

    said = await output(
        sandbox, f"readlink {folder}/shown/link", within(folder, "shown", "shown/link")
    )

    assert said == "text\n"


async def test_a_missing_path_is_not_mounted(sandbox: Bubblewrap, folder: Path) -> None:
    assert await output(sandbox, f"ls {folder}", within(folder, "nowhere")) == "home\nwork\n"


async def test_a_socket_is_reached_under_its_name_inside(sandbox: Bubblewrap, folder: Path) -> None:
    code = "import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/treadle/x.sock')"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        server.listen()
        confined = sandbox.confine(
            (str(sandbox.interpreter.program), "-I", "-S", "-c", code),
            {},
            Confinement(
                folder / "work", folder / "home", sockets={"/run/treadle/x.sock": folder / "s"}
            ),
        )
        assert isinstance(confined, ConfinedCommand)
        ran = await run_to_end(confined, directory=folder, seconds=60)

    assert (ran.exit_code, ran.output) == (0, "")


async def test_variables_that_name_directories_and_users_are_the_sandboxs_own(
    sandbox: Bubblewrap, folder: Path
) -> None:
    confined = sandbox.confine(
        ("sh", "-c", 'echo "$USER $LOGNAME $TMPDIR $HOME"; id -un; hostname'),
        {"USER": "ada", "LOGNAME": "ada", "TMPDIR": "/x", "HOME": "/home/ada"},
        within(folder),
    )
    assert isinstance(confined, ConfinedCommand)

    ran = await run_to_end(confined, directory=folder, seconds=60)

    assert ran.output == f"agent agent /tmp {folder}/home\nagent\nsandbox\n"


@pytest.mark.parametrize("network", ["none", "gateway", "allowlist"])
def test_only_an_open_network_shows_the_name_servers(network: Network) -> None:
    shown = ("--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf")

    assert shown in system_options("open", lambda path: None, {})
    assert shown not in system_options(network, lambda path: None, {})
    assert "/etc/hosts" not in account_files("/home", "open")
    assert "/etc/hosts" in account_files("/home", network)


SMALL = [path for path in map(Path, CONFIGURATION) if path.is_file()]


async def test_a_small_file_of_the_system_is_a_copy_that_cannot_be_changed(
    sandbox: Bubblewrap, folder: Path
) -> None:
    file = SMALL[0]
    attempts = (f"echo x >> {file}", f"chmod 666 {file}", f"rm -f {file}", f"mv {file} /tmp/x")
    refused = f"({' ; '.join(attempts)}) 2>&1 | grep -cE 'Read-only|denied'"
    mounted = f"grep -c ' {file} ' /proc/self/mountinfo"

    confined = sandbox.confine(
        ("sh", "-c", f"{refused}; {mounted}; cmp - {file}"), {}, within(folder)
    )
    assert isinstance(confined, ConfinedCommand)
    ran = await run_to_end(confined, directory=folder, seconds=60, stdin=file.read_bytes())

    assert (ran.exit_code, ran.output) == (0, "4\n0\n")


@pytest.mark.parametrize("above", [SMALL[0], Path("/etc/ssl")])
async def test_a_copied_file_may_also_be_a_readable_path(
    sandbox: Bubblewrap, folder: Path, above: Path
) -> None:
    asked = Confinement(folder / "work", folder / "home", readable=(above,))
    inside = f"test -e {above} && grep -c ' {above} ' /proc/self/mountinfo"

    assert await output(sandbox, inside, asked) == "1\n"


async def test_the_launcher_and_its_python_cannot_be_replaced_from_inside(
    sandbox: Bubblewrap, folder: Path
) -> None:
    attempts = (
        "mv /run/treadle /run/x",
        *(f"mv {path} /tmp/x" for path in (LAUNCHER, LAUNCHER_PYTHON)),
        f"ln -sf /bin/true {LAUNCHER_PYTHON}",
        "touch /run/treadle/pyvenv.cfg",
        "touch /run/pyvenv.cfg",
        # Last, because a shell ends when this fails.
        f": > {LAUNCHER}",
    )
    line = f"({' ; '.join(attempts)}) 2>&1 | grep -cE 'Read-only|denied|busy'"

    assert await output(sandbox, line, within(folder)) == "7\n"


def test_a_copied_file_is_not_mounted_too() -> None:
    options = system_options("none", lambda path: None, {"/etc/services": 7})

    assert ("--ro-bind-try", "/etc/services", "/etc/services") not in options
    assert ("--ro-bind-try", "/etc/fonts", "/etc/fonts") in options
    assert options[-2:] == [("--perms", "0444"), ("--file", "7", "/etc/services")]


def test_nothing_is_copied_after_a_path_of_the_host_is_mounted(
    sandbox: Bubblewrap, folder: Path, descriptors: list[int]
) -> None:
    confined = sandbox.confine(("true",), {}, within(folder, "shown"))
    assert isinstance(confined, ConfinedCommand)

    options = os.pread(confined.descriptors[0], 1 << 20, 0).decode().split("\0")
    for descriptor in confined.descriptors:
        os.close(descriptor)

    last = max(at for at, word in enumerate(options) if word == "--file")
    assert last < options.index(str(folder / "shown"))


def test_a_start_that_fails_half_way_leaves_nothing_open_and_no_report(
    sandbox: Bubblewrap, folder: Path, descriptors: list[int]
) -> None:
    with pytest.raises(UnicodeEncodeError):
        sandbox.confine(("true",), {"NO_BYTES": "\ud800"}, within(folder))

    assert list(sandbox.reports.iterdir()) == []


def test_only_ordinary_files_for_everybody_of_a_bounded_size_are_copied(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "small").write_text("small")
    (tmp_path / "link").symlink_to("small")
    (tmp_path / "most").write_bytes(bytes(MAX_COPIED_BYTES))
    (tmp_path / "large").write_bytes(bytes(MAX_COPIED_BYTES + 1))
    (tmp_path / "private").write_text("private")
    (tmp_path / "private").chmod(0o640)
    names = ("folder", "pipe", "small", "link", "most", "large", "private", "none")

    with ExitStack() as opened:
        found = open_small_files([str(tmp_path / name) for name in names], opened)
        read = {Path(path).name: os.read(file, 5) for path, file in found.items()}

    assert read == {"small": b"small", "link": b"small", "most": bytes(5)}


def test_links_of_the_system_stay_links() -> None:
    options = system_options("none", {"/bin": "usr/bin"}.get, {})

    assert ("--symlink", "usr/bin", "/bin") in options
    assert ("--ro-bind-try", "/lib", "/lib") in options


async def test_servers_find_the_directories_for_their_sockets(
    sandbox: Bubblewrap, folder: Path
) -> None:
    line = f"readlink -f {' '.join(RUNTIME_LINKS)} | sort | uniq -c | tr -s ' '"

    assert await output(sandbox, line, within(folder)) == " 1 /run\n 4 /tmp\n"


def test_a_path_of_the_host_is_mounted_instead_of_such_a_link() -> None:
    links = runtime_link_options(["/run/postgresql", "/elsewhere"])

    assert "/run/postgresql" not in {path for _, _, path in links}
    assert len(links) == len(RUNTIME_LINKS) - 1


async def test_users_that_own_files_have_names(sandbox: Bubblewrap, folder: Path) -> None:
    line = "for id in 0 1000 65534; do getent passwd $id | cut -d: -f1; done; id -nG"

    assert await output(sandbox, line, within(folder)) == "root\nagent\nnobody\nagent\n"


async def test_a_variable_that_is_given_replaces_the_sandboxs_default(
    sandbox: Bubblewrap, folder: Path
) -> None:
    confined = sandbox.confine(
        ("sh", "-c", "echo $UV_LINK_MODE $LSAN_OPTIONS"),
        {"UV_LINK_MODE": "symlink"},
        within(folder),
    )
    assert isinstance(confined, ConfinedCommand)

    ran = await run_to_end(confined, directory=folder, seconds=60)

    assert ran.output == "symlink detect_leaks=0\n"


async def test_temporary_files_stay_bounded_if_memory_is_not(
    sandbox: Bubblewrap, folder: Path
) -> None:
    unlimited = replace(within(folder), limits=ResourceLimits(memory_mb=0))
    size = "df --output=size -B 1M /tmp | tail -1 | tr -d ' '"

    assert await output(sandbox, size, unlimited) == f"{ResourceLimits().memory_mb}\n"


def test_the_kind_of_a_path_does_not_follow_links(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")

    assert {
        name: path_kind(tmp_path / name) for name in (".", "file", "link", "pipe", "none", "file/x")
    } == {
        ".": "directory",
        "file": "file",
        "link": "link",
        "pipe": "other",
        "none": "absent",
        "file/x": "absent",
    }


async def test_a_link_leads_to_its_program(sandbox: Bubblewrap, folder: Path) -> None:
    program = folder / "shown/program"
    program.write_text('#!/bin/sh\necho "$0"\n')
    program.chmod(0o755)
    confined = replace(within(folder, "shown"), links={folder / "bin/tool": program})

    assert await output(sandbox, f"{folder}/bin/tool", confined) == f"{folder}/bin/tool\n"


async def test_a_link_in_a_mount_is_left_as_it_is(sandbox: Bubblewrap, folder: Path) -> None:
    (folder / "shown/tool").symlink_to("/bin/echo")
    links = {
        folder / "shown/tool": Path("/bin/false"),
        folder / "work/tool": Path("/bin/echo"),
        Path("/usr/local/bin/no-such-tool"): Path("/bin/echo"),
    }
    confined = replace(within(folder, "shown"), links=links)

    assert await output(sandbox, f"{folder}/shown/tool works; ls", confined) == "works\n"
    assert list((folder / "work").iterdir()) == []
