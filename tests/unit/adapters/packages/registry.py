"""A registry on loopback with one package, `tiny`, for each kind of package tool."""

import gzip
import hashlib
import io
import json
import tarfile
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from zipfile import ZipFile, ZipInfo


@dataclass(frozen=True)
class Registry:
    """Its address, and the headers `Authorization` of all requests."""

    url: str
    authorizations: list[str | None] = field(default_factory=list)


@contextmanager
def registry() -> Iterator[Registry]:
    served = Registry("")

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.authorizations.append(self.headers.get("authorization"))
            page = pages(f"http://127.0.0.1:{server.server_address[1]}").get(
                self.path.partition("?")[0]
            )
            self.send_response(404 if page is None else 200)
            body, kind = page or (b"", "text/plain")
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.send_response(405)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    served = Registry(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pages(url: str) -> Mapping[str, tuple[bytes, str]]:
    return {**_python(url), **_node(url), **_rust(url), **_go()}


def _python(url: str) -> dict[str, tuple[bytes, str]]:
    wheel = _zip(
        {
            "tiny.py": "",
            "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
            "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
            "Tag: py3-none-any\n",
            "tiny-1.0.dist-info/RECORD": "",
        }
    )
    name = "tiny-1.0-py3-none-any.whl"
    link = f"{url}/simple/files/{name}#sha256={hashlib.sha256(wheel).hexdigest()}"
    page = f'<!DOCTYPE html><html><body><a href="{link}">{name}</a></body></html>'
    return {
        "/simple/tiny/": (page.encode(), "text/html"),
        f"/simple/files/{name}": (wheel, "application/octet-stream"),
    }


def _node(url: str) -> dict[str, tuple[bytes, str]]:
    found: dict[str, tuple[bytes, str]] = {}
    for name in ("tiny", "@ours/small"):
        manifest = {"name": name, "version": "1.0.0"}
        tarball = _tar({"package/package.json": json.dumps(manifest)})
        path = f"/npm/{name}/-/{name.rpartition('/')[2]}-1.0.0.tgz"
        dist = {
            "tarball": url + path,
            "shasum": hashlib.sha1(tarball, usedforsecurity=False).hexdigest(),
            "integrity": f"sha512-{b64encode(hashlib.sha512(tarball).digest()).decode()}",
        }
        document = {
            "name": name,
            "dist-tags": {"latest": "1.0.0"},
            "versions": {"1.0.0": {**manifest, "dist": dist}},
            "time": {"1.0.0": "2020-01-01T00:00:00.000Z", "modified": "2020-01-01T00:00:00.000Z"},
        }
        page = json.dumps(document).encode(), "application/json"
        found |= {
            f"/npm/{name}": page,
            f"/npm/{name.replace('/', '%2f')}": page,
            f"/npm/{name.replace('/', '%2F')}": page,
            path: (tarball, "application/octet-stream"),
        }
    return found


def _rust(url: str) -> dict[str, tuple[bytes, str]]:
    manifest = '[package]\nname = "tiny"\nversion = "1.0.0"\nedition = "2021"\n'
    crate = _tar({"tiny-1.0.0/Cargo.toml": manifest, "tiny-1.0.0/src/lib.rs": ""})
    release = {
        **{"name": "tiny", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False},
        "cksum": hashlib.sha256(crate).hexdigest(),
    }
    found: dict[str, tuple[bytes, str]] = {}
    for root, needs_login in (("/crates", True), ("/mirror", False)):
        settings = {"dl": f"{url}{root}/dl", "auth-required": needs_login}
        found |= {
            f"{root}/config.json": (json.dumps(settings).encode(), "application/json"),
            f"{root}/ti/ny/tiny": (json.dumps(release).encode(), "text/plain"),
            f"{root}/dl/tiny/1.0.0/download": (crate, "application/octet-stream"),
        }
    return found


def _go() -> dict[str, tuple[bytes, str]]:
    module, version = "tiny.example/tiny", "v1.0.0"
    manifest = f"module {module}\n\ngo 1.19\n"
    archive = _zip(
        {
            f"{module}@{version}/go.mod": manifest,
            f"{module}@{version}/tiny.go": "package tiny\n",
        }
    )
    described = json.dumps({"Version": version, "Time": "2020-01-01T00:00:00Z"}).encode()
    root = f"/go/{module}/@v"
    return {
        f"{root}/list": (f"{version}\n".encode(), "text/plain"),
        f"{root}/{version}.info": (described, "application/json"),
        f"{root}/{version}.mod": (manifest.encode(), "text/plain"),
        f"{root}/{version}.zip": (archive, "application/zip"),
    }


def _zip(files: Mapping[str, str]) -> bytes:
    output = io.BytesIO()
    with ZipFile(output, "w") as archive:
        for name, content in files.items():
            archive.writestr(ZipInfo(name), content)
    return output.getvalue()


def _tar(files: Mapping[str, str]) -> bytes:
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    # Without a time, so that all requests get the same bytes.
    return gzip.compress(output.getvalue(), mtime=0)
