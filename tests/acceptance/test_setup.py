"""A project is set up before a session: in the sandbox, with the way to its packages alone."""

import io
import signal
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, script
from tests.unit.policy.secret_samples import GITHUB

WHEEL = "tiny-1.0-py3-none-any.whl"


def wheel() -> bytes:
    """The smallest package that pip installs."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("tiny.py", "SAYS = 'hello'\n")
        info = "tiny-1.0.dist-info"
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        file.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: none\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        file.writestr(f"{info}/RECORD", "")
    return content.getvalue()


@dataclass(frozen=True, slots=True)
class Served:
    port: int
    asked: list[str]


@contextmanager
def index() -> Iterator[Served]:
    """A package index on loopback with one package in it."""
    asked: list[str] = []
    content = wheel()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = content if self.path.endswith(".whl") else f'<a href="/{WHEEL}">x</a>'.encode()
            known = self.path.endswith((".whl", "/tiny/", "/pip/"))
            self.send_response(200 if known else 404)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Served(server.server_address[1], asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def rehearsed(harness: CommandHarness, setup: str, url: str) -> Path:
    harness.settings(
        {
            "project.setup": f'"{setup}"',
            "policy.profiles": '["python"]',
            "sandbox.indexes": '"open"',
        }
    )
    path = harness.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE, BUILD_IT))
    (harness.home / ".config" / "pip").mkdir(parents=True)
    (harness.home / ".config" / "pip" / "pip.conf").write_text(f"[global]\nindex-url = {url}\n")
    (harness.home / ".config" / "uv").mkdir()
    (harness.home / ".config" / "uv" / "uv.toml").write_text(f'index-url = "{url}"\n')
    return path


def test_packages_come_from_the_users_own_index_and_nothing_else_is_reached(
    harness: CommandHarness,
) -> None:
    with index() as packages, index() as elsewhere:
        (harness.project / "fetch.py").write_text(
            "import sys, urllib.request\n"
            "for url in sys.argv[1:]:\n"
            "    try:\n"
            "        urllib.request.urlopen(url)\n"
            "    except OSError as error:\n"
            "        print(error)\n"
        )
        harness.git("add", "-A")
        harness.git("commit", "-q", "-m", "A way to fetch")
        pip = "python3 -m pip -q --disable-pip-version-check"
        install = f"{pip} install --no-cache-dir --target deps tiny"
        others = f"http://127.0.0.1:{elsewhere.port}/pip/ http://elsewhere.example/"
        setup = f"{install} && python3 fetch.py {others}"
        path = rehearsed(harness, setup, f"http://ada:hunter2@127.0.0.1:{packages.port}/simple")

        done = harness.treadle("rehearse", str(path), "--", "deliver", "--json")

    assert done.exit_code == 0, done.stderr
    # Once: the second session needs nothing that the first had not.
    (finished,) = done.of_type("setup.finished")
    assert (finished["exit_code"], finished["hosts"]) == (0, [f"127.0.0.1:{packages.port}"])
    # Loopback is the sandbox's own.
    assert finished["output"].splitlines() == [
        "<urlopen error [Errno 111] Connection refused>",
        "HTTP Error 403: Treadle: elsewhere.example:80 is not in sandbox.hosts",
    ]
    assert [(e["host"], e["allowed"]) for e in done.of_type("host.asked")] == [
        ("127.0.0.1", True),
        ("elsewhere.example", False),
    ]
    # The last one by Treadle itself, to see whether the index links to the other host.
    assert packages.asked == ["/simple/tiny/", f"/{WHEEL}", "/simple/pip/"]
    assert elsewhere.asked == []
    assert "hunter2" not in done.stdout + done.stderr


def committed(harness: CommandHarness, name: str, text: str) -> None:
    (harness.project / name).write_text(text)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", f"Add {name}")


def test_what_a_setup_says_is_cut_only_when_no_secret_is_in_it(harness: CommandHarness) -> None:
    # So long that the cut falls into the middle of the secret.
    committed(harness, "long.txt", f"{GITHUB}\n{'word ' * 796}")
    settings = {"project.setup": '"cat long.txt"'}

    done = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT), settings=settings)

    (finished,) = done.of_type("setup.finished")
    assert (finished["exit_code"], finished["output"]) == (0, f"***\n{'word ' * 796}")
    assert GITHUB[-12:] not in done.stdout


def test_a_setup_ends_when_the_run_is_asked_to_stop(harness: CommandHarness) -> None:
    asks = "import urllib.request\nurllib.request.urlopen('http://elsewhere.example/')\n"
    committed(harness, "ask.py", asks)
    settings = {
        "project.setup": '"python3 ask.py; exec tail -f /dev/null"',
        "policy.profiles": '["python"]',
    }
    running = harness.start(script(ONE_DELIVERABLE, BUILD_IT), settings=settings)
    # It is at work as soon as it has asked for a host.
    running.until("host.asked")
    running.process.send_signal(signal.SIGINT)

    done = running.finish()

    assert (done.exit_code, done.result["reason"]) == (130, "interrupted")
    assert [(e["exit_code"], e["output"]) for e in done.of_type("setup.finished")] == [
        (130, "stopped")
    ]
    assert done.of_type("session.started") == []


def test_a_sandbox_that_fails_in_setup_ends_the_run(harness: CommandHarness) -> None:
    # What is protected must not be a link, which leads who knows where.
    (harness.project / ".mcp.json").symlink_to("elsewhere.json")
    committed(harness, "elsewhere.json", "{}")

    done = harness.deliver(
        script(ONE_DELIVERABLE, BUILD_IT), settings={"project.setup": '"echo never"'}
    )

    assert done.result["reason"] == "sandbox_error"
    assert done.of_type("setup.finished", "session.started") == []


WRITE_INSTALL = """
  - role: implementer
    turns:
      - tool: Write
        input: {file_path: install.sh, content: "python3 fetch.py http://hosts.example:PORT/changed\\n"}
      - text: Half of it.
"""


def test_a_workspace_that_an_agent_changed_reaches_no_hosts_for_setup_alone(
    harness: CommandHarness,
) -> None:
    with index() as hosts:
        committed(harness, "fetch.py", "import sys, urllib.request as u; u.urlopen(sys.argv[1])\n")
        own = f"http://hosts.example:{hosts.port}/own/pip/"
        committed(harness, "install.sh", f"python3 fetch.py {own}\n")
        settings = {
            "project.setup": '"sh install.sh"',
            "policy.profiles": '["php"]',
            "sandbox.hosts": f'["hosts.example:{hosts.port}=127.0.0.1"]',
        }
        harness.settings(settings)
        assert harness.treadle("trust", "--yes").exit_code == 0
        changes = WRITE_INSTALL.replace("PORT", str(hosts.port))

        done = harness.deliver(script(ONE_DELIVERABLE, changes, BUILD_IT), settings=settings)

    name = f"hosts.example:{hosts.port}"
    setups = done.of_type("setup.finished")
    assert hosts.asked == ["/own/pip/"], done.stderr
    # The workspace before the first session, and after the one that changed it.
    in_workspace = [
        (e["exit_code"], e["hosts"], e["reached"], e["refused"]) for e in setups if not e["commit"]
    ]
    assert in_workspace[0] == (0, [name], [name], [])
    assert set(map(repr, in_workspace[1:])) == {repr((1, [], [], [name]))}
    assert any("sandbox.network" in line for line in setups[-1]["cause"])
