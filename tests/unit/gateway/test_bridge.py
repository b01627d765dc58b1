"""The way from inside a sandbox to the proxy outside: a bridge, and variables that lead to it."""

import asyncio
import json
import os
import select
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.unit.gateway.gateway_harness import free_port
from treadle.gateway import bridge
from treadle.gateway.proxy_variables import (
    through_bridge,
    tool_variables,
    without_passwords,
    without_proxy,
)
from treadle.gateway.sandbox_network import SandboxNetwork

# Asks through the bridge, and tells of the process that carries.
COMMAND = r"""
import json, os, socket, sys
there = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
said = b""
try:
    there.sendall(b"who is there?")
    there.shutdown(socket.SHUT_WR)
    while part := there.recv(65536):
        said += part
except OSError:
    pass
carrier = int(open(f"/proc/self/task/{os.getpid()}/children").read())
def shown(name):
    return open(f"/proc/{carrier}/{name}").read().strip("\0\n")
files = {os.readlink(f"/proc/{carrier}/fd/{number}") for number in range(3)}
of_it = [shown("comm"), shown("cmdline"), shown("environ"), *files]
print(json.dumps([os.getpid(), said.decode(), of_it, carrier]))
"""
# The process that carries has a name of its own, and nothing of the command's.
CARRIER = ["treadle-bridge", "treadle-bridge", "", "/dev/null"]


def wait_for_end(pid: int) -> None:
    with suppress(ProcessLookupError):
        select.select([os.pidfd_open(pid)], [], [])


async def test_a_bridge_carries_to_the_socket_and_becomes_the_command(tmp_path: Path) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"you said: " + await reader.read())
        writer.close()
        await writer.wait_closed()

    path, port = str(tmp_path / "s"), str(free_port())
    async with await asyncio.start_unix_server(echo, path):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-IS", bridge.__file__, path, port, "--"),
            *(sys.executable, "-c", COMMAND, port),
            stdout=asyncio.subprocess.PIPE,
            env={"TREADLE_SESSION": "s"},
        )
        printed, _ = await process.communicate()

    *told, carrier = json.loads(printed)
    assert told == [process.pid, "you said: who is there?", CARRIER]
    wait_for_end(carrier)


async def test_a_bridge_has_several_ports_and_leaves_out_a_further_one_that_is_taken(
    tmp_path: Path,
) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"you said: " + await reader.read())
        writer.close()
        await writer.wait_closed()

    first, second = str(free_port()), str(free_port())
    path = str(tmp_path / "s")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        pairs = ["absent", first, "s", str(taken.getsockname()[1]), path, second]
        async with await asyncio.start_unix_server(echo, path):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-IS", bridge.__file__, *pairs, "--"),
                *(sys.executable, "-c", COMMAND, second),
                stdout=asyncio.subprocess.PIPE,
                env={},
            )
            printed, _ = await process.communicate()

    *told, carrier = json.loads(printed)
    assert told == [process.pid, "you said: who is there?", CARRIER]
    wait_for_end(carrier)


async def test_a_bridge_to_nobody_closes_and_goes_on(tmp_path: Path) -> None:
    port = str(free_port())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-IS", bridge.__file__, str(tmp_path / "absent"), port, "--"),
        *(sys.executable, "-c", COMMAND, port),
        stdout=asyncio.subprocess.PIPE,
        env={},
    )
    printed, _ = await process.communicate()

    *told, carrier = json.loads(printed)
    assert told == [process.pid, "", CARRIER]
    wait_for_end(carrier)


# Starts the bridge with a limit, and a command that asks once it has let go of many connections.
LIMITED = """
import os, resource, sys
kind, limit = getattr(resource, sys.argv[1]), int(sys.argv[2])
_, most = resource.getrlimit(kind)
resource.setrlimit(kind, (limit, limit))
os.execv(sys.executable, [sys.executable, *sys.argv[3:]])
"""
CROWD = r"""
import resource, socket, struct, sys, time
here = ("127.0.0.1", int(sys.argv[1]))
held = []
try:
    for _ in range(int(sys.argv[2])):
        held.append(socket.create_connection(here, timeout=1))
        if not held[-1].recv(1):
            break
except OSError:
    pass  # it is not carried any more, or this process has no more descriptors, either
for each in held:
    if sys.argv[3] == "reset":
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    each.close()
said, tries = b"", 100
while not said and tries:
    tries -= 1
    try:
        with socket.create_connection(here, timeout=5) as there:
            there.sendall(b"hi")
            there.shutdown(socket.SHUT_WR)
            while part := there.recv(100):
                said += part
    except OSError:
        time.sleep(0.1)  # it is not carried yet
print(said.decode())
"""


