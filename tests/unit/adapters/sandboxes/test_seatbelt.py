"""The rules for the macOS sandbox, as text: no Mac runs these tests."""

from dataclasses import replace
from pathlib import Path

from treadle.adapters.sandboxes.interpreter import Interpreter
from treadle.adapters.sandboxes.seatbelt import Seatbelt
from treadle.adapters.sandboxes.seatbelt_profile import make_profile
from treadle.domain.sandbox import ConfinedCommand, Confinement, SandboxFailed

PREFIX = Path("/opt/python")
WITHIN = Confinement(
    Path("/w"),
    Path("/home"),
    network="gateway",
    readable=(Path("/tools"),),
    protected=(Path("kept/settings.json"),),
    sockets={"/x.sock": Path("/x.sock")},
)
# The end of the profile: writable paths, terminals, links, protected paths, and sockets.
WRITES = (
    '(allow file-write* (subpath "/w") (subpath "/home") (literal "/dev/null") '
    '(literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))'
)
TERMINALS = [
    '(deny file-read-data (regex #"^/dev/ttys[0-9]+"))',
    '(allow file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") '
    '(literal "/dev/dtracehelper") (literal "/dev/ptmx") '
    '(require-all (regex #"^/dev/ttys[0-9]+") (extension "com.apple.sandbox.pty")))',
    '(allow file-read* file-write* (literal "/dev/ptmx") '
    '(require-all (regex #"^/dev/ttys[0-9]+") (extension "com.apple.sandbox.pty")))',
]
LINKS = '(allow file-link file-clone (subpath "/w") (subpath "/home"))'
OWN_SOCKETS = [
    "(allow system-socket (socket-domain AF_UNIX))",
    '(allow network-bind network-inbound (local unix-socket (subpath "/w")))',
    '(allow network-bind network-inbound (local unix-socket (subpath "/home")))',
    '(allow network-outbound (remote unix-socket (subpath "/w")))',
    '(allow network-outbound (remote unix-socket (subpath "/home")))',
]
PROTECTED = (
    '(deny file-write* file-link (subpath "/w/kept/settings.json") (subpath "/w/.git/config") '
    '(subpath "/w/.git/hooks") (subpath "/w/.git/objects/info/alternates") '
    '(literal "/w/kept") (literal "/w/.git") (literal "/w/.git/objects") '
    '(literal "/w/.git/objects/info"))'
)


def rules(within: Confinement) -> list[str]:
    return make_profile(within, PREFIX).splitlines()


def test_the_profile_allows_only_what_it_names() -> None:
    lines = rules(WITHIN)

    assert lines[:4] == [
        "(version 1)",
        "(deny default)",
        "(allow process-exec process-fork)",
        "(allow signal process-info* (target same-sandbox))",
    ]
    assert lines[lines.index(WRITES) :] == [
        WRITES,
        *TERMINALS,
        LINKS,
        PROTECTED,
        *OWN_SOCKETS,
        '(allow network-outbound (literal "/x.sock"))',
    ]


def test_programs_may_use_terminals_semaphores_and_shared_memory() -> None:
    lines = rules(WITHIN)

    assert "(allow pseudo-tty)" in lines
    assert "(allow ipc-posix-shm ipc-posix-sem)" in lines


def test_no_service_reports_names_of_files_elsewhere() -> None:
    assert "FSEvents" not in make_profile(WITHIN, PREFIX)


def test_only_the_system_and_the_confinements_paths_are_readable() -> None:
    (reading,) = [line for line in rules(WITHIN) if line.startswith("(allow file-read* (")]

    assert reading.endswith(
        '(subpath "/opt/python") (subpath "/tools") (subpath "/w") (subpath "/home"))'
    )
    assert '"/Users"' not in reading
    assert '(subpath "/private/etc")' not in reading


def test_a_workspace_that_is_only_read_is_not_writable() -> None:
    within = replace(WITHIN, workspace_access="read")

    assert WRITES.replace('(subpath "/w") ', "") in rules(within)
    reading = [line for line in rules(within) if line.startswith("(allow file-read* ")]
    assert any(line.endswith('(subpath "/w") (subpath "/home"))') for line in reading)


def test_the_network_is_closed_without_a_socket_and_open_if_asked_for() -> None:
    closed = rules(Confinement(Path("/w"), Path("/home"), network="none"))
    opened = rules(Confinement(Path("/w"), Path("/home"), network="open"))

    def network(lines: list[str]) -> list[str]:
        return [line for line in lines if "network" in line and line not in OWN_SOCKETS]

    assert network(closed) == []
    assert network(opened) == ["(allow network*)"]


def test_a_path_with_quotes_is_escaped() -> None:
    lines = rules(Confinement(Path('/wo"rk\\'), Path("/home")))

    (writing,) = [line for line in lines if line.startswith("(allow file-write* (")]
    assert writing.startswith(r'(allow file-write* (subpath "/wo\"rk\\") (subpath "/home")')


def test_links_are_resolved_and_the_command_follows_the_profile(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    program = tmp_path / "sandbox-exec"
    program.touch()
    seatbelt = Seatbelt(Interpreter(Path("/python"), PREFIX), tmp_path, program)
    within = Confinement(tmp_path / "link", tmp_path / "home")

    confined = seatbelt.confine(("true",), {"A": "b"}, within)

    real = Confinement((tmp_path / "real").resolve(), (tmp_path / "home").resolve())
    assert confined == ConfinedCommand(
        (str(program), "-p", make_profile(real, PREFIX), "true"),
        {"A": "b", "HOME": str(real.home), "TMPDIR": str(real.home / "tmp")},
    )


def test_without_sandbox_exec_nothing_is_confined(tmp_path: Path) -> None:
    seatbelt = Seatbelt(Interpreter(Path("/python"), PREFIX), tmp_path, tmp_path / "none")

    assert seatbelt.confine(("true",), {}, WITHIN) == SandboxFailed(
        f"{tmp_path}/none is missing; the sandbox needs it",
        "it belongs to macOS: on another system, Treadle needs bubblewrap",
    )
