"""`scripts/setup.sh` behind a company's package index and certificate authority.

The real pip and the real uv ask a loopback index, whose certificate nobody trusts by itself.
"""

import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path

import pytest

from treadle.gateway.indexes.authority import CertificateAuthority

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "darwin", reason="the system's certificates are elsewhere"),
]

REPOSITORY = Path(__file__).parents[2]
SYSTEM_STORE = Path("/etc/ssl/certs/ca-certificates.crt")
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "treadle"
version = "1.0"
"""
# The project builds itself: every other build backend would have to come from the index.
BACKEND = """
import zipfile

def build_editable(folder, settings=None, metadata=None):
    name = "treadle-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        for path, text in WHEEL.items():
            wheel.writestr(path, text)
    return name

WHEEL = {
    "treadle.py": "def main():\\n    import dependency\\n    print(dependency.NAME)\\n",
    "treadle-1.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: treadle\\nVersion: 1.0\\n",
    "treadle-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n",
    "treadle-1.0.dist-info/entry_points.txt": "[console_scripts]\\ntreadle = treadle:main\\n",
    "treadle-1.0.dist-info/RECORD": "",
}
"""


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class Company:
    """A package index with the two packages that setup installs, and what signed for it."""

    url: str
    authority: Path
    lock: str


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    place = tmp_path_factory.mktemp("company")
    authority = CertificateAuthority("A company")
    (place / "authority.pem").write_bytes(authority.pem)
    tag = "Wheel-Version: 1.0\nGenerator: none\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    about = "Metadata-Version: 2.1\nName: dependency\nVersion: 1.0\n"
    info = "dependency-1.0.dist-info"
    digest = add_wheel(
        place / "index",
        "dependency-1.0-py3-none-any.whl",
        {
            "dependency.py": b"NAME = 'a dependency'\n",
            f"{info}/METADATA": about.encode(),
            f"{info}/WHEEL": tag.encode(),
            f"{info}/RECORD": b"",
        },
    )
    add_installed_uv(place / "index")
    handler = partial(_QuietHandler, directory=str(place / "index"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        context = authority.server_context(("localhost",), place)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"https://localhost:{server.server_port}"
        lock = f"dependency==1.0 --hash=sha256:{digest}\n"
        yield Company(url, place / "authority.pem", lock)
        server.shutdown()
        thread.join()


def add_wheel(index: Path, name: str, files: Mapping[str, bytes]) -> str:
    """Put a wheel into an index of pages; its SHA-256."""
    page = index / name.split("-")[0]
    page.mkdir(parents=True)
    with zipfile.ZipFile(page / name, "w") as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16  # pip keeps what is a program
            wheel.writestr(entry, content)
    digest = sha256((page / name).read_bytes()).hexdigest()
    (page / "index.html").write_text(f'<a href="{name}#sha256={digest}">{name}</a>')
    return digest


def add_installed_uv(index: Path) -> None:
    """The uv that the tests run with, as the wheel that it came from."""
    installed = distribution("uv")
    files: dict[str, bytes] = {}
    for each in installed.files or ():
        content = Path(str(each.locate())).read_bytes()
        if each.parts[0] != "..":
            files[str(each)] = content
        elif each.name in ("uv", "uvx"):
            files[f"uv-{installed.version}.data/scripts/{each.name}"] = content
    add_wheel(index, f"uv-{installed.version}-py3-none-any.whl", files)


@dataclass
class Machine:
    """A checkout with a home of its own, on which setup runs."""

    company: Company
    place: Path

    def __post_init__(self) -> None:
        checkout = self.place / "checkout"
        (checkout / "scripts").mkdir(parents=True)
        shutil.copy(REPOSITORY / "scripts/setup.sh", checkout / "scripts")
        (checkout / "pyproject.toml").write_text(PYPROJECT)
        (checkout / "backend.py").write_text(BACKEND)
        (checkout / "requirements.lock").write_text(self.company.lock)

    def set_up_pip(self, **settings: str) -> None:
        path = self.place / "home/.config/pip/pip.conf"
        path.parent.mkdir(parents=True)
        lines = (f"{name.replace('_', '-')} = {value}" for name, value in settings.items())
        path.write_text("\n".join(("[global]", *lines, "")))

    def setup(self, system_store: Path = SYSTEM_STORE, **variables: str) -> str:
        """What setup says at the end, and what the installed command prints."""
        # The machine's own configuration of pip and its certificates are covered up.
        program = shutil.which("bwrap") or "bwrap"
        covers = ["--dev-bind", "/", "/", "--ro-bind", str(system_store), str(SYSTEM_STORE)]
        if Path("/etc/pip.conf").exists():
            covers += ["--ro-bind", "/dev/null", "/etc/pip.conf"]
        python = Path(sys.base_prefix) / "bin"
        given = {
            "HOME": str(self.place / "home"),
            "PATH": f"{python}:/usr/local/bin:/usr/bin:/bin",
            **variables,
        }
        done = subprocess.run(
            [program, *covers, "sh", "scripts/setup.sh"],
            cwd=self.place / "checkout",
            env=given,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        if done.returncode:
            return done.stderr
        command = self.place / "checkout/.venv/bin/treadle"
        printed = subprocess.run([command], capture_output=True, text=True, env=given, check=True)
        return done.stderr.splitlines()[-1] + "\n" + printed.stdout


READY = "setup: ready: .venv/bin/treadle\na dependency\n"


@pytest.fixture
def machine(company: Company, tmp_path: Path) -> Machine:
    return Machine(company, tmp_path)


def test_setup_uses_the_index_and_the_certificates_that_pip_is_set_up_for(
    machine: Machine,
) -> None:
    machine.set_up_pip(index_url=machine.company.url, cert=str(machine.company.authority))

    assert machine.setup() == READY


def test_setup_trusts_the_certificates_of_the_system(machine: Machine) -> None:
    store = machine.place / "store.pem"
    store.write_bytes(SYSTEM_STORE.read_bytes() + machine.company.authority.read_bytes())
    machine.set_up_pip(index_url=machine.company.url)

    assert machine.setup(store) == READY


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"])
def test_setup_trusts_the_certificates_that_a_variable_names(
    machine: Machine, variable: str
) -> None:
    given = {variable: str(machine.company.authority), "PIP_INDEX_URL": machine.company.url}

    assert machine.setup(SYSTEM_STORE, **given) == READY


def test_setup_trusts_a_host_that_pip_is_told_to_trust(machine: Machine) -> None:
    host = machine.company.url.removeprefix("https://")
    machine.set_up_pip(index_url=machine.company.url, trusted_host=host)

    assert machine.setup() == READY


def test_setup_trusts_nobody_else(machine: Machine) -> None:
    machine.set_up_pip(index_url=machine.company.url)

    assert "certificate verify failed" in machine.setup(SYSTEM_STORE, PIP_RETRIES="1")