@pytest.mark.parametrize(
    ("kind", "limit", "count", "how"),
    [
        ("RLIMIT_NOFILE", 64, 200, "closed"),
        ("RLIMIT_NOFILE", 64, 200, "reset"),
        ("RLIMIT_AS", 300 << 20, 100, "closed"),
        ("RLIMIT_NOFILE", 1024, 100, "reset"),
    ],
)
async def test_a_bridge_goes_on_after_more_connections_than_it_can_carry(
    tmp_path: Path, kind: str, limit: int, count: int, how: str
) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            writer.write(b"you ")
            writer.write(b"said: " + await reader.read())
            writer.close()
            await writer.wait_closed()

    path, port = str(tmp_path / "s"), str(free_port())
    async with await asyncio.start_unix_server(echo, path):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", LIMITED, kind, str(limit)),
            *("-IS", bridge.__file__, path, port, "--"),
            *(sys.executable, "-c", CROWD, port, str(count), how),
            stdout=asyncio.subprocess.PIPE,
            env={},
        )
        printed, _ = await process.communicate()

    assert printed == b"you said: hi\n"


async def test_a_bridge_that_cannot_listen_starts_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-IS", bridge.__file__, str(tmp_path / "s")),
            *(str(taken.getsockname()[1]), "--", "true"),
            stderr=asyncio.subprocess.PIPE,
        )
        _, complaint = await process.communicate()

    assert (process.returncode, b"Address already in use" in complaint) == (1, True)


def test_programs_in_a_sandbox_are_told_of_the_bridge_and_of_no_other_proxy() -> None:
    given = {
        "TERM": "vt100",
        "HTTPS_PROXY": "http://ada:s3cret@proxy.corp:1",
        "all_proxy": "socks5://proxy.corp:2",
        "NO_PROXY": ".corp",
    }
    way, straight = "http://127.0.0.1:3128", "localhost,127.0.0.1,::1,gateway"

    assert without_proxy(given) == {"TERM": "vt100", "NO_PROXY": ".corp"}
    assert through_bridge(given) == {
        "TERM": "vt100",
        "HTTP_PROXY": way,
        "HTTPS_PROXY": way,
        "ALL_PROXY": way,
        "NO_PROXY": straight,
        "http_proxy": way,
        "https_proxy": way,
        "all_proxy": way,
        "no_proxy": straight,
        "NODE_USE_ENV_PROXY": "1",
    }


def test_package_tools_are_told_of_the_certificates_and_the_proxy() -> None:
    variables = tool_variables("/tmp/c.pem")

    assert {name for name, value in variables.items() if value == "/tmp/c.pem"} == {
        *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO"),
        *("NODE_EXTRA_CA_CERTS", "npm_config_cafile", "YARN_HTTPS_CA_FILE_PATH", "DENO_CERT"),
        *("CARGO_HTTP_CAINFO", "BUNDLE_SSL_CA_CERT"),
    }
    assert {name for name, value in variables.items() if value == "http://127.0.0.1:3128"} == {
        *("npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"),
        "CARGO_HTTP_PROXY",
    }


@pytest.mark.parametrize(
    ("name", "address", "told"),
    [
        ("HTTPS_PROXY", "http://ada:s3cret@proxy.corp:1", "http://proxy.corp:1"),
        ("http_proxy", "http://ada@proxy.corp:1/", "http://proxy.corp:1/"),
        ("ALL_PROXY", "socks5://a:b@c/d@e@proxy.corp:2", "socks5://proxy.corp:2"),
        ("all_proxy", "ada:s3cret@proxy.corp", "proxy.corp"),
        ("Http_Proxy", "http://a:p://x@proxy.corp", "http://proxy.corp"),
        ("HTTP_PROXY", "http://proxy.corp:1", "http://proxy.corp:1"),
        ("HTTP_PROXY", "", ""),
        ("NOTE", "http://ada:s3cret@proxy.corp", "http://ada:s3cret@proxy.corp"),
    ],
)
def test_a_proxys_password_does_not_go_into_a_sandbox_whose_network_is_open(
    name: str, address: str, told: str
) -> None:
    assert without_passwords({name: address}) == {name: told}
    assert SandboxNetwork("open").environment({name: address}) == {name: told}
