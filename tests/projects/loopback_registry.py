"""Small package registries on loopback: crates, Go modules, npm packages and Python packages."""

import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    authorization: str | None


@dataclass(frozen=True, slots=True)
class Registry:
    """A server of fixed answers by path. With a login, it answers nobody else."""

    port: int
    answers: dict[str, bytes] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    # While there is a status here, every answer has it.
    outage: list[int] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def serve_registry(*, authorization: str | None = None) -> Iterator[Registry]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            sent = self.headers.get("authorization")
            registry.requests.append(Request(self.command, self.path, sent))
            body = registry.answers.get(self.path, b"")
            status = 200 if self.path in registry.answers else 404
            if authorization is not None and sent != authorization:
                status, body = 401, b"who are you?"
            if registry.outage:
                status, body = registry.outage[0], b"come back later"
            self.send_response(status)
            is_json = body.startswith(b"{")
            self.send_header("content-type", "application/json" if is_json else "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_POST = _answer  # noqa: N815  # the names of http.server

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    registry = Registry(server.server_address[1])
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _tarball(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


def add_crate(registry: Registry, name: str, source: str) -> None:
    """Version 1.0.0 of a crate, in a sparse index; its name has at least four letters."""
    manifest = f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\n'
    folder = f"{name}-1.0.0"
    crate = _tarball({f"{folder}/Cargo.toml": manifest, f"{folder}/src/lib.rs": source})
    entry = {
        "name": name,
        "vers": "1.0.0",
        "deps": [],
        "cksum": hashlib.sha256(crate).hexdigest(),
        "features": {},
        "yanked": False,
    }
    download = f"{registry.url}/crates/{{crate}}/{{version}}/download"
    registry.answers["/index/config.json"] = json.dumps({"dl": download}).encode()
    registry.answers[f"/index/{name[:2]}/{name[2:4]}/{name}"] = json.dumps(entry).encode()
    registry.answers[f"/crates/{name}/1.0.0/download"] = crate


def add_go_module(registry: Registry, path: str, source: str) -> None:
    """Version v1.0.0 of a module, as a module proxy serves it."""
    manifest = f"module {path}\n\ngo 1.19\n"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, text in {"go.mod": manifest, "module.go": source}.items():
            file.writestr(f"{path}@v1.0.0/{name}", text)
    info = b'{"Version":"v1.0.0","Time":"2024-01-01T00:00:00Z"}'
    registry.answers.update(
        {
            f"/{path}/@v/list": b"v1.0.0\n",
            f"/{path}/@v/v1.0.0.info": info,
            f"/{path}/@latest": info,
            f"/{path}/@v/v1.0.0.mod": manifest.encode(),
            f"/{path}/@v/v1.0.0.zip": archive.getvalue(),
        }
    )


def add_npm_package(registry: Registry, name: str, source: str) -> None:
    """Version 1.0.0 of a package of ES modules."""
    manifest = {"name": name, "version": "1.0.0", "type": "module", "main": "index.js"}
    files = {"package/package.json": json.dumps(manifest), "package/index.js": source}
    archive = _tarball(files)
    digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    path = f"/{name}/-/{name.split('/')[-1]}-1.0.0.tgz"
    dist = {"tarball": registry.url + path, "integrity": f"sha512-{digest}"}
    document = {
        "name": name,
        "dist-tags": {"latest": "1.0.0"},
        "versions": {"1.0.0": {**manifest, "dist": dist}},
    }
    body = json.dumps(document).encode()
    paths = (f"/{name}", f"/{name.replace('/', '%2f')}")
    registry.answers.update({**dict.fromkeys(paths, body), path: archive})


def add_wheel(registry: Registry, name: str, source: str) -> None:
    """Version 1.0 of a Python package of one module, in an index of pages."""
    file, info = f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as wheel:
        wheel.writestr(f"{name}.py", source)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        tag = "Root-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: none\n{tag}")
        wheel.writestr(f"{info}/RECORD", "")
    digest = hashlib.sha256(archive.getvalue()).hexdigest()
    link = f'<a href="/files/{file}#sha256={digest}">{file}</a>'
    page = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()
    registry.answers.update({f"/simple/{name}/": page, f"/files/{file}": archive.getvalue()})
